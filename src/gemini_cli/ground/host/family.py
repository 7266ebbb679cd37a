"""Finds and ends the descendants of a process, also those that left its group.

It reads `/proc`, or asks `ps` where there is none. A pid counts as the same process only while
its start time is the same, so a reused number is never signalled.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

PROC = Path("/proc")
PS = "/bin/ps"
POLL = 0.01
LAST_WAIT = 1.0
ROUNDS = 4
TERMINATE = signal.SIGTERM
DESTROY: int = getattr(signal, "SIGKILL", signal.SIGTERM)


class Entry(msgspec.Struct, frozen=True):
    """One process of the machine; `born` tells it from a later one with the same number."""

    pid: int
    parent: int
    group: int
    session: int
    born: str
    dead: bool


class Table(Protocol):
    """All processes of the machine."""

    def all(self) -> list[Entry]:
        """Everyone, the dead not yet buried included."""
        ...

    def some(self, pids: Collection[int]) -> list[Entry]:
        """Those of these numbers that exist."""
        ...


class ProcTable:
    """The table as the kernel shows it."""

    def all(self) -> list[Entry]:
        """Everyone."""
        return self.some([int(place.name) for place in PROC.iterdir() if place.name.isdigit()])

    def some(self, pids: Collection[int]) -> list[Entry]:
        """Those of these numbers that exist."""
        return [entry for entry in map(_read_stat, pids) if entry is not None]


class PsTable:
    """The table as `ps` prints it."""

    def all(self) -> list[Entry]:
        """Everyone."""
        return self._ask("-A")

    def some(self, pids: Collection[int]) -> list[Entry]:
        """Those of these numbers that exist."""
        return self._ask("-p", ",".join(map(str, pids))) if pids else []

    def _ask(self, *which: str) -> list[Entry]:
        command = [PS, *which, "-o", "pid=,ppid=,pgid=,stat=,lstart="]
        try:
            answer = subprocess.run(command, capture_output=True, timeout=2, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return []
        entries = []
        for line in answer.stdout.decode(errors="replace").splitlines():
            fields = line.split(None, 4)
            if len(fields) == 5 and fields[0].isdigit():
                pid, parent, group = (int(field) for field in fields[:3])
                # The session is printed as an address on some systems; the group has to do.
                dead = fields[3].startswith("Z")
                entries.append(Entry(pid, parent, group, group, fields[4].strip(), dead))
        return entries


HERE: Table = ProcTable() if PROC.joinpath("self", "stat").exists() else PsTable()


def birth(pid: int, table: Table = HERE) -> str | None:
    """When the process with this number started; None if it is gone already."""
    return next((entry.born for entry in table.some([pid])), None)


def family(seeds: Mapping[int, str | None], table: Table = HERE) -> tuple[Entry, ...]:
    """The living processes that come from `seeds` (number to birth), these included.

    By parent, and by group and session: a child whose parent is gone still tells by these
    whose it was, even if the parent had a session of its own.
    """
    everyone = {entry.pid: entry for entry in table.all()}
    # A number is given out again only when its group and session are empty.
    known = {p for p, born in seeds.items() if p not in everyone or everyone[p].born == born}
    found: dict[int, Entry] = {}
    while True:
        more = [
            entry
            for entry in everyone.values()
            if entry.pid not in found
            and not known.isdisjoint((entry.pid, entry.parent, entry.group, entry.session))
        ]
        if not more:
            return tuple(entry for entry in found.values() if not entry.dead)
        found.update({entry.pid: entry for entry in more})
        known.update(entry.pid for entry in more)


def living(members: Iterable[Entry], table: Table = HERE) -> list[Entry]:
    """Those that still run and still are the same process."""
    wanted = {entry.pid: entry.born for entry in members}
    now = table.some(list(wanted))
    return [entry for entry in now if not entry.dead and entry.born == wanted[entry.pid]]


async def end_family(seeds: Mapping[int, str | None], *, grace: float, table: Table = HERE) -> None:
    """Asks all who come from `seeds` to stop, waits up to `grace` seconds, then makes them.

    The first signal is sent before anything is awaited and the last one even if the wait is
    cancelled, so a cancelled task cannot leave a process behind.
    """
    if os.name == "nt":
        for pid in seeds:
            _end_on_windows(pid)
        return
    members = family(seeds, table)
    known = {**seeds, **{entry.pid: entry.born for entry in members}}
    _send(members, TERMINATE)
    _send(members, signal.SIGCONT)
    try:
        await _gone(members, grace, table)
    finally:
        rest = _destroy(known, table)
    await _gone(rest, LAST_WAIT, table)


def _destroy(seeds: dict[int, str | None], table: Table) -> tuple[Entry, ...]:
    """Kills until nobody is left who could have started another meanwhile."""
    rest: tuple[Entry, ...] = ()
    for _ in range(ROUNDS):
        rest = family(seeds, table)
        if not rest:
            break
        seeds |= {entry.pid: entry.born for entry in rest}
        _send(rest, DESTROY)
    return rest


def _send(members: Iterable[Entry], number: int) -> None:
    for entry in members:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(entry.pid, number)


async def _gone(members: Collection[Entry], seconds: float, table: Table) -> None:
    pause = POLL if isinstance(table, ProcTable) else POLL * 5
    end = time.monotonic() + seconds
    while members and time.monotonic() < end:
        members = living(members, table)
        if members:
            await asyncio.sleep(pause)


def _read_stat(pid: int) -> Entry | None:
    try:
        text = PROC.joinpath(str(pid), "stat").read_bytes()
    except OSError:
        return None
    # The command name stands in parentheses and may hold anything, so read from the last one.
    fields = text[text.rfind(b")") + 2 :].split()
    return Entry(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        born=fields[19].decode(),
        dead=fields[0] in (b"Z", b"X"),
    )


def _end_on_windows(pid: int) -> None:
    command = ["taskkill", "/f", "/t", "/pid", str(pid)]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=5, check=False)
