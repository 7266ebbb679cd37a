"""Finding and listing Gemini sessions in stores of every age."""

import contextlib
import json
import os
from pathlib import Path

import pytest

from gemini_cli.ground.formats.session_file import project_hash
from gemini_cli.transcripts import (
    LoadOptions,
    SessionCorruptError,
    SessionNotFoundError,
    SessionTooLargeError,
    find_session,
    list_sessions,
    load_messages_sync,
    resume_numbers,
)
from transcripts.reading import stores

SID = "7d7d7d7d-2222-4333-8444-555566667777"


@pytest.fixture
def env(tmp_path):
    return stores.home(tmp_path)


def chats(env, folder, store="tmp"):
    return os.path.join(env["HOME"], ".gemini", store, folder, "chats")


def session(sid, text, at, **meta):
    head = {"sessionId": sid, "projectHash": "h", "startTime": at, "lastUpdated": at, **meta}
    return [head, {"id": "u1", "type": "user", "timestamp": at, "content": [{"text": text}]}]


def put(folder, name, records):
    return stores.write_lines(Path(folder) / name, records)


def ids(found):
    return [info.id for info in found]


def test_a_project_is_found_by_registry_marker_and_hash(env, tmp_path):
    roots = [tmp_path / name for name in ("Reg Istry", "marked", "hashed", "inside")]
    for root in roots:
        root.mkdir()
    base = os.path.join(env["HOME"], ".gemini")
    put(chats(env, "reg-istry"), "session-a.jsonl", session("reg", "one", "2026-01-01T00:00:00Z"))
    put(chats(env, "m-1"), "session-b.jsonl", session("mark", "two", "2026-01-02T00:00:00Z"))
    hashed = project_hash(str(roots[2]))
    put(chats(env, hashed), "session-c.jsonl", session("hash", "three", "2026-01-03T00:00:00Z"))
    inside = session("in", "four", "2026-01-04T00:00:00Z", projectHash=project_hash(str(roots[3])))
    put(chats(env, "no-clue"), "session-d.jsonl", inside)
    with open(os.path.join(base, "projects.json"), "w") as stream:
        json.dump({"projects": {str(roots[0]): "reg-istry", "/x": "../evil", "/y": 7}}, stream)
    with open(os.path.join(base, "tmp", "m-1", ".project_root"), "w") as stream:
        stream.write(str(roots[1]) + "\n")
    for root, name in zip(roots, ("reg", "mark", "hash", "in"), strict=True):
        assert ids(list_sessions("gemini", root, env=env)) == [name]
        assert find_session("gemini", project_path=root, options=LoadOptions(env=env)) is not None
    assert ids(list_sessions("gemini", env=env)) == ["in", "hash", "mark", "reg"]
    marked = list_sessions("gemini", roots[1], env=env)[0]
    assert marked.project_path == str(roots[1])


def test_the_oldest_store_and_the_moved_home_are_read(env, tmp_path):
    root = tmp_path / "p"
    root.mkdir()
    folder = chats(env, project_hash(str(root)), store="projects")
    put(folder, "session-1.json", session("old", "hi", "2025-01-01T00:00:00Z"))
    assert ids(list_sessions("gemini", root, env=env)) == ["old"]
    moved = {"HOME": str(tmp_path / "nowhere"), "GEMINI_CLI_HOME": env["HOME"]}
    assert ids(list_sessions("gemini", root, env=moved)) == ["old"]


