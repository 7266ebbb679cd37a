"""Calls of Claude's tools, which are the target vocabulary already.

It exists so that every tool's package offers the same function.
"""

from collections.abc import Mapping

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


def map_call(name: str, args: Mapping[str, JsonValue]) -> tuple[str, JsonObject]:
    """The same name and input."""
    return name, dict(args)
