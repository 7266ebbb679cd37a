"""Lines and values that are broken, huge, torn or of the wrong type."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemini_cli.transcripts import LoadOptions, LoadReport, SessionCorruptError, load_session
from gemini_cli.transcripts.coerce import first_line, opt_int, time_ms
from gemini_cli.transcripts.lines import decode, head_and_tail, raw_lines, records
from transcripts.reading import stores


def user(number, text="hi"):
    return {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "timestamp": "2026-03-02T09:00:00Z",
        "message": {"role": "user", "content": text},
    }


def load(tmp_path, data: bytes, **options):
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    return load_session("claude", session_path=path, options=LoadOptions(**options))


def packed(*values):
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_blank_broken_scalar_and_crlf_lines_are_told_apart(tmp_path):
    good = json.dumps(user(0)).encode()
    data = b"\xef\xbb\xbf" + good + b"\r\n\r\n  \n{broken\n7\n[1]\nNaN\n" + packed(user(1))
    session = load(tmp_path, data)
    assert [m.id for m in session.messages] == ["u0", "u1"]
    assert session.report.bad_lines == 2
    assert session.report.lines == 6
    assert not session.report.torn_tail


def test_a_torn_last_line_is_skipped_now_and_whole_the_next_time(tmp_path):
    whole = packed(user(0), user(1))
    session = load(tmp_path, whole[:-20])
    assert [m.id for m in session.messages] == ["u0"]
    assert (session.report.bad_lines, session.report.torn_tail) == (1, True)
    assert [m.id for m in load(tmp_path, whole).messages] == ["u0", "u1"]


def test_a_line_of_a_megabyte_is_read_and_one_over_the_cap_is_counted(tmp_path):
    long = user(1, "x" * (1 << 20))
    session = load(tmp_path, packed(user(0), long))
    assert len(session.messages[1].content[0].text) == 1 << 20
    capped = load(tmp_path, packed(user(0), long, user(2)), max_line_bytes=100_000, branch="all")
    assert [m.id for m in capped.messages] == ["u0", "u2"]
    assert capped.report.oversized_lines == 1
    for tool in ("codex", "qwen", "copilot", "cursor"):
        report = load_session(
            tool,
            session_path=tmp_path / "s.jsonl",
            options=LoadOptions(max_line_bytes=100_000),
        ).report
        assert report.oversized_lines == 1


def test_a_log_goes_on_after_a_line_over_the_cap(tmp_path):
    head = {"sessionId": "s", "projectHash": "h"}
    records = [{"id": str(n), "type": "user", "content": "x" * n} for n in (5, 9000, 7)]
    path = stores.write_lines(tmp_path / "s.jsonl", [head, *records])
    options = LoadOptions(max_line_bytes=1000)
    session = load_session("gemini", session_path=path, options=options)
    assert [m.id for m in session.messages] == ["5", "7"]
    assert session.report.oversized_lines == 1


def test_nothing_but_garbage_is_an_error_that_names_the_file(tmp_path):
    for tool in ("claude", "codex", "qwen", "copilot", "cursor"):
        path = tmp_path / f"{tool}.jsonl"
        path.write_bytes(b"\x00\x01\x02\n\xff\xfe")
        with pytest.raises(SessionCorruptError, match=rf"{tool}\.jsonl"):
            load_session(tool, session_path=path)
        path.write_bytes(b"\n\n")
        assert load_session(tool, session_path=path).messages == []


def test_lone_surrogates_and_bytes_that_are_no_utf8_survive(tmp_path):
    data = b'{"type":"user","message":{"role":"user","content":"a\\ud83d"}}\n'
    broken = b'{"type":"user","message":{"role":"user","content":"\xff"}}\n'
    session = load(tmp_path, data + broken, branch="all")
    assert [m.content[0].text for m in session.messages] == ["a\ud83d", "\ufffd"]


def test_depth_without_end_is_a_bad_line(tmp_path):
    deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    session = load(tmp_path, deep + packed(user(0)))
    assert [m.id for m in session.messages] == ["u0"]
    assert session.report.bad_lines == 1


def test_numbers_beyond_any_measure_do_not_stop_the_reading(tmp_path):
    usage = {"input_tokens": 1e400, "output_tokens": "12", "cache_read_input_tokens": None}
    record = user(0)
    record["message"]["usage"] = usage
    text = json.dumps(record).replace("Infinity", "1e400").encode() + b"\n"
    huge = b'{"type":"user","timestamp":' + b"9" * 5000 + b"}\n"
    session = load(tmp_path, text + huge)
    assert session.messages[0].usage.output_tokens == 12
    assert session.messages[0].usage.input_tokens == 0
    assert session.report.bad_lines == 1


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(value=JSON)
def test_what_is_decoded_equals_what_the_standard_library_reads(value):
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert decode(text) == json.loads(text)
        try:
            data = text.encode()
        except UnicodeEncodeError:
            continue
        assert decode(data) == json.loads(text)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=200), cap=st.integers(1, 40))
def test_lines_are_found_at_the_offsets_they_claim(data, cap):
    report = LoadReport()
    for line in raw_lines(io.BytesIO(data), report, cap):
        assert line.data.strip() and len(line.data.removesuffix(b"\n")) <= cap
        assert data[line.offset :].startswith(line.data)
    list(records(raw_lines(io.BytesIO(data), LoadReport(), cap), LoadReport()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-02T09:00:00.123Z", 1772442000123),
        ("2026-03-02T09:00:00.123456789Z", 1772442000123),
        ("2026-03-02T09:00:00.1Z", 1772442000100),
        ("2026-03-02T09:00:00+00:00", 1772442000000),
        ("2026-03-02T10:30:00+01:30", 1772442000000),
        ("2026-03-02T08:00:00-0100", 1772442000000),
        ("2026-03-02 09:00:00", 1772442000000),
        ("2026-03-02T09:00Z", 1772442000000),
        ("2026-03-02", 1772409600000),
        ("1960-01-01T00:00:00Z", -315619200000),
        ("12026-03-02T09:00:00Z", 317341746000000 + 0),
        ("2026-13-02T09:00:00Z", None),
        ("2026-03-02T25:00:00Z", None),
        ("2026-02-30T09:00:00.00Z", 1772442000000),
        ("yesterday", None),
        ("", None),
        ("2" * 500, None),
        (1772442000123, 1772442000123),
        (1772442000, 1772442000000),
        (1772442000.5, 1772442000500),
        (float("inf"), None),
        (float("nan"), None),
        (True, None),
        (None, None),
        ([], None),
    ],
)
def test_times_of_every_spelling_become_milliseconds(text, expected):
    found = time_ms(text)
    if text == "12026-03-02T09:00:00Z":
        assert found is not None and found > 10**14
    else:
        assert found == expected


@settings(max_examples=60, deadline=None)
@given(moment=st.datetimes())
def test_every_moment_of_the_calendar_is_computed_right(moment):
    from_parts = time_ms(moment.strftime("%Y-%m-%dT%H:%M:%S").zfill(19) + "Z")
    exact = time_ms(moment.replace(microsecond=0).isoformat() + ".000Z")
    assert from_parts == exact


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1),
        (1.9, 1),
        ("7", 7),
        ("x", None),
        (True, None),
        (None, None),
        (float("inf"), None),
        ("9" * 99, None),
    ],
)
def test_counts_are_taken_from_any_type(value, expected):
    assert opt_int(value) == expected


def test_the_ends_of_a_file_are_cut_at_lines(tmp_path):
    path = stores.write_lines(tmp_path / "s.jsonl", [{"n": n, "pad": "x" * 50} for n in range(100)])
    numbers = [record["n"] for record in head_and_tail(path, span=1000)]
    assert numbers[0] == 0
    assert numbers[-1] == 99
    assert 50 not in numbers
    assert [r["n"] for r in head_and_tail(path, span=4000)] == list(range(100))
    assert [r["n"] for r in head_and_tail(path)] == list(range(100))
    assert first_line("\n two\nthree") == "two"