def test_a_link_to_a_project_finds_the_sessions_of_the_real_path(env, tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    put(chats(env, project_hash(str(real))), "s.jsonl", session("x", "t", "2026-01-01T00:00:00Z"))
    assert ids(list_sessions("gemini", link, env=env)) == ["x"]


def test_an_empty_twin_does_not_hide_the_conversation(env):
    full = stores.GEMINI_LOG.read_text().splitlines()
    folder = chats(env, "app")
    put(folder, "session-2026-03-02T09-00-7d7d7d7d.jsonl", full)
    stub = session(SID, "<session_context>x", "2027-01-01T00:00:00Z")
    put(folder, "session-2026-03-02T09-05-7d7d7d7d.jsonl", stub)
    options = LoadOptions(env=env)
    assert len(load_messages_sync("gemini", SID, options=options)) == 6
    assert len(load_messages_sync("gemini", options=options)) == 6
    found = list_sessions("gemini", env=env)
    assert [(info.id, info.title) for info in found] == [(SID, "Lists files")]
    assert found[0].message_count == 6
    assert found[0].model == "gemini-3-pro"
    assert found[0].first_prompt == "List the files of @notes.txt"


def test_an_id_is_matched_whole_or_by_a_long_prefix(env):
    folder = chats(env, "app")
    put(folder, "session-1-aaaaaaaa.jsonl", session("aaaaaaaa-1", "one", "2026-01-01T00:00:00Z"))
    put(folder, "session-2-aaaaaaaa.jsonl", session("aaaaaaaa-2", "two", "2026-01-02T00:00:00Z"))
    put(folder, "renamed.jsonl", session("bbbbbbbb-3", "three", "2026-01-03T00:00:00Z"))
    options = LoadOptions(env=env)

    def first(name):
        return [m.content[0].text for m in load_messages_sync("gemini", name, options=options)]

    assert first("aaaaaaaa-1") == ["one"]
    assert first("aaaaaaaa-2") == ["two"]
    assert first("bbbbbbbb-3") == ["three"]
    assert first("bbbbbbbb") == ["three"]
    assert first("aaaaaaaa") == ["two"]
    assert first("bbbb") == []


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "..", ".", "", "a\0b", "a\\b", " x", "x" * 300, "*"]
)
def test_an_id_that_is_no_plain_name_finds_nothing(env, name):
    put(chats(env, "app"), "session-1.jsonl", session("aaaaaaaa-1", "x", "2026-01-01T00:00:00Z"))
    for tool in ("gemini", "claude", "codex", "qwen", "opencode", "copilot", "cursor"):
        assert load_messages_sync(tool, name, options=LoadOptions(env=env)) == []


def test_subagents_are_found_by_id_but_not_listed(env):
    folder = chats(env, "app")
    sub = session("sub-1", "work", "2026-01-02T00:00:00Z", kind="subagent")
    put(os.path.join(folder, "parent"), "sub-1.jsonl", sub)
    put(folder, "session-9.jsonl", session("kin", "x", "2026-01-03T00:00:00Z", kind="subagent"))
    put(folder, "session-1.jsonl", session("main-1", "x", "2026-01-01T00:00:00Z"))
    assert ids(list_sessions("gemini", env=env)) == ["main-1"]
    options = LoadOptions(env=env)
    (work,) = load_messages_sync("gemini", "sub-1", options=options)
    assert (work.is_sidechain, work.agent_id) == (True, "sub-1")
    assert find_session("gemini", options=options).session_id == "main-1"


def test_what_holds_nothing_to_resume_is_not_listed(env):
    folder = chats(env, "app")
    at = "2026-01-01T00:00:00Z"
    for number, text in enumerate(("/help", "?", "  ", "<hook_context>x")):
        put(folder, f"session-{number}.jsonl", session(f"s{number}", text, at))
    put(folder, "session-8.jsonl", ["garbage", "{"])
    put(folder, "logs.json", [[{"sessionId": "x", "message": "y"}]])
    assert list_sessions("gemini", env=env) == []
    assert find_session("gemini", options=LoadOptions(env=env)) is not None


@pytest.mark.parametrize(
    ("text", "title", "prompt"),
    [
        ("Fix\n\tthe  bug \x07", "Fix the bug", "Fix the bug"),
        ("Gr\u00fc\u00dfe an\u200b alle", "Gre an alle", "Gr\u00fc\u00dfe an alle"),
        ("\u4fee\u590d", "\u4fee\u590d", "\u4fee\u590d"),
        ("x" * 200, "x" * 100, "x" * 100),
    ],
)
def test_titles_are_one_short_line_as_gemini_shows_them(env, text, title, prompt):
    put(chats(env, "app"), "session-1.jsonl", session("s", text, "2026-01-01T00:00:00Z"))
    (info,) = list_sessions("gemini", env=env)
    assert (info.title, info.first_prompt) == (title, prompt)


