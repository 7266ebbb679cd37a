"""Gemini records of both generations as messages."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gemini_cli.transcripts import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    LoadOptions,
    SessionCorruptError,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    UrlSource,
    Usage,
    load_messages_sync,
    parse_message,
    validate,
)
from gemini_cli.transcripts.gemini.summary import summarize
from transcripts.reading import stores

AT = "2026-03-02T09:00:00.000Z"


def gemini(**fields):
    return {"id": "g", "timestamp": AT, "type": "gemini", "content": "", **fields}


def user(content, **fields):
    return {"id": "u", "timestamp": AT, "type": "user", "content": content, **fields}


def response(name, call_id, **fields):
    return {"functionResponse": {"id": call_id, "name": name, "response": fields}}


def blocks(record, **options):
    message = parse_message("gemini", record, LoadOptions(**options))
    assert message is not None
    assert message.original == record
    return message.content


def result(options=None, **call):
    record = gemini(toolCalls=[{"id": "c", "name": "run_shell_command", "args": {}, **call}])
    found = blocks(record, **(options or {}))
    return next((b for b in found if isinstance(b, ToolResultBlock)), None)


def test_an_old_session_keeps_its_order_of_thinking_calls_and_text():
    old = load_messages_sync("gemini", session_path=stores.GEMINI_OLD)
    assert [m.role for m in old] == ["user", "assistant", "assistant"]
    assert old[1].content == [
        ThinkingBlock("Reading first: I need the text."),
        ToolUseBlock(
            "read_file-1", "Read", {"file_path": "/work/notes.txt", "offset": 1, "limit": 40}
        ),
        ToolResultBlock("read_file-1", "helo world"),
    ]
    assert old[2].content == [
        ToolUseBlock(
            "replace-2",
            "Edit",
            {"file_path": "/work/notes.txt", "old_string": "helo", "new_string": "hello"},
        ),
        ToolResultBlock("replace-2", "Successfully modified file"),
        ToolUseBlock("shell-3", "Bash", {"command": "rm -rf /", "description": "no"}),
        ToolResultBlock(
            "shell-3", "[Operation Cancelled] Reason: User cancelled the operation.", is_error=True
        ),
        ToolUseBlock("ls-4", "Glob", {"pattern": "*", "path": "."}),
        ToolResultBlock("ls-4", "Path must be absolute: .", is_error=True),
        TextBlock("I fixed the typo."),
    ]
    stored = json.loads(stores.GEMINI_OLD.read_text())["messages"]
    assert [m.original for m in old] == stored
    assert old[1].usage == Usage(1000, 20, 1050, None, 600, 30, 0, "gemini")
    assert old[1].usage.normalized() == (400, 600, 0, 20, 30)
    assert old[0].timestamp == 1761814800000
    assert old[0].session_id == "0a1b2c3d-1111-4222-8333-444455556666"


def test_a_log_replays_upserts_rewinds_checkpoints_and_a_second_header():
    shown = load_messages_sync("gemini", session_path=stores.GEMINI_LOG)
    assert [m.id for m in shown] == ["u1", "g1", "i1", "u2", "g4", "g5"]
    assert [m.role for m in shown] == [
        "user",
        "assistant",
        "system",
        "user",
        "assistant",
        "assistant",
    ]
    assert shown[0].content == [TextBlock("List the files of @notes.txt")]
    assert shown[3].content == [SlashCommandBlock("/help", args="me")]
    assert validate(shown) == []


def test_responses_of_a_whole_turn_reach_their_own_calls():
    shown = load_messages_sync("gemini", session_path=stores.GEMINI_LOG)
    assert [b for b in shown[1].content if isinstance(b, ToolResultBlock)] == [
        ToolResultBlock("glob__1", "a.py\nb.py"),
        ToolResultBlock(
            "shell__2", "<untrusted_context>\nExit Code: 2\nboom\n</untrusted_context>"
        ),
    ]


def test_a_turn_that_only_answers_fills_the_missing_result_with_its_picture():
    shown = load_messages_sync("gemini", session_path=stores.GEMINI_LOG)
    assert shown[4].content == [
        ToolUseBlock("img__3", "Read", {"file_path": "p.png", "offset": 3, "limit": 3}),
        ToolResultBlock(
            "img__3",
            [
                TextBlock("Binary content provided (1 item)."),
                ImageBlock(Base64Source("aGVsbG8=", "image/png")),
            ],
        ),
        TextBlock("Seen: a picture"),
    ]


def test_context_that_nobody_typed_is_hidden_and_marked():
    shown = load_messages_sync("gemini", session_path=stores.GEMINI_LOG)
    every = load_messages_sync(
        "gemini", session_path=stores.GEMINI_LOG, options=LoadOptions(include_meta=True)
    )
    hidden = [m for m in every if m.is_meta]
    assert [m.id for m in hidden] == ["00000000000000000000000000000001"]
    assert [m for m in every if not m.is_meta] == shown


def test_a_call_still_running_has_no_result():
    for status in ("validating", "scheduled", "executing", "awaiting_approval"):
        assert result(status=status, result=[]) is None
    assert result(status="success", result=[]) == ToolResultBlock("c", "")
    assert result(status="cancelled", result=None) == ToolResultBlock("c", "", is_error=True)
    assert result(status="error") == ToolResultBlock("c", "", is_error=True)
    assert result() is None


@pytest.mark.parametrize(
    ("fields", "status", "text", "failed"),
    [
        ({"output": "ok"}, "success", "ok", False),
        ({"output": "ok"}, "error", "ok", True),
        ({"output": "ok", "error": "but"}, "success", "ok", True),
        ({"error": "no"}, "success", "no", True),
        ({"error": {"code": 1}}, "error", '{"code":1}', True),
        ({"output": [1, 2]}, "success", "[1,2]", False),
        ({"other": 1, "x": "y"}, "success", '{"other":1,"x":"y"}', False),
        ({"other": 1}, "error", '{"other":1}', True),
        ({"output": ""}, "success", "", False),
    ],
)
def test_output_and_error_of_a_response_decide_the_result(fields, status, text, failed):
    found = result(status=status, result=[response("run_shell_command", "c", **fields)])
    assert found == ToolResultBlock("c", text, failed)


def test_a_result_in_every_shape_is_read():
    assert result(status="success", result="plain") == ToolResultBlock("c", "plain")
    assert result(status="cancelled", result="plain") == ToolResultBlock("c", "plain", True)
    lone = response("x", "another id", output="mine")
    assert result(status="success", result=lone) == ToolResultBlock("c", "mine")
    assert result(status="success", result=[lone]) == ToolResultBlock("c", "mine")
    two = [lone, response("x", "third", output="no")]
    assert result(status="success", result=two) == ToolResultBlock("c", "")
    assert result(status="success", result=[{"text": "a"}, "b"]) == ToolResultBlock("c", "ab")
    pdf = {"inlineData": {"mimeType": "application/pdf", "data": "cGRm"}}
    nested = {"functionResponse": {"id": "c", "response": {"output": ""}, "parts": [pdf]}}
    assert result(status="success", result=[nested]) == ToolResultBlock(
        "c", [DocumentBlock(Base64Source("cGRm", "application/pdf"))]
    )


def test_shell_options_read_the_exit_code_and_take_the_wrapper_off():
    wrapped = "<untrusted_context>\nExit Code: 2\nboom\n</untrusted_context>"
    call = {"status": "success", "result": [response("run_shell_command", "c", output=wrapped)]}
    assert result(**call) == ToolResultBlock("c", wrapped)
    strict = result({"shell_exit_is_error": True}, **call)
    assert strict == ToolResultBlock("c", wrapped, is_error=True)
    bare = result({"strip_untrusted": True}, **call)
    assert bare == ToolResultBlock("c", "Exit Code: 2\nboom")
    fine = [response("run_shell_command", "c", output="Exit Code: 0")]
    assert result({"shell_exit_is_error": True}, status="success", result=fine).is_error is False


def test_calls_known_only_to_the_content_find_answers_by_order(tmp_path):
    call = {"functionCall": {"name": "glob", "args": {"pattern": "*"}}}
    records = [
        {"sessionId": "s1", "projectHash": "h"},
        gemini(content=[{"text": "x"}, call, call]),
        user(
            [
                {"functionResponse": {"name": "glob", "response": {"output": "one"}}},
                {"functionResponse": {"name": "glob", "response": {"output": "two"}}},
            ]
        ),
    ]
    path = stores.write_lines(tmp_path / "s.jsonl", records)
    (only,) = load_messages_sync("gemini", session_path=path)
    assert [b.content for b in only.content if isinstance(b, ToolResultBlock)] == ["one", "two"]


def test_thoughts_in_the_content_count_only_when_no_others_are_stored():
    parts = [{"text": "hm", "thought": True, "thoughtSignature": "sig"}, {"text": "Hi"}]
    assert blocks(gemini(content=parts)) == [ThinkingBlock("hm", "sig"), TextBlock("Hi")]
    both = gemini(content=parts, thoughts=[{"subject": "", "description": "d"}])
    assert blocks(both) == [ThinkingBlock("d"), TextBlock("Hi")]


def test_nothing_said_is_an_empty_str_and_never_an_empty_list():
    assert blocks(gemini()) == ""
    assert blocks(gemini(content=" \n")) == ""
    assert blocks(gemini(content=None, thoughts=[{}], toolCalls="x")) == ""
    assert blocks(user("hello")) == [TextBlock("hello")]


def test_pictures_documents_links_and_code_survive():
    parts = [
        {"text": "see "},
        {"text": "this"},
        {"inlineData": {"mimeType": "image/jpeg", "data": "eA=="}},
        {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://b/x.pdf"}},
        {"executableCode": {"language": "PYTHON", "code": "1"}},
        {"videoMetadata": {}},
        {"text": "end"},
    ]
    assert blocks(user(parts)) == [
        TextBlock("see this"),
        ImageBlock(Base64Source("eA==", "image/jpeg")),
        DocumentBlock(UrlSource("gs://b/x.pdf", "application/pdf")),
        UnknownBlock("executableCode", parts[4]),
        TextBlock("end"),
    ]


def test_typed_text_replaces_the_expanded_one_but_pictures_stay():
    picture = {"inlineData": {"mimeType": "image/png", "data": "eA=="}}
    record = user([{"text": "@a expanded to much"}, picture], displayContent=[{"text": "@a"}])
    assert blocks(record) == [TextBlock("@a"), ImageBlock(Base64Source("eA==", "image/png"))]


def test_a_record_without_time_or_id_gets_the_time_before_and_a_stable_name(tmp_path):
    records = [
        {"sessionId": "s1", "projectHash": "h"},
        user("one"),
        {"$set": {"messages": [user("two", id=7, timestamp="soon"), user("three", id=None)]}},
    ]
    path = stores.write_lines(tmp_path / "s.jsonl", records)
    shown = load_messages_sync("gemini", session_path=path)
    assert [m.content for m in shown] == [[TextBlock("two")], [TextBlock("three")]]
    assert shown == load_messages_sync("gemini", session_path=path)
    assert len({m.id for m in shown}) == 2
    assert all(m.id.startswith("msg_") for m in shown)
    assert [m.timestamp for m in shown] == [0, 1772442000000]


def test_compatibility_calls_notices_the_model_and_maps_six_tools_only():
    record = gemini(type="info", content="notice")
    assert parse_message("gemini", record, LoadOptions(compat="sdk")).role == "assistant"
    assert parse_message("gemini", record).role == "system"
    call = {"id": "c", "name": "glob", "args": {"pattern": "*"}, "status": "executing"}
    (block,) = blocks(gemini(toolCalls=[call]), compat="sdk")
    assert block.name == "glob"


def test_an_agent_called_by_its_own_name_is_a_task():
    call = {"id": "c", "name": "investigator", "args": {"objective": "look\nhard"}, "agentId": "a1"}
    (block,) = blocks(gemini(toolCalls=[call]))
    assert block.name == "Task"
    assert block.input == {
        "subagent_type": "investigator",
        "prompt": "look\nhard",
        "description": "look",
    }


def test_a_rewind_to_an_unknown_message_drops_everything(tmp_path):
    records = [
        {"sessionId": "s1", "projectHash": "h"},
        user("one"),
        {"$rewindTo": "nobody"},
        user("two", id="u2"),
    ]
    path = stores.write_lines(tmp_path / "s.jsonl", records)
    assert [m.id for m in load_messages_sync("gemini", session_path=path)] == ["u2"]


def test_a_header_may_carry_messages_and_a_file_may_have_no_header(tmp_path):
    head = {"sessionId": "s1", "projectHash": "h", "messages": [user("one")]}
    path = stores.write_lines(tmp_path / "a.jsonl", [head])
    assert [m.id for m in load_messages_sync("gemini", session_path=path)] == ["u"]
    bare = stores.write_lines(tmp_path / "b.jsonl", [user("one"), gemini(content="two")])
    assert [m.id for m in load_messages_sync("gemini", session_path=bare)] == ["u", "g"]
    alone = tmp_path / "c.json"
    alone.write_text(json.dumps(user("one"), indent=1))
    assert [m.id for m in load_messages_sync("gemini", session_path=alone)] == ["u"]
    several = tmp_path / "d.json"
    several.write_text(json.dumps([user("one"), gemini(content="x")], indent=1))
    assert len(load_messages_sync("gemini", session_path=several)) == 2
    torn = tmp_path / "e.jsonl"
    torn.write_text(json.dumps(user("one")) + "\n" + '{"id":"x"')
    assert [m.id for m in load_messages_sync("gemini", session_path=torn)] == ["u"]


def test_an_old_session_printed_over_many_lines_is_not_tried_line_by_line(tmp_path):
    text = "The quick brown fox, and again. " * 20
    session = {
        "sessionId": "s",
        "projectHash": "h",
        "messages": [
            {"id": str(n), "type": "user", "timestamp": "2025-10-30T09:00:00.000Z", "content": text}
            for n in range(3000)
        ],
    }
    printed = tmp_path / "session-2025-10-30T09-00-a.json"
    printed.write_text(json.dumps(session, indent=2))
    in_one = tmp_path / "session-2025-10-30T09-00-b.json"
    in_one.write_text(json.dumps(session))
    for read in (lambda path: load_messages_sync("gemini", session_path=path), summarize):
        assert calls_of(read, printed) < calls_of(read, in_one) + len(session["messages"])


def calls_of(read: Callable[[Path], object], path: Path) -> int:
    """How many functions run while a file is read: a measure that no busy machine changes."""
    calls = 0

    def saw(_frame: object, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(saw)
    try:
        read(path)
    finally:
        sys.setprofile(before)
    return calls


def test_a_log_whose_first_line_is_torn_is_still_a_log(tmp_path):
    path = stores.write_lines(
        tmp_path / "s.jsonl",
        ["{", {"id": "1", "type": "user", "content": "one"}, '{"id": "2", "type": "us'],
    )
    messages = load_messages_sync("gemini", session_path=path)
    assert [m.content for m in messages] == [[TextBlock("one")]]


def test_an_old_session_that_is_cut_short_is_corrupt_and_listed_nowhere(tmp_path):
    path = tmp_path / "session-2025-10-30T09-00-0a1b2c3d.json"
    whole = stores.GEMINI_OLD.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SessionCorruptError, match=path.name):
        load_messages_sync("gemini", session_path=path)
    assert summarize(path) is None
