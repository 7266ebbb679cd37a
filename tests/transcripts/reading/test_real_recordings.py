"""Recordings of the real CLIs, where they are at hand (GEMINI_TEST_CORPORA names their folder)."""

import json
from collections import Counter

import pytest

from gemini_cli.transcripts import (
    LoadOptions,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    load_messages_sync,
    parse_message,
    validate,
)
from transcripts.reading import stores

FOLDER = stores.shared_corpus()
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"no recordings at {FOLDER}; name them in GEMINI_TEST_CORPORA"
)


def recording(*parts):
    """One recording, or several for a pattern; tests of absent ones are skipped with the reason."""
    place = FOLDER.joinpath(*parts)
    found = sorted(place.parent.glob(place.name))
    if not found:
        pytest.skip(f"no recording {place}")
    return found[0]


def blocks(messages, kind):
    return [block for message in messages for block in message.blocks if isinstance(block, kind)]


@pytest.mark.parametrize(
    ("name", "thinking", "tool", "failed", "says", "text"),
    [
        ("tool-read_file", 0, "Read", False, "def main()", True),
        ("tool-write-file", 1, "Write", False, "Successfully created", True),
        ("tool-replace", 2, "Edit", False, "Successfully modified", False),
        ("tool-run_shell_command", 1, "Bash", True, "[Operation Cancelled]", True),
        ("tool-google_web_search", 0, "WebSearch", False, "restricted", True),
        ("tool-list_directory", 1, "Glob", False, "", False),
        ("tool-result-success", 1, "Glob", False, "", False),
        ("gemini-with-thoughts", 1, "Glob", False, "", False),
        ("tool-result-error", 1, "Glob", True, "Path must be absolute: .", True),
        ("tool-result-cancelled", 1, "Bash", True, "[Operation Cancelled]", True),
    ],
)
def test_single_gemini_messages(name, thinking, tool, failed, says, text):
    record = json.loads(recording("gemini", "individual", f"{name}.json").read_text())
    message = parse_message("gemini", record)
    assert message.original == record
    assert len(blocks([message], ThinkingBlock)) == thinking
    (call,) = blocks([message], ToolUseBlock)
    (result,) = blocks([message], ToolResultBlock)
    assert call.name == tool
    assert "instruction" not in call.input
    assert result.is_error is failed
    assert says in result.content
    assert bool(blocks([message], TextBlock)) is text
    assert validate([message]) == []


def test_usage_of_the_read_file_message():
    record = json.loads(recording("gemini", "individual", "tool-read_file.json").read_text())
    message = parse_message("gemini", record)
    usage = message.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (5870, 41, 5939)
    assert usage.cache_read_tokens == 5420
    assert message.model == "gemini-2.5-pro"


@pytest.mark.parametrize(
    ("suffix", "count", "users", "thinking", "calls", "errors", "texts", "total"),
    [
        ("981c87cb", 18, 3, 31, 13, 2, 17, 109261),
        ("453aa339", 5, 1, 6, 3, 0, 2, 22257),
        ("9c9a14e1", 3, 1, 2, 1, 0, 2, 11431),
        ("f96c76b0", 3, 1, 2, 1, 0, 2, 11054),
        ("a63242d9", 2, 1, 2, 1, 1, 1, 4808),
        ("359abdd0", 3, 1, 4, 1, 0, 2, 10638),
    ],
)
def test_full_gemini_sessions(suffix, count, users, thinking, calls, errors, texts, total):
    path = recording("gemini", "full", f"session-*-{suffix}.json")
    messages = load_messages_sync("gemini", session_path=path)
    assert len(messages) == count
    assert Counter(m.role for m in messages) == {"user": users, "assistant": count - users}
    assert len(blocks(messages, ThinkingBlock)) == thinking
    assert len(blocks(messages, ToolUseBlock)) == calls
    results = blocks(messages, ToolResultBlock)
    assert len(results) == calls
    assert sum(result.is_error for result in results) == errors
    assert len(blocks(messages, TextBlock)) == texts
    assert sum(m.usage.total_tokens for m in messages if m.usage) == total
    assert [m.original for m in messages] == json.loads(path.read_text())["messages"]
    assert validate(messages) == []


