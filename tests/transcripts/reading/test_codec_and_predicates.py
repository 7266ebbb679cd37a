"""Messages as JSON and back, the questions consumers ask, and the invariant of results."""

import json

import pytest

from gemini_cli.transcripts import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    RefSource,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedMessage,
    UnknownBlock,
    UrlSource,
    Usage,
    block_from_dict,
    block_to_dict,
    dump_lines,
    dumps,
    extract_text_content,
    from_dict,
    is_ask_user_question_tool,
    is_bash_tool,
    is_edit_tool,
    is_exit_plan_mode_tool,
    is_glob_tool,
    is_grep_tool,
    is_mcp_tool,
    is_read_tool,
    is_slash_command,
    is_todo_write_tool,
    is_web_search_tool,
    is_write_tool,
    load_messages_sync,
    loads,
    parse_message,
    to_dict,
    validate,
)
from gemini_cli.transcripts.lines import decode
from transcripts.reading import stores

BLOCKS = [
    TextBlock("t"),
    ThinkingBlock("t", "sig"),
    ThinkingBlock("", data="d"),
    ToolUseBlock("i", "Bash", {"command": "ls"}),
    ToolResultBlock("i", "out", is_error=True),
    ToolResultBlock("i", [TextBlock("a"), ImageBlock(Base64Source("eA==", "image/gif"))]),
    SlashCommandBlock("/x", "m", "a"),
    SlashCommandBlock("/x"),
    ImageBlock(UrlSource("https://x")),
    ImageBlock(UrlSource("https://x", "image/png")),
    DocumentBlock(Base64Source("eA==", "application/pdf")),
    ImageBlock(RefSource("ab", 3, "image/png", "/f")),
    UnknownBlock("new", {"type": "new", "x": [1]}),
]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_survives_the_way_through_json(block):
    written = json.loads(json.dumps(block_to_dict(block)))
    assert written["type"] == block.type
    assert block_from_dict(written) == block


@pytest.mark.parametrize("style", ["snake", "camel"])
@pytest.mark.parametrize("tool", sorted(stores.FILES))
def test_whole_sessions_survive_the_way_through_json(tool, style):
    messages = load_messages_sync(tool, session_path=stores.FILES[tool])
    assert [loads(line) for line in dump_lines(messages, style)] == messages


def test_the_json_has_the_keys_consumers_know():
    message = UnifiedMessage(
        id="i",
        role="assistant",
        content=[TextBlock("t")],
        timestamp=5,
        tool="gemini",
        model="m",
        usage=Usage(1, 2, 3, None, 4, 5, 0, "gemini"),
        original={"a": 1},
        session_id="s",
        parent_id="p",
        is_sidechain=True,
        agent_id="a",
        is_meta=True,
    )
    assert to_dict(message) == {
        "id": "i",
        "role": "assistant",
        "content": [{"type": "text", "text": "t"}],
        "timestamp": 5,
        "tool": "gemini",
        "model": "m",
        "usage": {
            "input_tokens": 1,
            "output_tokens": 2,
            "total_tokens": 3,
            "cache_read_tokens": 4,
            "reasoning_tokens": 5,
            "tool_tokens": 0,
        },
        "_original": {"a": 1},
        "sessionId": "s",
        "parentId": "p",
        "isSidechain": True,
        "agentId": "a",
        "isMeta": True,
    }
    assert to_dict(message, "camel")["usage"] == {
        "inputTokens": 1,
        "outputTokens": 2,
        "totalTokens": 3,
        "cacheReadTokens": 4,
        "reasoningTokens": 5,
        "toolTokens": 0,
    }
    bare = UnifiedMessage(id="i", role="user", content="", timestamp=0, tool="x")
    assert list(to_dict(bare)) == ["id", "role", "content", "timestamp", "tool", "_original"]


