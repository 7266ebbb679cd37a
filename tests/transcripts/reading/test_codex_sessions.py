"""Codex's rollouts of three generations: what was said, in which order, and what it took."""

from gemini_cli.transcripts import (
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    validate,
)
from transcripts.reading import stores
from transcripts.reading.rollouts import (
    CID,
    call,
    count,
    event,
    item,
    load,
    message,
    output,
    said,
    saved,
)


def test_a_recording_with_everything_twice_is_read_once():
    shown = load()
    assert [m.role for m in shown].count("user") == 3
    assert validate(shown) == []
    texts = [b.text for m in shown for b in m.blocks if isinstance(b, TextBlock)]
    assert texts[1:] == ["All done.", "only an event says this", "and this picture?", "A kitten."]
    stored = stores.records_of(stores.CODEX)
    assert all(m.original in stored for m in shown)
    assert {m.session_id for m in shown} == {CID}
    assert {m.model for m in shown if m.role == "assistant"} == {"gpt-5-codex"}


def test_compatibility_keeps_both_copies_and_the_empty_thought():
    sdk = load(compat="sdk")
    thoughts = [b.thinking for m in sdk for b in m.blocks if isinstance(b, ThinkingBlock)]
    assert thoughts == ["**Looking**", "**Looking**", ""]
    texts = [b.text for m in sdk for b in m.blocks if isinstance(b, TextBlock)]
    assert texts.count("All done.") == 2


def test_counts_before_their_items_belong_to_the_last_thing_said():
    shown = load()
    counted = [(m.id, m.usage.total_tokens) for m in shown if m.usage]
    assert counted[0] == ("call_1", 120)
    assert [total for _, total in counted] == [120, 140]
    assert shown[2].usage.normalized() == (50, 50, 0, 10, 10)


def test_counts_after_their_items_belong_to_the_last_thing_said(tmp_path):
    path = saved(
        tmp_path,
        item(message("user", "go")),
        item({"type": "reasoning", "summary": [{"text": "a"}, {"text": "b"}]}),
        item(call("shell", {"command": ["ls"]})),
        count(5, 1),
        item(output("ok")),
        count(5, 1),
        item(message("assistant", "done")),
        count(7, 2),
        event({"type": "token_count", "info": None}),
    )
    shown = load(path)
    assert [(m.content[0], m.usage and m.usage.input_tokens) for m in shown] == [
        (TextBlock("go"), None),
        (ThinkingBlock("a\nb"), None),
        (ToolUseBlock("c", "Bash", {"command": "ls"}), 5),
        (ToolResultBlock("c", "ok"), None),
        (TextBlock("done"), 7),
    ]


def test_a_patch_over_three_files_is_three_calls_with_one_result_each():
    shown = load()
    names = [b.name for m in shown if m.id == "call_3" for b in m.blocks]
    assert names == ["Write", "Edit", "Bash"]
    (answer,) = [m for m in shown if m.id == "call_3_output"]
    assert [(b.tool_use_id, b.is_error) for b in answer.blocks] == [
        ("call_3", True),
        ("call_3:1", True),
        ("call_3:2", True),
    ]
    sdk = [b.name for m in load(compat="sdk") if m.id == "call_3" for b in m.blocks]
    assert len(sdk) == 1


def test_a_call_that_was_never_answered_is_cancelled_and_one_answered_late_is_not(tmp_path):
    path = saved(
        tmp_path,
        item(call("shell", {"command": ["a"]}, "late")),
        item(call("shell", {"command": ["b"]}, "never")),
        event({"type": "turn_aborted", "reason": "interrupted"}),
        item(output("aborted by user after 2s", "late")),
    )
    shown = load(path)
    assert [b for m in shown for b in m.blocks if isinstance(b, ToolResultBlock)] == [
        ToolResultBlock("never", "[Turn aborted: interrupted]", is_error=True),
        ToolResultBlock("late", "aborted by user after 2s", is_error=True),
    ]
    assert validate(shown) == []


def test_turns_that_were_taken_back_are_gone(tmp_path):
    turns = [
        record
        for number in range(4)
        for record in (
            item(message("user", f"q{number}")),
            event({"type": "user_message", "message": f"q{number}"}),
            item(message("assistant", f"a{number}")),
        )
    ]
    back = event({"type": "thread_rolled_back", "num_turns": 2})
    path = saved(tmp_path, *turns, back, item(message("user", "again")))
    assert [m.content[0].text for m in load(path)] == ["q0", "a0", "q1", "a1", "again"]
    far = event({"type": "thread_rolled_back", "num_turns": 99})
    path = saved(tmp_path, *turns, back, far, item(message("user", "fresh")))
    assert [m.content[0].text for m in load(path)] == ["fresh"]


