"""Fills `$NAME`, `${NAME}` and `${NAME:-default}` in the strings of a value.

Keys are left alone, and so is a name that is not set and has no default. The result is for
memory only: what is written to a file always starts from the text before this step.
"""

import re
from collections.abc import Mapping

from gemini_cli.ground.config.env import as_text
from gemini_cli.protocol.jsonvalue import JsonValue

_NAME = re.compile(r"[A-Za-z0-9_]+")


def fill(value: JsonValue, env: Mapping[str, str]) -> JsonValue:
    """A copy of `value` with every reference in its strings resolved against `env`."""
    if isinstance(value, str):
        return fill_text(value, env)
    if isinstance(value, dict):
        return {key: fill(inner, env) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, env) for inner in value]
    return value


def fill_text(text: str, env: Mapping[str, str]) -> str:
    """`text` with every reference resolved once; a value is not looked into again."""
    parts: list[str] = []
    at, closing = 0, 0
    while (start := text.find("$", at)) >= 0:
        parts.append(text[at:start])
        at = start + 1
        value: str | None = None
        if text.startswith("{", at) and closing >= 0:
            closing = text.find("}", at)
            if closing > at + 1:
                at, value = closing + 1, _braced(text[at + 1 : closing], env)
        elif (name := _NAME.match(text, at)) is not None:
            at, value = name.end(), env.get(name.group())
        parts.append(text[start:at] if value is None else as_text(value))
    return "".join(parts) + text[at:]


def _braced(inside: str, env: Mapping[str, str]) -> str | None:
    """The value of `NAME` or `NAME:-default`; a variable that is set but empty counts."""
    mark = inside.find(":-", 1)
    name = inside if mark < 0 else inside[:mark]
    value = env.get(name)
    return inside[mark + 2 :] if value is None and mark >= 0 else value
