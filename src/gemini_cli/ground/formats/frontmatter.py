"""Splits a Markdown file into its YAML head and its body.

YAML is read as version 1.2 would: only `true` and `false` are booleans, dates stay text.
It refuses heads that would explode when walked: too large, too deep, too many aliases.
"""

import re
from collections.abc import Iterator

import msgspec
import yaml

from gemini_cli.protocol.jsonvalue import JsonValue

MAX_HEAD = 64 * 1024
MAX_DEPTH = 32
MAX_NODES = 20_000
FENCE = re.compile(r"---[ \t]*(?:\r?\n|$)")
CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)")


class Frontmatter(msgspec.Struct, frozen=True):
    """The head (None if there is none or it cannot be read), the body, and what was wrong."""

    head: JsonValue
    body: str
    source: str = ""
    problem: str | None = None


class _Loader(yaml.CSafeLoader):
    """Safe loading with the scalars of YAML 1.2."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+0123456789."),
    ),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )


PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("null", "bool", "int", "float", "str", "seq", "map", "merge")
)


def _decimal(loader: yaml.CSafeLoader, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node))
    if text[:2] in ("0o", "0x"):
        return int(text, 0)
    # Python refuses to read numbers of thousands of digits; so do we, as an error in the head.
    return int(text)


_Loader.add_constructor("tag:yaml.org,2002:int", _decimal)


def split(text: str) -> Frontmatter:
    """The two parts of `text`. Without an opening and a closing line of dashes, all is body."""
    text = text.removeprefix("\ufeff")
    opening = FENCE.match(text)
    closing = CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return Frontmatter(None, text.strip())
    source = text[opening.end() : closing.start()]
    body = text[closing.end() :].strip()
    try:
        return Frontmatter(load_yaml(source), body, source)
    except ValueError as error:
        return Frontmatter(None, body, source, str(error))


def load_yaml(source: str) -> JsonValue:
    """The value of one YAML document; `ValueError` says what is wrong and in which line."""
    if len(source) > MAX_HEAD:
        raise ValueError(f"the YAML is larger than {MAX_HEAD // 1024} KiB")
    try:
        _check_depth(source)
        loader = _Loader(source)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _measure(node, {})
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ValueError(f"{error.problem or error.context}{where}") from error
    except (LookupError, AttributeError) as error:
        raise ValueError("the YAML gives a tag to a value that does not fit it") from error
    except (yaml.YAMLError, TypeError, OverflowError) as error:
        raise ValueError(str(error).split("\n", 1)[0]) from error


def _check_depth(source: str) -> None:
    """Depth is checked on the event stream, before anything recursive sees the text."""
    depth = 0
    for event in yaml.parse(source, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise ValueError(f"the YAML is nested deeper than {MAX_DEPTH} levels")


def _measure(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Size and height of `node` with every alias and merge written out, without doing so."""
    if id(node) in known:
        found = known[id(node)]
        if found is None:
            raise ValueError("the YAML contains itself through an alias")
        return found
    if node.tag not in PLAIN_TAGS:
        line = node.start_mark.line + 1
        raise ValueError(f"the YAML uses a tag that is not understood here, in line {line}")
    known[id(node)] = None
    size, height = 1, 0
    children = node.value if isinstance(node, yaml.CollectionNode) else ()
    for child in children:
        for part in child if isinstance(child, tuple) else (child,):
            more, below = _measure(part, known)
            size, height = size + more, max(height, below + 1)
    if size > MAX_NODES or height > MAX_DEPTH:
        raise ValueError("the YAML repeats itself too often through aliases")
    known[id(node)] = (size, height)
    return size, height


def plain_fields(source: str, names: frozenset[str]) -> dict[str, str]:
    """Fields read line by line, for heads that are meant well but are not YAML.

    `description: Use for X: Y` is the usual case. A value takes the rest of its line and,
    joined by spaces, the indented lines below it.
    """
    found: dict[str, str] = {}
    for name, value in _fields(source):
        if name in names and name not in found:
            found[name] = value
    return found


def _fields(source: str) -> Iterator[tuple[str, str]]:
    name, parts = "", list[str]()
    for line in source.splitlines():
        field = FIELD.match(line)
        if field:
            if name:
                yield name, " ".join(parts)
            name, parts = field[1], [_unquoted(field[2].strip())] if field[2].strip() else []
        elif line[:1] in (" ", "\t") and line.strip():
            parts.append(line.strip())
        elif line.strip() and name:
            yield name, " ".join(parts)
            name, parts = "", []
    if name:
        yield name, " ".join(parts)


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return "" if value in (">", "|", ">-", "|-") else value
