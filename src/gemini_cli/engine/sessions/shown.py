"""What a person was shown of a tool, as it is stored beside the call.

The forms are those other programs read: a string, a file diff, a task list, a listing. They
print strings as they are, so nothing in one may drive a terminal.
"""

from gemini_cli.ground.formats.escapes import without_escapes
from gemini_cli.protocol.display import (
    AgentProgress,
    Custom,
    Display,
    FileDiff,
    Headline,
    Listing,
    PlainText,
    Terminal,
    TodoList,
)
from gemini_cli.protocol.jsonvalue import JsonValue

STAT_KEYS = (
    "model_added_lines",
    "model_removed_lines",
    "model_added_chars",
    "model_removed_chars",
    "user_added_lines",
    "user_removed_lines",
    "user_added_chars",
    "user_removed_chars",
)


def stored_display(display: Display | None) -> JsonValue:
    """The display as JSON; None for none."""
    match display:
        case None:
            return None
        case PlainText(text=text):
            return text
        case Terminal(text=text):
            return without_escapes(text).strip()
        case FileDiff():
            return _stored_diff(display)
        case TodoList(todos=todos):
            return {"todos": [{"description": t.description, "status": t.status} for t in todos]}
        case Listing(summary=summary, items=items):
            return {"summary": summary, "files": list(items)}
        case Headline(title=title, text=text):
            return f"{title}\n{text}" if text else title
        case AgentProgress(agent=agent, lines=lines, state=state):
            return "\n".join([f"{agent}: {state}", *lines])
        case Custom(raw=raw):
            return raw


def is_markdown(display: Display | None) -> bool:
    """Whether a display that is a string should be read as Markdown."""
    return isinstance(display, PlainText) and display.markdown


def _stored_diff(diff: FileDiff) -> JsonValue:
    return {
        "fileDiff": diff.patch,
        "fileName": diff.name,
        "filePath": diff.path,
        "originalContent": diff.original,
        "newContent": diff.new,
        "diffStat": {key: getattr(diff.stat, key) for key in STAT_KEYS},
        "isNewFile": diff.is_new,
    }
