"""How a prompt enters the history: what comes before it, and how it is put.

It adds messages and tells of them; it never takes any away.
"""

from msgspec.structs import replace

from gemini_cli.engine.loop.course import wrapped
from gemini_cli.engine.loop.readable import readable, readable_part
from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.events import MessageAdded
from gemini_cli.protocol.messages import Message, Part, Text, text_of
from gemini_cli.protocol.ops import Op, Prompt

_INTERRUPTED = "(My reply was interrupted before it began.)"
_STEERING = (
    "<user_input>{text}</user_input>\n"
    "The user said this while you were working. Adjust what is left of your plan to it, "
    "and change no more than it asks for."
)


def bridge(state: State) -> None:
    """Between replies that the model never reacted to and a new prompt stands its silence."""
    if state.history.ends_with_replies:
        state.add("model", (Text(_INTERRUPTED),), "notice")


def open_history(state: State) -> None:
    """What a fresh history begins with, what hooks said at the start, and news."""
    view = state.view()
    if not len(state.history):
        for message in state.ports.prompts.opening(view):
            state.history.commit(message)
            state.publish(MessageAdded(message), state.turn_id)
    if state.context and state.interactive:
        state.add("user", (Text(wrapped(state.context)),), "hook")
        state.context = None
    if news := state.ports.prompts.delta(view):
        state.add("user", news, "context")


def prompt_message(state: State, prompt: Prompt) -> Message:
    """The person's words; without a person to see it, the hooks' start context goes first."""
    parts = tuple(readable_part(part) for part in prompt.parts)
    display = None if prompt.display is None else readable(prompt.display)
    message = state.message("user", parts, "person", display)
    if not state.context:
        return message
    context, state.context = f"{wrapped(state.context)}\n\n", None
    shown = message.display if message.display is not None else text_of(parts)
    return replace(message, parts=_before(context, parts), display=shown)


def steered(state: State, op: Op) -> None:
    """Words said while the agent works, put so that they are not taken for a new task."""
    assert isinstance(op, Prompt)
    text = " ".join(text_of(op.parts).split())
    rest = tuple(part for part in op.parts if not isinstance(part, Text))
    parts = (Text(_STEERING.format(text=text)), *rest)
    message = state.message("user", parts, "steer", op.display or text)
    state.history.commit(message)
    state.publish(MessageAdded(message), state.turn_id)


def _before(context: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    first = parts[0] if parts else None
    if isinstance(first, Text):
        return (replace(first, text=context + first.text), *parts[1:])
    return (Text(context), *parts)