def test_numbers_for_resume_count_from_the_oldest_start(env):
    folder = chats(env, "app")
    for number, day in enumerate(("03", "01", "02")):
        put(
            folder,
            f"session-{number}.jsonl",
            session(f"s{number}", "x", f"2026-01-{day}T00:00:00Z"),
        )
    found = list_sessions("gemini", env=env, current_id="s1")
    assert resume_numbers(found) == {"s1": 1, "s2": 2, "s0": 3}
    assert ids(found) == ["s0", "s2", "s1"]
    assert [info.is_current for info in found] == [False, False, True]
    assert ids(list_sessions("gemini", env=env, limit=2)) == ["s0", "s2"]


def test_absence_is_an_empty_list_and_an_error_only_on_demand(env, tmp_path):
    options = LoadOptions(env=env, strict=True)
    for tool in ("gemini", "claude", "codex", "qwen", "opencode", "copilot", "cursor"):
        assert load_messages_sync(tool, options=LoadOptions(env=env)) == []
        assert (
            load_messages_sync(tool, session_path=tmp_path / "no", options=LoadOptions(env=env))
            == []
        )
        assert list_sessions(tool, tmp_path, env=env) == []
        with pytest.raises(SessionNotFoundError, match="abc"):
            load_messages_sync(tool, "abc", options=options)
    with pytest.raises(ValueError, match="Unknown tool: vim"):
        load_messages_sync("vim")


def test_a_file_that_is_no_session_is_an_error_with_its_name(tmp_path):
    path = tmp_path / "s.json"
    path.write_bytes(b"\xff\xfe nonsense")
    with pytest.raises(SessionCorruptError, match=r"s\.json"):
        load_messages_sync("gemini", session_path=path)
    path.write_bytes(b"")
    assert load_messages_sync("gemini", session_path=path) == []
    path.write_text("{}")
    assert load_messages_sync("gemini", session_path=path) == []
    path.write_text(json.dumps({"messages": [{"id": "x" * 100}]}, indent=1))
    with pytest.raises(SessionTooLargeError, match="max_file_bytes"):
        load_messages_sync("gemini", session_path=path, options=LoadOptions(max_file_bytes=50))


def test_a_folder_in_place_of_a_file_is_an_error_not_a_traceback(tmp_path):
    with pytest.raises(SessionCorruptError):
        load_messages_sync("gemini", session_path=tmp_path)


def test_a_title_stops_where_the_product_added_the_files(env):
    text = "look at @a\n--- Content from referenced files ---\nContent from @a:\nsecret"
    put(chats(env, "app"), "session-1.jsonl", session("s", text, "2026-01-01T00:00:00Z"))
    assert [info.title for info in list_sessions("gemini", env=env)] == ["look at @a"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    "place",
    [
        ".gemini/tmp/app/chats/session-1.jsonl",
        ".gemini/tmp/app/.project_root",
        ".gemini/projects.json",
        ".claude/projects/-w/11111111-2222-4333-8444-555555555555.jsonl",
        ".codex/sessions/rollout-1-abc.jsonl",
        ".codex/session_index.jsonl",
        ".qwen/projects/-w/chats/a.jsonl",
        ".copilot/session-state/a/workspace.yaml",
        ".copilot/session-state/a.jsonl",
        ".cursor/projects/w/agent-transcripts/a.txt",
        ".local/share/opencode/storage/session/p/a.json",
        ".local/share/opencode/opencode.db",
    ],
)
def test_a_pipe_in_a_store_does_not_hang_a_list(env, tmp_path, place):
    path = Path(env["HOME"]) / place
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert list_sessions(env=env) == []
    assert list_sessions(project_path=tmp_path, env=env) == []
    for tool in ("gemini", "claude", "codex", "qwen", "copilot", "cursor", "opencode"):
        with contextlib.suppress(SessionCorruptError):
            assert load_messages_sync(tool, path.stem, options=LoadOptions(env=env)) == []
    with pytest.raises(SessionCorruptError, match="not a file"):
        load_messages_sync("claude", session_path=path)
