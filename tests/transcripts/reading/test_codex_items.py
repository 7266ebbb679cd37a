"""Codex's items of every kind and age as blocks."""

import json

import pytest

from gemini_cli.transcripts import (
    Base64Source,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    UrlSource,
    parse_message,
    validate,
)
from gemini_cli.transcripts.codex.output import answer_of
from transcripts.reading import stores
from transcripts.reading.rollouts import event, item, line, load, message, saved


@pytest.mark.parametrize(
    ("stored", "content", "failed"),
    [
        ('{"output":"","metadata":{"exit_code":0}}', "", False),
        ('{"output":"no","metadata":{"exit_code":2}}', "no", True),
        ('{"output":{"a":1},"metadata":{}}', '{"a":1}', False),
        ('{"name":"printed by a command"}', '{"name":"printed by a command"}', False),
        ("{not json", "{not json", False),
        ("[1,2]", "[1,2]", False),
        (
            "Exit code: 0\nWall time: 1 seconds\nOutput:\nhello\nOutput:\nx",
            "hello\nOutput:\nx",
            False,
        ),
        ("Exit code: 7\nWall time: 1 seconds\nTotal output lines: 3\nOutput:\nbad", "bad", True),
        ("Chunk ID: a1\nWall time: 0.1 s\nProcess exited with code 1\nOutput:\nx", "x", True),
        ("Wall time: 1 s\nProcess running with session ID 4\nOutput:\n", "", False),
        ("Wall time: never ends", "Wall time: never ends", False),
        ("Plan updated", "Plan updated", False),
        ("patch rejected by user", "patch rejected by user", True),
        ("exec command rejected by user", "exec command rejected by user", True),
        ("failed in sandbox with exit code: 1", "failed in sandbox with exit code: 1", True),
        ("execution error: Io", "execution error: Io", True),
        ("aborted by user after 3s", "aborted by user after 3s", True),
        ("all is well\nnothing failed in here", "all is well\nnothing failed in here", False),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb", False),
        (
            [
                {"type": "input_text", "text": "a"},
                {"type": "input_image", "image_url": "https://x"},
            ],
            [TextBlock("a"), ImageBlock(UrlSource("https://x"))],
            False,
        ),
        ({"content": "x", "success": False}, "x", True),
        ({"content": [{"type": "input_text", "text": "x"}]}, "x", False),
        ({"output": "x", "metadata": {"exit_code": 1}}, "x", True),
        ({"odd": 1}, '{"odd":1}', False),
        (None, "", False),
        (5, "5", False),
    ],
)
def test_outputs_of_every_age_lose_their_wrapper(stored, content, failed):
    assert answer_of(stored) == (content, failed)


@pytest.mark.parametrize(
    ("payload", "blocks"),
    [
        (
            {
                "type": "local_shell_call",
                "call_id": "c",
                "action": {"command": ["bash", "-lc", "x"], "timeout_ms": 5},
            },
            [ToolUseBlock("c", "Bash", {"command": "x", "timeout": 5})],
        ),
        (
            {"type": "custom_tool_call", "name": "other", "input": "t", "call_id": "c"},
            [ToolUseBlock("c", "other", {"input": "t"})],
        ),
        (
            {
                "type": "function_call",
                "name": "t",
                "namespace": "mcp__s",
                "arguments": "{}",
                "call_id": "c",
            },
            [ToolUseBlock("c", "mcp__s__t", {})],
        ),
        (
            {"type": "image_generation_call", "id": "i", "result": "eA=="},
            [ImageBlock(Base64Source("eA=="))],
        ),
        (
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_image", "image_url": "data:image/webp;base64,eA=="}],
            },
            [ImageBlock(Base64Source("eA==", "image/webp"))],
        ),
        ({"type": "message", "role": "assistant", "content": "plain"}, [TextBlock("plain")]),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "new", "x": 1}]},
            [UnknownBlock("new", {"type": "new", "x": 1})],
        ),
        (
            {"type": "reasoning", "summary": [], "content": [{"type": "text", "text": "t"}]},
            [ThinkingBlock("t")],
        ),
    ],
)
def test_items_of_every_kind_are_mapped(payload, blocks):
    assert parse_message("codex", item(payload)).content == blocks


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/</cwd>",
        "<user_instructions>\nx",
        "# AGENTS.md instructions for /work",
        "<skill>\nx",
        "<turn_aborted>\nx",
        "<user_shell_command>\nls",
        "<subagent_notification>x",
        "<permissions_instructions>x",
    ],
)
def test_context_that_nobody_typed_is_hidden(tmp_path, text):
    path = saved(tmp_path, item(message("user", text)), item(message("user", "typed")))
    assert [m.content for m in load(path)] == [[TextBlock("typed")]]
    every = load(path, include_meta=True)
    assert [m.is_meta for m in every] == [True, False]


def test_silent_items_are_kept_only_with_the_meta(tmp_path):
    path = saved(
        tmp_path,
        item({"type": "tool_search_call", "id": "x"}),
        item({"type": "ghost_snapshot"}),
        item({"type": "image_generation_call", "result": None}),
        item({"type": "reasoning", "summary": [], "encrypted_content": "x"}),
        line("compacted", {"message": "short"}),
        line("world_state", {"x": 1}),
    )
    assert load(path) == []
    kept = load(path, include_meta=True)
    assert [m.content[0] for m in kept] == [
        UnknownBlock("tool_search_call", {"type": "tool_search_call", "id": "x"}),
        TextBlock("short"),
    ]


def test_a_finished_web_search_is_not_called_aborted_later(tmp_path):
    search = {"type": "web_search_call", "action": {"type": "search", "query": "q"}}
    aborted = event({"type": "turn_aborted", "reason": "interrupted"}, at=9)
    records = [item(search), item({**search, "id": "ws_1"}), item(message("user", "b")), aborted]
    messages = load(stores.write_lines(tmp_path / "s.jsonl", records))
    assert [type(m.blocks[0]) for m in messages] == [ToolUseBlock, ToolUseBlock, TextBlock]
    assert validate(messages) == []


def test_an_aborted_call_without_an_id_gets_its_own_result(tmp_path):
    nameless = {"type": "function_call", "name": "shell", "arguments": "{}"}
    aborted = event({"type": "turn_aborted", "reason": "replaced"}, at=9)
    messages = load(stores.write_lines(tmp_path / "s.jsonl", [item(nameless), aborted]))
    call, result = (m.blocks[0] for m in messages)
    assert result == ToolResultBlock(call.id, "[Turn aborted: replaced]", is_error=True)
    assert validate(messages) == []


@pytest.mark.parametrize("space", ["mcp__s", "mcp__s__"])
def test_a_namespace_is_joined_with_two_underscores_however_it_ends(space):
    payload = {"type": "function_call", "namespace": space, "name": "t", "call_id": "c"}
    (block,) = parse_message("codex", item(payload)).content
    assert block.name == "mcp__s__t"


def test_a_command_no_system_would_take_is_left_as_it_is():
    command = "bash -lc '" + "a b " * 50_000 + "'"
    payload = {"type": "function_call", "name": "shell", "call_id": "c"}
    payload["arguments"] = json.dumps({"command": command})
    (block,) = parse_message("codex", item(payload)).content
    assert block.input == {"command": command}
