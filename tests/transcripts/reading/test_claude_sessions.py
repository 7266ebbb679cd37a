"""Claude Code's sessions: the visible branch, every branch, and where they lie."""

import json
import subprocess
from pathlib import Path

import pytest

from gemini_cli.transcripts import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    LoadOptions,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    UrlSource,
    Usage,
    list_sessions,
    load_messages_sync,
    parse_message,
    validate,
)
from transcripts.reading import stores

SID = "11111111-2222-4333-8444-555555555555"
AT = "2026-03-02T09:00:00.000Z"


def load(path=stores.CLAUDE, **options):
    return load_messages_sync("claude", session_path=path, options=LoadOptions(**options))


def names(messages):
    return [message.id for message in messages]


def line(uuid, parent, content, role="user", **fields):
    message = {"role": role, "content": content}
    if role == "assistant":
        message["id"] = fields.pop("mid", uuid)
    return {
        "type": role,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SID,
        "timestamp": AT,
        "message": message,
        **fields,
    }


def saved(tmp_path, *records, name=SID):
    return stores.write_lines(tmp_path / f"{name}.jsonl", records)


def test_the_visible_branch_holds_parallel_calls_and_not_the_abandoned_answer():
    shown = load()
    assert names(shown) == ["a2", "a4", "b1", "b2", "b3", "c1", "c2", "d2", "d3"]
    assert validate(shown) == []
    assert shown[0].content == [SlashCommandBlock("/review", "review is running…", 'src "x"')]
    assert shown[2].content == [ThinkingBlock("Both at once.", "c2ln")]
    assert shown[6].content == [
        ToolResultBlock(
            "toolu_2", [TextBlock("B"), ImageBlock(Base64Source("aGk=", "image/png"))], True
        )
    ]
    assert shown[2].usage == Usage(3, 9, 12, 5, 7, basis="claude")
    assert shown[2].usage.normalized() == (3, 7, 5, 9, 0)
    assert shown[5].original == stores.records_of(stores.CLAUDE)[8]
    assert (shown[5].session_id, shown[5].parent_id) == (SID, "b2")


def test_every_branch_is_in_the_order_of_time_with_ties_as_stored():
    every = load(branch="all")
    assert names(every) == [
        *("a2", "a1", "a3", "a4", "b1", "b2", "b3"),
        *("c1", "c2", "s1", "d1", "d2", "d3", "e1"),
    ]
    flagged = [m.id for m in every if m.is_meta]
    assert flagged == ["a1", "a3", "e1"]
    assert [m.id for m in every if m.is_sidechain] == ["s1"]
    assert every[9].agent_id == "ag1"


def test_one_response_is_counted_once():
    def output(**options):
        return sum(m.usage.output_tokens for m in load(**options) if m.usage)

    assert output(branch="all") == 9 * 3 + 4 + 6 * 2
    assert output(branch="all", dedupe_usage=True) == 9 + 4 + 6
    assert output(dedupe_usage=True) == 9 + 6
    kept = [m.id for m in load(dedupe_usage=True) if m.usage]
    assert kept == ["b3", "d3"]


def test_notes_of_the_product_are_shown_only_on_demand():
    assert names(load(include_meta=True))[:3] == ["a1", "a2", "a3"]
    assert names(load(include_meta=True))[-1] == "e1"


def test_a_missing_parent_falls_back_to_every_line(tmp_path):
    path = saved(
        tmp_path,
        line("b", "gone", "second", timestamp="2026-03-02T09:00:05Z"),
        line("a", "gone too", "first", timestamp="2026-03-02T09:00:01Z"),
        line("m", "x", "hidden", isMeta=True),
        line("s", "x", "side", isSidechain=True),
    )
    assert names(load(path)) == ["a", "b"]
    assert names(load(path, include_sidechains=True)) == ["s", "a", "b"]


def test_a_cycle_of_parents_ends(tmp_path):
    path = saved(tmp_path, line("a", "b", "x"), line("b", "a", "y"))
    assert names(load(path)) == ["a", "b"]
    leaf = saved(tmp_path, line("a", "b", "x"), line("b", "a", "y"), line("c", "b", "z"))
    assert names(load(leaf)) == ["a", "b", "c"]


def test_the_latest_plain_leaf_wins_over_later_side_work(tmp_path):
    path = saved(
        tmp_path,
        line("root", None, "q"),
        line("old", "root", "one", "assistant"),
        line("new", "root", "two", "assistant"),
        {"type": "progress", "uuid": "p", "parentUuid": "new", "timestamp": AT},
        line("side", "root", "three", "assistant", isSidechain=True),
        line("team", "root", "four", "assistant", teamName="t"),
        {"type": "summary", "summary": "s", "leafUuid": "old"},
    )
    assert names(load(path)) == ["root", "new"]


def test_a_session_cut_by_compaction_starts_at_its_summary(tmp_path):
    path = saved(
        tmp_path,
        line("before", None, "long ago"),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "cut",
            "parentUuid": None,
            "logicalParentUuid": "before",
        },
        line("sum", "cut", "This session continues…", isCompactSummary=True),
        line("next", "sum", "go on"),
    )
    assert names(load(path)) == ["sum", "next"]


