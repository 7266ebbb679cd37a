"""What a Codex tool answered, out of the wrappers it has been stored in over the years.

A wrapper is taken off only when it is surely one; JSON that a command printed stays text.
"""

import re

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.media import image_block
from gemini_cli.transcripts.coerce import as_dict, as_str, dicts, opt_int
from gemini_cli.transcripts.gemini.results import compact, is_failure
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.model import TextBlock, UnifiedContent

Answer = tuple[str | list[UnifiedContent], bool]

_HEAD = re.compile(
    r"(?:Chunk ID|Exit code|Wall time|Total output lines|Original token count"
    r"|Process exited with code|Process running with session ID)\b[^\n]*"
)
_CODE = re.compile(r"(?:Exit code:|Process exited with code) (-?[0-9]+)")
_REFUSED = re.compile(
    r"\s*(?:failed\b|execution error\b|.{0,120}\brejected\b|.{0,120}\baborted\b"
    r"|.{0,60}\bfailed (?:in|to|for|with)\b)",
    re.IGNORECASE,
)


def answer_of(output: JsonValue) -> Answer:
    """Content and whether it is an error."""
    if isinstance(output, str):
        return _from_text(output)
    if isinstance(output, list):
        return _from_items(output), False
    if isinstance(output, dict):
        failed = output.get("success") is False
        content = output.get("content")
        if isinstance(content, list):
            return _from_items(content), failed
        if isinstance(content, str):
            return content, failed
        wrapped = _wrapped(output)
        return wrapped if wrapped is not None else (compact(output), failed)
    return ("" if output is None else compact(output)), False


def _from_text(text: str) -> Answer:
    if text.startswith("{"):
        try:
            wrapped = _wrapped(as_dict(decode(text)))
        except ValueError:
            wrapped = None
        if wrapped is not None:
            return wrapped
    headed = _headed(text)
    if headed is not None:
        return headed
    line = text.lstrip().partition("\n")[0][:200]
    return text, _REFUSED.match(line) is not None


def _wrapped(found: JsonObject) -> Answer | None:
    """`{"output": …, "metadata": {"exit_code": …}}`."""
    if "output" not in found:
        return None
    output = found["output"]
    code = opt_int(as_dict(found.get("metadata")).get("exit_code"))
    body = output if isinstance(output, str) else "" if output is None else compact(output)
    return body, code not in (None, 0)


def _headed(text: str) -> Answer | None:
    """Lines of figures, then `Output:`, then the body."""
    at, failed = 0, False
    while found := _HEAD.match(text, at):
        status = _CODE.match(found[0])
        failed = is_failure(status[1]) if status else failed
        at = found.end() + 1
    if at == 0 or not text.startswith("Output:", at):
        return None
    return text[at + len("Output:") :].removeprefix("\n"), failed


def _from_items(items: list[JsonValue]) -> str | list[UnifiedContent]:
    """Text items alone make a str; with pictures among them, blocks."""
    blocks: list[UnifiedContent] = []
    for item in dicts(items):
        picture = image_block(item)
        text = as_str(item.get("text"))
        if picture is not None:
            blocks.append(picture)
        elif text:
            blocks.append(TextBlock(text))
    if any(not isinstance(block, TextBlock) for block in blocks):
        return blocks
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
