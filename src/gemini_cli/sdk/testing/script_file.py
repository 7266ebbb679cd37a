"""Reads scripts from files: our own JSON form and recorded `.responses` files.

A `.json` script is a list; each entry is an object with one helper's name as its key and the
helper's arguments as its value, for instance `{"text": "hi"}` or
`{"error": {"code": 429, "retry": "3s"}}`, plus optionally `"on"` and `"always"`. What cannot
be understood is refused with the file and the number of the entry.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import msgspec

from gemini_cli.sdk.testing import script
from gemini_cli.sdk.testing.request import METHODS, Method
from gemini_cli.sdk.testing.script import Raw, Step, Tokens, Vectors

MAX_FILE = 64 * 1024 * 1024

_HELPERS: dict[str, Callable[..., Step]] = {
    "text": script.text,
    "thought": script.thought,
    "call": script.call,
    "json_text": script.json_text,
    "finish": script.finish,
    "usage": script.usage,
    "empty": script.empty,
    "blocked": script.blocked,
    "stall": script.stall,
    "cut": script.cut,
    "malformed": script.malformed,
    "raw": script.raw,
    "tokens": script.tokens,
    "embedding": script.embedding,
    "error": script.error,
}
_WHOLE_VALUE = {"json_text", "raw"}
_RECORDED: dict[str, Method] = {
    "generateContentStream": "streamGenerateContent",
    "generateContent": "generateContent",
    "countTokens": "countTokens",
    "embedContent": "batchEmbedContents",
}


class ScriptProblem(ValueError):
    """A script file that cannot be used; the text names the file and the entry."""


def read_script(path: Path) -> list[Step]:
    """The steps of a `.json` or `.responses` file."""
    try:
        data = path.read_bytes()[: MAX_FILE + 1]
        content = data.decode()
    except OSError as error:
        raise ScriptProblem(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ScriptProblem(f"{path}: is not UTF-8 text") from error
    if len(data) > MAX_FILE:
        raise ScriptProblem(f"{path}: is larger than {MAX_FILE} bytes")
    return recorded(content, str(path)) if path.suffix == ".responses" else parsed(content, path)


def recorded(content: str, name: str) -> list[Step]:
    """The steps of a recording: one JSON object per line, blank lines ignored."""
    steps: list[Step] = []
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            where = f"{name}, line {number}"
            steps.append(_checked(_recorded_step(_decoded(line, where), where), where))
    return steps


def parsed(content: str, path: Path) -> list[Step]:
    """The steps of a JSON script."""
    entries = _decoded(content, str(path))
    if not isinstance(entries, list):
        raise ScriptProblem(f"{path}: a script is a JSON list of steps")
    return [_step(entry, f"{path}, step {n}") for n, entry in enumerate(entries, 1)]


def _recorded_step(entry: Any, where: str) -> Step:
    method = _RECORDED.get(str(entry.get("method"))) if isinstance(entry, dict) else None
    if method is None:
        raise ScriptProblem(f'{where}: "method" must be one of {", ".join(_RECORDED)}')
    response = entry.get("response")
    chunks = response if method == "streamGenerateContent" else [response]
    if not isinstance(chunks, list) or not all(isinstance(c, dict) for c in chunks):
        kind = "a list of chunks" if method == "streamGenerateContent" else "an object"
        raise ScriptProblem(f'{where}: "response" must be {kind}')
    if method == "countTokens":
        return Step((Tokens(chunks[0].get("totalTokens", 0)),), (method,))
    if method == "batchEmbedContents":
        found = chunks[0].get("embeddings")
        if not isinstance(found, list) or not all(isinstance(e, dict) for e in found):
            raise ScriptProblem(f'{where}: "embeddings" must be a list of objects')
        return Step((Vectors(tuple(e.get("values", []) for e in found)),), (method,))
    return Step(tuple(Raw(chunk) for chunk in chunks), (method,))


def _step(entry: Any, where: str) -> Step:
    if isinstance(entry, str):
        entry = {entry: {}}
    if not isinstance(entry, dict):
        raise ScriptProblem(f'{where}: a step is an object such as {{"text": "hi"}}')
    rest = {key: value for key, value in entry.items() if key not in ("on", "always")}
    if len(rest) != 1:
        raise ScriptProblem(f"{where}: a step names exactly one helper, not {sorted(rest)}")
    ((name, value),) = rest.items()
    step = _answer(value, where) if name == "answer" else _helped(name, value, where)
    if "on" in entry:
        if entry["on"] not in METHODS:
            raise ScriptProblem(f'{where}: "on" must be one of {", ".join(METHODS)}')
        step = script.on(cast(Method, entry["on"]), step)
    return script.always(step) if entry.get("always") is True else step


def _answer(value: Any, where: str) -> Step:
    if not isinstance(value, list):
        raise ScriptProblem(f'{where}: "answer" takes a list of steps')
    return script.answer(*(_step(v, f"{where}.{n}") for n, v in enumerate(value, 1)))


def _helped(name: str, value: Any, where: str) -> Step:
    helper = _HELPERS.get(name)
    if helper is None:
        known = ", ".join(["answer", *_HELPERS])
        raise ScriptProblem(f"{where}: no helper is called {name!r}; there are {known}")
    try:
        return _checked(_called(name, helper, value), where)
    except (TypeError, ValueError) as error:
        raise ScriptProblem(f"{where}: {error}") from error


def _called(name: str, helper: Callable[..., Step], value: Any) -> Step:
    if name in _WHOLE_VALUE and not (name == "raw" and isinstance(value, list)):
        return helper(value)
    if isinstance(value, dict):
        return helper(**value)
    return helper(*value) if isinstance(value, list) else helper(value)


def _checked(step: Step, where: str) -> Step:
    """The step with every field of the type it should have."""
    try:
        return msgspec.convert(msgspec.to_builtins(step), Step)
    except (msgspec.ValidationError, TypeError) as error:
        raise ScriptProblem(f"{where}: {error}") from error


def _decoded(content: str, where: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ScriptProblem(f"{where}: is not JSON: {error}") from error
