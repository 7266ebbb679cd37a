"""The table of command-line flags: names, shapes and one line of help each.

It imports nothing, because `--help` and `--version` pay for it.
"""

from typing import Literal, NamedTuple

Shape = Literal["bool", "text", "list", "optional"]
"""`optional` takes the next word unless that starts with a dash."""


class Flag(NamedTuple):
    """One flag of the root command."""

    name: str
    short: str
    shape: Shape
    help: str
    choices: tuple[str, ...] = ()
    value: str = "TEXT"
    hidden: bool = False

    @property
    def key(self) -> str:
        """The attribute that holds its value."""
        return self.name.replace("-", "_")


MODES = ("default", "auto_edit", "yolo", "plan")
FORMATS = ("text", "json", "stream-json")

FLAGS: tuple[Flag, ...] = (
    Flag("prompt", "p", "text", "answer this prompt and exit; piped input goes in front of it"),
    Flag("prompt-interactive", "i", "text", "start the terminal interface with this prompt"),
    Flag("model", "m", "text", "model or alias to use", value="NAME"),
    Flag("output-format", "o", "text", "what headless runs print", FORMATS, "FORMAT"),
    Flag("approval-mode", "", "text", "how much happens without asking", MODES, "MODE"),
    Flag("yolo", "y", "bool", "same as --approval-mode yolo: every tool runs unasked"),
    Flag("resume", "r", "optional", "go on with a session: latest, its number or its id", (), "ID"),
    Flag("session-id", "", "text", "start a new session under this id", value="ID"),
    Flag("session-file", "", "text", "start from a session stored in a file", value="FILE"),
    Flag("list-sessions", "", "bool", "list the sessions of this project and exit"),
    Flag("delete-session", "", "text", "delete a session by number or id and exit", value="ID"),
    Flag("sandbox", "s", "bool", "run inside the sandbox"),
    Flag("extensions", "e", "list", "use only these extensions; `none` for none", value="NAME"),
    Flag("list-extensions", "l", "bool", "list the extensions and exit"),
    Flag("include-directories", "", "list", "more folders to work in", value="DIR"),
    Flag("allowed-mcp-server-names", "", "list", "use only these MCP servers", value="NAME"),
    Flag("allowed-tools", "", "list", "tools that run unasked", (), "TOOL"),
    Flag("policy", "", "list", "more policy files or folders", value="PATH"),
    Flag("admin-policy", "", "list", "more policy files or folders of the admin", value="PATH"),
    Flag("skip-trust", "", "bool", "trust this folder for this run"),
    Flag("worktree", "w", "optional", "work in a new git worktree", value="NAME"),
    Flag("acp", "", "bool", "speak the Agent Client Protocol on stdin and stdout"),
    Flag("screen-reader", "", "bool", "plain screen for screen readers"),
    Flag("raw-output", "", "bool", "leave escape sequences in the model's text"),
    Flag("accept-raw-output-risk", "", "bool", "no warning about --raw-output"),
    Flag("debug", "d", "bool", "say more on stderr"),
    Flag("version", "v", "bool", "print the version and exit"),
    Flag("help", "h", "bool", "print this help and exit"),
    Flag("experimental-acp", "", "bool", "old name of --acp", hidden=True),
    Flag("api-key", "", "text", "Gemini API key for this run", value="KEY", hidden=True),
    Flag("fake-responses", "", "text", "answers from a file, in order", value="FILE", hidden=True),
    Flag(
        "fake-responses-non-strict",
        "",
        "text",
        "answers from a file, first of each method",
        value="FILE",
        hidden=True,
    ),
    Flag("record-responses", "", "text", "append answers to a file", value="FILE", hidden=True),
    Flag("ignore-env", "", "bool", "ignore plain .env files", hidden=True),
)

VERBS: dict[str, str] = {
    "transcripts": "list, show, search and export the sessions of every coding CLI",
}
"""The verbs this version has; `cli/verbs` holds a file for each."""

_KEPT = "what settings.json and ~/.gemini hold of them is kept"
ELSEWHERE: dict[str, str] = {
    "mcp": f"MCP servers are not connected; {_KEPT}",
    "extensions": f"extensions are not loaded; {_KEPT}",
    "extension": f"extensions are not loaded; {_KEPT}",
    "skills": f"skills are not loaded; {_KEPT}",
    "skill": f"skills are not loaded; {_KEPT}",
    "hooks": f"hooks are not run; {_KEPT}",
    "hook": f"hooks are not run; {_KEPT}",
    "gemma": "start your local model server by hand",
}
"""Verbs that are known but not in this version; what to do instead."""

LATER: dict[str, str] = {
    "resume": "find the session with `gemini transcripts list --tool gemini`, read it with "
    "`gemini transcripts show ID`, and start a new one",
    "session_file": "start a new session and have it read the file",
    "list_sessions": "use `gemini transcripts list --tool gemini`",
    "delete_session": "delete its file below ~/.gemini/tmp by hand",
    "list_extensions": "look into ~/.gemini/extensions",
    "worktree": "use `git worktree add` and start there",
    "acp": "use `gemini -p` where an editor would connect",
    "experimental_acp": "use `gemini -p` where an editor would connect",
    "policy": "use --approval-mode, and tools.allowed and tools.exclude in settings.json",
    "admin_policy": "use tools.exclude in the system settings file",
}
"""Flags this version knows but cannot honour; silence would be worse than a refusal."""

IDLE: dict[str, str] = {
    "screen_reader": "there is no screen yet, and what headless runs print is plain text",
    "extensions": "extensions are not loaded; keep what you need of them in GEMINI.md",
    "allowed_mcp_server_names": "MCP servers are not connected; pipe in what they would say",
}
"""Flags for rooms this version lacks; they do no harm, so they are told and change nothing."""

PATHS = ("FILE", "DIR", "PATH")
"""Kinds of values that name files, and so may hold bytes that are no text."""

_ABSENT = {*LATER, *IDLE, "prompt_interactive", "sandbox"}


def help_text(width: int = 26) -> str:
    """What `--help` prints."""
    lines = [
        "usage: gemini [options] [words of a prompt...]",
        "       gemini [options] -p PROMPT",
        "       ... | gemini [options] [-p PROMPT]",
        "       gemini COMMAND ...",
        "",
        "An AI agent for the terminal: reads and edits code, runs commands, under your rules.",
        "",
        "commands:",
        *(f"  {name:<{width}}{text}" for name, text in VERBS.items()),
        "",
        "options:",
    ]
    for flag in FLAGS:
        if flag.hidden:
            continue
        left = (f"-{flag.short}, " if flag.short else "    ") + f"--{flag.name}"
        if flag.shape != "bool":
            left += f" [{flag.value}]" if flag.shape == "optional" else f" {flag.value}"
        text = flag.help + (f" ({', '.join(flag.choices)})" if flag.choices else "")
        text += " [not in this version]" if flag.key in _ABSENT else ""
        if len(left) >= width:
            lines += [f"  {left}", " " * (width + 2) + text]
        else:
            lines.append(f"  {left:<{width}}{text}")
    return "\n".join(lines) + "\n"
