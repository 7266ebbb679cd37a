"""Wires a session: every room's part becomes a port, and the loop is built from them."""

from collections.abc import Callable

from gemini_cli.app.wire.basis import Basis
from gemini_cli.app.wire.context import build_prompts
from gemini_cli.app.wire.hooks import NoHooks
from gemini_cli.app.wire.host import build_host
from gemini_cli.app.wire.policy import build_policy
from gemini_cli.app.wire.sessions import build_journal
from gemini_cli.app.wire.tools import build_catalog, build_tools, canonical
from gemini_cli.engine.loop import LoopLimits, Session
from gemini_cli.ground.wire.bus import LocalBus
from gemini_cli.ground.wire.people import LocalPeople
from gemini_cli.protocol.errors import InputError
from gemini_cli.protocol.events import Envelope, Notice
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import Models
from gemini_cli.protocol.ports import Ports
from gemini_cli.protocol.session import Source

Watcher = Callable[[Envelope], None]


def build_session(
    basis: Basis, models: Models, mode: Mode, *, watch: Watcher | None = None
) -> Session:
    """A new session, not yet started."""
    session_id = basis.launch.session_id or basis.clock.new_id()
    bus = LocalBus(session_id, basis.clock)

    def warn(text: str) -> None:
        bus.publish(Notice("warning", text), turn_id=None)

    journal = build_journal(basis, warn) if basis.launch.persist else None
    if journal is not None:
        if basis.launch.session_id and journal.path(session_id):
            raise InputError(
                f"--session-id {session_id}: this session exists already "
                f"({journal.path(session_id)}); choose another id"
            )
        bus.tap(journal.append)
    if watch is not None:
        bus.tap(watch)
    host = build_host(basis)
    tools = build_tools(basis, host)
    policy = build_policy(basis, canonical(tools))
    catalog = build_catalog(basis, tools, policy)
    scratch = basis.paths.project_tmp(basis.short_id) / "tool-outputs" / f"session-{session_id}"
    ports = Ports(
        models=models,
        catalog=catalog,
        prompts=build_prompts(basis, catalog, host, warn),
        policy=policy,
        hooks=NoHooks(),
        people=LocalPeople(bus, present=basis.launch.interactive),
        files=host.files,
        processes=host.processes,
        workspace=host.workspace,
        clock=basis.clock,
        scratch=scratch,
        transcript=lambda: journal.path(session_id) if journal is not None else "",
        child_env=host.child_env,
    )
    return Session(
        session_id=session_id,
        ports=ports,
        bus=bus,
        cwd=str(basis.paths.cwd),
        mode=mode,
        model=_model(basis),
        limits=_limits(basis),
        interactive=basis.launch.interactive,
        source=Source.STARTUP,
    )


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
