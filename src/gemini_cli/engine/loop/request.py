"""Puts a model request together from the history, the prompts and the tools on offer.

It changes nothing: what it adds for a repetition is sent and never stored.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile

from msgspec.structs import replace

from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.errors import ModelError
from gemini_cli.protocol.messages import Blob, Message, Part, Reply, Text, replies_of, text_of
from gemini_cli.protocol.model import ModelRequest
from gemini_cli.protocol.tools import Family, Tool

_NUDGE = (
    "[The last answer arrived without any words for the user. "
    "Now either give the final answer or call a tool.]"
)
_FILLER = "(no words)"
_GO_ON = "Please go on."


async def build(state: State) -> ModelRequest:
    """The request for the next step."""
    view = state.view()
    ports = state.ports
    choice = await ports.models.choose(view)
    state.chosen(choice)
    contents = state.history.usable()
    if contents and contents[-1].role == "model":
        contents = (*contents, state.message("user", (Text(_GO_ON),), "notice"))
    return ModelRequest(
        model=choice.model,
        contents=contents,
        system=ports.prompts.system(view),
        tools=tuple(tool.declaration(family(choice.model)) for tool in offered(state)),
        prompt_id=state.prompt_id,
        role=state.role,
        scope=state.agent[-1] if state.agent else None,
    )


def offered(state: State) -> Sequence[Tool]:
    """The tools the model may know of now."""
    policy, mode, interactive = state.ports.policy, state.mode, state.interactive
    declared = state.ports.catalog.declared(state.view())
    return [tool for tool in declared if not policy.hides(tool, mode, interactive)]


def family(model: str) -> Family:
    """Which set of tool descriptions suits a model."""
    return "gemini-3" if model.startswith(("gemini-3", "auto")) else "default-legacy"


async def fits(state: State, request: ModelRequest) -> bool:
    """Whether what was added since the last answer fits into what is left of the window."""
    added = list(takewhile(lambda message: message.role == "user", reversed(request.contents)))
    size = await _size(state, request.model, added[::-1])
    if not state.prompt_tokens:
        return True
    return size <= state.ports.models.limits(request.model).input_tokens - state.prompt_tokens


async def _size(state: State, model: str, added: Sequence[Message]) -> float:
    """A guess for words; media are counted, if whoever knows them can."""
    if any(_holds_media(part) for message in added for part in message.parts):
        with suppress(ModelError):
            return await state.ports.models.count(model, added)
    return sum(_weight(part) for message in added for part in message.parts)


def _holds_media(part: Part) -> bool:
    return isinstance(part, Blob) or (
        isinstance(part, Reply) and any(isinstance(inner, Blob) for inner in part.parts)
    )


def _weight(part: Part) -> float:
    """A rough count of the tokens of words."""
    words = text_of((part,)) or "".join(
        text_of(reply.parts, thoughts=True) for reply in replies_of((part,))
    )
    if words.isascii():
        return len(words) / 4
    plain = sum(1 for char in words if char.isascii())
    return plain / 4 + (len(words) - plain) * 1.5


def nudged(state: State, request: ModelRequest) -> ModelRequest:
    """The same request with a note that asks for an answer; said once, not once per attempt."""
    last = request.contents[-1]
    if any(isinstance(part, Text) and part.text == _NUDGE for part in last.parts):
        return request
    if not replies_of(last.parts):
        noted = replace(last, parts=(*last.parts, Text(_NUDGE)))
        return replace(request, contents=(*request.contents[:-1], noted))
    filler: Message = state.message("model", (Text(_FILLER),), "notice")
    note: Message = state.message("user", (Text(_NUDGE),), "notice")
    return replace(request, contents=(*request.contents, filler, note))
