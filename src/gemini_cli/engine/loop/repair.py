"""Makes a stored or foreign history one that a model accepts.

Every call gets exactly one reply, in order; nothing that was said is lost. A history that
is sound already comes back as it is.
"""

from itertools import groupby

from msgspec.structs import replace

from gemini_cli.protocol.messages import (
    Call,
    Message,
    Part,
    Reply,
    Text,
    calls_of,
    replies_of,
)

_LOST = "The result of this call was lost: the session ended before it was written down."
_EARLIER = "(The beginning of this conversation is not available.)"


def repaired(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The same conversation with every call answered once and a person speaking first."""
    if not messages:
        return ()
    known = {call.id for message in messages for call in calls_of(message.parts)}
    clean = _without_strays(_without_repeats(messages))
    runs = [list(run) for _, run in groupby(clean, key=lambda m: m.role)]
    if runs and runs[0][0].role == "model":
        first = runs[0][0]
        opening = Message(f"{first.id}-opening", "user", (Text(_EARLIER),), first.at)
        runs.insert(0, [replace(opening, origin="notice")])
    fixed: list[Message] = []
    for index, run in enumerate(runs):
        if run[0].role == "user":
            before = fixed[-1] if fixed else None
            adopted = _adopt(before, run, known)
            if before is not None and adopted is not before and adopted is not None:
                fixed[-1] = adopted
            fixed.extend(_answered(adopted, _model_run(fixed), run))
        else:
            fixed.extend(run)
            if index == len(runs) - 1:
                fixed.extend(_answered(fixed[-1], run, []))
    return tuple(message for message in fixed if message.parts)


def _without_repeats(messages: tuple[Message, ...]) -> list[Message]:
    """Drops the second and later of calls, replies and messages that share an id."""
    calls: set[str] = set()
    replies: set[str] = set()
    ids: set[str] = set()
    kept = []
    for message in messages:
        if message.id in ids:
            continue
        ids.add(message.id)
        parts = tuple(part for part in message.parts if _first(part, calls, replies))
        if parts:
            kept.append(
                message if len(parts) == len(message.parts) else replace(message, parts=parts)
            )
    return kept


def _without_strays(messages: list[Message]) -> list[Message]:
    """Drops replies before the first thing a model said: there is no place for their calls."""
    spoken = next((i for i, m in enumerate(messages) if m.role == "model"), len(messages))
    leading = [
        replace(m, parts=tuple(p for p in m.parts if not isinstance(p, Reply)))
        if replies_of(m.parts)
        else m
        for m in messages[:spoken]
    ]
    return [*(m for m in leading if m.parts), *messages[spoken:]]


def _first(part: Part, calls: set[str], replies: set[str]) -> bool:
    if isinstance(part, Call):
        seen, key = calls, part.id
    elif isinstance(part, Reply):
        seen, key = replies, part.call_id
    else:
        return True
    fresh = key not in seen
    seen.add(key)
    return fresh


def _model_run(fixed: list[Message]) -> list[Message]:
    """The model messages at the end of what is done."""
    run: list[Message] = []
    for message in reversed(fixed):
        if message.role != "model":
            break
        run.insert(0, message)
    return run


def _adopt(before: Message | None, run: list[Message], known: set[str]) -> Message | None:
    """Gives replies that nobody asked for a call in the model message before them."""
    if before is None or before.role != "model":
        return before
    orphans = [r for m in run for r in replies_of(m.parts) if r.call_id not in known]
    if not orphans:
        return before
    known.update(reply.call_id for reply in orphans)
    calls = tuple(Call(reply.call_id, reply.name, {}) for reply in orphans)
    return replace(before, parts=before.parts + calls)


def _answered(before: Message | None, asked: list[Message], run: list[Message]) -> list[Message]:
    """The user messages of `run` with the replies to `asked` first and in order."""
    calls = [call for message in asked for call in calls_of(message.parts)]
    wanted = {call.id for call in calls}
    found = {r.call_id: r for m in run for r in replies_of(m.parts) if r.call_id in wanted}
    rest = [
        m
        if not replies_of(m.parts)
        else replace(m, parts=tuple(p for p in m.parts if not isinstance(p, Reply)))
        for m in run
    ]
    if not calls:
        return [message for message in rest if message.parts]
    replies = tuple(found.get(call.id) or _lost(call) for call in calls)
    holders = [m for m in run if replies_of(m.parts)]
    if holders and holders == run[:1] and _leads(run[0], replies):
        return run
    holder = holders[0] if holders else None
    base = holder or before or asked[-1]
    mine = tuple(p for p in holder.parts if not isinstance(p, Reply)) if holder else ()
    answer = Message(
        holder.id if holder else f"{base.id}-replies",
        "user",
        replies + mine,
        base.at,
        origin=holder.origin if holder else "tool",
    )
    others = [r for m, r in zip(run, rest, strict=True) if m is not holder and r.parts]
    return [answer, *others]


def _leads(message: Message, replies: tuple[Reply, ...]) -> bool:
    """Whether these are all the replies in a message, and stand before everything else."""
    return message.parts[: len(replies)] == replies == replies_of(message.parts)


def _lost(call: Call) -> Reply:
    return Reply(call.id, call.name, (Text(_LOST),), is_error=True)
