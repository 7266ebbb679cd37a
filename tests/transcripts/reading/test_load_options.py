"""Layouts, images, following, and the two ways to call everything."""

import asyncio
import json
from threading import Event

import pytest
from msgspec.structs import replace

from gemini_cli.transcripts import (
    Base64Source,
    ImageBlock,
    LoadOptions,
    LoadReport,
    RefSource,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    aiter_messages,
    alist_sessions,
    iter_messages,
    load_messages,
    load_messages_sync,
    to_dict,
    validate,
)
from transcripts.reading import stores


def load(tool, **options):
    return load_messages_sync(tool, session_path=stores.FILES[tool], options=LoadOptions(**options))


def kinds(message):
    return [block.type for block in message.blocks]


@pytest.mark.parametrize("tool", sorted(stores.FILES))
def test_claude_layout_puts_every_result_into_a_user_message(tool):
    moved = load(tool, result_layout="claude")
    assert validate(moved) == []
    for message in moved:
        held = {type(block) for block in message.blocks}
        if ToolResultBlock in held:
            assert message.role == "user"
    plain = load(tool)

    def results(messages):
        return [b for m in messages for b in m.blocks if isinstance(b, ToolResultBlock)]

    assert results(moved) == results(plain)


def test_moved_results_follow_their_message_and_keep_its_time():
    first, second, third = load("gemini", result_layout="claude")[1:4]
    assert kinds(first) == ["thinking", "tool_use", "tool_use", "text"]
    assert kinds(second) == ["tool_result", "tool_result"]
    assert (second.id, second.parent_id) == ("g1_results", "g1")
    assert (second.timestamp, second.usage) == (first.timestamp, None)
    assert third.id == "i1"


def test_chronological_order_puts_text_before_calls():
    message = load("gemini", order="chronological")[1]
    assert kinds(message) == [
        "thinking",
        "text",
        "tool_use",
        "tool_result",
        "tool_use",
        "tool_result",
    ]
    assert load("codex", order="chronological") == load("codex")


@pytest.mark.parametrize("tool", ["gemini", "claude", "codex", "copilot"])
def test_pictures_can_be_dropped_or_referred_to(tool):
    def pictures(messages):
        blocks = [b for m in messages for b in m.blocks]
        blocks += [c for b in blocks if isinstance(b, ToolResultBlock) for c in b.content]
        return [b.source for b in blocks if isinstance(b, ImageBlock)]

    (kept,) = pictures(load(tool))
    assert isinstance(kept, Base64Source)
    dropped = load(tool, images="drop")
    assert pictures(dropped) == []
    (referred,) = pictures(load(tool, images="ref"))
    assert isinstance(referred, RefSource)
    assert referred.size == len(kept.data)
    assert json.dumps(to_dict(dropped[0])) == json.dumps(to_dict(load(tool)[0]))
    for messages in (dropped, load(tool, images="ref")):
        assert f'"{kept.data}"' not in json.dumps([to_dict(m) for m in messages])
        assert f",{kept.data}" not in json.dumps([to_dict(m) for m in messages])


def test_results_that_held_only_a_picture_are_empty_when_it_is_dropped(tmp_path):
    picture = {
        "type": "image",
        "source": {"type": "base64", "data": "eA==", "media_type": "image/png"},
    }
    content = [{"type": "tool_result", "tool_use_id": "t", "content": [picture]}]
    record = {"type": "user", "uuid": "u", "message": {"role": "user", "content": content}}
    path = stores.write_lines(tmp_path / "s.jsonl", [record])
    options = LoadOptions(images="drop")
    (message,) = load_messages_sync("claude", session_path=path, options=options)
    assert message.content == [ToolResultBlock("t", "")]
    assert "eA==" not in json.dumps(message.original)


async def test_every_function_has_an_async_twin(tmp_path):
    plain = load("codex")
    path = stores.FILES["codex"]
    assert await load_messages("codex", session_path=path) == plain
    assert [m async for m in aiter_messages("codex", session_path=path)] == plain
    report = LoadReport()
    assert list(iter_messages("codex", session_path=path, report=report)) == plain
    assert report.lines == len(stores.lines_of(path))
    assert [m async for m in aiter_messages("codex", session_path=tmp_path / "no")] == []
    assert list(iter_messages("codex", session_path=tmp_path / "no")) == []
    assert await alist_sessions(env=stores.home(tmp_path)) == []


def test_reading_starts_before_the_whole_file_is_read(tmp_path):
    line = {"role": "user", "message": {"content": [{"type": "text", "text": "x" * 1000}]}}
    path = stores.write_lines(tmp_path / "s.jsonl", [line] * 2000)
    report = LoadReport()
    messages = iter_messages("cursor", session_path=path, report=report)
    assert next(messages).id == "cursor-1"
    assert report.lines == 1


def chain(number, text):
    return {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "timestamp": "2026-03-02T09:00:00Z",
        "message": {"role": "user", "content": text},
    }


