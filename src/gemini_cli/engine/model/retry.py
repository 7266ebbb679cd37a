"""When a failed attempt is repeated, and after how long.

Pure bookkeeping: it neither waits nor sends, so whoever does can announce the wait first
and be cancelled in the middle of it.
"""

from collections.abc import Callable

import msgspec

from gemini_cli.protocol.errors import (
    ModelError,
    Offline,
    Overloaded,
    RateLimited,
    Stalled,
    Unavailable,
)
from gemini_cli.protocol.model import Retried

MOST_ATTEMPTS = 10
_NETWORK = (Offline, Stalled, Unavailable)
_BUSY = (Overloaded, RateLimited)


class RetryPolicy(msgspec.Struct, frozen=True):
    """`max_attempts` is `general.maxAttempts`, `network` is `general.retryFetchErrors`."""

    max_attempts: int = MOST_ATTEMPTS
    network: bool = True
    first_delay: float = 5.0
    longest_delay: float = 30.0

    def at_most(self, attempts: int) -> "RetryPolicy":
        """The same with less patience."""
        return msgspec.structs.replace(self, max_attempts=min(self.max_attempts, attempts))


class Backoff:
    """The delays of one request. `jitter` gives numbers from 0 up to 1."""

    def __init__(self, policy: RetryPolicy, model: str, jitter: Callable[[], float]) -> None:
        self._policy = policy
        self._model = model
        self._jitter = jitter
        self._delay = policy.first_delay
        self._attempt = 0
        self._most = min(max(policy.max_attempts, 1), MOST_ATTEMPTS)

    def after(self, error: ModelError, latency: float) -> Retried | None:
        """What to announce and wait for, or None when this error is the last word."""
        self._attempt += 1
        if self._attempt >= self._most or not passes(error, self._policy):
            return None
        return Retried(
            attempt=self._attempt,
            max_attempts=self._most,
            delay_ms=round(self._next_delay(error) * 1000),
            error=str(error),
            error_kind=error.kind,
            model=self._model,
            latency_ms=round(latency * 1000),
            status=error.status,
        )

    def _next_delay(self, error: ModelError) -> float:
        asked = error.retry_after if isinstance(error, RateLimited | Overloaded) else None
        if asked is None:
            wait = self._delay * (0.7 + 0.6 * self._jitter())
        else:
            self._delay = max(self._delay, asked)
            wait = self._delay * (1.0 + 0.2 * self._jitter())
        self._delay = min(self._delay * 2, self._policy.longest_delay)
        return wait


def passes(error: ModelError, policy: RetryPolicy) -> bool:
    """Whether repeating the request may mend this."""
    return isinstance(error, _BUSY) or (policy.network and isinstance(error, _NETWORK))
