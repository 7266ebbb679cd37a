"""The command line of each CLI for a given set of options; pure functions, prompt last.

Values that come from outside never become flags: an id or model that begins with a dash is
refused, and a prompt that does is passed behind `=` or `--`. Nothing is started here.
"""

import re
import sys
from collections.abc import Callable

from msgspec import Struct

from gemini_cli.ground.config.env import from_here
from gemini_cli.protocol.errors import InputError
from gemini_cli.transcripts.launch.modes import mode_flags
from gemini_cli.transcripts.launch.options import ExecuteOptions

# One argument may hold 128 KiB on Linux; a Windows command line 32 Ki characters in all.
ARGUMENT_LIMIT = 24_000 if sys.platform == "win32" else 120 * 1024
# What would end a name behind `@`, or mean something in it.
_MENTION = re.compile(r"[\s,;!?()\[\]{}|*$`'\"#&<>]")
_READS_STDIN = ("gemini", "claude", "codex", "qwen")


class CommandLine(Struct, frozen=True):
    """What to start: arguments after the executable, text for stdin, and remarks."""

    args: tuple[str, ...]
    stdin: bytes | None = None
    notes: tuple[str, ...] = ()


class _Draft(Struct, frozen=True):
    """The options with everything decided that all CLIs share."""

    options: ExecuteOptions
    mode: tuple[str, ...]
    prompt: str | None
    """None: it goes through stdin."""

    def flag(self, name: str, value: str | None) -> tuple[str, ...]:
        return (name, value) if value is not None else ()

    @property
    def resume_id(self) -> str | None:
        options = self.options
        if isinstance(options.resume, str) and options.resume:
            return options.resume
        return options.session_id if options.resume else None

    @property
    def latest(self) -> bool:
        return self.options.continue_ or (self.options.resume is True and not self.resume_id)

    @property
    def known_id(self) -> str | None:
        """For CLIs that cannot be told the id of a new session: any id means resume."""
        return self.resume_id or self.options.session_id

    @property
    def positional(self) -> tuple[str, ...]:
        if self.prompt is None:
            return ()
        return ("--", self.prompt) if self.prompt.startswith("-") else (self.prompt,)


def command_line(options: ExecuteOptions) -> CommandLine:
    """The arguments for `options.tool`; `InputError` for options that cannot be meant."""
    _check(options)
    build = _BUILDERS[options.tool]
    mode, note = mode_flags(
        options.tool, options.permission_mode, options.dangerously_skip_permissions
    )
    notes = [*([note] if note else []), *_unsupported(options)]
    prompt = _with_images(options)
    data: bytes | None = None
    if len(prompt.encode("utf-8", "surrogatepass")) > ARGUMENT_LIMIT:
        if options.tool not in _READS_STDIN:
            raise InputError(
                f"The prompt for {options.tool} is longer than one argument may be "
                f"({ARGUMENT_LIMIT} bytes) and this CLI takes it no other way; put the text in a "
                "file and name the file in the prompt."
            )
        data = prompt.encode("utf-8", "replace")
    args = build(_Draft(options, mode, None if data is not None else prompt))
    return CommandLine(args, data, tuple(notes))


def _check(options: ExecuteOptions) -> None:
    if not options.prompt.strip():
        raise InputError("The prompt is empty; give execute() something to ask.")
    resume = options.resume if isinstance(options.resume, str) else None
    for name, value in (
        ("session_id", options.session_id),
        ("resume", resume),
        ("model", options.model),
    ):
        if value is not None and (not value.strip() or value.startswith("-")):
            raise InputError(f"{name}={value!r} cannot be an id: it is empty or begins with '-'.")
    texts = [options.prompt, options.session_id, resume, options.model, options.system_prompt]
    texts += [options.append_system_prompt, *options.extra_args, *options.mcp_config]
    texts += [str(image) for image in options.images]
    if any("\0" in text for text in texts if text):
        raise InputError("A NUL character cannot be passed to a CLI; remove it from the options.")


def _with_images(options: ExecuteOptions) -> str:
    images = [str(image) for image in options.images]
    if options.tool == "claude" and images:
        return " ".join([options.prompt, *images])
    if options.tool in ("gemini", "qwen") and images:
        return " ".join([options.prompt, *("@" + _MENTION.sub(r"\\\g<0>", one) for one in images)])
    return options.prompt


def _unsupported(options: ExecuteOptions) -> list[str]:
    tool = options.tool
    asked = {
        "append_system_prompt": options.append_system_prompt and tool != "claude",
        "system_prompt": options.system_prompt and tool != "claude",
        "mcp_config": options.mcp_config and tool != "claude",
        "tool_settings": (
            (options.tool_settings.allowed_tools or options.tool_settings.disallowed_tools)
            and tool != "claude"
        ),
        "images": options.images and tool not in ("claude", "codex", "gemini", "qwen"),
    }
    notes = [f"{tool} has no option for {name}; ignored" for name, used in asked.items() if used]
    return [*notes, *_out_of_reach(options)]


