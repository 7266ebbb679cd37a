"""An answer as it comes in: collects its pieces, and says whether it can be used.

Pieces are kept in lists and joined once, so a long answer costs no more per chunk than a
short one. It neither publishes nor asks anybody.
"""

import re
from collections.abc import Callable

from msgspec.structs import replace

from gemini_cli.protocol.messages import Blob, Call, Part, Text, Usage
from gemini_cli.protocol.model import Chunk, Citation

_INVISIBLE = re.compile("[\\s\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]*")

_WITHOUT_WORDS = {
    "MAX_TOKENS": "MAX_TOKENS_EXCEEDED",
    "SAFETY": "SAFETY_BLOCKED",
    "RECITATION": "RECITATION_BLOCKED",
    "OTHER": "OTHER_BLOCKED",
}
_BROKEN = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
NUDGED = frozenset({"THINKING_ONLY_RESPONSE", "NO_RESPONSE_TEXT"})
"""Problems where telling the model what is missing helps."""

_MEANING = {
    "NO_FINISH_REASON": "The model's answer broke off before its end.",
    "MALFORMED_FUNCTION_CALL": "The model wrote a tool call that cannot be read.",
    "UNEXPECTED_TOOL_CALL": "The model called a tool where none was allowed.",
    "MAX_TOKENS_EXCEEDED": "The model used up its output tokens before it said anything.",
    "SAFETY_BLOCKED": "The service held the answer back for safety reasons.",
    "RECITATION_BLOCKED": "The service held the answer back because it recites a source.",
    "OTHER_BLOCKED": "The service held the answer back without naming a reason.",
    "THINKING_ONLY_RESPONSE": "The model thought but did not answer.",
    "NO_RESPONSE_TEXT": "The model's answer was empty.",
}


def meaning(problem: str) -> str:
    """A sentence for a person about an unusable answer."""
    return f"{_MEANING.get(problem, 'The answer cannot be used.')} Ask again or put it otherwise."


class Draft:
    """One answer, growing. `taken` knows the ids of earlier calls."""

    def __init__(self, taken: Callable[[str], bool]) -> None:
        self._taken = taken
        self.finish: str | None = None
        self.usage: Usage | None = None
        self.model: str | None = None
        self.started = False
        self.calls: list[Call] = []
        self._citations: dict[str, None] = {}
        self._parts: list[Part] = []
        self._words: list[str] = []
        self._thinking = False
        self._ids: set[str] = set()

    def add(self, chunk: Chunk) -> tuple[Text, ...]:
        """Takes in a chunk; what of it is to be shown."""
        self.started = True
        self.finish = chunk.finish or self.finish
        self.usage = chunk.usage or self.usage
        self.model = chunk.model or self.model
        for citation in chunk.citations:
            if line := _cited(citation):
                self._citations[line] = None
        shown = []
        for part in chunk.parts:
            if isinstance(part, Text):
                self._add_text(part)
                if part.text:
                    shown.append(part)
            else:
                self._flush()
                self._parts.append(self._own(part))
        return tuple(shown)

    def parts(self) -> tuple[Part, ...]:
        """What was said, words joined."""
        self._flush()
        return tuple(self._parts)

    def words(self) -> tuple[Part, ...]:
        """What was said, without calls: for an answer that ends before they may run."""
        return tuple(part for part in self.parts() if not isinstance(part, Call))

    def text(self) -> str:
        """The words of the answer, without thoughts."""
        return "".join(p.text for p in self.parts() if isinstance(p, Text) and not p.thought)

    @property
    def citations(self) -> str:
        """The sources, one per line, or nothing."""
        return "\n".join(["Citations:", *sorted(self._citations)]) if self._citations else ""

    def problem(self, *, after_tools: bool) -> str | None:
        """Why this cannot be used; None when it can."""
        if self.calls:
            return None
        if self.finish is None and not after_tools:
            return "NO_FINISH_REASON"
        if self.finish in _BROKEN:
            return self.finish
        if _visible(self.text()) or any(isinstance(part, Blob) for part in self._parts):
            return None
        if self.finish in _WITHOUT_WORDS:
            return _WITHOUT_WORDS[self.finish]
        if any(isinstance(part, Text) and part.thought for part in self._parts):
            return "THINKING_ONLY_RESPONSE"
        return None if after_tools else "NO_RESPONSE_TEXT"

    def _add_text(self, part: Text) -> None:
        new_subject = part.thought and part.text.startswith("**")
        if part.signature or part.thought is not self._thinking or new_subject:
            self._flush()
        if part.signature:
            self._parts.append(part)
            return
        self._thinking = part.thought
        if part.text:
            self._words.append(part.text)

    def _flush(self) -> None:
        if self._words:
            self._parts.append(Text("".join(self._words), thought=self._thinking))
            self._words = []

    def _own(self, part: Part) -> Part:
        """The part itself; a call whose id is taken already gets another one."""
        if not isinstance(part, Call):
            return part
        wanted, number = part.id, 1
        while part.id in self._ids or self._taken(part.id):
            number += 1
            part = replace(part, id=f"{wanted}_{number}")
        self._ids.add(part.id)
        self.calls.append(part)
        return part


def _visible(text: str) -> bool:
    """Whether a person would see anything of it: not marks without width, not HTML comments.

    A comment that is never closed is seen. Looks at each character once.
    """
    at = 0
    while True:
        match = _INVISIBLE.match(text, at)
        at = match.end() if match else at
        end = text.find("-->", at + 4) if text.startswith("<!--", at) else -1
        if end < 0:
            return at < len(text)
        at = end + 3


def _cited(citation: Citation) -> str:
    if not citation.uri:
        return ""
    return f"({citation.title}) {citation.uri}" if citation.title else citation.uri
