"""Which model takes over when one cannot answer, and for how long it is left alone.

Only `auto` and its relatives have more than one model to go to: a model somebody named is
never replaced by another. Nothing is asked or announced here.
"""

from collections.abc import Callable

from gemini_cli.engine.model.catalog import Access, is_auto, resolve_name
from gemini_cli.protocol.errors import (
    ModelError,
    ModelNotFound,
    Overloaded,
    QuotaExhausted,
    RateLimited,
)

ATTEMPTS_BEFORE_FALLBACK = 3
COOL_DOWN = 30.0
_LASTING = (QuotaExhausted, ModelNotFound)
_PASSING = (Overloaded, RateLimited)
_SECOND = "flash"
_PROMPTS_KEPT = 64


def chain_of(name: str, access: Access) -> tuple[str, ...]:
    """The models a name stands for, best first."""
    first = resolve_name(name, access)
    second = resolve_name(_SECOND, access)
    return (first, second) if is_auto(name) and first != second else (first,)


class Fallbacks:
    """What is known in this process of models that failed, and which prompts may switch."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._until: dict[str, float] = {}
        self._chains: dict[str, tuple[str, ...]] = {}

    def begin(self, prompt_id: str, chain: tuple[str, ...]) -> str:
        """The model to use for a step of this prompt; remembers where it may go from there."""
        self._chains.pop(prompt_id, None)
        self._chains[prompt_id] = chain
        while len(self._chains) > _PROMPTS_KEPT:
            del self._chains[next(iter(self._chains))]
        return next((model for model in chain if self._usable(model)), chain[-1])

    def has_next(self, prompt_id: str, model: str) -> bool:
        """Whether another model could take over."""
        return bool(self._later(prompt_id, model))

    def after(self, prompt_id: str, model: str, error: ModelError) -> str | None:
        """Who takes over from a model that failed so; None when nobody may."""
        if not isinstance(error, _LASTING + _PASSING):
            return None
        passing = isinstance(error, _PASSING)
        self._until[model] = self._now() + COOL_DOWN if passing else float("inf")
        return next(iter(self._later(prompt_id, model)), None)

    def answered(self, model: str) -> None:
        """The model works again."""
        self._until.pop(model, None)

    def _later(self, prompt_id: str, model: str) -> tuple[str, ...]:
        chain = self._chains.get(prompt_id, ())
        later = chain[chain.index(model) + 1 :] if model in chain else ()
        usable = tuple(name for name in later if self._usable(name))
        return usable or later[-1:]

    def _usable(self, model: str) -> bool:
        return self._until.get(model, 0.0) <= self._now()
