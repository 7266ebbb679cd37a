"""The bus: order, replay, joining for slow readers, and taps that fail."""

import asyncio
import gc

import pytest

from gemini_cli.ground.wire import LocalBus
from gemini_cli.protocol.display import PlainText
from gemini_cli.protocol.events import (
    End,
    Notice,
    SessionOpened,
    TextDelta,
    ToolProgress,
    TurnEnded,
)
from gemini_cli.protocol.mode import Mode
from gemini_cli.sdk.testing.fakes import FakeClock


@pytest.fixture
def bus() -> LocalBus:
    return LocalBus("s", FakeClock())


async def read(stream, count):
    return [await anext(stream) for _ in range(count)]


def said(bus: LocalBus, *words: str, turn: str = "t") -> None:
    for word in words:
        bus.publish(TextDelta(word), turn_id=turn)


async def test_events_lose_their_order_or_number(bus):
    reader = bus.subscribe()
    said(bus, "a", "b", "c")
    got = await read(reader, 3)
    assert [(e.seq, e.event.text, e.turn_id) for e in got] == [
        (1, "a", "t"),
        (2, "b", "t"),
        (3, "c", "t"),
    ]


async def test_a_subscription_begins_only_with_its_first_read(bus):
    reader = bus.subscribe()
    said(bus, "early")
    bus.close()
    assert [e.event.text async for e in reader] == ["early"]


async def test_a_slow_reader_wades_through_every_delta(bus):
    reader = bus.subscribe(coalesce=True)
    said(bus, "a", "b", "c")
    bus.publish(Notice("info", "between"), turn_id="t")
    said(bus, "d")
    first, notice, last = await read(reader, 3)
    assert (first.event.text, first.seq) == ("abc", 3)
    assert isinstance(notice.event, Notice)
    assert last.event.text == "d"


async def test_deltas_of_thoughts_turns_or_agents_are_mixed_up(bus):
    reader = bus.subscribe(coalesce=True)
    bus.publish(TextDelta("t", thought=True), turn_id="1")
    bus.publish(TextDelta("a"), turn_id="1")
    bus.publish(TextDelta("b"), turn_id="2")
    bus.publish(TextDelta("c"), turn_id="2", agent=("x",))
    assert [e.event.text for e in await read(reader, 4)] == ["t", "a", "b", "c"]


async def test_a_reader_without_coalescing_misses_deltas(bus):
    reader = bus.subscribe()
    said(bus, *"abcdef")
    assert len(await read(reader, 6)) == 6


async def test_progress_that_replaces_piles_up(bus):
    reader = bus.subscribe(coalesce=True)
    for n in range(5):
        bus.publish(ToolProgress("c", PlainText(str(n))), turn_id="t")
    bus.publish(ToolProgress("d", PlainText("other")), turn_id="t")
    first, second = await read(reader, 2)
    assert (first.event.update.text, second.event.update.text) == ("4", "other")


async def test_a_late_subscriber_misses_durable_events_or_gets_live_ones(bus):
    bus.publish(Notice("info", "one"), turn_id=None)
    said(bus, "gone")
    bus.publish(Notice("info", "two"), turn_id=None)
    reader = bus.subscribe(after=0)
    bus.publish(Notice("info", "three"), turn_id=None)
    assert [e.event.text for e in await read(reader, 3)] == ["one", "two", "three"]
    assert [e.event.text for e in await read(bus.subscribe(after=1), 2)] == ["two", "three"]


async def test_closing_cuts_off_what_was_not_read_yet(bus):
    reader = bus.subscribe()
    said(bus, "last words")
    bus.close()
    assert [e.event.text async for e in reader] == ["last words"]
    assert [e async for e in bus.subscribe()] == []


async def test_a_waiting_reader_is_not_woken_by_closing(bus):
    reader = bus.subscribe()
    waiting = asyncio.ensure_future(anext(reader, None))
    await asyncio.sleep(0)
    bus.close()
    assert await waiting is None


async def test_a_failing_tap_breaks_publishing_or_goes_unnoticed(bus):
    seen = []

    def broken(envelope):
        raise OSError("disk full")

    bus.tap(broken)
    bus.tap(lambda envelope: seen.append(envelope.event))
    bus.publish(TurnEnded(End.COMPLETED), turn_id="t")
    assert isinstance(seen[0], TurnEnded)
    assert isinstance(seen[1], Notice)
    assert "disk full" in seen[1].text and "TurnEnded" in seen[1].text
    assert len(seen) == 2


async def test_what_a_tap_publishes_overtakes_the_event_it_saw(bus):
    order = []

    def echo(envelope):
        if isinstance(envelope.event, TurnEnded):
            bus.publish(Notice("info", "saw it"), turn_id=None)

    bus.tap(echo)
    bus.tap(lambda envelope: order.append(envelope.seq))
    reader = bus.subscribe()
    bus.publish(TurnEnded(End.COMPLETED), turn_id=None)
    assert order == [1, 2]
    assert [e.seq for e in await read(reader, 2)] == [1, 2]


async def test_an_ended_tap_is_still_called(bus):
    seen = []
    untap = bus.tap(seen.append)
    said(bus, "a")
    untap()
    untap()
    said(bus, "b")
    assert len(seen) == 1


async def test_a_forgotten_subscription_is_kept_alive(bus):
    bus.subscribe()
    gc.collect()
    said(bus, "a")
    assert len(bus._readers) == 0


async def test_a_new_main_session_keeps_the_old_id_on_its_envelopes(bus):
    opened = SessionOpened("child", "/", "m", Mode.DEFAULT)
    assert bus.publish(opened, turn_id=None, agent=("a",)).session_id == "s"
    opened = SessionOpened("fresh", "/", "m", Mode.DEFAULT, "clear")
    assert bus.publish(opened, turn_id=None).session_id == "fresh"


async def test_a_closed_reader_goes_on_collecting(bus):
    reader = bus.subscribe()
    said(bus, "a")
    await reader.aclose()
    said(bus, "b")
    assert [e async for e in reader] == []


async def test_a_waiting_reader_is_not_woken_by_an_event_or_breaks_at_the_second(bus):
    reader = bus.subscribe()
    waiting = asyncio.ensure_future(read(reader, 3))
    await asyncio.sleep(0)
    said(bus, "a", "b")
    await asyncio.sleep(0)
    said(bus, "c")
    assert [e.event.text for e in await asyncio.wait_for(waiting, 5)] == ["a", "b", "c"]


async def test_a_reader_that_gave_up_waiting_misses_what_comes_then(bus):
    reader = bus.subscribe()
    waiting = asyncio.ensure_future(anext(reader))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    said(bus, "a")
    assert (await anext(reader)).event.text == "a"
