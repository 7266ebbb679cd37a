"""A request as the scripted server saw it, with the questions tests ask of it.

It keeps everything that came over the wire. Its repr never shows header values, because
one of them is the key of whoever runs the test.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

Method: TypeAlias = Literal[
    "generateContent", "streamGenerateContent", "countTokens", "batchEmbedContents"
]
METHODS: tuple[Method, ...] = get_args(Method)
CONTENT_METHODS: tuple[Method, ...] = ("streamGenerateContent", "generateContent")


class Request:
    """One recorded request. `at` is `time.monotonic()` when its first line had arrived."""

    __slots__ = ("at", "body", "headers", "method", "model", "number", "path", "query", "raw")

    def __init__(
        self,
        *,
        number: int,
        method: Method | None,
        model: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: dict[str, Any],
        raw: bytes,
        at: float,
    ) -> None:
        self.number = number
        """From 1, in order of arrival."""
        self.method = method
        """None where the path is not one the server speaks."""
        self.model = model
        self.path = path
        """As it was sent, percent signs and all."""
        self.query = query
        self.headers = headers
        """Names in lower case."""
        self.body = body
        """The decoded JSON; empty where the body was none."""
        self.raw = raw
        self.at = at

    def __repr__(self) -> str:
        return f"Request({self.number}: {self.path}, {len(self.raw)} bytes)"

    @property
    def contents(self) -> list[dict[str, Any]]:
        """The conversation as sent."""
        return _objects(self.body.get("contents"))

    @property
    def system(self) -> str:
        """The words of the system instruction."""
        return _words(self.body.get("systemInstruction"))

    @property
    def prompt(self) -> str:
        """The last text of the last user entry."""
        for content in reversed(self.contents):
            texts = [p["text"] for p in _objects(content.get("parts")) if _is_text(p)]
            if content.get("role") != "model" and texts:
                return str(texts[-1])
        return ""

    @property
    def tools(self) -> list[str]:
        """Names of the declared tools, in order."""
        return [
            str(declared.get("name"))
            for tool in _objects(self.body.get("tools"))
            for declared in _objects(tool.get("functionDeclarations"))
        ]

    @property
    def replies(self) -> list[dict[str, Any]]:
        """The `functionResponse` objects of the last entry."""
        last = self.contents[-1] if self.contents else {}
        return [
            part["functionResponse"]
            for part in _objects(last.get("parts"))
            if isinstance(part.get("functionResponse"), dict)
        ]


def _is_text(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("text"), str)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content.get("parts") if isinstance(content, dict) else None
    found = [parts] if isinstance(parts, dict) else _objects(parts)
    return "".join(part["text"] for part in found if _is_text(part))
