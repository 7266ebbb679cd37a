"""A signal that comes before there is an event loop to take it.

It unwinds the start like an error; `cli/prompt` turns it into a result and an exit code.
"""

import signal


class Interrupted(BaseException):
    """The signal of this number came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def catch_signals() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP raise `Interrupted`."""

    def unwind(number: int, _frame: object) -> None:
        raise Interrupted(number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), unwind)
