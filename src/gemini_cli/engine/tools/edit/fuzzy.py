"""Finds the windows of lines most like a given block, by weighted edit distance.

White space counts a tenth. A window must be within a tenth of the block's length. Cheap
lower bounds come first, so that a long file costs little.
"""

from collections import Counter
from collections.abc import Sequence

MOST_DIFFERENT = 0.1
SPACE_WEIGHT = 0.1


def similar_windows(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where the best windows that do not overlap begin, best first."""
    block = "\n".join(wanted)
    size = len(wanted)
    scored = []
    known: dict[str, float | None] = {}
    gap = _Gap(_dense(block))
    dense = [_dense(line) for line in lines]
    for line in dense[: size - 1]:
        gap.add(line)
    for start in range(len(lines) - size + 1):
        gap.add(dense[start + size - 1])
        if gap.distance * (1 - SPACE_WEIGHT) <= MOST_DIFFERENT * len(block):
            window = "\n".join(lines[start : start + size])
            if window not in known:
                known[window] = score(window, block)
            value = known[window]
            if value is not None:
                scored.append((value, start))
        gap.remove(dense[start])
    return _apart(scored, size)


def score(window: str, block: str) -> float | None:
    """How different they are, 0 for equal; None when that is too much."""
    if abs(len(window) - len(block)) / len(block) > MOST_DIFFERENT / SPACE_WEIGHT:
        return None
    if window == block:
        return 0.0
    dense = distance(_dense(window), _dense(block))
    if dense * (1 - SPACE_WEIGHT) > MOST_DIFFERENT * len(block):
        return None
    raw = distance(window, block)
    value = (dense + SPACE_WEIGHT * (raw - dense)) / len(block)
    return value if value <= MOST_DIFFERENT else None


def distance(left: str, right: str) -> int:
    """The Levenshtein distance, a whole column at a time in the bits of one number."""
    if not left or not right:
        return len(left) + len(right)
    masks: dict[str, int] = {}
    for place, char in enumerate(left):
        masks[char] = masks.get(char, 0) | 1 << place
    full = (1 << len(left)) - 1
    last = 1 << (len(left) - 1)
    plus, minus, cost = full, 0, len(left)
    for char in right:
        equal = masks.get(char, 0)
        vertical = equal | minus
        diagonal = (((equal & plus) + plus) ^ plus) | equal
        plus_h = minus | ~(diagonal | plus) & full
        minus_h = plus & diagonal
        cost += (1 if plus_h & last else 0) - (1 if minus_h & last else 0)
        plus_h = plus_h << 1 | 1
        minus_h <<= 1
        plus = (minus_h | ~(vertical | plus_h)) & full
        minus = plus_h & vertical & full
    return cost


class _Gap:
    """A lower bound of the distance: characters one side has and the other has not."""

    def __init__(self, block: str) -> None:
        self._missing = Counter(block)
        self._lacking = len(block)
        self._surplus = 0

    @property
    def distance(self) -> int:
        return max(self._lacking, self._surplus)

    def add(self, line: str) -> None:
        for char in line:
            if self._missing[char] > 0:
                self._lacking -= 1
            else:
                self._surplus += 1
            self._missing[char] -= 1

    def remove(self, line: str) -> None:
        for char in line:
            if self._missing[char] >= 0:
                self._lacking += 1
            else:
                self._surplus -= 1
            self._missing[char] += 1


def _dense(text: str) -> str:
    return "".join(text.split())


def _apart(scored: list[tuple[float, int]], size: int) -> list[int]:
    chosen: list[int] = []
    for _, start in sorted(scored):
        if all(abs(start - other) >= size for other in chosen):
            chosen.append(start)
    return chosen
