"""Task lists and questions of every vendor in Claude's two shapes.

Both occur in each tool with small differences of keys; this is the one place that knows them.
It invents nothing: an entry without words is left empty, not dropped.
"""

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_str, dicts, first, present

_STATUS = {
    "cancelled": "completed",
    "canceled": "completed",
    "done": "completed",
    "todo": "pending",
    "blocked": "pending",
    "in-progress": "in_progress",
}


def todo_input(entries: JsonValue, *words: str) -> JsonObject:
    """`TodoWrite` input; `words` are the keys an entry's text may have, the best first."""
    return {"todos": [_todo(entry, words) for entry in dicts(entries)]}


def _todo(entry: JsonObject, words: tuple[str, ...]) -> JsonObject:
    text = as_str(first(entry, *words))
    status = plain_status(entry.get("status"))
    return {"content": text, "status": status, "activeForm": as_str(entry.get("activeForm"), text)}


def plain_status(value: JsonValue) -> str:
    """Claude's three states; vendors shout them or add their own."""
    status = as_str(value, "pending").lower().removeprefix("todo_status_")
    status = _STATUS.get(status, status)
    return status if status in ("pending", "in_progress", "completed") else "pending"


def questions_input(entries: JsonValue) -> JsonObject:
    """`AskUserQuestion` input, every key of it present."""
    return {"questions": [_question(entry) for entry in dicts(entries)]}


def _question(entry: JsonObject) -> JsonObject:
    return {
        "question": as_str(entry.get("question")),
        "header": as_str(entry.get("header")),
        "multiSelect": first(entry, "multiSelect", "multiple", "multi_select") is True,
        "options": [_option(option) for option in _options(entry.get("options"))],
    }


def _options(value: JsonValue) -> list[JsonObject]:
    items = value if isinstance(value, list) else []
    return [{"label": i} if isinstance(i, str) else i for i in items if isinstance(i, str | dict)]


def _option(option: JsonObject) -> JsonObject:
    label, description = option.get("label"), option.get("description")
    return present(label=as_str(label), description=as_str(description))