def test_a_sub_agents_own_file_is_shown(tmp_path):
    path = saved(
        tmp_path,
        line("a", None, "task", isSidechain=True, agentId="1"),
        line("b", "a", "done", "assistant", isSidechain=True, agentId="1"),
        name="agent-1",
    )
    assert names(load(path)) == ["a", "b"]


def test_lines_without_names_are_not_lost(tmp_path):
    record = line(None, None, "x")
    del record["uuid"]
    path = saved(tmp_path, record, {**record, "message": {"role": "user", "content": "y"}})
    assert names(load(path)) == [f"{AT}-user", f"{AT}-user"]


def test_blocks_of_every_kind_are_mapped():
    content = [
        {"type": "redacted_thinking", "data": "ZGF0YQ=="},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "hit"}]},
        {"type": "tool_use"},
        {"type": "image", "source": {"type": "url", "url": "https://x"}},
        {"type": "image", "source": {"type": "base64", "data": "eA=="}},
        {"type": "document", "source": {"type": "base64", "data": "eA=="}},
        {"type": "image", "source": {"type": "file", "file_id": "f"}},
        {"type": "tool_result", "tool_use_id": "t", "content": {"odd": 1}},
        {"type": "tool_result", "tool_use_id": "t"},
        "loose",
        7,
    ]
    message = parse_message("claude", line("u", None, content, "assistant"))
    assert message.content == [
        ThinkingBlock("", data="ZGF0YQ=="),
        ToolUseBlock("s", "web_search", {"query": "q"}),
        ToolResultBlock("s", [UnknownBlock("hit", {"type": "hit"})]),
        ToolUseBlock("", "", {}),
        ImageBlock(UrlSource("https://x")),
        ImageBlock(Base64Source("eA==", "image/png")),
        DocumentBlock(Base64Source("eA==", "application/octet-stream")),
        UnknownBlock("image", content[7]),
        ToolResultBlock("t", '{"odd":1}'),
        ToolResultBlock("t", ""),
        TextBlock("loose"),
        UnknownBlock("", 7),
    ]
    sdk = parse_message("claude", line("u", None, [{"type": "new"}]), LoadOptions(compat="sdk"))
    assert sdk.content == [TextBlock("")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "<command-name>/clear</command-name>\n  <command-args></command-args>",
            [SlashCommandBlock("/clear")],
        ),
        (
            "<command-args>a\nb</command-args><command-name> /x </command-name> and more",
            [SlashCommandBlock("/x", args="a\nb"), TextBlock("and more")],
        ),
        ("about <command-name> tags", [TextBlock("about <command-name> tags")]),
        ("<command-name></command-name>", [TextBlock("<command-name></command-name>")]),
    ],
)
def test_slash_commands_are_recognised_in_any_order_of_tags(text, expected):
    assert parse_message("claude", line("u", None, text)).content == expected
    assert parse_message("claude", line("u", None, text, "assistant")).content == [TextBlock(text)]


def test_a_line_of_another_type_is_nobodys_message():
    assert parse_message("claude", {"type": "summary", "summary": "x"}) is None
    odd = parse_message("claude", {"type": "assistant", "message": {"role": "robot"}})
    assert (odd.role, odd.content, odd.id) == ("assistant", "", "-assistant")


def store(env, folder, *records, name=SID, base=".claude"):
    path = Path(env["HOME"]) / base / "projects" / folder / f"{name}.jsonl"
    return stores.write_lines(path, records or stores.lines_of(stores.CLAUDE))


def test_a_path_with_dots_and_underscores_is_found(tmp_path):
    env = stores.home(tmp_path)
    root = tmp_path / "my.app_x é"
    root.mkdir()
    encoded = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(root))
    store(env, encoded)
    options = LoadOptions(env=env)
    found = load_messages_sync("claude", project_path=root, options=options)
    assert len(found) == 9
    assert load_messages_sync("claude", SID, project_path=root, options=options) == found
    assert load_messages_sync("claude", SID, options=options) == found
    assert load_messages_sync("claude", "0" * 8, options=options) == []
    (info,) = list_sessions("claude", root, env=env)
    assert info.title == "Reading two files"
    assert info.first_prompt == "Please look at both files"
    assert (info.git_branch, info.model) == ("main", "claude-sonnet-4-5")
    assert info.project_path == "/work/my.app_x"


def test_a_very_long_path_is_matched_by_its_beginning(tmp_path):
    env = stores.home(tmp_path)
    root = tmp_path / ("d" * 120) / ("e" * 120)
    encoded = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(root))
    store(env, encoded[:200] + "-k3j2h1")
    assert len(list_sessions("claude", root, env=env)) == 1


