"""Shows a stream-json run in a terminal: what was called, what changed, what came out.

It turns events into lines of text and takes control characters out of everything it did not
write itself. It starts nothing and decides nothing.
"""

import difflib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_HUNKS = re.compile(r"^@@ ", re.MULTILINE)
_MAX_LINES = 16
_MAX_WIDTH = 200
_MAIN_ARGUMENTS = ("file_path", "command", "pattern", "path", "url", "query", "title", "prompt")


class Palette:
    """Colours, or none."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def paint(self, code: str, text: str) -> str:
        """The text in one of the terminal's basic colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self._on and text else text

    def dim(self, text: str) -> str:
        return self.paint("2", text)

    def bold(self, text: str) -> str:
        return self.paint("1", text)

    def green(self, text: str) -> str:
        return self.paint("32", text)

    def red(self, text: str) -> str:
        return self.paint("31", text)

    def cyan(self, text: str) -> str:
        return self.paint("36", text)


class View:
    """Reads stream-json lines and writes what a person wants to see of them."""

    def __init__(self, write: Callable[[str], None], palette: Palette) -> None:
        self._write = write
        self._paint = palette
        self._calls: dict[str, dict[str, Any]] = {}
        self._in_text = False
        self.result: dict[str, Any] | None = None
        """The closing event, once it came."""
        self.tools: list[tuple[str, str]] = []
        """Name and status of each finished call."""

    def line(self, text: str = "") -> None:
        """A line of our own."""
        self._end_text()
        self._write(text + "\n")

    def feed(self, raw: str) -> None:
        """One line of the program's output; what is not an event is shown as it is."""
        try:
            event = json.loads(raw)
        except ValueError:
            event = None
        if not isinstance(event, dict):
            if raw.strip():
                self.line(self._paint.dim(clean(raw.rstrip())))
            return
        show = {
            "message": self._message,
            "tool_use": self._tool_use,
            "tool_result": self._tool_result,
            "error": self._error,
            "result": self._result,
        }.get(str(event.get("type")))
        if show is not None:
            show(event)

    def _message(self, event: dict[str, Any]) -> None:
        text = clean(str(event.get("content", "")))
        if event.get("role") == "user":
            self.line(self._paint.bold(f"> {text.strip()}"))
            self.line()
        else:
            self._in_text = self._in_text or bool(text)
            self._write(text)

    def _tool_use(self, event: dict[str, Any]) -> None:
        self._end_text()
        self._calls[str(event.get("tool_id"))] = event

    def _tool_result(self, event: dict[str, Any]) -> None:
        use = self._calls.pop(str(event.get("tool_id")), {})
        name = clean(str(use.get("tool_name", "tool")))
        args = use.get("parameters")
        args = args if isinstance(args, dict) else {}
        good = event.get("status") == "success"
        self.tools.append((name, str(event.get("status"))))
        mark = self._paint.green("●") if good else self._paint.red("●")
        said = next((str(args[key]) for key in _MAIN_ARGUMENTS if args.get(key)), "")
        self.line(f"{mark} {self._paint.bold(name)} {clean(said).strip()[:_MAX_WIDTH]}")
        for line in self._details(event, args):
            self.line(f"  {line}")
        self.line()

    def _details(self, event: dict[str, Any], args: dict[str, Any]) -> Iterator[str]:
        failure = event.get("error")
        if isinstance(failure, dict):
            yield from map(self._paint.red, cut_short(str(failure.get("message", ""))))
            return
        output = str(event.get("output") or "")
        if "old_string" in args and "new_string" in args and not _HUNKS.search(output):
            output = own_diff(str(args["old_string"]), str(args["new_string"]))
        hunks = _HUNKS.search(output)
        for line in cut_short(output[hunks.start() :] if hunks else output):
            yield self._diff_line(line) if hunks else self._paint.dim(line)

    def _diff_line(self, line: str) -> str:
        if line.startswith("@@"):
            return self._paint.cyan(line)
        if line.startswith("+"):
            return self._paint.green(line)
        return self._paint.red(line) if line.startswith("-") else line

    def _error(self, event: dict[str, Any]) -> None:
        self.line(self._paint.red(f"! {clean(str(event.get('message', '')))}"))

    def _result(self, event: dict[str, Any]) -> None:
        self._end_text()
        self.result = event
        failure = event.get("error")
        if isinstance(failure, dict):
            self.line(self._paint.red(f"! {clean(str(failure.get('message', '')))}"))

    def _end_text(self) -> None:
        if self._in_text:
            self._in_text = False
            self._write("\n\n")


def clean(text: str) -> str:
    """The text without escape sequences and control characters; newlines and tabs stay."""
    plain = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return "".join(c for c in plain if c in "\n\t" or c.isprintable())


def cut_short(text: str) -> list[str]:
    """The first lines, and a word about the rest."""
    lines = [line.rstrip()[:_MAX_WIDTH] for line in clean(text).strip("\n").splitlines()]
    more = len(lines) - _MAX_LINES
    return lines if more <= 0 else [*lines[:_MAX_LINES], f"… {more} more lines"]


def own_diff(old: str, new: str) -> str:
    """A diff made from an edit's arguments, where its result shows none."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    return "\n".join(list(lines)[2:])
