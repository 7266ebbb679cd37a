"""Fills `$NAME`, `${NAME}` and `${NAME:-default}` in the strings of a value.

Keys are left alone, and so is a name that is not set and has no default. The result is for
memory only: what is written to a file always starts from the text before this step.
"""

import re
from collections.abc import Mapping

from gemini_cli.protocol.jsonvalue import JsonValue

_REFERENCE = re.compile(r"\$(?:([A-Za-z0-9_]+)|\{([^}]+?)(?::-([^}]*))?\})")


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
    if "$" not in text:
        return text

    def found(match: re.Match[str]) -> str:
        name = match.group(1) or match.group(2)
        value = env.get(name)
        if value is None:
            value = match.group(3)
        return match.group(0) if value is None else value

    return _REFERENCE.sub(found, text)
