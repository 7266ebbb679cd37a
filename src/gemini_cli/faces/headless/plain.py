"""Renders what a tool shows as plain text, for output that has no screen."""

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


def display_text(display: Display | None) -> str:
    """What a person would read of this display."""
    match display:
        case None:
            return ""
        case PlainText(text=text):
            return text
        case Terminal(text=text):
            return without_escapes(text).strip()
        case FileDiff(patch=patch):
            return patch
        case TodoList(todos=todos):
            return "\n".join(f"[{todo.status}] {todo.description}" for todo in todos)
        case Listing(summary=summary, items=items):
            return "\n".join((summary, *items))
        case Headline(title=title, text=text):
            return f"{title}\n{text}" if text else title
        case AgentProgress(agent=agent, lines=lines):
            return "\n".join((agent, *lines))
        case Custom():
            return ""
