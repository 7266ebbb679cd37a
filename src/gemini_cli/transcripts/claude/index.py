"""Which lines of a Claude session are its visible conversation.

Lines form a tree by `parentUuid`; the conversation is the path from the latest leaf to its root.
Of each line only its place and its links are kept. Where parents are missing there is no path,
and every line counts, in the order of time.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Raw, Struct, field

from gemini_cli.protocol.jsonvalue import JsonValue
from gemini_cli.transcripts.coerce import as_dict, opt_str, time_ms
from gemini_cli.transcripts.lines import Line, decode
from gemini_cli.transcripts.model import LoadReport
from gemini_cli.transcripts.options import LoadOptions

_NONE = Raw(b"")
_SPEAKERS = ("user", "assistant")
_MEMBERS = {kind: kind for kind in ("user", "assistant", "system", "progress", "attachment")}


class _ProbeMessage(Struct):
    id: str | None = None
    usage: Raw = _NONE


class _Probe(Struct):
    """What is looked at; a line with other types in these places takes the slow road."""

    type: str | None = None
    uuid: str | None = None
    parent: str | None = field(default=None, name="parentUuid")
    timestamp: str | None = None
    meta: JsonValue = field(default=None, name="isMeta")
    side: JsonValue = field(default=None, name="isSidechain")
    team: JsonValue = field(default=None, name="teamName")
    request: str | None = field(default=None, name="requestId")
    message: _ProbeMessage | None = None


_probe = msgspec.json.Decoder(_Probe).decode


class Entry(Struct, gc=False):
    """One line: where it lies and how it hangs together with others."""

    number: int
    offset: int
    kind: str
    uuid: str | None
    parent: str | None
    time: int | None
    is_meta: bool
    is_side: bool
    is_team: bool
    response: tuple[str, str] | None
    has_usage: bool
    is_result: bool

    @property
    def speaks(self) -> bool:
        return self.kind in _SPEAKERS

    @property
    def is_plain(self) -> bool:
        return not (self.is_meta or self.is_side or self.is_team)


def entries(lines: Iterator[Line], report: LoadReport) -> Iterator[Entry]:
    """The lines that can be part of a conversation.

    Values a line has in common with the line before it are shared, to keep the index small.
    """
    before: Entry | None = None
    for line in lines:
        try:
            probe = _probe(line.data)
        except (ValueError, RecursionError):
            try:
                probe = _slow_probe(decode(line.data))
            except ValueError:
                report.bad_lines += 1
                continue
        kind = _MEMBERS.get(probe.type or "")
        if kind is not None:
            before = _entry(line, kind, probe, before)
            yield before


def _slow_probe(value: JsonValue) -> _Probe:
    record = as_dict(value)
    message = as_dict(record.get("message"))
    return _Probe(
        type=opt_str(record.get("type")),
        uuid=opt_str(record.get("uuid")),
        parent=opt_str(record.get("parentUuid")),
        timestamp=opt_str(record.get("timestamp")),
        meta=record.get("isMeta"),
        side=record.get("isSidechain"),
        team=record.get("teamName"),
        request=opt_str(record.get("requestId")),
        message=_ProbeMessage(
            id=opt_str(message.get("id")),
            usage=Raw(b"{}") if isinstance(message.get("usage"), dict) else _NONE,
        ),
    )


def _entry(line: Line, kind: str, probe: _Probe, before: Entry | None) -> Entry:
    inner = probe.message or _ProbeMessage()
    stamp = probe.timestamp
    parent = probe.parent or None
    response = (inner.id, probe.request or "") if inner.id else None
    if before is not None:
        parent = before.uuid if parent == before.uuid else parent
        response = before.response if response == before.response else response
    return Entry(
        number=line.number,
        offset=line.offset,
        kind=kind,
        uuid=probe.uuid or None,
        parent=parent,
        time=time_ms(stamp) if stamp is not None else None,
        is_meta=probe.meta is True,
        is_side=probe.side is True,
        is_team=bool(probe.team),
        response=response,
        has_usage=bytes(inner.usage).startswith(b"{"),
        is_result=kind == "user" and b'"tool_result"' in line.data,
    )


def visible(known: list[Entry], options: LoadOptions) -> list[Entry]:
    """The lines to show, in order."""
    if options.branch == "all" or options.compat == "sdk":
        return _by_time(entry for entry in known if entry.speaks)
    chain = active_chain(known)
    if chain is None:
        only_side = all(entry.is_side for entry in known if entry.speaks)
        shown = _by_time(entry for entry in known if entry.speaks)
        return [e for e in shown if _wanted(e, options, sides=only_side)]
    only_side = all(entry.is_side for entry in chain if entry.speaks)
    return [e for e in chain if e.speaks and _wanted(e, options, sides=only_side)]


def _wanted(entry: Entry, options: LoadOptions, *, sides: bool) -> bool:
    if entry.is_side and not (sides or options.include_sidechains):
        return False
    if entry.is_team and not options.include_sidechains:
        return False
    return options.include_meta or not entry.is_meta


def _by_time(shown: Iterable[Entry]) -> list[Entry]:
    """Stable; a line without a time stays behind the line before it."""
    dated: list[tuple[int, Entry]] = []
    before = 0
    for entry in shown:
        before = before if entry.time is None else entry.time
        dated.append((before, entry))
    return [entry for _, entry in sorted(dated, key=lambda pair: pair[0])]


def active_chain(known: list[Entry]) -> list[Entry] | None:
    """From the root to the latest leaf; None when a parent is missing or a line has no name."""
    if any(entry.speaks and entry.uuid is None for entry in known):
        return None
    by_id: dict[str, Entry] = {}
    for entry in known:
        if entry.uuid is not None:
            by_id.setdefault(entry.uuid, entry)
    leaf = _leaf(known, by_id)
    if leaf is None:
        return None
    chain: list[Entry] = []
    seen: set[str] = set()
    at: Entry | None = leaf
    while at is not None:
        if at.uuid in seen:
            return None
        seen.add(at.uuid or "")
        chain.append(at)
        if at.parent is None:
            break
        at = by_id.get(at.parent)
        if at is None:
            return None
    chain.reverse()
    return _with_parallel(chain, known)


def _leaf(known: list[Entry], by_id: dict[str, Entry]) -> Entry | None:
    """The latest speaker that nothing but silent lines follow."""
    parents = {entry.parent for entry in known if entry.parent}
    leaves: dict[int, Entry] = {}
    seen: set[int] = set()
    for entry in by_id.values():
        if entry.uuid in parents:
            continue
        leaf = _speaker_above(entry, by_id, seen)
        if leaf is not None:
            leaves[leaf.number] = leaf
    plain = [leaf for leaf in leaves.values() if leaf.is_plain]
    return max(plain or leaves.values(), key=lambda leaf: leaf.number, default=None)


def _speaker_above(entry: Entry, by_id: dict[str, Entry], seen: set[int]) -> Entry | None:
    """The speaker silent lines hang from; None when a walk was on these lines before."""
    at: Entry | None = entry
    while at is not None and at.number not in seen:
        if at.speaks:
            return at
        seen.add(at.number)
        at = by_id.get(at.parent) if at.parent else None
    return None


def _with_parallel(chain: list[Entry], known: list[Entry]) -> list[Entry]:
    """Adds calls of the same response that were made side by side, and their results.

    Such lines hang beside the path, not on it, though they were part of the conversation.
    """
    on_path = {entry.uuid for entry in chain}
    responses = {e.response for e in chain if e.kind == "assistant" and e.response}
    group = {e.uuid for e in known if e.kind == "assistant" and e.response in responses}
    answered = {e.parent for e in chain if e.is_result}
    extra: list[Entry] = []
    for entry in known:
        if entry.uuid in on_path or entry.uuid is None:
            continue
        if entry.kind == "assistant" and entry.uuid in group:
            on_path.add(entry.uuid)
            extra.append(entry)
        elif entry.is_result and entry.parent in group and entry.parent not in answered:
            on_path.add(entry.uuid)
            answered.add(entry.parent)
            extra.append(entry)
    return _merged(chain, extra) if extra else chain


def _merged(chain: list[Entry], extra: list[Entry]) -> list[Entry]:
    """Each extra line behind the line of the path that precedes it in the file."""
    numbers = sorted((entry.number, index) for index, entry in enumerate(chain))
    keyed = [((index, 0), entry) for index, entry in enumerate(chain)]
    for entry in extra:
        place = bisect_right(numbers, (entry.number, len(chain))) - 1
        keyed.append(((numbers[place][1] if place >= 0 else -1, entry.number), entry))
    return [entry for _, entry in sorted(keyed, key=lambda pair: pair[0])]


def last_of_response(shown: list[Entry]) -> set[int]:
    """The numbers of the lines that keep their usage: the last one of each response."""
    last: dict[tuple[str, str], int] = {}
    alone: set[int] = set()
    for entry in shown:
        if entry.has_usage:
            if entry.response is None:
                alone.add(entry.number)
            else:
                last[entry.response] = entry.number
    return alone | set(last.values())
