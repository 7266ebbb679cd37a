"""Wires a session: every room's part becomes a port, and the loop is built from them."""

from collections.abc import Callable, Iterable, Sequence

from gemini_cli.app.wire.basis import Basis
from gemini_cli.app.wire.context import build_prompts
from gemini_cli.app.wire.hooks import build_hooks
from gemini_cli.app.wire.host import build_host
from gemini_cli.app.wire.part import Opening, Part
from gemini_cli.app.wire.policy import build_policy
from gemini_cli.app.wire.rooms import ROOMS
from gemini_cli.app.wire.tools import build_catalog
from gemini_cli.engine.loop import LoopLimits, Session
from gemini_cli.engine.tools import renaming
from gemini_cli.ground.wire.bus import LocalBus
from gemini_cli.ground.wire.people import LocalPeople
from gemini_cli.protocol.events import Notice
from gemini_cli.protocol.host import Processes
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import Models
from gemini_cli.protocol.ports import Ports
from gemini_cli.protocol.session import Source


def build_session(
    basis: Basis, models: Models, mode: Mode, processes: Processes, extra: Part
) -> Session:
    """A new session, not yet started. `extra` is what its opener adds to the rooms' parts."""
    session_id = basis.launch.session_id or basis.clock.new_id()
    bus = LocalBus(session_id, basis.clock)

    def warn(text: str) -> None:
        bus.publish(Notice("warning", text), turn_id=None)

    opening = Opening(basis, build_host(basis, processes), session_id, warn)
    parts = [*(part(opening) for part in ROOMS), extra]
    for watcher in (watcher for part in parts for watcher in part.watchers):
        bus.tap(watcher)
    return Session(
        session_id=session_id,
        ports=_ports(opening, models, LocalPeople(bus, present=basis.launch.interactive), parts),
        bus=bus,
        cwd=str(basis.paths.cwd),
        mode=mode,
        model=_model(basis),
        limits=_limits(basis),
        interactive=basis.launch.interactive,
        source=Source.STARTUP,
    )


def _ports(opening: Opening, models: Models, people: LocalPeople, parts: Sequence[Part]) -> Ports:
    """The rooms' ports, with the parts joined into them."""
    basis, host = opening.basis, opening.host
    tools = [tool for part in parts for tool in part.tools]
    policy = build_policy(basis, host, renaming(tools))
    catalog = build_catalog(basis, tools, policy)
    return Ports(
        models=models,
        catalog=catalog,
        prompts=build_prompts(basis, catalog, host, opening.warn),
        policy=policy,
        hooks=build_hooks(opening),
        people=people,
        files=host.files,
        processes=host.processes,
        workspace=host.workspace,
        clock=basis.clock,
        scratch=basis.paths.session_outputs(basis.short_id, opening.session_id),
        around=tuple(around for part in parts for around in part.around),
        guards=tuple(guard for part in parts for guard in part.guards),
        transcript=_transcript(parts),
        child_env=host.child_env,
    )


def _transcript(parts: Iterable[Part]) -> Callable[[], str]:
    """Where hooks find the conversation, or nowhere."""
    return next((part.transcript for part in parts if part.transcript is not None), str)


def _model(basis: Basis) -> str:
    return basis.launch.model or basis.settings.model.name or "auto"


def _limits(basis: Basis) -> LoopLimits:
    settings = basis.settings
    return LoopLimits(
        max_steps=int(settings.model.max_session_turns),
        max_attempts=int(settings.general.max_attempts),
        loop_detection=not settings.model.disable_loop_detection,
        truncate_threshold=int(settings.tools.truncate_tool_output_threshold),
        steering=settings.experimental.model_steering,
    )
