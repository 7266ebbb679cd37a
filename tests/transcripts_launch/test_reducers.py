"""Streams of Gemini, Claude Code, Qwen Code and Codex as messages; no event stops a reducer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.transcripts.launch import Delta
from gemini_cli.transcripts.launch.reducers import _CLASSES as CLASSES
from gemini_cli.transcripts.model import (
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from transcripts_launch.fakes import recorded, says
from transcripts_launch.reduced import Event, reduce, shape


def test_a_real_gemini_stream() -> None:
    messages, outcome = reduce("gemini", *recorded("gemini"))
    assert shape(messages) == [
        ("user", "what"),
        ("assistant", "I will read.", ("Read", {"file_path": "/work/demo/a.txt"}), "="),
        ("assistant", "It says hello."),
    ]
    assert (outcome.finished, outcome.failed, outcome.model) == (True, False, "gemini-2.5-pro")
    usage = messages[-1].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (200, 14, 214)
    assert messages[0].usage is None
    assert outcome.unknown == 0


def test_gemini_text_calls_and_late_results_stay_with_their_message() -> None:
    use = {"type": "tool_use", "tool_name": "run_shell_command", "tool_id": "1"}
    messages, outcome = reduce(
        "gemini",
        {"type": "init", "session_id": "s", "model": "auto"},
        says("a"),
        says("b"),
        use | {"parameters": {"command": "ls", "wait_for_previous": True}},
        use | {"tool_id": "2", "tool_name": "mcp_my_srv_do", "parameters": {}},
        {"type": "tool_result", "tool_id": "1", "status": "success", "output": "out"},
        {
            "type": "tool_result",
            "tool_id": "2",
            "status": "error",
            "error": {"type": "t", "message": "no"},
        },
        says("c"),
        {"type": "error", "severity": "warning", "message": "Loop detected"},
        {"type": "result", "status": "error", "error": {"message": "boom"}},
        {"type": "news"},
        mcp_servers=("my_srv",),
    )
    assert shape(messages) == [
        (
            "assistant",
            "ab",
            ("Bash", {"command": "ls"}),
            ("mcp__my_srv__do", {}),
            "=out",
            "!no",
        ),
        ("assistant", "c"),
        ("system", "Loop detected"),
    ]
    assert (outcome.finished, outcome.failed, outcome.error) == (True, True, "boom")
    assert outcome.unknown == 1
    assert len({m.id for m in messages}) == 3
    assert len(messages[0].original) == 6


def test_a_real_claude_stream() -> None:
    messages, outcome = reduce("claude", *recorded("claude"))
    assert shape(messages) == [
        ("assistant", "I will read."),
        ("assistant", ("Read", {"file_path": "/work/demo/a.txt"})),
        ("user", "=1\thello\n2\t"),
        ("assistant", "It says hello."),
    ]
    assert (outcome.finished, outcome.failed, outcome.answer) == (True, False, "It says hello.")
    assert outcome.cost_usd == pytest.approx(0.000828)
    assert outcome.unknown == 0


def test_claude_deltas_are_told_live_and_make_no_messages() -> None:
    deltas: list[Delta] = []
    messages, _ = reduce("claude", *recorded("claude-partial"), on_delta=deltas.append)
    assert [delta.text for delta in deltas] == ["I will read.", "It says hello."]
    assert {delta.message_id for delta in deltas} == {"msg_1", "msg_2"}
    assert len(messages) == 4


@pytest.mark.parametrize(
    ("result", "failed", "error"),
    [
        (
            {"subtype": "success", "is_error": True, "result": "API Error: 500"},
            True,
            "API Error: 500",
        ),
        (
            {"subtype": "error_max_turns", "is_error": False},
            True,
            "claude ended with error_max_turns",
        ),
        ({"subtype": "error_during_execution", "errors": ["a", "b"]}, True, "a; b"),
        ({"subtype": "success", "is_error": False, "structured_output": {"a": 1}}, False, None),
    ],
)
def test_claude_success_is_what_is_error_says(result: Event, failed: bool, error: str) -> None:
    _, outcome = reduce("claude", {"type": "result", **result})
    assert (outcome.failed, outcome.error) == (failed, error)
    assert outcome.structured == result.get("structured_output")


def test_a_claude_subagent_is_marked() -> None:
    event = {"type": "assistant", "message": {"content": "x"}, "parent_tool_use_id": "t"}
    messages, outcome = reduce("claude", event, {"type": "rate_limit_event"}, {"type": "odd"})
    assert messages[0].is_sidechain
    assert outcome.unknown == 1


def test_qwen_is_claude_with_other_tools() -> None:
    call = {"type": "tool_use", "id": "1", "name": "read_file", "input": {"absolute_path": "/a"}}
    messages, _ = reduce("qwen", {"type": "assistant", "message": {"content": [call]}})
    assert shape(messages) == [("assistant", ("Read", {"file_path": "/a"}))]
    assert messages[0].tool == "qwen"


def test_a_real_codex_stream() -> None:
    messages, outcome = reduce("codex", *recorded("codex"))
    assert shape(messages)[1:] == [
        ("assistant", "~**Thinking** about it"),
        ("assistant", ("Bash", {"command": "cat a.txt"}), "=hello\n"),
        ("assistant", "It says hello."),
    ]
    assert messages[0].role == "system"
    assert (outcome.finished, outcome.failed) == (True, False)
    usage = messages[-1].usage
    assert usage is not None
    assert usage.normalized() == (140, 60, 0, 10, 4)


def item(kind: str, **fields: Any) -> Event:
    return {"type": "item.completed", "item": {"id": "item_1", "type": kind, **fields}}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            item("command_execution", command="false", aggregated_output="", exit_code=1),
            (("Bash", {"command": "false"}), "!"),
        ),
        (
            item("command_execution", command="rm x", aggregated_output="no", status="declined"),
            (("Bash", {"command": "rm x"}), "!no"),
        ),
        (
            item(
                "mcp_tool_call",
                server="s",
                tool="t",
                arguments='{"a": 1}',
                result={"content": [{"type": "text", "text": "r"}]},
                status="completed",
            ),
            (("mcp__s__t", {"a": 1}), "=r"),
        ),
        (
            item("mcp_tool_call", server="s", tool="t", arguments="?", error={"message": "e"}),
            (("mcp__s__t", {"raw": "?"}), "!e"),
        ),
        (item("web_search", query="q"), (("WebSearch", {"query": "q"}), "=")),
        (
            item("todo_list", items=[{"text": "a", "completed": True}]),
            (
                (
                    "TodoWrite",
                    {"todos": [{"content": "a", "status": "completed", "activeForm": "a"}]},
                ),
                "=",
            ),
        ),
        (
            item(
                "collab_tool_call",
                tool="spawn_agent",
                prompt="Look\nwell",
                agents_states={"x": {"status": "done", "message": None}},
            ),
            (
                (
                    "Task",
                    {
                        "prompt": "Look\nwell",
                        "description": "Look",
                        "subagent_type": "spawn_agent",
                    },
                ),
                "=x: done",
            ),
        ),
    ],
)
def test_each_codex_item_becomes_a_call_with_its_result(event: Event, expected: Any) -> None:
    messages, _ = reduce("codex", event)
    assert shape(messages) == [("assistant", *expected)]


def test_codex_file_changes_are_one_call_for_each_file() -> None:
    kinds = ("add", "update", "modify", "delete")
    changes = [{"path": f"/{kind}", "kind": kind} for kind in kinds]
    messages, _ = reduce("codex", item("file_change", changes=changes, status="completed"))
    calls = [block for block in messages[0].blocks if isinstance(block, ToolUseBlock)]
    results = [block for block in messages[0].blocks if isinstance(block, ToolResultBlock)]
    assert [call.name for call in calls] == ["Write", "Edit", "Edit", "Bash"]
    assert calls[3].input == {"command": "rm /delete"}
    assert [call.id for call in calls] == [result.tool_use_id for result in results]
    assert calls[0].id.startswith("item_1_add_")
    assert len({call.id for call in calls}) == 4


def test_codex_totals_are_told_per_turn() -> None:
    def done(total: int) -> Event:
        usage = {"input_tokens": total, "output_tokens": 1, "cached_input_tokens": 0}
        return {"type": "turn.completed", "usage": usage}

    events = [
        item("agent_message", text="a"),
        done(100),
        item("agent_message", text="b"),
        done(250),
    ]
    messages, _ = reduce("codex", {"type": "thread.started", "thread_id": "t"}, *events)
    assert [m.usage.input_tokens for m in messages if m.usage] == [100, 150]
    assert [m.id for m in messages] == ["t-item_1", "t-item_1"]
    after_reset, _ = reduce("codex", *events, item("agent_message", text="c"), done(20))
    assert after_reset[-1].usage is not None
    assert after_reset[-1].usage.input_tokens == 20


def test_a_codex_turn_that_failed_is_a_failure_and_a_retry_is_not() -> None:
    retry = {"type": "error", "message": "Reconnecting... 1/5"}
    _, outcome = reduce("codex", retry, {"type": "turn.failed", "error": {"message": "401"}})
    assert (outcome.failed, outcome.finished) == (True, False)
    assert outcome.error == "401"
    _, outcome = reduce("codex", retry, {"type": "turn.completed", "usage": {}})
    assert (outcome.failed, outcome.finished, outcome.error) == (False, True, None)


KINDS = sorted(
    {event["type"] for name in ("gemini", "claude", "codex") for event in recorded(name)}
    | {"text", "tool_use", "tool_call", "error", "step_finish", "assistant.message", "result"}
    | {"tool.execution_complete", "turn.failed", "thinking", "stream_event"}
)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


FIELDS = (
    "message content delta role parameters tool_id stats status error item usage part data event "
    "tool_call call_id subtype is_error result timestamp models text changes"
).split()


EVENTS = st.lists(
    st.builds(
        lambda kind, fields: {**fields, "type": kind},
        st.sampled_from(KINDS),
        st.dictionaries(st.sampled_from(FIELDS), JUNK, max_size=5),
    ),
    max_size=6,
)


@pytest.mark.parametrize("tool", sorted(CLASSES))
@given(events=EVENTS)
def test_no_event_however_odd_stops_a_reducer(tool: str, events: list[Event]) -> None:
    first, _ = reduce(tool, *events)
    second, _ = reduce(tool, *events)
    assert shape(first) == shape(second) or "nan" in str(events)
    assert [message.id for message in first] == [message.id for message in second]


def test_an_answer_in_very_many_pieces_is_joined_once() -> None:
    """Joining at each piece would copy half a terabyte here."""
    piece = says("x" * 100)
    (message,), _ = reduce("gemini", *[piece] * 100_000)
    assert message.content == [TextBlock("x" * 10_000_000)]
