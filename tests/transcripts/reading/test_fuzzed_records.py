"""Valid recordings with any field replaced by any JSON value: nothing may crash or get lost."""

import contextlib
import itertools
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gemini_cli.transcripts import (
    LoadOptions,
    SessionCorruptError,
    dumps,
    from_dict,
    list_sessions,
    load_session,
    loads,
    parse_message,
    to_dict,
    validate,
)
from transcripts.reading import stores

ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.sampled_from(["user", "assistant", "text", "tool_use", "2026-03-02T09:00:00Z", "\ud83d"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
OPTIONS = [
    LoadOptions(),
    LoadOptions(include_meta=True, branch="all", dedupe_usage=True),
    LoadOptions(compat="sdk"),
    LoadOptions(result_layout="claude", order="chronological", images="ref"),
    LoadOptions(images="drop", strip_untrusted=True, shell_exit_is_error=True),
]


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], (*path, index))


def put(value, path, new):
    if not path:
        return new
    if isinstance(value, dict):
        return {k: put(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return [put(v, path[1:], new) if i == path[0] else v for i, v in enumerate(value)]


@st.composite
def damaged(draw, tool):
    records = stores.records_of(stores.FILES[tool])
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.integers(0, len(records) - 1))
        path = draw(st.sampled_from(list(places(records[number]))))
        records[number] = put(records[number], path, draw(ANY))
    return records


@pytest.mark.parametrize("tool", sorted(stores.FILES))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), options=st.sampled_from(OPTIONS))
def test_a_wrong_type_in_any_field_never_crashes(tool, data, options):
    records = data.draw(damaged(tool))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("s" + stores.FILES[tool].suffix)
        text = "".join(json.dumps(record) + "\n" for record in records)
        path.write_text(text, encoding="utf-8")
        try:
            session = load_session(tool, session_path=path, options=options)
        except SessionCorruptError:
            return
        again = load_session(tool, session_path=path, options=options)
    assert again.messages == session.messages
    validate(session.messages)
    known = [record for record in records if isinstance(record, dict)]
    for message in session.messages:
        assert isinstance(message.id, str)
        assert message.role in ("user", "assistant", "system")
        assert isinstance(message.timestamp, int)
        assert isinstance(message.content, str | list)
        written = dumps(message, "camel")
        assert to_dict(loads(written)) == to_dict(from_dict(json.loads(written)))
        if options.images == "keep" and tool != "gemini":
            assert message.original in known


@pytest.mark.parametrize("tool", sorted(stores.FILES))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_store_never_breaks_a_list(tool, data):
    records = data.draw(damaged(tool))
    with tempfile.TemporaryDirectory() as folder:
        env = {"HOME": folder}
        name = stores.FILES[tool].name
        place = {
            "gemini": f".gemini/tmp/app/chats/{name}",
            "claude": f".claude/projects/-work-app/{name}",
            "codex": f".codex/sessions/2026/03/02/{name}",
            "qwen": f".qwen/projects/-work-app/chats/{name}",
            "copilot": ".copilot/session-state/44444444/events.jsonl",
            "cursor": f".cursor/projects/work-app/agent-transcripts/x/{name}",
        }[tool]
        path = Path(folder) / place
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        for info in list_sessions(env=env):
            assert info.tool == tool
            assert info.title
            assert isinstance(info.updated_at, int)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(noise=st.binary(max_size=400), tool=st.sampled_from(sorted(stores.FILES)))
def test_any_bytes_are_an_error_or_a_list(noise, tool):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("s" + stores.FILES[tool].suffix)
        path.write_bytes(noise)
        try:
            assert isinstance(load_session(tool, session_path=path).messages, list)
        except SessionCorruptError as error:
            assert str(path) in str(error)


VALUES = (None, True, -3, 1.5, "", "x", [], [1], [[]], [{}], {}, {"a": 1}, 10**30)


def survives(tool, records, path, options):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    with contextlib.suppress(SessionCorruptError):
        for message in load_session(tool, session_path=path, options=options).messages:
            assert loads(dumps(message)).id == message.id


@pytest.mark.parametrize("tool", sorted(stores.FILES))
def test_each_field_survives_an_unfit_value(tool, tmp_path):
    """Every field once, the values taking turns: what a random search may miss."""
    records = stores.records_of(stores.FILES[tool])
    path = tmp_path / ("s" + stores.FILES[tool].suffix)
    turns = itertools.cycle(VALUES)
    choices = itertools.cycle(OPTIONS)
    for number, record in enumerate(records):
        for place in places(record):
            changed = put(record, place, next(turns))
            survives(
                tool, [*records[:number], changed, *records[number + 1 :]], path, next(choices)
            )


def test_each_field_of_an_opencode_message_survives_every_unfit_value():
    folder = stores.OPENCODE
    for place in sorted((folder / "message" / "ses_1").iterdir()):
        parts = [
            json.loads(p.read_text()) for p in sorted((folder / "part" / place.stem).glob("*"))
        ]
        record = {"info": json.loads(place.read_text()), "parts": parts}
        for path in places(record):
            for value in VALUES:
                changed = put(record, path, value)
                if isinstance(changed, dict):
                    message = parse_message("opencode", changed)
                    assert loads(dumps(message)).id == message.id
