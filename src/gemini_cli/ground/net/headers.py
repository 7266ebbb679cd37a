"""Makes sure that request headers can neither break the wire nor travel to a stranger.

A value is never quoted in a message, since most of the interesting ones are secrets.
"""

import re
from collections.abc import Mapping

from gemini_cli.ground.net.problem import HttpProblem

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_PORTABLE = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})
_FRAMING = frozenset({"connection", "content-length", "te", "transfer-encoding", "upgrade"})


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers with surrounding blanks cut off, or `HttpProblem` naming the bad one."""
    return {_name(name): _value(name, value) for name, value in headers.items()}


def portable_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The few headers another host may see."""
    return {name: value for name, value in headers.items() if name.lower() in _PORTABLE}


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise HttpProblem(f"{name!r} cannot be the name of an HTTP header.", "request")
    if name.lower() in _FRAMING:
        raise HttpProblem(f"The HTTP header {name} is not yours to set.", "request")
    return name


def _value(name: str, value: str) -> str:
    value = value.strip(" \t")
    if not _VALUE.fullmatch(value):
        raise HttpProblem(
            f"The value of the HTTP header {name} holds a line break or a character that "
            "headers cannot carry.",
            "request",
        )
    return value
