"""Knows which processes descend from a child we started, so that none of them outlives it.

A process group is not enough: agents start their shell commands in groups of their own, and some
of these leave their parents. On Linux the table is read from `/proc`, where a mark in the
environment finds even those; on other Unixes from `ps`. It never names a stranger.
"""

import os
import subprocess
from pathlib import Path

import msgspec

_PROC = Path("/proc")
_PS = ("/bin/ps", "/usr/bin/ps")


class Member(msgspec.Struct, frozen=True):
    """One living process. `started` tells a reused pid from the process we knew."""

    pid: int
    parent: int
    group: int
    started: str


def table() -> dict[int, Member]:
    """Every living process that can be seen; zombies are left out."""
    if (_PROC / "self" / "stat").is_file():
        return proc_table()
    return ps_table()


def proc_table(root: Path = _PROC) -> dict[int, Member]:
    """The table as Linux publishes it under `/proc`."""
    found: dict[int, Member] = {}
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.name.isdigit():
                member = _stat_line(root / entry.name / "stat")
                if member is not None:
                    found[member.pid] = member
    return found


def _stat_line(path: Path) -> Member | None:
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return None
    # The command name is in brackets and may hold spaces and brackets itself.
    fields = text[text.rfind(")") + 2 :].split()
    if len(fields) < 20 or fields[0] in "ZX":
        return None
    return Member(int(text.split(" ", 1)[0]), int(fields[1]), int(fields[2]), fields[19])


def ps_table() -> dict[int, Member]:
    """The same table from `ps`, for systems without `/proc`."""
    program = next((path for path in _PS if os.access(path, os.X_OK)), None)
    if program is None:
        return {}
    argv = [program, "-axo", "pid=,ppid=,pgid=,stat=,lstart="]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found: dict[int, Member] = {}
    for line in done.stdout.splitlines():
        fields = line.split(None, 4)
        if len(fields) == 5 and not fields[3].startswith("Z"):
            pid, parent, group = (int(field) for field in fields[:3])
            found[pid] = Member(pid, parent, group, fields[4].strip())
    return found


def marked(mark: str, root: Path = _PROC) -> set[int]:
    """Processes whose environment holds `mark` (`NAME=value`); Linux only, our own user only."""
    if not (root / "self" / "environ").is_file():
        return set()
    wanted = mark.encode()
    found: set[int] = set()
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.name.isdigit():
                try:
                    values = (root / entry.name / "environ").read_bytes()
                except OSError:
                    continue
                if wanted in values.split(b"\0"):
                    found.add(int(entry.name))
    return found


def family(
    root: int,
    known: dict[int, Member] | None = None,
    mark: str | None = None,
    *,
    dead: bool = False,
) -> dict[int, Member]:
    """The living members of `root`'s group, the marked ones, and all descendants of these.

    `known` is an earlier answer: a member whose parent died meanwhile is still found through it.
    `dead` says that the root has ended: whoever has its number now is a stranger, as is its group.
    """
    everyone = table()
    reused = root in everyone and (
        dead or bool(known and root in known and not _same(everyone[root], known))
    )
    ours = marked(mark) if mark else set()
    members = {
        pid: member
        for pid, member in everyone.items()
        if (member.group == root and not reused) or pid in ours or _same(member, known)
    }
    children: dict[int, list[Member]] = {}
    for member in everyone.values():
        children.setdefault(member.parent, []).append(member)
    waiting = [*members] if reused else [*members, root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child.pid not in members:
                members[child.pid] = child
                waiting.append(child.pid)
    members.pop(os.getpid(), None)
    return members


def _same(member: Member, known: dict[int, Member] | None) -> bool:
    earlier = known.get(member.pid) if known else None
    return earlier is not None and earlier.started == member.started