def _out_of_reach(options: ExecuteOptions) -> list[str]:
    """Gemini passes in silence over a picture that is not in one of its folders."""
    if options.tool not in ("gemini", "qwen") or "--include-directories" in options.extra_args:
        return []
    home = from_here(options.working_dir or ".").resolve()
    paths = [home.joinpath(image).resolve() for image in options.images]
    return [
        f"{options.tool} does not see {path}, which is outside the folder it works in; add "
        f"extra_args=('--include-directories', {str(path.parent)!r})"
        for path in paths
        if not path.is_relative_to(home)
    ]


def _gemini(draft: _Draft) -> tuple[str, ...]:
    options = draft.options
    args = ["--output-format", "stream-json", *draft.mode, *draft.flag("--model", options.model)]
    if options.skip_trust:
        args.append("--skip-trust")
    if options.verbose:
        args.append("--debug")
    if draft.resume_id or draft.latest:
        args += ["--resume", draft.resume_id or "latest"]
    elif options.session_id:
        args += ["--session-id", options.session_id]
    return (*args, *options.extra_args, *_prompt_option(draft))


def _qwen(draft: _Draft) -> tuple[str, ...]:
    options = draft.options
    args = ["--output-format", "stream-json", *draft.mode, *draft.flag("--model", options.model)]
    if options.verbose:
        args.append("--debug")
    if draft.resume_id:
        args += ["--resume", draft.resume_id]
    elif draft.latest:
        args.append("--continue")
    elif options.session_id:
        args += ["--session-id", options.session_id]
    return (*args, *options.extra_args, *_prompt_option(draft))


def _prompt_option(draft: _Draft) -> tuple[str, ...]:
    if draft.prompt is None:
        return ()
    if draft.prompt.startswith("-"):
        return (f"--prompt={draft.prompt}",)
    return ("--prompt", draft.prompt)


def _claude(draft: _Draft) -> tuple[str, ...]:
    options, settings = draft.options, draft.options.tool_settings
    args = ["-p", *draft.flag("--model", options.model)]
    args += draft.flag("--append-system-prompt", options.append_system_prompt)
    args += draft.flag("--system-prompt", options.system_prompt)
    # These three take any number of values: a flag must follow them, never the prompt.
    for config in options.mcp_config:
        args += ["--mcp-config", config]
    if settings.allowed_tools:
        args += ["--allowed-tools", ",".join(settings.allowed_tools)]
    if settings.disallowed_tools:
        args += ["--disallowed-tools", ",".join(settings.disallowed_tools)]
    if draft.resume_id:
        args += ["--resume", draft.resume_id]
    elif draft.latest:
        args.append("--continue")
    elif options.session_id:
        args += ["--session-id", options.session_id]
    args += [*draft.mode, *options.extra_args]
    if options.on_delta is not None and options.streaming:
        args.append("--include-partial-messages")
    args += ["--output-format", "stream-json" if options.streaming else "json", "--verbose"]
    return (*args, *draft.positional)


def _codex(draft: _Draft) -> tuple[str, ...]:
    options = draft.options
    args = ["exec"]
    for image in options.images:
        args += ["-i", str(image)]
    args += ["--json", *draft.flag("-m", options.model)]
    if options.working_dir is not None:
        args += ["-C", str(from_here(options.working_dir)), "--skip-git-repo-check"]
    args += [*draft.mode, *options.extra_args]
    if draft.known_id:
        args += ["resume", draft.known_id]
    elif draft.latest:
        args += ["resume", "--last"]
    return (*args, *(("-",) if draft.prompt is None else draft.positional))


def _cursor(draft: _Draft) -> tuple[str, ...]:
    options = draft.options
    args = ["-p", "--output-format", "stream-json", *draft.flag("--model", options.model)]
    if options.on_delta is not None:
        args.append("--stream-partial-output")
    if draft.latest:
        args.append("--continue")
    args += draft.flag("--resume", draft.known_id)
    return (*args, *draft.mode, *options.extra_args, *draft.positional)


def _opencode(draft: _Draft) -> tuple[str, ...]:
    options = draft.options
    args = ["run", "--format", "json", *draft.flag("-m", options.model)]
    if options.verbose:
        args.append("--print-logs")
    if draft.latest:
        args.append("--continue")
    args += draft.flag("--session", draft.known_id)
    if options.working_dir is not None:
        args += ["--dir", str(from_here(options.working_dir))]
    return (*args, *draft.mode, *options.extra_args, *draft.positional)


def _copilot(draft: _Draft) -> tuple[str, ...]:
    options = draft.options
    args = ["--output-format", "json", *draft.flag("--model", options.model)]
    if draft.known_id:
        args.append(f"--resume={draft.known_id}")
    elif draft.latest:
        args.append("--continue")
    return (*args, *draft.mode, *options.extra_args, f"--prompt={draft.prompt}")


_BUILDERS: dict[str, Callable[[_Draft], tuple[str, ...]]] = {
    "gemini": _gemini,
    "claude": _claude,
    "codex": _codex,
    "cursor": _cursor,
    "qwen": _qwen,
    "opencode": _opencode,
    "copilot": _copilot,
}
