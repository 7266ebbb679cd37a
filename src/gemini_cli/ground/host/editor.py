"""Chooses the person's editor and the command lines that open a file or a comparison in it.

It only builds argument lists; starting them, and giving an editor the terminal, is up to the
caller. Names it does not know are refused rather than run.
"""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from gemini_cli.ground.host.spawn import find_program
from gemini_cli.protocol.errors import ToolProblem

Finder = Callable[[str], str | None]


class Editor(msgspec.Struct, frozen=True):
    """An editor that was found. `terminal` ones need the screen for themselves."""

    name: str
    argv: tuple[str, ...]
    terminal: bool
    kind: str


class Known(msgspec.Struct, frozen=True):
    """How an editor is called and how it wants to be told what to do."""

    commands: tuple[str, ...]
    kind: str
    terminal: bool = False


KNOWN: dict[str, Known] = {
    "vscode": Known(("code",), "code"),
    "vscodium": Known(("codium", "vscodium"), "code"),
    "windsurf": Known(("windsurf",), "code"),
    "cursor": Known(("cursor",), "code"),
    "antigravity": Known(("agy", "antigravity"), "code"),
    "zed": Known(("zed", "zeditor"), "zed"),
    "sublimetext": Known(("subl",), "subl"),
    "lapce": Known(("lapce",), "plain"),
    "nova": Known(("nova",), "plain"),
    "bbedit": Known(("bbedit",), "bbedit"),
    "vim": Known(("vim",), "vim", terminal=True),
    "neovim": Known(("nvim",), "vim", terminal=True),
    "emacs": Known(("emacs",), "emacs", terminal=True),
    "emacsclient": Known(("emacsclient",), "emacsclient", terminal=True),
    "hx": Known(("hx", "helix"), "plain", terminal=True),
    "micro": Known(("micro",), "plain", terminal=True),
}
BY_COMMAND = {command: name for name, known in KNOWN.items() for command in known.commands}


def finder(environ: Mapping[str, str]) -> Finder:
    """Looks programs up in the search path of the given environment."""
    return lambda name: find_program(name, environ)


def named(name: str, find: Finder) -> Editor | None:
    """The editor with this setting's name, if it is installed."""
    known = KNOWN.get(name)
    if known is None:
        raise ToolProblem(
            f"Unknown editor {name!r} in general.preferredEditor; use one of: {', '.join(KNOWN)}.",
            "invalid_tool_params",
        )
    for command in known.commands:
        if program := find(command):
            return Editor(name, (program,), known.terminal, known.kind)
    return None


def choose(
    preferred: str | None, environ: Mapping[str, str], find: Finder, *, windows: bool = False
) -> Editor | None:
    """The preferred editor, else `$VISUAL`, `$EDITOR`, else what every machine has."""
    if preferred and (found := named(preferred, find)):
        return found
    for variable in ("VISUAL", "EDITOR"):
        if found := _from_text(environ.get(variable, ""), find, windows):
            return found
    return _from_text("notepad" if windows else "vi", find, windows)


def _from_text(text: str, find: Finder, windows: bool) -> Editor | None:
    try:
        words = shlex.split(text, posix=not windows)
    except ValueError:
        return None
    program = find(words[0]) if words else None
    if program is None:
        return None
    stem = Path(words[0]).name.removesuffix(".exe")
    name = BY_COMMAND.get(stem, stem)
    known = KNOWN.get(name, Known((stem,), "vim" if stem == "vi" else "plain", not windows))
    return Editor(name, (program, *words[1:]), known.terminal, known.kind)


def open_command(editor: Editor, file: Path, *, new_window: bool = False) -> tuple[str, ...]:
    """Opens one file and waits until it is closed."""
    given = editor.argv
    extra: tuple[str, ...] = ()
    if editor.kind in ("code", "zed", "subl", "bbedit") and "--wait" not in given:
        extra = ("--wait",)
    if editor.kind == "code" and new_window:
        extra += ("--new-window",)
    if editor.kind == "vim":
        extra += ("-i", "NONE")
    return (*given, *extra, _as_argument(file))


def compare_command(
    editor: Editor, old: Path, new: Path, *, new_window: bool = False
) -> tuple[str, ...] | None:
    """Shows what changed from `old` to `new`; None if this editor cannot compare."""
    before, after = _as_argument(old), _as_argument(new)
    match editor.kind:
        case "code":
            window = ("--new-window",) if new_window else ()
            return (*editor.argv, "--wait", *window, "--diff", before, after)
        case "zed":
            return (*editor.argv, "--wait", "--diff", before, after)
        case "vim":
            return (*editor.argv, "-d", "-i", "NONE", before, after)
        case "emacs" | "emacsclient":
            call = f"(ediff {_lisp(before)} {_lisp(after)})"
            flags = ("-t",) if editor.kind == "emacsclient" else ()
            return (*editor.argv, *flags, "--eval", call)
        case _:
            return None


def _as_argument(file: Path) -> str:
    """A path no program can mistake for an option."""
    text = str(file)
    return f"./{text}" if text.startswith(("-", "+")) else text


def _lisp(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