@pytest.mark.parametrize(
    ("start", "sdk", "deduped", "calls", "failed"),
    [
        ("09-24T19-22", 550, 395, 123, 8),
        ("09-24T20-12", 75, 54, 16, 3),
        ("09-25T08-02", 237, 176, 57, 0),
        ("09-25T09-49", 342, 255, 84, 3),
        ("09-25T15-12", 138, 103, 34, 0),
    ],
)
def test_full_codex_rollouts(start, sdk, deduped, calls, failed):
    path = recording("codex", f"rollout-2025-{start}-*.jsonl")

    def load(**options):
        return load_messages_sync("codex", session_path=path, options=LoadOptions(**options))

    assert len(load(compat="sdk")) == sdk
    every = load(include_meta=True)
    assert len(every) == deduped
    one_per_call = [b for b in blocks(every, ToolUseBlock) if ":" not in b.id]
    assert len(one_per_call) == calls
    results = [b for b in blocks(every, ToolResultBlock) if ":" not in b.tool_use_id]
    assert len(results) == calls
    stored = [line["payload"] for line in stores.records_of(path)]
    codes = [
        json.loads(p["output"])["metadata"]["exit_code"]
        for p in stored
        if p.get("type") == "function_call_output" and p["output"].startswith('{"output"')
    ]
    assert sum(code != 0 for code in codes) == failed
    assert sum(result.is_error for result in results) >= failed
    assert validate(every) == []
    spent = [p["info"]["last_token_usage"] for p in stored if p.get("info")]
    assert sum(m.usage.total_tokens for m in every if m.usage) == sum(
        usage["total_tokens"] for usage in spent
    )


@pytest.mark.parametrize(
    ("name", "count", "uses", "results", "slashes", "naive", "counted"),
    [
        ("full-session", 49, 23, 20, 0, 1120, 833),
        ("full-session-three", 49, 23, 20, 0, 1120, 833),
        ("full-session-two", 35, 10, 10, 1, 124, 107),
        ("full-session-four", 82, 27, 27, 1, 255, 228),
        ("full-session-five", 14, 5, 5, 0, 35, 12),
        ("full-session-askuserquestion", 12, 3, 2, 1, 32, 16),
    ],
)
def test_full_claude_sessions(name, count, uses, results, slashes, naive, counted):
    path = recording("claude", f"{name}.jsonl")

    def load(**options):
        return load_messages_sync("claude", session_path=path, options=LoadOptions(**options))

    every = load(branch="all")
    assert len(every) == count
    found = Counter(block.type for message in every for block in message.blocks)
    assert (found["tool_use"], found["tool_result"]) == (uses, results)
    assert found["slash_command"] == slashes

    def output(messages):
        return sum(m.usage.output_tokens for m in messages if m.usage)

    assert output(every) == naive
    assert output(load(branch="all", dedupe_usage=True)) == counted
    assert [m for m in every if m.original not in stores.records_of(path)] == []
    assert validate(load()) == []


def test_single_claude_lines():
    paths = sorted((FOLDER / "claude").glob("[!f]*.jsonl"))
    if not paths:
        pytest.skip(f"no recordings in {FOLDER / 'claude'}")
    for path in paths:
        messages = load_messages_sync("claude", session_path=path)
        assert [m.original for m in messages] == stores.records_of(path), path
        assert all(m.content for m in messages), path


def test_single_codex_lines():
    expected = {
        "event-agent-message": ["text"],
        "event-agent-reasoning": ["thinking"],
        "event-user-message": ["text"],
        "function-output-error": ["tool_result"],
        "function-shell": ["tool_use"],
        "function-shell-bash": ["tool_use"],
        "function-update_plan": ["tool_use"],
        "response-message-assistant": ["text"],
        "response-reasoning": ["thinking"],
        "session-meta": [],
        "turn-context": [],
        "event-token-count": [],
        "event-turn-aborted": [],
    }
    for name, kinds in expected.items():
        path = recording("codex", f"{name}.jsonl")
        messages = load_messages_sync("codex", session_path=path)
        assert [b.type for m in messages for b in m.blocks] == kinds, name
