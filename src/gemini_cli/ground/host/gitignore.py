"""One ignore file: its lines as patterns, matched byte for byte as git matches them.

Patterns become regular expressions without backtracking, so that a hostile file cannot make
matching slow. It decides about single names; the walk down the folders is in `ignore`.
"""

import re
import string
from collections.abc import Iterator

import msgspec

MAX_BYTES = 1 << 20
CLASSES: dict[bytes, bytes] = {
    b"alnum": (string.ascii_letters + string.digits).encode(),
    b"alpha": string.ascii_letters.encode(),
    b"blank": b" \t",
    b"cntrl": bytes(range(32)) + b"\x7f",
    b"digit": string.digits.encode(),
    b"graph": bytes(range(33, 127)),
    b"lower": string.ascii_lowercase.encode(),
    b"print": bytes(range(32, 127)),
    b"punct": string.punctuation.encode(),
    b"space": b" \t\n\r\x0b\x0c",
    b"upper": string.ascii_uppercase.encode(),
    b"xdigit": string.hexdigits.encode(),
}
NEVER = rb"(?!)"
SLASH = b"/"
ESCAPED_SLASH = rb"\/"
STAR = None


class Pattern(msgspec.Struct, frozen=True):
    """A line that means something. `source` is a regular expression for the whole name or path."""

    source: bytes
    negated: bool
    only_folders: bool
    by_name: bool


class PatternList:
    """The patterns of one file, in order; the last that fits decides."""

    def __init__(self, data: bytes) -> None:
        self._patterns = tuple(parse(data[:MAX_BYTES]))
        self._compiled: dict[int, re.Pattern[bytes]] = {}
        # Most names fit nothing, so one expression for all of them is asked first.
        self._names = _any(p.source for p in self._patterns if p.by_name)
        self._paths = _any(p.source for p in self._patterns if not p.by_name)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def decide(self, path: bytes, *, is_dir: bool) -> bool | None:
        """True: ignored. False: explicitly not. None: no line fits. `path` has no end slash."""
        name = path[path.rfind(b"/") + 1 :]
        by_name = self._names.fullmatch(name) is not None
        by_path = self._paths.fullmatch(path) is not None
        if not by_name and not by_path:
            return None
        for index in range(len(self._patterns) - 1, -1, -1):
            pattern = self._patterns[index]
            if pattern.only_folders and not is_dir:
                continue
            if not (by_name if pattern.by_name else by_path):
                continue
            if self._expression(index).fullmatch(name if pattern.by_name else path):
                return not pattern.negated
        return None

    def _expression(self, index: int) -> re.Pattern[bytes]:
        found = self._compiled.get(index)
        if found is None:
            found = re.compile(self._patterns[index].source, re.DOTALL)
            self._compiled[index] = found
        return found


