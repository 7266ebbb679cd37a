"""JSON with comments: text to values, with line and column for every error.

Plain JSON goes straight to the fast decoder; anything else goes through the scanner here,
which also gives the tree of spans that `jsonc_edit` works on. It writes nothing.
"""

import re

import msgspec
from msgspec import Struct

from gemini_cli.protocol.jsonvalue import JsonValue

MAX_DEPTH = 200

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|(?s:/\*.*?\*/))*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_LONE = re.compile("[\ud800-\udfff]")


class JsoncError(ValueError):
    """The text is not JSON. Lines and columns count from one."""

    def __init__(self, reason: str, text: str, offset: int) -> None:
        self.reason = reason
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - (text.rfind("\n", 0, offset) + 1) + 1
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


class Item(Struct):
    """One member of an object or one element of an array, as it stands in the text."""

    key: str | None
    start: int
    node: "Node"
    comma: int | None = None


class Node(Struct):
    """A value and where it stands. `items` is None unless it is an object or array."""

    start: int
    end: int
    value: JsonValue
    items: list[Item] | None = None

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)


def parse(text: str) -> JsonValue:
    """The value in `text`. Comments, trailing commas and a byte order mark are accepted."""
    try:
        value: JsonValue = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return tree(text).value
    openings = text.count("{") + text.count("[")
    return value if openings <= MAX_DEPTH or _shallow(value) else tree(text).value


def _shallow(value: JsonValue) -> bool:
    """True where no recursion over `value` can go too deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return True
    return False


def tree(text: str) -> Node:
    """The root value with the spans of everything below it."""
    scanner = _Scanner(text)
    at = scanner.blank(1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        raise JsoncError("the file is empty; expected a value such as {}", text, at)
    node = scanner.value(at, 0)
    at = scanner.blank(node.end)
    if at != len(text):
        raise JsoncError("unexpected text after the end of the value", text, at)
    return node


class _Scanner:
    """One pass over one text. Depth is bounded, so recursion is too."""

    def __init__(self, text: str) -> None:
        self.text = text

    def blank(self, at: int) -> int:
        """The next place that is neither white space nor comment."""
        found = _BLANK.match(self.text, at)
        end = found.end() if found else at
        if self.text.startswith("/*", end):
            raise JsoncError("this comment is never closed with */", self.text, end)
        return end

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise JsoncError(f"nested more than {MAX_DEPTH} levels deep", self.text, at)
        mark = self.text[at : at + 1]
        if mark == "{":
            return self.object(at, depth)
        if mark == "[":
            return self.array(at, depth)
        if mark == '"':
            string, end = self.string(at)
            return Node(at, end, string)
        return self.word(at)

    def object(self, start: int, depth: int) -> Node:
        values: dict[str, JsonValue] = {}
        items: list[Item] = []
        at = self.blank(start + 1)
        while not self.text.startswith("}", at):
            if not self.text.startswith('"', at):
                raise self.expected('a key in double quotes or "}"', at)
            key, end = self.string(at)
            colon = self.blank(end)
            if not self.text.startswith(":", colon):
                raise self.expected(f'":" after the key "{printable(key[:60])}"', colon)
            node = self.value(self.blank(colon + 1), depth + 1)
            items.append(Item(key, at, node))
            values.pop(key, None)
            values[key] = node.value
            at = self.comma(items[-1], "}")
        return Node(start, at + 1, values, items)

    def array(self, start: int, depth: int) -> Node:
        values: list[JsonValue] = []
        items: list[Item] = []
        at = self.blank(start + 1)
        while not self.text.startswith("]", at):
            node = self.value(at, depth + 1)
            items.append(Item(None, at, node))
            values.append(node.value)
            at = self.comma(items[-1], "]")
        return Node(start, at + 1, values, items)

    def comma(self, item: Item, close: str) -> int:
        at = self.blank(item.node.end)
        if self.text.startswith(",", at):
            item.comma = at
            return self.blank(at + 1)
        if not self.text.startswith(close, at):
            raise self.expected(f'"," or "{close}"', at)
        return at

    def string(self, start: int) -> tuple[str, int]:
        parts: list[str] = []
        at = start + 1
        while True:
            plain = _PLAIN.match(self.text, at)
            end = plain.end() if plain else at
            parts.append(self.text[at:end])
            mark = self.text[end : end + 1]
            if mark == '"':
                return _joined(parts), end + 1
            if mark != "\\":
                reason = "a raw line break or control character" if mark else "the end of the file"
                raise JsoncError(f"this string runs into {reason}", self.text, start)
            part, at = self.escape(end + 1)
            parts.append(part)

    def escape(self, at: int) -> tuple[str, int]:
        letter = self.text[at : at + 1]
        if letter == "u":
            digits = _HEX4.match(self.text, at + 1)
            if digits is None:
                raise self.expected("four hexadecimal digits after \\u", at)
            return chr(int(digits.group(), 16)), at + 5
        if letter not in _ESCAPES:
            raise JsoncError(
                f"unknown escape \\{letter}; write \\\\ for a backslash", self.text, at - 1
            )
        return _ESCAPES[letter], at + 1

    def word(self, at: int) -> Node:
        number = _NUMBER.match(self.text, at)
        if number is not None:
            end = number.end()
            if number.group(1) or number.group(2):
                value: JsonValue = float(number.group())
                if value in (float("inf"), float("-inf")):
                    raise JsoncError("this number is too large", self.text, at)
            elif end - at > 400:
                raise JsoncError("this number is too large", self.text, at)
            else:
                value = int(number.group())
        else:
            name = next((w for w in _WORDS if self.text.startswith(w, at)), None)
            if name is None:
                raise self.expected("a value", at)
            end, value = at + len(name), _WORDS[name]
        if self.text[end : end + 1].isalnum():
            raise self.expected("a value", at)
        return Node(at, end, value)

    def expected(self, what: str, at: int) -> JsoncError:
        found = self.text[at : at + 1]
        shown = f"found {found!r}" if found else "the file ends here"
        return JsoncError(f"expected {what}, but {shown}", self.text, at)


def printable(text: str) -> str:
    """`text` without characters that could move a terminal's cursor."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _joined(parts: list[str]) -> str:
    """The string with surrogate pairs joined; a lone half becomes the replacement character."""
    text = "".join(parts)
    if _LONE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
