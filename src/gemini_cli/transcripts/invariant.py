"""The invariant of tool calls and results over a list of messages, as a list of complaints.

Each result must answer an earlier call, and each call has at most one result. It reports;
it neither raises nor repairs.
"""

from collections.abc import Iterable

from msgspec import Struct

from gemini_cli.transcripts.model import ToolResultBlock, ToolUseBlock, UnifiedMessage


class Complaint(Struct, frozen=True):
    """What is wrong, with the message and the call it concerns."""

    message_id: str
    tool_use_id: str
    problem: str


def validate(messages: Iterable[UnifiedMessage]) -> list[Complaint]:
    """Everything that breaks the invariant; an empty list means the messages are sound."""
    called: set[str] = set()
    answered: set[str] = set()
    found: list[Complaint] = []
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolUseBlock):
                if block.id in called:
                    found.append(Complaint(message.id, block.id, "the call's id was used before"))
                called.add(block.id)
            elif isinstance(block, ToolResultBlock):
                name = block.tool_use_id
                if name not in called:
                    found.append(Complaint(message.id, name, "the result answers no earlier call"))
                elif name in answered:
                    found.append(Complaint(message.id, name, "the call has a second result"))
                answered.add(name)
    return found
