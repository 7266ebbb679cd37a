"""Sessions of Qwen Code, Copilot CLI and Cursor."""

import os

import pytest

from gemini_cli.transcripts import (
    LoadOptions,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    Usage,
    find_session,
    list_sessions,
    load_messages_sync,
    parse_message,
    validate,
)
from gemini_cli.transcripts.launch import reducer_for
from transcripts.reading import stores
from transcripts.reading.told import PICTURE, at, load, said

TODO = {"todos": [{"content": "Tidy", "status": "pending", "activeForm": "Tidy"}]}


def test_a_qwen_session_follows_its_chain():
    shown = load("qwen", stores.QWEN)
    assert said(shown) == [
        ("user", [TextBlock("Tidy up")]),
        (
            "assistant",
            [
                ThinkingBlock("Let me think"),
                ToolUseBlock(
                    "c1", "Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}
                ),
                ToolUseBlock("c2", "TodoWrite", TODO),
                TextBlock("On it."),
            ],
        ),
        ("user", [ToolResultBlock("c1", "edited")]),
        ("user", [ToolResultBlock("c2", "no", is_error=True)]),
        ("user", [SlashCommandBlock("/stats", args="model")]),
        ("user", [TextBlock("see @a")]),
        ("assistant", [TextBlock("Seen.")]),
    ]
    assert validate(shown) == []
    assert shown[1].usage == Usage(50, 5, 57, None, 20, 2, None, "qwen")
    assert shown[1].usage.normalized() == (30, 20, 0, 5, 2)
    every = load("qwen", stores.QWEN, branch="all")
    assert [TextBlock("taken back")] in [m.content for m in every]


def test_a_qwen_chain_with_a_hole_falls_back_to_every_record(tmp_path):
    records = stores.records_of(stores.QWEN)
    path = stores.write_lines(tmp_path / "s.jsonl", [*records[1:], "{torn"])
    assert [TextBlock("taken back")] in [m.content for m in load("qwen", path)]


def test_qwen_side_work_context_and_odd_results_are_sorted_out(tmp_path):
    base = {"sessionId": "s", "timestamp": "2026-03-02T09:00:00Z"}
    records = [
        {
            **base,
            "uuid": "1",
            "type": "user",
            "message": {"parts": [{"text": "<session_context>x"}]},
        },
        {**base, "uuid": "2", "parentUuid": "1", "type": "assistant", "isSidechain": True},
        {
            **base,
            "uuid": "3",
            "parentUuid": "2",
            "type": "tool_result",
            "toolCallResult": {"callId": "c", "status": "cancelled"},
        },
        {
            **base,
            "uuid": "4",
            "parentUuid": "3",
            "type": "system",
            "subtype": "slash_command",
            "systemPayload": {"phase": "result", "rawCommand": "/x"},
        },
        {**base, "uuid": "5", "parentUuid": "4", "type": "strange"},
    ]
    path = stores.write_lines(tmp_path / "s.jsonl", records)
    assert said(load("qwen", path)) == [("user", [ToolResultBlock("c", "", is_error=True)])]
    more = load("qwen", path, include_meta=True, include_sidechains=True)
    assert [m.id for m in more] == ["1", "2", "3"]


def test_qwen_sessions_are_found_and_listed(tmp_path):
    env = stores.home(tmp_path)
    name = stores.QWEN.stem
    stores.copy_to(stores.QWEN, at(env, ".qwen/projects/-work-app/chats", stores.QWEN.name))
    old = stores.GEMINI_OLD
    stores.copy_to(old, at(env, ".qwen/tmp/abc/chats", old.name))
    options = LoadOptions(env=env)
    assert len(load_messages_sync("qwen", name, options=options)) == 7
    titles = [(i.id, i.title, i.tool) for i in list_sessions("qwen", env=env)]
    assert titles == [
        (name, "Tidying", "qwen"),
        ("0a1b2c3d-1111-4222-8333-444455556666", "Read notes.txt and fix the typo", "qwen"),
    ]
    assert find_session("qwen", options=options).session_id == name
    assert [i.id for i in list_sessions("qwen", "/work/app", env=env)] == [name]
    assert list_sessions("qwen", "/work_app", env=env) == []
    oldest = load_messages_sync("qwen", "0a1b2c3d-1111-4222-8333-444455556666", options=options)
    assert {m.tool for m in oldest} == {"qwen"}
    moved = {"HOME": "/nowhere", "QWEN_RUNTIME_DIR": str(at(env, ".qwen"))}
    assert len(list_sessions("qwen", env=moved)) == 2
    stores.copy_to(stores.QWEN, at(env, ".qwen/projects/-work-app/archived/x.jsonl"))
    assert len(list_sessions("qwen", env=env, include_archived=True)) == 3


