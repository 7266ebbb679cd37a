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
from collections.abc import Iterable
from pathlib import Path

import msgspec

PROC = Path("/proc")
POLL = 0.01
LAST_WAIT = 1.0
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


def birth(pid: int) -> str | None:
    """When the process with this number started; None if it is gone already."""
    entry = _entry(pid)
    return entry.born if entry else None


def family(pid: int, born: str | None) -> tuple[Entry, ...]:
    """The living processes started by `pid`, it included: by parent, by group, by session."""
    table = {entry.pid: entry for entry in _table()}
    if pid in table and table[pid].born != born:
        # A number is given out again only when its group and session are empty.
        return ()
    found = {e.pid: e for e in table.values() if pid in (e.pid, e.group, e.session)}
    grown = True
    while grown:
        more = [e for e in table.values() if e.parent in found and e.pid not in found]
        found.update({entry.pid: entry for entry in more})
        grown = bool(more)
    return tuple(entry for entry in found.values() if not entry.dead)


def send(members: Iterable[Entry], number: int) -> None:
    """Signals each of them that is still the same process."""
    for entry in members:
        if _alive(entry):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(entry.pid, number)


async def end_family(pid: int, born: str | None, *, grace: float) -> None:
    """Asks all of them to stop, waits up to `grace` seconds, then makes them.

    The first signal is sent before anything is awaited and the last one even if the wait is
    cancelled, so a cancelled task cannot leave a process behind.
    """
    if os.name == "nt":
        _end_on_windows(pid)
        return
    members = family(pid, born)
    send(members, TERMINATE)
    send(members, signal.SIGCONT)
    try:
        await _gone(members, grace)
    finally:
        # What was started meanwhile goes too.
        rest = {entry.pid: entry for entry in (*members, *family(pid, born)) if _alive(entry)}
        send(rest.values(), DESTROY)
    await _gone(tuple(rest.values()), LAST_WAIT)


async def _gone(members: Iterable[Entry], seconds: float) -> None:
    end = time.monotonic() + seconds
    while any(_alive(entry) for entry in members) and time.monotonic() < end:
        await asyncio.sleep(POLL)


def _alive(entry: Entry) -> bool:
    now = _entry(entry.pid)
    return now is not None and not now.dead and now.born == entry.born


def _entry(pid: int) -> Entry | None:
    if PROC.joinpath("self").exists():
        return _read_stat(str(pid))
    return next(iter(_ask_ps("-p", str(pid))), None)


def _table() -> list[Entry]:
    if not PROC.joinpath("self").exists():
        return _ask_ps("-A")
    entries = (_read_stat(place.name) for place in PROC.iterdir() if place.name.isdigit())
    return [entry for entry in entries if entry is not None]


def _read_stat(pid: str) -> Entry | None:
    try:
        text = PROC.joinpath(pid, "stat").read_bytes()
    except OSError:
        return None
    # The command name stands in parentheses and may hold anything, so read from the last one.
    fields = text[text.rfind(b")") + 2 :].split()
    state = fields[0]
    return Entry(
        pid=int(pid),
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        born=fields[19].decode(),
        dead=state in (b"Z", b"X"),
    )


def _ask_ps(*which: str) -> list[Entry]:
    command = ["/bin/ps", *which, "-o", "pid=,ppid=,pgid=,sess=,stat=,lstart="]
    try:
        answer = subprocess.run(command, capture_output=True, timeout=2, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    entries = []
    for line in answer.stdout.decode(errors="replace").splitlines():
        fields = line.split(None, 5)
        if len(fields) == 6 and fields[0].isdigit():
            pid, parent, group = (int(field) for field in fields[:3])
            # The session column is an address on some systems; the group serves as well.
            entries.append(Entry(pid, parent, group, group, fields[5], fields[4].startswith("Z")))
    return entries


def _end_on_windows(pid: int) -> None:
    command = ["taskkill", "/f", "/t", "/pid", str(pid)]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=5, check=False)