def test_json_of_any_shape_becomes_a_message():
    for value in (
        None,
        7,
        [],
        {},
        {"role": "robot", "content": [1, None, {"type": 5}], "usage": []},
    ):
        message = from_dict(value)
        assert loads(dumps(message)) == message
    assert from_dict({"content": []}).content == ""
    media = {"type": "image", "source": 5}
    assert block_from_dict(media) == UnknownBlock("image", media)


def test_a_lone_surrogate_is_written_as_an_escape():
    message = UnifiedMessage(id="i", role="user", content="\ud83d", timestamp=0, tool="x")
    assert dumps(message).encode()
    assert loads(dumps(message)) == message


@pytest.mark.parametrize("depth", range(970, 1000))
def test_a_record_that_can_just_be_read_cannot_be_written(depth: int):
    record = '{"type": "user", "uuid": "u", "message": {"role": "user", "content": "x"}, "deep": '
    try:
        known = decode(record + "[" * depth + "]" * depth + "}")
    except ValueError as error:
        assert "too deeply" in str(error)
        return
    text = dumps(parse_message("claude", known))
    assert text.count("[") >= depth
    try:
        assert loads(text).original == known
    except ValueError as error:
        assert "too deeply" in str(error)


def test_results_in_results_without_end_are_no_bug():
    content = '[{"type": "tool_result", "tool_use_id": "a", "content": ' * 450 + '"x"' + "}]" * 450
    with pytest.raises(ValueError, match="too deeply"):
        loads('{"role": "user", "content": ' + content + "}")


def test_tool_prompt_tokens_count_as_fresh_input():
    assert Usage(10, 5, 20, None, 4, 3, 2, "gemini").normalized() == (8, 4, 0, 5, 3)
    assert Usage(1, 1, 2, cache_read_tokens=9, basis="codex").normalized() == (0, 9, 0, 1, 0)
    assert Usage(1, 2, 3, basis="never heard of").normalized() == (1, 0, 0, 2, 0)


PREDICATES = {
    "Bash": is_bash_tool,
    "Read": is_read_tool,
    "Write": is_write_tool,
    "Edit": is_edit_tool,
    "Glob": is_glob_tool,
    "Grep": is_grep_tool,
    "TodoWrite": is_todo_write_tool,
    "WebSearch": is_web_search_tool,
    "AskUserQuestion": is_ask_user_question_tool,
    "ExitPlanMode": is_exit_plan_mode_tool,
    "mcp__s__t": is_mcp_tool,
}


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_each_question_fits_one_tool_only(name):
    for other, question in PREDICATES.items():
        assert question(ToolUseBlock("i", name, {})) is (other == name)
        assert question({"type": "tool_use", "name": name}) is (other == name)
        assert question({"type": "text", "name": other}) is False
        assert question(TextBlock(other)) is False
        assert question({"type": "tool_use", "name": 7}) is False


def test_slash_commands_are_recognised_in_both_forms():
    assert is_slash_command(SlashCommandBlock("/x"))
    assert is_slash_command({"type": "slash_command"})
    assert not is_slash_command(TextBlock("/x"))


def test_the_text_of_a_message_is_joined_without_a_seam():
    blocks = [TextBlock("a"), ThinkingBlock("no"), TextBlock("b")]
    message = UnifiedMessage(id="i", role="user", content=blocks, timestamp=0, tool="x")
    assert extract_text_content(message) == "ab"
    plain = UnifiedMessage(id="i", role="user", content="as is", timestamp=0, tool="x")
    assert extract_text_content(plain) == "as is"
    assert plain.blocks == [TextBlock("as is")]


def test_broken_pairs_of_calls_and_results_are_reported():
    def message(*blocks):
        return UnifiedMessage(id="m", role="user", content=list(blocks), timestamp=0, tool="x")

    call, result = ToolUseBlock("c", "Bash", {}), ToolResultBlock("c", "")
    assert validate([message(call), message(result)]) == []
    problems = [c.problem for c in validate([message(result), message(call, call, result)])]
    assert problems == [
        "the result answers no earlier call",
        "the call's id was used before",
        "the call has a second result",
    ]
