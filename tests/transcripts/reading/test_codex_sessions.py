"""Codex's rollouts of three generations, compressed ones, and where they lie."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.transcripts import (
    Base64Source,
    ImageBlock,
    LoadOptions,
    SessionCorruptError,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    UrlSource,
    find_session,
    list_sessions,
    load_messages_sync,
    load_session,
    parse_message,
    validate,
)
from gemini_cli.transcripts.codex.output import answer_of
from gemini_cli.transcripts.lines import zstd_module
from transcripts.reading import stores

CID = "01990000-aaaa-7bbb-8ccc-ddddeeeeffff"


def load(path=stores.CODEX, **options):
    return load_messages_sync("codex", session_path=path, options=LoadOptions(**options))


def said(messages):
    return [(m.role, m.content) for m in messages]


def line(kind, payload, at=0):
    return {"timestamp": f"2026-03-02T09:00:{at:02d}.000Z", "type": kind, "payload": payload}


def item(payload, at=0):
    return line("response_item", payload, at)


def event(payload, at=0):
    return line("event_msg", payload, at)


def message(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def call(name, arguments, call_id="c"):
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function_call", "name": name, "arguments": given, "call_id": call_id}


def output(text, call_id="c"):
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def count(tokens, total=None):
    info = {"last_token_usage": {"input_tokens": tokens, "output_tokens": 1, "total_tokens": 9}}
    if total is not None:
        info["total_token_usage"] = {"total_tokens": total}
    return event({"type": "token_count", "info": info})


def saved(tmp_path, *records):
    meta = line("session_meta", {"id": CID, "cwd": "/work/app"})
    return stores.write_lines(tmp_path / f"rollout-x-{CID}.jsonl", [meta, *records])


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


def stored(env, records=None, *, name=CID, folder="sessions/2026/03/02", home=".codex"):
    path = Path(env["HOME"]) / home / folder / f"rollout-2026-03-02T09-00-00-{name}.jsonl"
    return stores.write_lines(path, records or stores.lines_of(stores.CODEX))


def meta(name, at="2026-03-01T09:00:00.000Z", **fields):
    head = {"timestamp": at, "type": "session_meta", "payload": {"id": name, "cwd": "/w", **fields}}
    return [head, {**item(message("user", f"ask {name}")), "timestamp": at}]


def test_sessions_are_found_by_id_and_by_project(tmp_path):
    env = stores.home(tmp_path)
    stored(env)
    stored(env, meta("aaaa-1", cwd=str(tmp_path)), name="aaaa-1")
    options = LoadOptions(env=env)
    assert len(load_messages_sync("codex", CID, options=options)) == len(load())
    assert load_messages_sync("codex", "aaaa", options=options) == []
    assert load_messages_sync("codex", CID, project_path=tmp_path, options=options) == []
    assert find_session("codex", project_path=tmp_path, options=options).session_id == "aaaa-1"
    assert find_session("codex", options=options).session_id == CID
    assert [i.id for i in list_sessions("codex", env=env)] == [CID, "aaaa-1"]
    assert [i.id for i in list_sessions("codex", "/work/app", env=env)] == [CID]
    info = list_sessions("codex", "/work/app", env=env)[0]
    assert (info.title, info.git_branch, info.model) == ("fix the build", "main", "gpt-5-codex")


def test_given_names_helpers_runs_and_archives_in_the_list(tmp_path):
    env = stores.home(tmp_path)
    for name, fields in (
        ("plain", {}),
        ("run", {"source": "exec"}),
        ("kin", {"source": {"subagent": "x"}}),
        ("named", {}),
    ):
        stored(env, meta(name, **fields), name=name)
    stored(env, meta("cold"), name="cold", folder="archived_sessions")
    stored(env, meta("plain"), name="plain", folder="archived_sessions")
    stored(env, [meta("mute")[0]], name="mute")
    index = [{"id": "named", "thread_name": n} for n in ("First", "Last")]
    stores.write_lines(Path(env["HOME"]) / ".codex" / "session_index.jsonl", index)
    titles = {i.id: i.title for i in list_sessions("codex", env=env)}
    assert titles == {"plain": "ask plain", "named": "Last"}
    more = list_sessions("codex", env=env, include_exec=True, include_archived=True)
    assert sorted(i.id for i in more) == ["cold", "named", "plain", "run"]
    options = LoadOptions(env=env)
    assert find_session("codex", "plain", options=options).path.parent.name == "02"
    assert len(load_messages_sync("codex", "kin", options=options)) == 1
    moved = {"HOME": "/nowhere", "CODEX_HOME": env["HOME"] + "/.codex"}
    assert len(list_sessions("codex", env=moved)) == 2


def test_compressed_rollouts_are_read_and_listed(tmp_path):
    env = stores.home(tmp_path)
    plain = stored(env)
    packed = plain.with_name(plain.name + ".zst")
    packed.write_bytes(zstd_module(packed).compress(plain.read_bytes()))
    expected = load(plain)
    plain.unlink()
    options = LoadOptions(env=env)
    assert load_messages_sync("codex", CID, options=options) == expected
    assert [i.title for i in list_sessions("codex", env=env)] == ["fix the build"]
    packed.write_bytes(packed.read_bytes()[:200])
    with pytest.raises(SessionCorruptError, match="Zstandard"):
        load(packed)
    packed.write_bytes(b"no zstd at all")
    with pytest.raises(SessionCorruptError, match="Zstandard"):
        load(packed)
    assert list_sessions("codex", env=env) == []


def test_a_header_that_disagrees_with_the_name_is_not_taken(tmp_path):
    env = stores.home(tmp_path)
    stored(env, meta("someone-else"), name=CID)
    assert load_messages_sync("codex", CID, options=LoadOptions(env=env)) == []


def test_broken_lines_are_counted_and_the_rest_is_read(tmp_path):
    records = [item(message("user", "a")), "{broken", item(message("assistant", "b"))]
    session = load_session("codex", session_path=saved(tmp_path, *records))
    assert [m.content[0].text for m in session.messages] == ["a", "b"]
    assert (session.report.lines, session.report.bad_lines) == (4, 1)


def test_a_compressed_rollout_without_a_decoder_names_the_package(tmp_path):
    path = tmp_path / "rollout-x.jsonl.zst"
    path.write_bytes(b"x")
    code = (
        "import sys\n"
        "sys.modules['backports'] = sys.modules['compression'] = None\n"
        "from gemini_cli.transcripts import load_messages_sync, MissingZstdError\n"
        "try:\n"
        f"    load_messages_sync('codex', session_path={str(path)!r})\n"
        "except MissingZstdError as error:\n"
        "    sys.exit(0 if 'backports.zstd' in str(error) else 'unclear')\n"
        "sys.exit('no error')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_links_in_a_store_are_followed_and_circles_end(tmp_path):
    env = stores.home(tmp_path)
    elsewhere = {"HOME": str(tmp_path / "elsewhere")}
    stored(elsewhere)
    root = Path(env["HOME"]) / ".codex" / "sessions"
    root.mkdir(parents=True)
    (root / "2026").symlink_to(Path(elsewhere["HOME"]) / ".codex" / "sessions")
    (root / "again").symlink_to(root)
    assert [i.id for i in list_sessions("codex", env=env)] == [CID]
    options = LoadOptions(env=env)
    assert len(load_messages_sync("codex", CID, options=options)) == len(load())


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


def test_turns_that_were_taken_back_stay_in_the_sdks_view(tmp_path):
    back = event({"type": "thread_rolled_back", "num_turns": 1})
    records = [item(message("user", "a")), back, item(message("user", "b"))]
    path = stores.write_lines(tmp_path / "s.jsonl", records)
    assert said(load(path)) == [("user", [TextBlock("b")])]
    assert [role for role, _ in said(load(path, compat="sdk"))] == ["user", "user"]


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
