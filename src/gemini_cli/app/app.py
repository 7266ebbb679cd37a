"""The running product: settings read, rooms wired, sessions opened and closed.

Every face works through an `App`. It holds no conversation itself.
"""

from collections.abc import Callable

from gemini_cli.app.intake import prompt_op
from gemini_cli.app.wire.basis import Basis
from gemini_cli.app.wire.loop import build_session
from gemini_cli.app.wire.part import Part
from gemini_cli.engine.loop import Session
from gemini_cli.ground.config.write import migrate_files
from gemini_cli.ground.host.process import LocalProcesses
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import Models
from gemini_cli.protocol.ops import Prompt

NOTHING = Part()


class App:
    """One process's worth of the product. Made by `app.start.start`."""

    def __init__(
        self, basis: Basis, models: Models, mode: Mode, warn: Callable[[str], None]
    ) -> None:
        self._basis = basis
        self._models = models
        self._mode = mode
        self._warn = warn
        self._sessions: list[tuple[Session, LocalProcesses]] = []

    async def open(self, extra: Part = NOTHING) -> Session:
        """A new session, started. `extra` is added to what the rooms bring.

        The first one is where a run begins to write: until then it may still be refused.
        """
        if not self._sessions:
            self._migrate()
        processes = LocalProcesses()
        session = build_session(self._basis, self._models, self._mode, processes, extra)
        self._sessions.append((session, processes))
        await session.start()
        return session

    def _migrate(self) -> None:
        """Gives old names in the person's settings files their new ones."""
        for migrated in migrate_files(self._basis.config):
            if migrated.problem:
                self._warn(migrated.problem)

    def prompt(self, text: str, session: Session) -> Prompt:
        """The op for what a person typed."""
        return prompt_op(text, session.view.session_id)

    async def aclose(self, *, broken_off: bool = False) -> None:
        """Ends every session and lets the connections go.

        What commands left running in the background goes on, as it would behind a shell; unless
        the person broke off, who wants none of it any more.
        """
        for session, processes in self._sessions:
            await session.aclose()
            if broken_off:
                await processes.close()
        await self._models.aclose()
