"""Changes to JSON with comments in its own text: comments, order and indentation stay.

Every function takes the whole text and returns the whole new text. A comment is never
dropped: where its value goes, it moves above the key. Nothing is written to disk here.
"""

import re
from collections.abc import Sequence

import msgspec

from gemini_cli.ground.formats.jsonc import Item, JsoncError, Node, tree
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

_COMMENT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|(//[^\r\n]*|/\*.*?\*/)', re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\r\n]*?\*/[ \t]*)*(?://[^\r\n]*)?")


def set_value(text: str, path: Sequence[str], value: JsonValue) -> str:
    """`text` with `value` at `path`; missing objects on the way are made.

    An object given for an object is applied member by member, so comments inside stay.
    Raises JsoncError where something on the way is not an object.
    """
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    node = tree(text)
    for depth, key in enumerate(path):
        if not node.is_object:
            name = ".".join(path[:depth]) or "the file"
            raise JsoncError(f"{name} holds no object", text, node.start)
        item = _member(node, key)
        if item is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _insert(text, node, key, value)
        node = item.node
    return _replace(text, tuple(path), value)


def delete_value(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`; the same text where there is none."""
    if not path:
        raise ValueError("the root cannot be deleted")
    while True:
        parent = _find(tree(text), path[:-1])
        item = _member(parent, path[-1]) if parent and parent.is_object else None
        if parent is None or item is None:
            return text
        text = _remove(text, parent, item)


def _find(node: Node, path: Sequence[str | int]) -> Node | None:
    for step in path:
        if isinstance(step, int):
            node = (node.items or [])[step].node
            continue
        item = _member(node, step) if node.is_object else None
        if item is None:
            return None
        node = item.node
    return node


def _member(node: Node, key: str) -> Item | None:
    """The member that counts: the last one of that name."""
    return next((i for i in reversed(node.items or []) if i.key == key), None)


def _replace(text: str, path: tuple[str, ...], value: JsonValue) -> str:
    node = _find(tree(text), path)
    if node is None or _same(node.value, value):
        return text
    if node.is_object and isinstance(value, dict):
        return _apply_object(text, path, node.value, value)
    if isinstance(node.value, list) and isinstance(value, list):
        changed = _apply_array(text, path, node.value, value)
        if changed is not None:
            return changed
    start = _anchor(text, path, node)
    line = _indent_at(text, start)
    kept = _comments(text[start : node.end], text, line)
    head = text[start : node.start]
    if kept:
        head = _without_comments(head)
    new = _render(value, _unit(text), _newline(text), line)
    return text[:start] + kept + head + new + text[node.end :]


def _anchor(text: str, path: tuple[str, ...], node: Node) -> int:
    """Where the item begins whose comments must move: at its key, or at the root value."""
    if not path:
        return node.start
    parent = _find(tree(text), path[:-1])
    item = _member(parent, path[-1]) if parent else None
    return item.start if item else node.start


def _apply_object(text: str, path: tuple[str, ...], old: JsonObject, new: JsonObject) -> str:
    for key in old:
        if key not in new:
            text = delete_value(text, (*path, key))
    for key, value in new.items():
        if key not in old or not _same(old[key], value):
            text = set_value(text, (*path, key), value)
    return text


def _apply_array(
    text: str, path: tuple[str, ...], old: list[JsonValue], new: list[JsonValue]
) -> str | None:
    """Elements taken out, then elements added at the end; None where that is not enough."""
    keep: list[int] = []
    for index, value in enumerate(old):
        if len(keep) < len(new) and _same(new[len(keep)], value):
            keep.append(index)
    if not keep and old and new:
        return None
    for index in reversed([i for i in range(len(old)) if i not in keep]):
        node = _find(tree(text), path)
        if node is not None and node.items is not None:
            text = _remove(text, node, node.items[index])
    for value in new[len(keep) :]:
        node = _find(tree(text), path)
        if node is not None:
            text = _insert(text, node, None, value)
    return text


def _insert(text: str, node: Node, key: str | None, value: JsonValue) -> str:
    """`text` with a new last item in `node`."""
    unit, newline = _unit(text), _newline(text)
    items = node.items or []
    base = _indent_at(text, node.start)
    inline = "\n" not in text[node.start : node.end] and bool(items)
    indent = _item_indent(text, node, base + unit)
    label = "" if key is None else f"{_string(key)}: "
    if inline:
        body = label + _on_one_line(value)
        at = items[-1].node.end
        if items[-1].comma is not None:
            at = items[-1].comma + 1
            return text[:at] + " " + body + text[at:]
        return text[:at] + ", " + body + text[at:]
    body = newline + indent + label + _render(value, unit, newline, indent)
    if not items:
        close = node.end - 1
        bare = text[node.start + 1 : close].rstrip(" \t\r\n")
        return text[: node.start + 1] + bare + body + newline + base + text[close:]
    last = items[-1]
    end = last.node.end
    comma = last.comma
    text = text if comma is not None else text[:end] + "," + text[end:]
    after = _line_rest(text, (comma if comma is not None else end) + 1)
    return text[:after] + body + text[after:]


def _line_rest(text: str, at: int) -> int:
    """Past the comments that follow on the same line, so that they stay with their item."""
    found = _REST_OF_LINE.match(text, at)
    end = found.end() if found else at
    follows = text[end : end + 1]
    return end if follows in ("\r", "\n") and follows else at


def _remove(text: str, node: Node, item: Item) -> str:
    items = node.items or []
    place = items.index(item)
    line = _indent_at(text, item.start)
    stop = item.node.end if item.comma is None else item.comma + 1
    kept = _comments(text[item.start : stop], text, line)
    before, after = text[: item.start], text[stop:]
    if place == len(items) - 1 and place > 0:
        comma = items[place - 1].comma
        if comma is not None:
            before = before[:comma] + before[comma + 1 :]
    if kept:
        return before + kept + after.lstrip(" \t")
    return _close_gap(before, after, node, text)


def _close_gap(before: str, after: str, node: Node, text: str) -> str:
    """Joins what is left, taking away a line that became blank."""
    head = before.rstrip(" \t")
    tail = after.lstrip(" \t")
    starts_line = head.endswith("\n")
    if starts_line and tail[:1] in ("\r", "\n"):
        joined = head + tail.removeprefix("\r").removeprefix("\n")
    elif starts_line or tail[:2] in ("//", "/*"):
        joined = before + tail
    elif tail[:1] in ("\r", "\n", "}", "]"):
        joined = head + (" " if tail[:1] == "}" and head[-1:] not in "{[" else "") + tail
    else:
        joined = before + tail
    emptied = joined[node.start + 1 : node.end - 1 - (len(text) - len(joined))]
    if not emptied.strip():
        end = node.end - 1 - (len(text) - len(joined))
        joined = joined[: node.start + 1] + joined[end:]
    return joined


def _comments(span: str, text: str, indent: str) -> str:
    """The comments inside `span`, each on a line of its own, ready to stand above the key."""
    newline = _newline(text)
    found = [m.group(1) for m in _COMMENT.finditer(span) if m.group(1)]
    return "".join(f"{comment}{newline}{indent}" for comment in found)


def _without_comments(span: str) -> str:
    bare = _COMMENT.sub(lambda m: m.group(0) if m.group(1) is None else "", span)
    return re.sub(r"\s*:\s*$", ": ", bare)


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _item_indent(text: str, node: Node, usual: str) -> str:
    for item in reversed(node.items or []):
        line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
        if not line.strip(" \t"):
            return line
    return usual


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\"", text)
    return found.group(1) if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _string(value: str) -> str:
    safe = value.encode("utf-8", "replace").decode("utf-8")
    return msgspec.json.encode(safe).decode()


def _render(value: JsonValue, unit: str, newline: str, indent: str) -> str:
    """JSON as people write it: one member a line, `unit` deeper each level."""
    if isinstance(value, str):
        return _string(value)
    inner = indent + unit
    if isinstance(value, dict) and value:
        lines = [f"{_string(k)}: {_render(v, unit, newline, inner)}" for k, v in value.items()]
        return "{" + ",".join(newline + inner + line for line in lines) + newline + indent + "}"
    if isinstance(value, list | tuple) and value:
        lines = [_render(v, unit, newline, inner) for v in value]
        return "[" + ",".join(newline + inner + line for line in lines) + newline + indent + "]"
    return msgspec.json.encode(value).decode()


def _on_one_line(value: JsonValue) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_string(k)}: {_on_one_line(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_on_one_line, value)) + "]"
    return msgspec.json.encode(value).decode()


def _same(left: JsonValue, right: JsonValue) -> bool:
    """Equal as JSON: `true` is not 1, and order of members does not matter."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(v, right[k]) for k, v in left.items())
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)