def append(path, record, *, whole=True):
    text = json.dumps(record)
    with path.open("a") as stream:
        stream.write(text + "\n" if whole else text[:30])


def test_following_yields_what_is_appended_and_nothing_twice(tmp_path):
    path = stores.write_lines(tmp_path / "s.jsonl", [chain(0, "a"), chain(1, "b")])
    options = LoadOptions(follow=True, poll_seconds=0.001)
    stop = Event()
    messages = iter_messages("claude", session_path=path, options=options, stop=stop)
    assert [next(messages).id, next(messages).id] == ["u0", "u1"]
    append(path, chain(2, "c"), whole=False)
    with path.open("a") as stream:
        stream.write(json.dumps(chain(2, "c"))[30:] + "\n")
    assert next(messages).id == "u2"
    append(path, chain(3, "d"))
    stop.set()
    assert [m.id for m in messages] == ["u3"]


def test_following_yields_a_message_again_when_it_has_gained_something(tmp_path):
    answer = {"id": "g", "type": "gemini", "content": "x", "timestamp": "2026-03-02T09:00:00Z"}
    head = {"sessionId": "s", "projectHash": "h"}
    path = stores.write_lines(tmp_path / "s.jsonl", [head, answer])
    options = LoadOptions(follow=True, poll_seconds=0.001)
    stop = Event()
    messages = iter_messages("gemini", session_path=path, options=options, stop=stop)
    assert next(messages).content == [TextBlock("x")]
    call = {"id": "c", "name": "glob", "args": {}, "status": "executing"}
    append(path, {**answer, "toolCalls": [call]})
    assert next(messages).content == [ToolUseBlock("c", "Glob", {}), TextBlock("x")]
    path.unlink()
    stop.set()
    assert list(messages) == []


async def test_following_ends_when_it_is_cancelled(tmp_path):
    path = stores.write_lines(tmp_path / "s.jsonl", [chain(0, "a")])
    options = LoadOptions(follow=True, poll_seconds=0.001)
    seen: asyncio.Queue[str] = asyncio.Queue()

    async def read():
        async for message in aiter_messages("claude", session_path=path, options=options):
            await seen.put(message.id)

    task = asyncio.create_task(read())
    assert await asyncio.wait_for(seen.get(), 10) == "u0"
    append(path, chain(1, "b"))
    assert await asyncio.wait_for(seen.get(), 10) == "u1"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_following_survives_a_file_that_is_garbage_for_a_moment(tmp_path):
    path = tmp_path / "s.json"
    path.write_text("{half")
    options = LoadOptions(follow=True, poll_seconds=0.001)
    stop = Event()
    messages = iter_messages("gemini", session_path=path, options=options, stop=stop)
    path.write_text(json.dumps({"messages": [{"id": "u", "type": "user", "content": "x"}]}))
    assert next(messages).id == "u"
    stop.set()


def test_following_gives_messages_of_one_name_once_each(tmp_path):
    answer = {"type": "function_call_output", "call_id": "c", "output": "x"}
    other = {**answer, "output": "y"}
    lines = [{"type": "response_item", "payload": payload} for payload in (answer, other)]
    path = stores.write_lines(tmp_path / "s.jsonl", lines)
    options = LoadOptions(follow=True, poll_seconds=0.001)
    stop = Event()
    messages = iter_messages("codex", session_path=path, options=options, stop=stop)
    assert [next(messages).content[0].content for _ in lines] == ["x", "y"]
    said = {"type": "message", "role": "assistant", "content": "z"}
    append(path, {"type": "response_item", "payload": said})
    assert next(messages).content == [TextBlock("z")]
    stop.set()
    assert list(messages) == []


def test_following_goes_on_when_the_file_is_cut_or_replaced(tmp_path):
    path = stores.write_lines(tmp_path / "s.jsonl", [chain(0, "a"), chain(1, "b")])
    options = LoadOptions(follow=True, poll_seconds=0.001)
    stop = Event()
    messages = iter_messages("claude", session_path=path, options=options, stop=stop)
    assert [next(messages).id, next(messages).id] == ["u0", "u1"]
    stores.write_lines(path, [chain(0, "a")])
    append(path, chain(1, "other"))
    assert next(messages).content == [TextBlock("other")]
    stores.write_lines(tmp_path / "new.jsonl", [chain(0, "a"), chain(1, "other"), chain(2, "c")])
    (tmp_path / "new.jsonl").replace(path)
    assert next(messages).id == "u2"
    path.unlink()
    stores.write_lines(path, [chain(0, "a"), chain(1, "other"), chain(2, "c"), chain(3, "d")])
    assert next(messages).id == "u3"
    stop.set()
    assert list(messages) == []


def test_messages_are_values_that_can_be_compared_and_changed():
    one, two = load("claude")[0], load("claude")[0]
    assert one == two
    assert replace(one, id="other") != two
