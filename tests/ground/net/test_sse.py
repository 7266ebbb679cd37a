from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.ground.net.problem import HttpProblem
from gemini_cli.ground.net.sse import SseEvent, SseParser


def parse(*chunks: bytes, limit: int = 1 << 20) -> list[SseEvent]:
    parser = SseParser(limit)
    found = [event for chunk in chunks for event in parser.feed(chunk)]
    return found + parser.finish()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_any_line_ending_separates_events(end: bytes):
    text = end.join([b"data: one", b"", b"event: ping", b"data: two", b"data: three", b"", b""])
    assert parse(text) == [SseEvent(b"one"), SseEvent(b"two\nthree", "ping")]


def test_comments_unknown_fields_and_empty_events_are_not_events():
    assert parse(b": keep-alive\n\nfoo: bar\n\nevent: lonely\n\ndata\n\n") == [SseEvent(b"")]


def test_a_byte_order_mark_does_not_hide_the_first_field():
    assert parse(b"\xef", b"\xbb\xbfda", b"ta: x\n\n") == [SseEvent(b"x")]


def test_only_one_leading_blank_is_taken_off_the_value():
    assert parse(b"data:  x\n\ndata:y\n\n") == [SseEvent(b" x"), SseEvent(b"y")]


def test_id_lasts_and_retry_does_not():
    assert parse(b"id: 7\nretry: 250\ndata: a\n\nid: bad\0\nretry: x\ndata: b\n\n") == [
        SseEvent(b"a", id="7", retry=250),
        SseEvent(b"b", id="7"),
    ]


def test_odd_line_breaks_inside_data_do_not_end_the_line():
    data = "a\x0b\x0c\x1c\x85\u2028b".encode()
    assert parse(b"data: " + data + b"\n\n") == [SseEvent(data)]


def test_an_event_without_its_blank_line_is_not_lost_at_the_end():
    assert parse(b"data: {}") == [SseEvent(b"{}")]


def test_a_line_feed_after_a_split_carriage_return_is_not_a_blank_line():
    assert parse(b"data: a\r", b"\ndata: b\r\n\r\n") == [SseEvent(b"a\nb")]


@pytest.mark.parametrize("chunk", [b"data: xxxxxxx\n", b"xxxxxxxxxxxxx"])
def test_an_endless_event_is_refused_instead_of_eating_memory(chunk: bytes):
    parser = SseParser(100)
    with pytest.raises(HttpProblem, match="100 bytes"):
        for _ in range(100):
            parser.feed(chunk)


def test_many_small_events_never_hit_the_size_limit():
    parser = SseParser(100)
    assert sum(len(parser.feed(b"data: 0123456789\n\n")) for _ in range(1000)) == 1000


lines = st.sampled_from(
    [b"data: {}", b"data:x", b"data", b": c", b"event: e", b"id: 1", b"retry: 5", b"", b"", b"\xff"]
)
streams = st.lists(st.tuples(lines, st.sampled_from([b"\n", b"\r\n", b"\r"])), max_size=20).map(
    lambda pairs: b"".join(line + end for line, end in pairs)
)


@given(streams, st.lists(st.integers(0, 200), max_size=8))
def test_where_the_network_cuts_does_not_change_the_events(stream: bytes, cuts: list[int]):
    points = [0, *sorted(min(c, len(stream)) for c in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(points)]
    assert parse(*pieces) == parse(stream) == parse(*[bytes([b]) for b in stream])


def test_what_is_no_field_is_kept_apart_and_not_for_ever():
    parser = SseParser()
    parser.feed(b': hi\ndata: a\n\nid: x\0\nretry: y\n{"error":\n "b": 1}\n')
    assert bytes(parser.stray) == b'{"error": "b": 1}'
    for _ in range(100):
        parser.feed(b"x" * 5000 + b"\n")
    assert len(parser.stray) == 64 * 1024