def test_an_utterance_of_another_turn_does_not_swallow_an_event(tmp_path):
    def turn(text, both):
        spoken = event({"type": "user_message", "message": text})
        return [item(message("user", text)), spoken] if both else [spoken]

    path = saved(
        tmp_path,
        *turn("yes", both=True),
        *turn("more", both=True),
        *turn("and more", both=True),
        *turn("yes", both=False),
    )
    assert [m.content[0].text for m in load(path)] == ["yes", "more", "and more", "yes"]


def test_files_of_events_alone_are_read(tmp_path):
    items = [
        {"type": "UserMessage", "id": "1", "content": [{"type": "text", "text": "hi"}]},
        {"type": "Reasoning", "id": "2", "summary_text": ["a", "b"]},
        {"type": "Reasoning", "id": "2b", "summary_text": []},
        {"type": "AgentMessage", "id": "3", "content": [{"type": "Text", "text": "hello"}]},
        {
            "type": "CommandExecution",
            "id": "4",
            "command": "bash -lc 'ls'",
            "aggregated_output": "x",
            "exit_code": 1,
        },
        {
            "type": "FileChange",
            "id": "5",
            "status": "completed",
            "changes": {
                "a": {"type": "add", "content": "new"},
                "b": {"type": "update", "unified_diff": "@@"},
                "c": {"type": "delete"},
            },
        },
        {
            "type": "McpToolCall",
            "id": "6",
            "server": "s",
            "tool": "t",
            "arguments": {"a": 1},
            "result": {"content": [{"type": "text", "text": "r"}]},
        },
        {"type": "McpToolCall", "id": "7", "server": "s", "tool": "t", "error": {"message": "e"}},
        {"type": "WebSearch", "id": "8", "query": "q"},
        {"type": "Plan", "id": "9", "text": "plan"},
        {"type": "Unheard", "id": "10"},
    ]
    records = [event({"type": "item_completed", "item": i}) for i in items]
    shown = load(saved(tmp_path, *records, event({"type": "agent_reasoning", "text": "t"})))
    assert said(shown) == [
        ("user", [TextBlock("hi")]),
        ("assistant", [ThinkingBlock("a\nb")]),
        ("assistant", [TextBlock("hello")]),
        (
            "assistant",
            [ToolUseBlock("4", "Bash", {"command": "ls"}), ToolResultBlock("4", "x", True)],
        ),
        (
            "assistant",
            [
                ToolUseBlock("5", "Write", {"file_path": "a", "content": "new"}),
                ToolResultBlock("5", ""),
                ToolUseBlock("5:1", "Edit", {"file_path": "b", "patch": "@@"}),
                ToolResultBlock("5:1", ""),
                ToolUseBlock("5:2", "Bash", {"command": "rm c"}),
                ToolResultBlock("5:2", ""),
            ],
        ),
        ("assistant", [ToolUseBlock("6", "mcp__s__t", {"a": 1}), ToolResultBlock("6", "r")]),
        ("assistant", [ToolUseBlock("7", "mcp__s__t", {}), ToolResultBlock("7", "e", True)]),
        ("assistant", [ToolUseBlock("8", "WebSearch", {"query": "q"})]),
        ("assistant", [TextBlock("plan")]),
        ("assistant", [ThinkingBlock("t")]),
    ]
    covered = saved(tmp_path, item(message("user", "hi")), *records)
    assert said(load(covered)) == [("user", [TextBlock("hi")])]


def test_the_oldest_files_have_no_envelope(tmp_path):
    path = stores.write_lines(
        tmp_path / "rollout-2025.jsonl",
        [
            {"id": CID, "timestamp": "2025-05-01T10:00:00Z", "instructions": None},
            {"record_type": "state"},
            message("user", "hi"),
            call("shell", {"command": ["ls"]}),
            output('{"output":"x","metadata":{"exit_code":0}}'),
            message("assistant", "bye"),
        ],
    )
    shown = load(path)
    assert said(shown) == [
        ("user", [TextBlock("hi")]),
        ("assistant", [ToolUseBlock("c", "Bash", {"command": "ls"})]),
        ("assistant", [ToolResultBlock("c", "x")]),
        ("assistant", [TextBlock("bye")]),
    ]
    assert {m.timestamp for m in shown} == {1746093600000}
    assert {m.session_id for m in shown} == {CID}


def test_turns_that_were_taken_back_stay_in_the_sdks_view(tmp_path):
    back = event({"type": "thread_rolled_back", "num_turns": 1})
    records = [item(message("user", "a")), back, item(message("user", "b"))]
    path = stores.write_lines(tmp_path / "s.jsonl", records)
    assert said(load(path)) == [("user", [TextBlock("b")])]
    assert [role for role, _ in said(load(path, compat="sdk"))] == ["user", "user"]
