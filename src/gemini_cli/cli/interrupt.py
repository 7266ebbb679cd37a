"""SIGINT, SIGTERM and SIGHUP from the first moment of the process to its last.

A signal is written down and taken at a moment that suits: between two stages of a start, by the
listener of a run, never halfway through an import or a lock. Who does not get there in time is
unwound, and a process that will not end is left. SIGHUP stays ignored where `nohup` ignores it.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

NUMBERS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
START = 0.3
"""Seconds a start may take to reach its next stage."""
LEAVE = 0.5
"""Seconds a run that is over, or was told twice, may take to go."""


class Loop(Protocol):
    """What is asked of an event loop; asyncio itself takes too long to import before `catch`."""

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> object: ...

    def add_reader(self, fd: int, callback: Callable[..., Any], *args: Any) -> object: ...

    def remove_reader(self, fd: int) -> object: ...


class Interrupted(BaseException):
    """The signal of this number came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Signals:
    """Owns the signals of this process. There is one."""

    def __init__(self) -> None:
        self.first: int | None = None
        """The number of the first signal that came."""
        self._times = 0
        self._listener: Callable[[], None] | None = None
        self._leaving = False

    def catch(self) -> None:
        """From now on nothing but this object decides what a signal does."""
        for number in NUMBERS:
            if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._came)
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, self._due)

    def check(self) -> None:
        """A good moment to end a start: raises `Interrupted` where a signal came."""
        if self.first is not None:
            raise Interrupted(self.first)

    @contextlib.contextmanager
    def heard_by(self, loop: Loop, listener: Callable[[], None]) -> Iterator[None]:
        """Calls the listener for each signal, in the loop, which wakes up for it."""
        self.check()
        with _waking(loop):
            self._listener = lambda: _soon(loop, listener)
            try:
                yield
            finally:
                self.leave()

    def leave(self) -> None:
        """The outcome is settled: a signal only hurries the end from here on."""
        self._leaving = True
        self._listener = None
        self._alarm(0.0)

    def ignore(self) -> None:
        """The exit code is settled too; the last moments of the process belong to it."""
        for number in NUMBERS:
            signal.signal(number, signal.SIG_IGN)
        self._alarm(0.0)

    def _came(self, number: int, _frame: object) -> None:
        self.first = number if self.first is None else self.first
        self._times += 1
        if self._times > 2:
            os._exit(128 + self.first)
        if self._listener is not None:
            self._listener()
        if self._listener is None or self._times == 2:
            self._alarm(LEAVE if self._leaving or self._times == 2 else START)

    def _due(self, _number: int = 0, _frame: object = None) -> None:
        number = self.first if self.first is not None else int(signal.SIGTERM)
        if self._leaving or self._times > 1:
            os._exit(128 + number)
        raise Interrupted(number)

    def _alarm(self, seconds: float) -> None:
        """Without timers (Windows) what is due is due at once."""
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, seconds)
        elif seconds:
            self._due()


def forget_broken_imports() -> None:
    """Parts of a package whose import was broken off would keep it from being imported again."""
    for name in sorted(sys.modules):
        package = name.rpartition(".")[0]
        if package and package not in sys.modules:
            del sys.modules[name]


def _soon(loop: Loop, listener: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(listener)


@contextlib.contextmanager
def _waking(loop: Loop) -> Iterator[None]:
    """A signal that comes just before the loop sleeps must wake it. Windows does so itself."""
    if os.name != "posix":
        yield
        return
    near, far = os.pipe()
    try:
        os.set_blocking(near, False)
        os.set_blocking(far, False)
        loop.add_reader(near, os.read, near, 4096)
        signal.set_wakeup_fd(far, warn_on_full_buffer=False)
        yield
    finally:
        signal.set_wakeup_fd(-1)
        loop.remove_reader(near)
        os.close(near)
        os.close(far)