def test_named_config_folders_replace_the_usual_ones(tmp_path):
    env = stores.home(tmp_path)
    store(env, "-work", base=".config/claude")
    assert len(list_sessions("claude", env=env)) == 1
    named = {**env, "CLAUDE_CONFIG_DIR": f"{tmp_path}/none, ~/.config/claude"}
    assert len(list_sessions("claude", env=named)) == 1
    assert list_sessions("claude", env={**env, "CLAUDE_CONFIG_DIR": str(tmp_path)}) == []


def test_a_session_of_another_worktree_is_found_by_id(tmp_path):
    env = stores.home(tmp_path)
    main, other = tmp_path / "main", tmp_path / "other"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C"]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, str(main), "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, str(main), "worktree", "add", "-q", str(other)], check=True)
    encoded = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(main))
    store(env, encoded)
    options = LoadOptions(env=env)
    assert len(load_messages_sync("claude", SID, project_path=other, options=options)) == 9
    assert load_messages_sync("claude", project_path=other, options=options) == []
    lone = tmp_path / "lone"
    lone.mkdir()
    assert load_messages_sync("claude", SID, project_path=lone, options=options) == []


def test_sub_agents_are_found_by_id_but_not_listed(tmp_path):
    env = stores.home(tmp_path)
    work = [line("a", None, "task", isSidechain=True)]
    store(env, "-work", *work, name="agent-one")
    store(env, f"-work/{SID}/subagents/deep", *work, name="agent-two")
    options = LoadOptions(env=env)
    for name in ("one", "agent-one", "two", "agent-two"):
        assert len(load_messages_sync("claude", name, options=options)) == 1
    assert list_sessions("claude", env=env) == []


@pytest.mark.parametrize(
    ("records", "title"),
    [
        ([line("a", None, "  hello\nyou  ")], "hello you"),
        ([line("a", None, "x" * 300)], "x" * 200 + "…"),
        ([line("a", None, "<command-name>/init</command-name>")], "/init"),
        ([line("a", None, "<command-name>/init</command-name>"), line("b", "a", "then")], "then"),
        ([line("a", None, "<local-command-stdout>x"), line("b", "a", "real")], "real"),
        ([line("a", None, "<ide_opened_file>f</ide_opened_file>"), line("b", "a", "q")], "q"),
        ([line("a", None, "<ide_selection>f</ide_selection> ask")], "ask"),
        ([line("a", None, [{"type": "tool_result", "content": "r"}]), line("b", "a", "q")], "q"),
        ([line("a", None, "m", isMeta=True), line("b", "a", "q")], "q"),
        ([line("a", None, "p"), {"type": "summary", "summary": "S"}], "S"),
        ([line("a", None, "p"), {"lastPrompt": "L"}, {"summary": "S"}], "L"),
        ([{"customTitle": "C1"}, {"aiTitle": "A"}, {"customTitle": "C2"}], "C2"),
    ],
)
def test_the_best_title_wins(tmp_path, records, title):
    env = stores.home(tmp_path)
    store(env, "-work", *records)
    assert [info.title for info in list_sessions("claude", env=env)] == [title]


def test_sessions_that_say_nothing_are_not_listed(tmp_path):
    env = stores.home(tmp_path)
    store(env, "-a", line("a", None, "x", isSidechain=True))
    store(env, "-b", {"type": "file-history-snapshot"})
    store(env, "-c", line("a", None, "x"), name="not-a-uuid")
    assert list_sessions("claude", env=env) == []


def test_a_list_reads_only_the_ends_of_a_long_file(tmp_path):
    env = stores.home(tmp_path)
    middle = [line(f"m{n}", None, "y" * 900) for n in range(400)]
    records = [line("a", None, "start"), *middle, {"type": "custom-title", "customTitle": "End"}]
    path = store(env, "-work", *records)
    assert path.stat().st_size > 300_000
    (info,) = list_sessions("claude", env=env)
    assert (info.title, info.first_prompt) == ("End", "start")
    assert json.loads(json.dumps(info.size)) == path.stat().st_size


def test_a_first_line_longer_than_the_part_that_is_read_does_not_hide_a_session(tmp_path):
    env = stores.home(tmp_path)
    middle = [line(f"m{n}", None, "y" * 900) for n in range(300)]
    store(env, "-work", line("a", None, "start " + "x" * 300_000), *middle)
    (info,) = list_sessions("claude", env=env)
    assert info.title.startswith("start xxx")


def test_the_newest_session_is_the_one_last_spoken_in(tmp_path):
    env = stores.home(tmp_path)
    other = "22222222-2222-4333-8444-555555555555"
    store(env, "-a", line("a", None, "late", timestamp="2026-03-05T09:00:00Z"), name=other)
    store(env, "-b", line("b", None, "early"))
    (message,) = load_messages_sync("claude", options=LoadOptions(env=env))
    assert message.content == [TextBlock("late")]
    silent = stores.home(tmp_path / "x") if (tmp_path / "x").mkdir() is None else {}
    store(silent, "-c", {"type": "file-history-snapshot"})
    assert load_messages_sync("claude", options=LoadOptions(env=silent)) == []