def test_a_copilot_session_is_read_event_by_event():
    shown = load("copilot", stores.COPILOT)
    assert said(shown) == [
        ("user", [TextBlock("Show a")]),
        (
            "assistant",
            [
                ThinkingBlock("hm"),
                TextBlock("Here"),
                ToolUseBlock("t1", "Read", {"file_path": "/a", "offset": 3, "limit": 7}),
                ToolUseBlock("t2", "mcp__db__query", {"q": 1}),
            ],
        ),
        ("assistant", [ToolUseBlock("t3", "Bash", {"command": "ls"})]),
        ("user", [ToolResultBlock("t1", "text of a")]),
        ("user", [ToolResultBlock("t2", "no database", is_error=True)]),
        ("user", [ToolResultBlock("t3", [TextBlock("pic"), PICTURE])]),
        ("system", [TextBlock("user initiated")]),
    ]
    assert validate(shown) == []
    assert shown[1].usage == Usage(output_tokens=12, total_tokens=12, basis="copilot")
    assert shown == load("copilot", stores.COPILOT / "events.jsonl")[:0] + shown
    more = load("copilot", stores.COPILOT, include_meta=True, include_sidechains=True)
    assert [m.content for m in more if m.is_meta] == [[TextBlock("injected")]]
    assert [m.agent_id for m in more if m.is_sidechain] == ["sub"]


def test_copilot_reasoning_is_never_lost_nor_doubled(tmp_path):
    def event(kind, **data):
        return {"type": kind, "id": kind, "timestamp": "2026-03-02T09:00:00Z", "data": data}

    path = stores.write_lines(
        tmp_path / "x.jsonl",
        [
            event("session.start", sessionId="s"),
            event("session.model_change", newModel="m2"),
            event("assistant.reasoning", content="same"),
            event("assistant.message", content="a", reasoningText="same"),
            event("assistant.reasoning", content="one"),
            event("assistant.reasoning", content="two"),
            event("session.error", message="broken"),
            event("tool.execution_complete", toolCallId="t", success=True, result={"content": [1]}),
        ],
    )
    shown = load("copilot", path)
    assert said(shown) == [
        ("assistant", [ThinkingBlock("same"), TextBlock("a")]),
        ("assistant", [ThinkingBlock("one")]),
        ("system", [TextBlock("broken")]),
        ("user", [ToolResultBlock("t", "[1]")]),
        ("assistant", [ThinkingBlock("two")]),
    ]
    assert shown[0].model == "m2"


def test_a_copilot_patch_over_several_files_is_a_call_for_each(tmp_path):
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"
    request = {"toolCallId": "c", "name": "apply_patch", "arguments": patch}
    events = [
        {"type": "assistant.message", "data": {"content": "", "toolRequests": [request]}},
        {"type": "tool.execution_start", "data": {**request, "toolName": "apply_patch"}},
        {
            "type": "tool.execution_complete",
            "data": {"toolCallId": "c", "success": True, "result": {"content": "done"}},
        },
    ]
    messages = load("copilot", stores.write_lines(tmp_path / "events.jsonl", events))
    calls, results = (m.blocks for m in messages)
    assert [(c.id, c.name) for c in calls] == [("c", "Write"), ("c:1", "Bash")]
    assert results == [ToolResultBlock("c", "done"), ToolResultBlock("c:1", "done")]
    assert validate(messages) == []


PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"


def test_a_cursor_patch_over_several_files_stays_one_call():
    call = {"type": "tool_use", "id": "c", "name": "ApplyPatch", "input": {"patch": PATCH}}
    message = parse_message("cursor", {"role": "assistant", "message": {"content": [call]}})
    assert [(c.id, c.name) for c in message.blocks] == [("c", "Write"), ("c:1", "Bash")]


@pytest.mark.parametrize(
    ("ended", "failed"),
    [
        ({"success": True}, False),
        ({"success": False}, True),
        ({}, False),
        ({"error": {"message": "no"}}, True),
        ({"success": None, "error": {}}, False),
    ],
)
def test_copilot_calls_end_otherwise_live_than_stored(tmp_path, ended, failed):
    request = {"toolCallId": "c", "name": "view", "arguments": {"path": "/a"}}
    events = [
        {"type": "assistant.message", "data": {"content": "", "toolRequests": [request]}},
        {"type": "tool.execution_complete", "data": {"toolCallId": "c", **ended}},
    ]
    stored = load("copilot", stores.write_lines(tmp_path / "events.jsonl", events))
    reducer = reducer_for("copilot")
    live = [m for event in events for m in reducer.feed(event, 0)] + reducer.finish()
    for messages in (stored, live):
        (result,) = [b for m in messages for b in m.blocks if isinstance(b, ToolResultBlock)]
        assert result.is_error is failed


