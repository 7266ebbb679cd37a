"""Reads the command line into `Args`, with the habits users of the original rely on.

`--flag=value`, `--no-flag`, camelCase spellings, `--` to end options, lists split on commas,
and the last of two equal flags wins. What cannot be meant is kept as a complaint and reading
goes on, so that the output format behind it is known. Nothing here looks at files, the
environment or the terminal.
"""

from gemini_cli.cli.flags import ELSEWHERE, FLAGS, LATER, PATHS, VERBS, Flag, help_text
from gemini_cli.protocol.errors import UsageError
from gemini_cli.protocol.ids import session_id_ok

_BY_NAME = {flag.name: flag for flag in FLAGS}
_BY_SHORT = {flag.short: flag for flag in FLAGS if flag.short}


class NotYet(UsageError):
    """A flag or verb of the original that this version lacks. The message names another way."""


class Args:
    """The command line as it was meant. None means: not given."""

    prompt: str | None = None
    prompt_interactive: str | None = None
    model: str | None = None
    output_format: str | None = None
    approval_mode: str | None = None
    yolo: bool | None = None
    resume: str | None = None
    session_id: str | None = None
    session_file: str | None = None
    list_sessions: bool | None = None
    delete_session: str | None = None
    sandbox: bool | None = None
    extensions: list[str] | None = None
    list_extensions: bool | None = None
    include_directories: list[str] | None = None
    allowed_mcp_server_names: list[str] | None = None
    allowed_tools: list[str] | None = None
    policy: list[str] | None = None
    admin_policy: list[str] | None = None
    skip_trust: bool | None = None
    worktree: str | None = None
    acp: bool | None = None
    experimental_acp: bool | None = None
    screen_reader: bool | None = None
    raw_output: bool | None = None
    accept_raw_output_risk: bool | None = None
    debug: bool | None = None
    version: bool | None = None
    help: bool | None = None
    api_key: str | None = None
    fake_responses: str | None = None
    fake_responses_non_strict: str | None = None
    record_responses: str | None = None
    ignore_env: bool | None = None

    def __init__(self) -> None:
        self.words: list[str] = []
        """Positional words: a prompt, joined by one space."""
        self.verb: str | None = None
        self.rest: list[str] = []
        """What follows the verb, unread."""
        self.complaint: UsageError | None = None
        """The first thing that cannot be meant; `check` raises it."""

    @property
    def query(self) -> str | None:
        """The positional prompt."""
        return " ".join(self.words) if self.words else None


def parse(argv: list[str]) -> Args:
    """Reads `argv` (without the program's name). Never fails, see `check`."""
    args = Args()
    at = 0
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "--":
            args.words += argv[at:]
            break
        if _is_value(word.partition("=")[0]):
            if not args.words and (word in VERBS or word in ELSEWHERE):
                args.verb, args.rest = word, argv[at:]
                break
            args.words.append(word)
            continue
        read = _long if word.startswith("--") else _short
        try:
            at = read(args, word, argv, at)
        except UsageError as complaint:
            args.complaint = args.complaint or complaint
    return args


def _long(args: Args, word: str, argv: list[str], at: int) -> int:
    name, equals, value = word[2:].partition("=")
    flag, negated = _find(name)
    if flag is None:
        raise UsageError(f"Unknown option --{name}")
    if negated:
        if equals:
            raise UsageError(f"--{name} takes no value")
        setattr(args, flag.key, False)
        return at
    return _take(args, flag, value if equals else None, argv, at)


def _find(name: str) -> tuple[Flag | None, bool]:
    dashed = "".join("-" + c.lower() if c.isupper() else c for c in name)
    if dashed in _BY_NAME:
        return _BY_NAME[dashed], False
    flag = _BY_NAME.get(dashed.removeprefix("no-"))
    return (flag, True) if flag is not None and flag.shape == "bool" else (None, False)


def _short(args: Args, word: str, argv: list[str], at: int) -> int:
    group, equals, value = word[1:].partition("=")
    for position, letter in enumerate(group):
        flag = _BY_SHORT.get(letter)
        rest = group[position + 1 :]
        if flag is None:
            raise UsageError(f"Unknown option -{letter}" + (f" in -{group}" if group[1:] else ""))
        if not rest:
            return _take(args, flag, value if equals else None, argv, at)
        if flag.shape != "bool":
            if equals or not _is_number(rest):
                raise UsageError(f"-{letter} needs a value and must stand last in -{group}")
            return _take(args, flag, rest, argv, at)
        setattr(args, flag.key, True)
    return at


def _take(args: Args, flag: Flag, value: str | None, argv: list[str], at: int) -> int:
    """Stores the value of a flag, taking the next word where it needs one."""
    if flag.shape == "bool":
        if value is None and at < len(argv) and argv[at] in ("true", "false"):
            value = argv[at]
            at += 1
        if value is not None and value.lower() not in ("true", "false"):
            raise UsageError(f"--{flag.name} is true or false, not {value!r}")
        setattr(args, flag.key, value is None or value.lower() == "true")
        return at
    if value is None and at < len(argv) and _is_value(argv[at]):
        value = argv[at]
        at += 1
    if value is None:
        if flag.shape != "optional":
            raise UsageError(f"--{flag.name} needs a value")
        value = ""
    _store(args, flag, value)
    return at


def _is_value(word: str) -> bool:
    """Text rather than a flag: a sentence may begin with a dash, and so does a number."""
    if not word.startswith("-") or word == "-" or " " in word or "\n" in word:
        return True
    return _is_number(word[1:])


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdecimal()


def _store(args: Args, flag: Flag, value: str) -> None:
    if flag.choices and value not in flag.choices:
        wanted = ", ".join(flag.choices)
        raise UsageError(f"--{flag.name} is one of {wanted}; not {value!r}")
    if flag.value not in PATHS:
        value = value.encode("utf-8", "replace").decode()
    if flag.shape != "list":
        setattr(args, flag.key, value)
        return
    items = [item.strip() for item in value.split(",")]
    kept = [""] if value == "" else [item for item in items if item]
    setattr(args, flag.key, [*(getattr(args, flag.key) or []), *kept])


def check(args: Args) -> None:
    """Refuses what cannot be meant and flags that contradict each other. Raises `UsageError`."""
    if args.complaint is not None:
        raise args.complaint
    if args.prompt is not None and args.words:
        raise UsageError(
            "Give the prompt either with --prompt or as words behind the options, not both"
        )
    if args.prompt is not None and args.prompt_interactive is not None:
        raise UsageError("--prompt and --prompt-interactive exclude each other")
    if args.yolo and args.approval_mode is not None:
        raise UsageError("--yolo and --approval-mode exclude each other; use --approval-mode yolo")
    given = [n for n in ("resume", "session_id", "session_file") if getattr(args, n) is not None]
    if len(given) > 1:
        names = " and ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"{names} exclude each other")
    for key, advice in LATER.items():
        if getattr(args, key) not in (None, False):
            raise NotYet(f"--{key.replace('_', '-')} is not in this version; {advice}")
    if args.session_id is not None and not session_id_ok(args.session_id):
        raise UsageError("--session-id may hold only letters, digits, dashes and underscores")


def explained(error: UsageError) -> str:
    """The message for a person, with the help where that is of use."""
    return f"{error}\n" if isinstance(error, NotYet) else f"{error}\n\n{help_text()}"
