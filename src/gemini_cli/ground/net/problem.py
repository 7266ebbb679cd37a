"""What can go wrong on the way to another machine, as one error with a closed set of kinds.

Rooms above translate it into their own errors. It never carries a header value, a query
string or a body, because those hold keys and conversations.
"""

from typing import Literal, TypeAlias

from gemini_cli.protocol.errors import GeminiError

ProblemKind: TypeAlias = Literal[
    "offline",
    "connect_timeout",
    "first_byte_timeout",
    "idle_timeout",
    "broken",
    "tls",
    "proxy",
    "request",
    "redirect",
    "too_large",
    "encoding",
]


class HttpProblem(GeminiError):
    """A request that got no usable answer. Raised by `ground/net`; never for a status code."""

    def __init__(self, message: str, kind: ProblemKind) -> None:
        super().__init__(message)
        self.kind: ProblemKind = kind