def test_copilot_sessions_are_found_and_listed(tmp_path):
    env = stores.home(tmp_path)
    name = stores.COPILOT.name
    stores.copy_to(stores.COPILOT, at(env, ".copilot/session-state", name))
    stores.copy_to(stores.COPILOT / "events.jsonl", at(env, ".copilot/session-state/old.jsonl"))
    infos = {i.id: i for i in list_sessions("copilot", env=env)}
    assert infos[name].title == "Shows a file"
    assert infos["old"].title == "Show a"
    assert (infos[name].project_path, infos[name].git_branch) == ("/work/app", "dev")
    options = LoadOptions(env=env)
    assert len(load_messages_sync("copilot", "old", options=options)) == 7
    assert len(load_messages_sync("copilot", project_path="/work/app", options=options)) == 7
    assert load_messages_sync("copilot", "none", options=options) == []
    found = find_session("copilot", name, project_path="/work/app", options=options)
    assert found.session_id == name
    assert list_sessions("copilot", "/work/other", env=env) == []
    facts = at(env, ".copilot/session-state", name, "workspace.yaml")
    facts.write_text("summary: null\nname: 'A name'\n- junk\n  more\n")
    assert "A name" in {i.title for i in list_sessions("copilot", env=env)}


def test_a_cursor_transcript_gets_names_and_times():
    shown = load("cursor", stores.CURSOR)
    assert said(shown) == [
        ("user", [TextBlock("Rename it")]),
        (
            "assistant",
            [
                TextBlock("Sure."),
                ToolUseBlock("cursor-2_call_2", "Bash", {"command": "mv a b"}),
                ToolUseBlock(
                    "cursor-2_call_3",
                    "Edit",
                    {"file_path": "/b", "old_string": "x", "new_string": "y"},
                ),
            ],
        ),
    ]
    assert [m.timestamp for m in shown] == [1772442000000, 1772442000000]
    assert [m.is_meta for m in load("cursor", stores.CURSOR, include_meta=True)][-1] is True


def test_old_cursor_text_is_read_block_by_block():
    shown = load("cursor", stores.CURSOR_TEXT)
    assert said(shown) == [
        ("user", [TextBlock("What is it?")]),
        (
            "assistant",
            [
                ThinkingBlock("Let me see."),
                TextBlock("A file."),
                ToolUseBlock("cursor-2_call_3", "Read", {"file_path": "/a"}),
            ],
        ),
        ("assistant", [TextBlock("It is a file.")]),
    ]


def test_cursor_blocks_of_other_kinds_are_kept():
    content = [{"type": "thinking", "text": "t"}, {"type": "new"}]
    record = {"role": "assistant", "message": {"content": content}}
    message = parse_message("cursor", record)
    assert message.content == [ThinkingBlock("t"), UnknownBlock("new", {"type": "new"})]
    assert parse_message("cursor", {"role": "user", "message": {"content": "hi"}}).content == [
        TextBlock("hi")
    ]


def test_the_newest_cursor_session_is_one_that_cannot_be_read(tmp_path):
    env = stores.home(tmp_path)
    base = at(env, ".cursor/projects", "p", "agent-transcripts")
    stores.copy_to(stores.CURSOR, base / "good.jsonl")
    (base / "noise.jsonl").write_bytes(b"\xff\x00 no json\n")
    (base / "gone.jsonl").symlink_to(base / "nowhere")
    os.mkfifo(base / "pipe.jsonl")
    os.utime(base / "good.jsonl", (1, 1))
    options = LoadOptions(env=env)
    assert find_session("cursor", options=options).session_id == "good"
    assert load_messages_sync("cursor", options=options)


def test_cursor_transcripts_are_found_and_listed(tmp_path):
    env = stores.home(tmp_path)
    root = tmp_path / "My App.x"
    root.mkdir()
    words = "".join(c if c.isalnum() else " " for c in str(root)).split()
    base = at(env, ".cursor/projects", "-".join(words), "agent-transcripts")
    name = stores.CURSOR.stem
    stores.copy_to(stores.CURSOR, base / name / stores.CURSOR.name)
    stores.copy_to(stores.CURSOR_TEXT, base / stores.CURSOR_TEXT.name)
    stores.copy_to(stores.CURSOR, base / name / "subagents" / "sub.jsonl")
    stores.write_lines(base / "empty.jsonl", [{"type": "turn_ended"}])
    infos = {i.id: i.title for i in list_sessions("cursor", root, env=env)}
    assert infos == {name: "Rename it", stores.CURSOR_TEXT.stem: "What is it?"}
    options = LoadOptions(env=env)
    assert len(load_messages_sync("cursor", "sub", options=options)) == 2
    assert len(load_messages_sync("cursor", name, project_path=root, options=options)) == 2
    assert find_session("cursor", options=options).session_id != "sub"
    assert list_sessions("cursor", tmp_path, env=env) == []
