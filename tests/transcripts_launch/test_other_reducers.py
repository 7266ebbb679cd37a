"""Streams of Cursor, OpenCode and Copilot as messages."""

from typing import Any

import pytest

from gemini_cli.transcripts.invariant import validate
from gemini_cli.transcripts.launch import Delta
from transcripts_launch.reduced import Event, reduce, shape


def cursor_call(subtype: str, call: Event, call_id: str = "c1") -> Event:
    return {"type": "tool_call", "subtype": subtype, "call_id": call_id, "tool_call": call}


def cursor_text(text: str, **extra: Any) -> Event:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, "session_id": "s", **extra}


def test_a_cursor_stream_with_partial_text_says_nothing_twice() -> None:
    read = {"readToolCall": {"args": {"path": "/a"}}}
    done = {"readToolCall": {"args": {"path": "/a"}, "result": {"success": {"content": "A"}}}}
    deltas: list[Delta] = []
    messages, outcome = reduce(
        "cursor",
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m"},
        {"type": "user", "message": {"content": [{"type": "text", "text": "hi"}]}},
        {"type": "thinking", "subtype": "delta", "text": "hm"},
        {"type": "thinking", "subtype": "completed"},
        cursor_text("He", timestamp_ms=1),
        cursor_text("llo", timestamp_ms=2),
        cursor_text("Hello"),
        cursor_call("started", read),
        cursor_call("completed", done),
        cursor_text("End"),
        {"type": "result", "subtype": "success", "is_error": False, "result": "HelloEnd"},
        on_delta=deltas.append,
    )
    assert shape(messages) == [
        ("user", "hi"),
        ("assistant", "~hm", "Hello", ("Read", {"file_path": "/a"}), "=A"),
        ("assistant", "End"),
    ]
    assert [delta.text for delta in deltas] == ["hm", "He", "llo", "End"]
    assert (outcome.finished, outcome.failed, outcome.answer) == (True, False, "HelloEnd")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            {
                "editToolCall": {
                    "args": {"path": "/a"},
                    "result": {"success": {"diffString": "--- a\n+++ b\n@@ @@\n x\n-1\n+2"}},
                }
            },
            (
                ("Edit", {"file_path": "/a", "old_string": "x\n1", "new_string": "x\n2"}),
                "=--- a\n+++ b\n@@ @@\n x\n-1\n+2",
            ),
        ),
        (
            {
                "editToolCall": {
                    "args": {"path": "/a"},
                    "result": {"success": {"diffString": "+new", "afterFullFileContent": "new"}},
                }
            },
            (("Write", {"file_path": "/a", "content": "new"}), "=+new"),
        ),
        (
            {
                "shellToolCall": {
                    "args": {"command": "x"},
                    "result": {"success": {"exitCode": 2, "stdout": "o", "stderr": "e"}},
                }
            },
            (("Bash", {"command": "x"}), "!o\ne"),
        ),
        (
            {"shellToolCall": {"args": {"command": "x"}, "result": {"rejected": {"reason": "no"}}}},
            (("Bash", {"command": "x"}), "!no"),
        ),
        (
            {"function": {"name": "f", "arguments": '{"a": 1}', "result": {"error": "bad"}}},
            (("f", {"a": 1}), "!bad"),
        ),
        ({"function": {"name": "f", "arguments": "{"}}, (("f", {"raw": "{"}), "=")),
        ({}, (("unknown", {}), "=")),
    ],
)
def test_each_cursor_call_has_a_result(call: Event, expected: Any) -> None:
    messages, _ = reduce("cursor", cursor_call("completed", call))
    assert shape(messages) == [("assistant", *expected)]


def test_a_cursor_error_is_a_failure() -> None:
    event = {"type": "result", "is_error": True, "result": "quota", "usage": {"inputTokens": 3}}
    _, outcome = reduce("cursor", cursor_text("x"), event, {"type": "odd"})
    assert (outcome.failed, outcome.error, outcome.unknown) == (True, "quota", 1)
    assert outcome.usage.total_tokens == 3


def part(kind: str, **fields: Any) -> Event:
    return {
        "type": kind,
        "timestamp": 1795040000000,
        "sessionID": "o",
        "part": {"messageID": "m", **fields},
    }


def test_an_opencode_stream_is_one_message_for_each_step() -> None:
    tokens = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 3, "write": 0}}
    bash = {"status": "completed", "input": {"command": "ls"}, "output": "a"}
    broken = {"status": "error", "input": {"filePath": "/x"}, "error": "gone"}
    messages, outcome = reduce(
        "opencode",
        part("step_start"),
        part("reasoning", text="hm"),
        part("tool_use", callID="1", tool="bash", state=bash),
        part("tool_use", callID="2", tool="read", state=broken),
        part("step_finish", reason="tool-calls", tokens=tokens, cost=0.1),
        part("step_start"),
        part("text", text="done"),
        part("step_finish", reason="stop", tokens=tokens, cost=0.2),
    )
    assert shape(messages) == [
        (
            "assistant",
            "~hm",
            ("Bash", {"command": "ls"}),
            "=a",
            ("Read", {"file_path": "/x"}),
            "!gone",
        ),
        ("assistant", "done"),
    ]
    assert messages[0].timestamp == 1795040000000
    assert (outcome.finished, outcome.session_id) == (True, "o")
    assert outcome.cost_usd == pytest.approx(0.3)
    assert outcome.usage.normalized() == (10, 6, 0, 4, 2)


