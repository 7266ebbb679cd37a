"""Events of a question that waits for a person."""

from typing import ClassVar

import msgspec

from gemini_cli.protocol.display import Preview
from gemini_cli.protocol.people import Answer, Ask


class AskRaised(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Somebody must decide."""

    durable: ClassVar[bool] = False
    ask: Ask
    preview: Preview | None = None


class AskResolved(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """It is decided, or nobody needs to any more; other dialogs for it close."""

    durable: ClassVar[bool] = False
    answer: Answer
