"""The tool `read_file`: a window of a text file, or a picture, document or sound as data.

Where a file may be is decided by the workspace, whether it is hidden by ignore rules by the
`ignored` it is built with. It changes nothing.
"""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from gemini_cli.engine.tools.args import Param, checked, schema_of
from gemini_cli.engine.tools.texts import texts_of
from gemini_cli.ground.host.encoding import decode
from gemini_cli.ground.host.filetype import FileType, classify
from gemini_cli.protocol.display import Location, PlainText, Preview
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Blob
from gemini_cli.protocol.people import Answer, Ask
from gemini_cli.protocol.tools import Family, Invocation, Kind, ToolContext, ToolResult, said

MAX_BYTES = 20 * 1024 * 1024
MAX_SVG_BYTES = 1024 * 1024
MAX_LINES = 2000
MAX_LINE_CHARS = 2000
CUT_MARK = "... [truncated]"
PLAYABLE = frozenset(f"audio/{kind}" for kind in ("mp3", "wav", "aiff", "aac", "ogg", "flac"))

PARAMS = (
    Param("file_path", required=True, aliases=("absolute_path", "path")),
    Param("start_line", "integer", minimum=1),
    Param("end_line", "integer", minimum=1),
)
OLD_PARAMS = (Param("offset", "integer", minimum=0), Param("limit", "integer", minimum=1))

Ignored = Callable[[Path], str | None]
"""Names what hides a path, or None."""


class Window(msgspec.Struct, frozen=True):
    """The lines asked for, counting from 1; `last` None means as many as fit."""

    first: int = 1
    last: int | None = None


class ReadFile:
    """Reads files of the workspace."""

    name = "read_file"
    kind: Kind = "read"
    parallel = True
    read_only = True
    display_name = "ReadFile"
    server: str | None = None

    def __init__(self, ignored: Ignored | None = None) -> None:
        self._ignored = ignored

    def canonical(self, args: JsonObject) -> JsonObject:
        """The arguments under their present names."""
        return checked(PARAMS, args)

    def declaration(self, family: Family) -> JsonObject:
        texts = texts_of(self.name, family)
        return {
            "name": self.name,
            "description": texts.description,
            "parametersJsonSchema": schema_of(PARAMS, texts.params),
        }

    def prepare(self, args: JsonObject) -> Invocation:
        known = checked(OLD_PARAMS, checked(PARAMS, args))
        if not known["file_path"].strip():
            raise InvalidArgs("params/file_path must not be empty")
        return Reading(known["file_path"], _window(known), self._ignored)


class Reading:
    """One call of `read_file`."""

    kind: Kind = "read"

    def __init__(self, text: str, window: Window, ignored: Ignored | None = None) -> None:
        self._text = text
        self._window = window
        self._ignored = ignored

    @property
    def title(self) -> str:
        return self._text

    @property
    def locations(self) -> tuple[Location, ...]:
        line = self._window.first if self._window.first > 1 else None
        return (Location(self._text, line),)

    async def preview(self, ctx: ToolContext) -> Preview | None:
        return None

    def question(self) -> Ask | None:
        return None

    async def run(self, ctx: ToolContext, answer: Answer | None = None) -> ToolResult:
        path = ctx.workspace.resolve(self._text)
        hidden_by = self._ignored(path) if self._ignored else None
        if hidden_by:
            raise InvalidArgs(
                f"{ctx.workspace.shown(path)} is hidden by {hidden_by}; choose another file."
            )
        data = await read_whole(ctx, path)
        kind = classify(path.name, data[:4096])
        if kind.kind in ("text", "svg"):
            return self._text_result(path, kind, data)
        return _data_result(path, kind, data)

    def _text_result(self, path: Path, kind: FileType, data: bytes) -> ToolResult:
        if kind.kind == "svg" and len(data) > MAX_SVG_BYTES:
            return said(f"Cannot show {path}: it is an SVG picture of more than 1 MB.")
        lines = re.split("\r?\n", decode(data).text)
        return windowed(path, lines, self._window)


async def read_whole(ctx: ToolContext, path: Path) -> bytes:
    """The bytes of a regular file of at most `MAX_BYTES`, or a `ToolProblem`."""
    stat = await ctx.files.stat(path)
    if stat is None:
        raise ToolProblem(
            f"There is no file at {path}; check the spelling, or list the folder first.",
            "file_not_found",
        )
    if stat.kind == "dir":
        raise ToolProblem(
            f"{path} is a folder; list it, or name a file in it.", "target_is_directory"
        )
    if stat.kind == "other":
        raise ToolProblem(
            f"{path} is neither a file nor a folder, so it is not opened.", "read_content_failure"
        )
    data = b"" if stat.size > MAX_BYTES else await ctx.files.read(path, limit=MAX_BYTES + 1)
    if stat.size > MAX_BYTES or len(data) > MAX_BYTES:
        raise ToolProblem(
            f"{path} is larger than the 20 MB this tool reads; take a part of it with a command.",
            "file_too_large",
        )
    return data


def windowed(path: Path, lines: list[str], window: Window) -> ToolResult:
    """The lines of the window, behind a header unless they are the whole file."""
    total = len(lines)
    first = window.first
    if first > total:
        return said(
            f"{path} has {total} lines, so there is nothing at line {first}.",
            PlainText(f"Nothing at line {first}: the file has {total} lines"),
        )
    last = min(window.last or first + MAX_LINES - 1, total)
    shown = [_cut(line) for line in lines[first - 1 : last]]
    text = "\n".join(shown)
    if first == 1 and last == total and shown == lines:
        return said(text)
    header = ["Only a part of this file is shown below."]
    header.append(f"Status: Showing lines {first}-{last} of {total} total lines.")
    if last < total:
        header.append(f"To go on reading, call read_file with start_line: {last + 1}.")
    if shown != lines[first - 1 : last]:
        header.append(f"Lines of more than {MAX_LINE_CHARS} characters are cut.")
    header.append("")
    header.append("--- FILE CONTENT (truncated) ---")
    return said(
        "\n".join([*header, text]),
        PlainText(f"Read lines {first}-{last} of {total} from {path.name}"),
    )


def _data_result(path: Path, kind: FileType, data: bytes) -> ToolResult:
    if kind.kind == "binary":
        return said(
            f"Cannot display {path}: it is a binary file.", PlainText(f"Binary file: {path.name}")
        )
    if kind.kind == "audio" and kind.mime not in PLAYABLE:
        raise ToolProblem(
            f"{path} is sound of a kind models cannot hear ({kind.mime}); "
            "convert it to mp3, wav, aiff, aac, ogg or flac.",
            "read_content_failure",
        )
    return ToolResult(
        for_model=(Blob(kind.mime, data),), display=PlainText(f"Read {kind.kind}: {path.name}")
    )


def _window(args: JsonObject) -> Window:
    """Lines by the present names, or by `offset` (from 0) and `limit` as they once were."""
    first, last = args.get("start_line"), args.get("end_line")
    if first is None and last is None and ("offset" in args or "limit" in args):
        first = args.get("offset", 0) + 1
        last = first + args["limit"] - 1 if "limit" in args else None
    first = first or 1
    if last is not None and last < first:
        raise InvalidArgs(f"params/end_line must be >= start_line ({first})")
    return Window(first, last)


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + CUT_MARK
