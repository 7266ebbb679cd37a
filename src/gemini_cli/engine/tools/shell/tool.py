"""The tool `run_shell_command`: one command, its output, its exit code.

Substitution is refused whatever the rules say; whether a command may run at all is decided
elsewhere. A command that fails is not a failure of the tool.
"""

import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from gemini_cli.engine.tools.args import Param, checked, schema_of
from gemini_cli.engine.tools.shell.reading import programs, substitutes, unwrapped
from gemini_cli.engine.tools.shell.running import Patience, Ran, run
from gemini_cli.engine.tools.texts import texts_of
from gemini_cli.engine.tools.untrusted import untrusted
from gemini_cli.ground.host.environment import with_git_settings
from gemini_cli.protocol.display import CommandPreview, Display, Location, PlainText, Preview
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem
from gemini_cli.protocol.host import Exit
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Text
from gemini_cli.protocol.people import Answer, Ask
from gemini_cli.protocol.tools import Family, Invocation, Kind, ToolContext, ToolResult, said

PARAMS = (
    Param("command", required=True),
    Param("description"),
    Param("dir_path", aliases=("directory",)),
)
OTHER_PARAMS = (
    Param("is_background", "boolean", aliases=("run_in_background",)),
    Param("timeout", "integer", minimum=1),
)
LONG_COMMAND = 150
REFUSED = (
    "The command was not run: it holds command substitution ($(...), `...`, <(...) or >(...)), "
    "which is refused because what would run cannot be seen. Run the inner command by itself "
    "first, then use its output."
)


Identity = Callable[[Path], Awaitable[Mapping[str, str]]]
"""The git settings that name the person, as they hold in a folder."""


class Shell:
    """Runs commands in the workspace. `silence` is how long a command may say nothing.

    Commands do not see the person's own git settings; `identity` gives those back that commits
    need.
    """

    name = "run_shell_command"
    kind: Kind = "execute"
    parallel = True
    read_only = False
    display_name = "Shell"
    server: str | None = None

    def __init__(self, *, silence: float | None = 300.0, identity: Identity | None = None) -> None:
        self._silence = silence if silence is not None and silence > 0 else None
        self._identity = identity

    def canonical(self, args: JsonObject) -> JsonObject:
        """The arguments under their present names.

        The command stays in its wrapper: who allows `echo` has said nothing of `bash`.
        """
        return checked(PARAMS, args)

    def declaration(self, family: Family) -> JsonObject:
        texts = texts_of(self.name, family, "shell")
        return {
            "name": self.name,
            "description": texts.description,
            "parametersJsonSchema": schema_of(PARAMS, texts.params),
        }

    def prepare(self, args: JsonObject) -> Invocation:
        known = checked(OTHER_PARAMS, checked(PARAMS, args))
        if not known["command"].strip():
            raise InvalidArgs("params/command must not be blank")
        if "\0" in known["command"]:
            raise InvalidArgs("params/command must not hold a NUL character")
        if known.get("is_background"):
            raise InvalidArgs(
                "params/is_background is not available here; end the command with & instead"
            )
        timeout = known.get("timeout")
        patience = Patience(self._silence, None if timeout is None else timeout / 1000)
        return Command(known, patience, self._identity)


class Command:
    """One call of `run_shell_command`."""

    kind: Kind = "execute"

    def __init__(self, args: JsonObject, patience: Patience, identity: Identity | None) -> None:
        self._given: str = args["command"]
        self._command = unwrapped(self._given)
        self._folder: str = args.get("dir_path", "")
        self._description: str = args.get("description", "")
        self._patience = patience
        self._identity = identity

    @property
    def title(self) -> str:
        if len(self._given) > LONG_COMMAND and self._description.strip():
            return self._description.strip()
        return self._given

    @property
    def locations(self) -> tuple[Location, ...]:
        return ()

    def question(self) -> Ask | None:
        return None

    async def preview(self, ctx: ToolContext) -> Preview | None:
        return CommandPreview(
            command=self._given,
            cwd=str(await self._cwd(ctx)),
            roots=programs(self._command),
        )

    async def run(self, ctx: ToolContext, answer: Answer | None = None) -> ToolResult:
        if substitutes(self._command):
            return said(REFUSED, PlainText("Not run: command substitution"))
        cwd = await self._cwd(ctx)
        ran = await run(ctx, self._command, cwd, await self._env(ctx, cwd), self._patience)
        failed = ran.exit.code != 0 or ran.stopped is not None
        return ToolResult(
            for_model=(Text(untrusted(self._report(ran))),),
            display=_display(ran),
            data={"exitCode": ran.exit.code, "isError": failed},
            truncate=True,
        )

    async def _env(self, ctx: ToolContext, cwd: Path) -> Mapping[str, str]:
        env = {**ctx.env, "GEMINI_CLI": "1"}
        person = await self._identity(cwd) if self._identity is not None else {}
        return with_git_settings(env, tuple(person.items())) if person else env

    async def _cwd(self, ctx: ToolContext) -> Path:
        if not self._folder:
            return ctx.workspace.target
        path = ctx.workspace.resolve(self._folder)
        stat = await ctx.files.stat(path)
        if stat is None or stat.kind != "dir":
            raise ToolProblem(
                f"params/dir_path: {path} is not a folder; name one, or leave it out.",
                "shell_execute_error",
            )
        return path

    def _report(self, ran: Ran) -> str:
        """The lines a model reads."""
        text = ran.output.plain()
        if ran.stopped is not None:
            return f"{self._impatience(ran)} Output before that:\n{text or '(empty)'}"
        lines = [f"Output: {text or '(empty)'}"]
        if ran.exit.code:
            lines.append(f"Exit Code: {ran.exit.code}")
        if ran.exit.signal is not None:
            lines.append(f"Signal: {ran.exit.signal}")
        if ran.jobs:
            lines.append(f"Background PIDs: {', '.join(map(str, ran.jobs))}")
        lines.append(f"Process Group PGID: {ran.pid}")
        return "\n".join(lines)

    def _impatience(self, ran: Ran) -> str:
        if ran.stopped == "silence" and self._patience.silence is not None:
            return (
                f"The command was stopped because it wrote nothing for "
                f"{_seconds(self._patience.silence)}."
            )
        return (
            f"The command was stopped because it had not ended after "
            f"{_seconds(self._patience.total or 0)}."
        )


def _display(ran: Ran) -> Display | None:
    shown = ran.output.final(ran.exit.code)
    if shown is not None:
        return shown
    if ran.stopped is not None:
        return PlainText("Stopped: it took too long")
    return _ending(ran.exit)


def _ending(state: Exit) -> Display | None:
    if state.signal is not None:
        return PlainText(f"Ended by signal {_name(state.signal)}")
    return PlainText(f"Exit code {state.code}") if state.code else None


def _name(number: int) -> str:
    """Real-time signals have no names of their own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _seconds(value: float) -> str:
    if value >= 120:
        return f"{value / 60:g} minutes"
    return "1 second" if value == 1 else f"{value:g} seconds"
