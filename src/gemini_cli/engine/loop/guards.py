"""The loop's own guards: a limit on steps, and a watch for models that go in circles.

Each lives for one turn. They look at events only, and cost the same for each new character
however long the answer has become.
"""

import hashlib
import re
from collections import deque
from itertools import pairwise

import msgspec

from gemini_cli.engine.loop.limits import LoopLimits
from gemini_cli.protocol.events import End, Event, ModelReplied, Retrying, TextDelta
from gemini_cli.protocol.messages import Call, Text, calls_of
from gemini_cli.protocol.ports import Advice, Go, Guard, Inject, Stop
from gemini_cli.protocol.session import SessionView

_KEPT_CALLS = 25
_LONGEST_CYCLE = 5
_REPEATS = 5
_WINDOW = 50
_REACH = 5_000
_SEEN_OFTEN = 10
_NEAR = 250
_FEW_FILLERS = 5
_LINE = 200
_STRUCTURE = re.compile(
    r"```|^[ \t]*(\|.*\||[*+-]\s|\d+\.\s|#{1,6}\s|>\s|[-=_*\u2500-\u257f]{3,}[ \t]*$)",
    re.MULTILINE,
)

_FINDING = (
    "[Note from the program: {what} Step back, say what you have learned so far, "
    "and take another way or ask the user.]"
)
_CYCLE = "The same tool calls keep coming back without progress."
_CHANT = "The same words keep coming back."


def own_guards(limits: LoopLimits) -> tuple[Guard, ...]:
    """The guards of one turn."""
    steps = StepLimit(limits.max_steps)
    return (steps, CircleWatch()) if limits.loop_detection else (steps,)


class StepLimit:
    """Ends the turn when the session has made as many requests as it may."""

    def __init__(self, most: int) -> None:
        self._most = most

    def saw(self, event: Event) -> None:
        """Nothing to see: the view carries the count."""

    def tripped(self) -> bool:
        """Never breaks off an answer."""
        return False

    async def before_step(self, view: SessionView) -> Advice:
        """Stops where the limit is reached. A limit of 0 means none while a person is there."""
        limited = self._most > 0 or (self._most == 0 and not view.interactive)
        if limited and view.steps >= self._most:
            text = (
                f"The limit of {self._most} model requests for this session is reached. "
                "Raise model.maxSessionTurns in settings.json to go on."
            )
            return Stop(End.MAX_STEPS, text)
        return Go()


class CircleWatch:
    """First time: breaks the answer off and tells the model. Second time: ends the turn."""

    def __init__(self) -> None:
        self._cycles = CallCycles()
        self._chant = Chant()
        self._found = ""
        self._strikes = 0

    def saw(self, event: Event) -> None:
        """Follows words and calls of the answer that streams."""
        match event:
            case TextDelta(text=text, thought=False):
                if self._chant.add(text):
                    self._found = self._found or _CHANT
            case ModelReplied(message=message):
                self._chant.reset()
                for call in calls_of(message.parts):
                    if self._cycles.add(call):
                        self._found = self._found or _CYCLE
            case Retrying():
                self._chant.reset()
            case _:
                pass

    def tripped(self) -> bool:
        """Whether a circle was found and nobody was told yet."""
        return bool(self._found)

    async def before_step(self, view: SessionView) -> Advice:
        """What to do about the circle that was found."""
        if not self._found:
            return Go()
        found, self._found = self._found, ""
        self._strikes += 1
        self._chant.reset()  # the calls stay: one more of the same is the second strike
        if self._strikes > 1:
            return Stop(End.LOOP, f"The model is going in circles. {found}")
        return Inject(
            (Text(_FINDING.format(what=found)),), f"Possible loop: {found} Told the model."
        )


class CallCycles:
    """Whether the latest calls are one short sequence over and over."""

    def __init__(self) -> None:
        self._keys: deque[bytes] = deque(maxlen=_KEPT_CALLS)

    def add(self, call: Call) -> bool:
        """Notes a call; True when it closes a cycle."""
        args = msgspec.json.encode(call.args, order="sorted")
        self._keys.append(hashlib.sha256(call.name.encode() + b":" + args).digest())
        keys = list(self._keys)
        return any(_cyclic(keys, length) for length in range(1, _LONGEST_CYCLE + 1))


def _cyclic(keys: list[bytes], length: int) -> bool:
    last = keys[-length * _REPEATS :]
    return len(last) == length * _REPEATS and all(
        key == last[index % length] for index, key in enumerate(last)
    )


class Chant:
    """Whether a text says the same thing over and over at short distances."""

    def __init__(self) -> None:
        self._text = ""
        self._start = 0
        self._next = 0
        self._seen: dict[str, int | deque[int]] = {}
        self._fenced = False
        self._line: str | None = ""
        """The line so far, as long as it may still turn out to be a list item or the like."""

    def add(self, text: str) -> bool:
        """Takes in new words; True when they repeat. Code and structure are let alone."""
        if self._structured(text):
            self._forget()
            return False
        if self._fenced:
            return False
        self._text += text
        found = self._scan()
        if len(self._text) > 2 * _REACH:
            self._trim()
        return found

    def reset(self) -> None:
        """Starts afresh, outside of code."""
        self._fenced = False
        self._line = ""
        self._forget()

    def _structured(self, text: str) -> bool:
        """Whether these words bring a fence, a list item or the like, or the last piece of one."""
        seen = (self._line or "") + text
        found = _STRUCTURE.search(seen) is not None
        if seen.count("```") % 2:
            self._fenced = not self._fenced
        if self._line is not None or "\n" in text:
            line = seen.rpartition("\n")[2]
            plain = len(line) <= _LINE and not (found and _STRUCTURE.search(line))
            self._line = line if plain else None
        return found

    def _forget(self) -> None:
        self._text, self._start, self._next = "", 0, 0
        self._seen.clear()

    def _scan(self) -> bool:
        """Notes each window that became complete. Most are seen once: they cost one entry."""
        text, start, seen = self._text, self._start, self._seen
        first, self._next = self._next, max(self._next, start + len(text) - _WINDOW + 1)
        for at in range(first - start, self._next - start):
            window = text[at : at + _WINDOW]
            places = seen.get(window)
            if places is None:
                seen[window] = at + start
                continue
            if isinstance(places, int):
                places = seen[window] = deque((places,), maxlen=_SEEN_OFTEN)
            places.append(at + start)
            if len(places) == _SEEN_OFTEN and self._chanted(places):
                return True
        return False

    def _chanted(self, places: deque[int]) -> bool:
        if (places[-1] - places[0]) / (_SEEN_OFTEN - 1) > _NEAR:
            return False  # places nearer than this all lie in what is kept
        start = self._start
        between = {self._text[a - start : b - start] for a, b in pairwise(places)}
        return len(between) <= _FEW_FILLERS

    def _trim(self) -> None:
        """Keeps the reach, and only the windows in it; rare enough to cost nothing per word."""
        cut = len(self._text) - _REACH
        self._text, self._start = self._text[cut:], self._start + cut
        self._seen = {
            window: places
            for window, places in self._seen.items()
            if (places if isinstance(places, int) else places[-1]) >= self._start
        }