def _any(sources: Iterator[bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(dict.fromkeys(sources)) or NEVER, re.DOTALL)


def parse(data: bytes) -> Iterator[Pattern]:
    """The patterns of an ignore file, comments and blank lines left out."""
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        text = _trimmed(line.removesuffix(b"\r").split(b"\0", 1)[0])
        if not text or text.startswith(b"#"):
            continue
        negated = text.startswith(b"!")
        text = text[1:] if negated else text
        only_folders = text.endswith(b"/")
        text = text[:-1] if only_folders else text
        if not text:
            continue
        by_name = b"/" not in text
        source = _joined(_tokens(text)) if by_name else _path(text.removeprefix(b"/"))
        yield Pattern(source, negated, only_folders, by_name)


def _trimmed(line: bytes) -> bytes:
    """Without trailing spaces, unless a backslash keeps them."""
    end = len(line)
    while end and line[end - 1 : end] == b" ":
        end -= 1
    if end == len(line):
        return line
    slashes = len(line[:end]) - len(line[:end].rstrip(b"\\"))
    return line[: end + 1] if slashes % 2 else line[:end]


def _path(pattern: bytes) -> bytes:
    """A pattern with slashes, for a path relative to the file's folder."""
    out = b""
    block = b""
    folders: bytes | None = None
    parts = _parts(_tokens(pattern))
    for number, (part, slash) in enumerate(parts):
        if len(part) > 1 and all(token is STAR for token in part):
            # The nearest place where the block fits is as good as any other: never look back.
            out += block if folders is None else rb"(?>" + folders + block + rb")"
            block = b""
            # Git lets `**` stand for no folder at all only before a plain slash.
            folders = rb"(?:[^/]+/)+?" if slash == ESCAPED_SLASH else rb"(?:[^/]+/)*?"
            if number == len(parts) - 1:
                return out + rb".+"
        else:
            block += _joined(part) + slash
    return out + (folders or b"") + block


def _parts(tokens: list[bytes | None]) -> list[tuple[list[bytes | None], bytes]]:
    """The tokens between slashes, each with the slash that follows (none after the last)."""
    parts: list[tuple[list[bytes | None], bytes]] = []
    part: list[bytes | None] = []
    for token in tokens:
        if token in (SLASH, ESCAPED_SLASH):
            parts.append((part, token or b""))
            part = []
        else:
            part.append(token)
    return [*parts, (part, b"")]


def _joined(tokens: list[bytes | None]) -> bytes:
    """One part of a path. Each `*` takes as little as lets the text up to the next one fit."""
    pieces = [b""]
    for token in tokens:
        if token is STAR:
            pieces.append(b"")
        else:
            pieces[-1] += token
    if len(pieces) == 1:
        return pieces[0]
    middle = b"".join(rb"(?>[^/]*?" + piece + rb")" for piece in pieces[1:-1] if piece)
    return pieces[0] + middle + rb"[^/]*" + pieces[-1]


def _tokens(pattern: bytes) -> list[bytes | None]:
    """Each thing that takes one byte as an expression, and each `*`."""
    found: list[bytes | None] = []
    position = 0
    while position < len(pattern):
        char = pattern[position : position + 1]
        position += 1
        if char == b"*":
            found.append(STAR)
        elif char == b"?":
            found.append(rb"[^/]")
        elif char == b"[":
            expression, position = _bracket(pattern, position)
            found.append(expression)
        elif char == b"\\":
            escaped = pattern[position : position + 1]
            position += 1
            if escaped == SLASH:
                found.append(ESCAPED_SLASH)
            else:
                found.append(re.escape(escaped) if escaped else NEVER)
        else:
            found.append(re.escape(char))
    return found


def _bracket(pattern: bytes, start: int) -> tuple[bytes, int]:
    """The set that begins at `start`, and where it ends; one without an end fits nothing."""
    position = start
    negated = pattern[position : position + 1] in (b"!", b"^")
    position += negated
    chosen: set[int] = set()
    previous = -1
    first = True
    while position < len(pattern):
        char = pattern[position]
        if char == 0x5D and not first:
            return _set(chosen, negated), position + 1
        first = False
        position += 1
        following = pattern[position : position + 1]
        if char == 0x2D and previous >= 0 and following not in (b"", b"]"):
            position += 1
            if following == b"\\":
                following = pattern[position : position + 1]
                position += 1
            chosen.update(range(previous, following[0] + 1) if following else ())
            previous = -1
        elif char == 0x5B and following == b":":
            end = pattern.find(b"]", position + 1)
            if end < 0:
                break
            if pattern[end - 1] != 0x3A or end - 1 == position:
                # No class after all: the bracket is an ordinary member.
                chosen.add(char)
                previous = char
                continue
            members = CLASSES.get(pattern[position + 1 : end - 1])
            if members is None:
                break
            chosen.update(members)
            position, previous = end + 1, -1
        else:
            if char == 0x5C:
                if not following:
                    break
                char = following[0]
                position += 1
            chosen.add(char)
            previous = char
    return NEVER, len(pattern)


def _set(chosen: set[int], negated: bool) -> bytes:
    members = set(range(256)) - chosen if negated else chosen
    members.discard(0x2F)
    if not members:
        return NEVER
    return b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]"