def test_an_opencode_error_or_an_unfinished_step_is_no_success() -> None:
    _, outcome = reduce("opencode", part("step_finish", reason="tool-calls"))
    assert not outcome.finished
    error = {"type": "error", "error": {"name": "APIError", "data": {"message": "overloaded"}}}
    _, outcome = reduce("opencode", error, {"type": "odd"})
    assert (outcome.failed, outcome.error, outcome.unknown) == (True, "overloaded", 1)


def test_a_copilot_stream() -> None:
    request = {"toolCallId": "1", "name": "view", "arguments": {"path": "/a"}}
    mcp = {
        "toolCallId": "2",
        "name": "x",
        "mcpServerName": "s",
        "mcpToolName": "t",
        "arguments": {},
    }
    late = {"toolCallId": "3", "toolName": "bash", "arguments": {"command": "ls"}}
    deltas: list[Delta] = []
    messages, outcome = reduce(
        "copilot",
        {"type": "session.start", "data": {"sessionId": "c", "selectedModel": "m"}},
        {"type": "user.message", "data": {"content": "hi", "transformedContent": "HI"}},
        {"type": "assistant.reasoning_delta", "data": {"deltaContent": "h"}},
        {"type": "assistant.message_delta", "data": {"deltaContent": "H"}},
        {"type": "assistant.reasoning", "data": {"content": "hm"}},
        {
            "type": "assistant.message",
            "data": {"messageId": "m1", "content": "Hi", "toolRequests": [request, mcp]},
        },
        {"type": "assistant.usage", "data": {"inputTokens": 5, "outputTokens": 2}},
        {"type": "tool.execution_start", "data": request | {"toolName": "view"}},
        {"type": "tool.execution_start", "data": late},
        {
            "type": "tool.execution_complete",
            "data": {"toolCallId": "1", "success": True, "result": {"content": "A"}},
        },
        {
            "type": "tool.execution_complete",
            "data": {"toolCallId": "2", "success": False, "error": {"message": "no"}},
        },
        {"type": "session.info", "data": {"message": "note"}},
        {"type": "session.idle", "data": {}},
        {"type": "result", "exitCode": 0, "sessionId": "c", "usage": {"premiumRequests": 1}},
        on_delta=deltas.append,
    )
    assert shape(messages) == [
        ("user", "hi"),
        (
            "assistant",
            "~hm",
            "Hi",
            ("Read", {"file_path": "/a"}),
            ("mcp__s__t", {}),
            ("Bash", {"command": "ls"}),
            "=A",
            "!no",
        ),
        ("system", "note"),
    ]
    assert [(delta.kind, delta.text) for delta in deltas] == [("thinking", "h"), ("text", "H")]
    assert (outcome.finished, outcome.failed, outcome.unknown) == (True, False, 0)
    assert outcome.usage.total_tokens == 7


def test_a_live_copilot_patch_over_several_files_is_a_call_for_each() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"
    request = {"toolCallId": "c", "name": "apply_patch", "arguments": patch}
    (message,), _ = reduce(
        "copilot",
        {"type": "assistant.message", "data": {"content": "", "toolRequests": [request]}},
        {"type": "tool.execution_start", "data": {**request, "toolName": "apply_patch"}},
        {
            "type": "tool.execution_complete",
            "data": {"toolCallId": "c", "success": True, "result": {"content": "done"}},
        },
    )
    assert shape([message]) == [
        (
            "assistant",
            ("Write", {"file_path": "a", "content": "x\n"}),
            ("Bash", {"command": "rm b"}),
            "=done",
            "=done",
        )
    ]
    assert validate([message]) == []


def test_a_copilot_failure_is_told() -> None:
    _, outcome = reduce("copilot", {"type": "result", "exitCode": 2}, {"type": "odd"})
    assert (outcome.failed, outcome.unknown) == (True, 1)
    _, outcome = reduce("copilot", {"type": "session.error", "data": {"message": "auth"}})
    assert outcome.error == "auth"


PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "event"),
    [
        (
            "cursor",
            {
                "type": "tool_call",
                "subtype": "completed",
                "call_id": "c",
                "tool_call": {
                    "applyPatchToolCall": {
                        "args": {"patch": PATCH},
                        "result": {"success": {"message": "done"}},
                    }
                },
            },
        ),
        (
            "opencode",
            {
                "type": "tool_use",
                "part": {
                    "callID": "c",
                    "tool": "apply_patch",
                    "state": {
                        "status": "completed",
                        "input": {"patchText": PATCH},
                        "output": "done",
                    },
                },
            },
        ),
    ],
)
def test_a_live_patch_over_several_files_stays_one_call(tool: str, event: Event) -> None:
    (message,), _ = reduce(tool, event)
    assert [b.id for b in message.blocks if b.type == "tool_use"] == ["c", "c:1"]
    assert shape([message]) == [
        (
            "assistant",
            ("Write", {"file_path": "a", "content": "x\n"}),
            ("Bash", {"command": "rm b"}),
            "=done",
            "=done",
        )
    ]
    assert validate([message]) == []
