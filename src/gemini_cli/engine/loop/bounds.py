"""Tool results as the model reads them: one text, kept short, with media beside it.

What is cut off is kept in a file of the session's scratch folder. It never drops text
without saying so.
"""

import re

from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.display import Display, PlainText, Terminal
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.messages import Blob, Call, Reply, Text
from gemini_cli.protocol.tools import ToolResult

_READERS = frozenset({"read_file", "read_many_files"})
_HEAD = 0.2
_CHARS_PER_TOKEN = 4


def spoken(display: Display) -> str:
    """The words of a display, for those that are words."""
    return display.text if isinstance(display, PlainText | Terminal) else ""


async def bounded(state: State, call: Call, result: ToolResult) -> ToolResult:
    """The same result, its text cut down where that is allowed and needed."""
    if not result.truncate or result.error is not None or len(result.for_model) != 1:
        return result
    only = result.for_model[0]
    limit = _threshold(state)
    if not isinstance(only, Text) or limit <= 0 or len(only.text) <= limit:
        return result
    text = await _cut(state, call, only.text, limit)
    return ToolResult(
        for_model=(Text(text),),
        display=result.display,
        data=result.data,
        effects=result.effects,
    )


def as_reply(call: Call, result: ToolResult) -> tuple[Reply, tuple[Blob, ...]]:
    """The reply to a call, and media that can only be sent beside it."""
    if result.error is not None:
        return Reply(call.id, call.name, (Text(result.error),), is_error=True), ()
    words = [part.text for part in result.for_model if isinstance(part, Text)]
    blobs = [part for part in result.for_model if isinstance(part, Blob)]
    nested = tuple(blob for blob in blobs if not _played(blob))
    played = tuple(blob for blob in blobs if _played(blob))
    if played and call.name in _READERS:
        words.append("The media of this file follow in the next message.")
    elif played:
        words.append(f"[{len(played)} audio or video item(s) left out: tools cannot pass them on.]")
    if not words and nested:
        words.append(f"[{len(nested)} binary item(s) provided.]")
    reply = Reply(call.id, call.name, (Text("\n".join(words)), *nested))
    return reply, played if call.name in _READERS else ()


def _played(blob: Blob) -> bool:
    return blob.mime.startswith(("audio/", "video/"))


def _threshold(state: State) -> int:
    """Characters allowed: the configured number, or less where the window is nearly full."""
    limit = state.limits.truncate_threshold
    if limit <= 0:
        return 0
    room = state.ports.models.limits(state.announced).input_tokens - state.prompt_tokens
    return max(1, min(limit, _CHARS_PER_TOKEN * room))


async def _cut(state: State, call: Call, text: str, limit: int) -> str:
    head = int(limit * _HEAD)
    tail = limit - head
    omitted = len(text) - limit
    path = state.ports.scratch / f"{_file_name(call)}.txt"
    try:
        await state.ports.files.write(path, text.encode("utf-8", "surrogatepass"))
        where = f"The full output is in {path}; read parts of it with a file tool."
    except ToolProblem as problem:
        where = f"The full output could not be kept in {path}: {problem}"
    return (
        f"Output too large: {len(text):,} characters, shown are {limit:,}. {where}\n\n"
        f"{text[:head]}\n\n... [{omitted:,} characters omitted] ...\n\n{text[-tail:]}"
    )


def _file_name(call: Call) -> str:
    name = call.id if call.id.startswith(call.name) else f"{call.name}_{call.id}"
    return re.sub(r"[^A-Za-z0-9_-]", "_", name).lower()[:120]
