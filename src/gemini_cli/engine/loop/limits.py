"""How far a session may go: the numbers the loop is held to.

Plain values, handed in when a session is built; nothing here reads settings.
"""

import msgspec


class LoopLimits(msgspec.Struct, frozen=True):
    """Bounds of one session. The defaults are those of an unconfigured installation."""

    max_steps: int = -1
    """Model requests per session. Below 0 there is no limit; 0 limits only without a person."""
    stream_attempts: int = 4
    """How often one request is made when its answers cannot be used."""
    waits: tuple[float, ...] = (1.0, 2.0, 4.0)
    """Seconds before each repetition; the last one counts for all that follow."""
    max_attempts: int = 10
    """Upper bound for `stream_attempts` that people set for all kinds of retries."""
    continuations: int = 100
    """How often a turn may go on without a tool call: hooks that demand more, recovered loops."""
    loop_detection: bool = True
    truncate_threshold: int = 40_000
    """Characters of tool output the model is given at most; 0 or less turns the cutting off."""
    steering: bool = False
    """Whether words typed while the agent works may join the running turn."""
    tail_calls: int = 20
    """How many tools may hand over to a next one under the same call id."""

    patience: float = 2.0
    """Seconds a closing session waits, each of three times, for what does not stop."""

    @property
    def attempts(self) -> int:
        """How often one request may be made in all."""
        return max(1, min(self.stream_attempts, self.max_attempts))

    def wait(self, attempt: int) -> float:
        """Seconds to wait after the failed attempt of this number, counted from 1."""
        return self.waits[min(attempt, len(self.waits)) - 1] if self.waits else 0.0
