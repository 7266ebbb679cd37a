"""Searching all sessions, and an index that keeps up by itself."""

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from gemini_cli.protocol.errors import UsageError
from gemini_cli.transcripts.archive import (
    Filters,
    collect,
    default_folder,
    find,
    matching_sessions,
    open_index,
    recent_sessions,
    search_sessions,
)
from gemini_cli.transcripts.archive.query import expression
from gemini_cli.transcripts.errors import UnknownToolError
from gemini_cli.transcripts.model import SessionInfo
from gemini_cli.transcripts.registry import register_tool, unregister_tool
from transcripts_archive.stores import (
    CLAUDE_2,
    CODEX_1,
    claude,
    codex,
    copilot,
    everything,
    gemini,
    qwen,
)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return everything(tmp_path)


def found(env: dict[str, str], text: str, **filters: object) -> list[tuple[str, str]]:
    result = search_sessions(text, Filters(**filters), env=env)  # type: ignore[arg-type]
    assert result.notices == ()
    return [(hit.tool, hit.message_id) for hit in result.hits]


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("zeppelin", ["codex"]),
        ("grosse", []),
        ("große", ["gemini"]),
        ("größe", ["gemini"]),
        ("GROSSE OR Grö*", ["gemini"]),
        ("rename widget", ["claude"]),
        ('"widget rename"', []),
        ('"rename the widget"', ["claude"]),
        ("umlauts -lexer", []),
        ("zep*", ["codex"]),
        ("separator", ["gemini"]),
        ("bisect", ["gemini"]),
        ('fix "unclosed', []),
        ("w.py", ["claude"]),
        ("' OR 1=1 --", []),
        ("NEAR(a b) {said} : x* AND", []),
    ],
)
def test_the_language_of_searches(env: dict[str, str], text: str, tools: list[str]) -> None:
    assert [tool for tool, _ in found(env, text)] == tools


def test_parts_of_sentences_without_spaces_are_found(tmp_path: Path, env: dict[str, str]) -> None:
    gemini(tmp_path, "cjk-0001", "解析器のバグをfixして下さい", project="/p/cjk")
    for text in ("バグ", "解析器", "析器の", "fixして", "を fix"):
        result = search_sessions(text, env=env)
        assert [hit.session_id for hit in result.hits] == ["cjk-0001"], text
        assert result.hits[0].plain_snippet == "解析器のバグをfixして下さい"
    assert found(env, "器析") == []


def test_filters_narrow_the_search(env: dict[str, str]) -> None:
    words = "fix OR rename OR explain OR lexer OR renaming OR floats"
    assert len(found(env, words)) == 6
    assert sorted(found(env, words, tools=("gemini",))) == [("gemini", "g1"), ("gemini", "u1")]
    assert [tool for tool, _ in found(env, words, project="/home/ada/beta")] == ["claude"] * 2
    assert len(found(env, words, project="/home/ada")) == 6
    assert found(env, words, project="/home/ad") == []
    assert len(found(env, words, role="user")) == 3
    day = 1761782400000  # 2025-10-30T00:00Z
    assert {tool for tool, _ in found(env, words, since=day)} == {"claude", "codex"}
    assert {tool for tool, _ in found(env, words, until=day)} == {"gemini"}
    assert found(env, "separator", role="tool") == [("gemini", "g1")]
    assert found(env, "separator", role="assistant") == [("gemini", "g1")]
    assert found(env, "bisect", role="tool") == []
    assert found(env, "bisect", role="thinking") == [("gemini", "g1")]


def test_a_hit_says_where_it_is_and_shows_the_words(env: dict[str, str]) -> None:
    hit = search_sessions("umlauts", env=env).hits[0]
    assert (hit.tool, hit.session_id, hit.project) == ("gemini", "gem-0001-abcd", "/home/ada/alpha")
    assert hit.title == "Please fix the Größe parser"
    assert "\x02umlauts\x03" in hit.snippet
    assert hit.plain_snippet == "The lexer drops umlauts."
    assert Path(hit.path).is_file()


def test_newest_first_when_that_is_wanted(env: dict[str, str]) -> None:
    words = "the OR it"
    result = search_sessions(words, env=env, sort="newest", limit=2)
    assert [hit.tool for hit in result.hits] == ["codex", "codex"]


def test_changed_new_and_deleted_sessions_are_noticed(tmp_path: Path, env: dict[str, str]) -> None:
    assert found(env, "gondola") == []
    path = gemini(tmp_path, prompt="A gondola instead of the old words")
    claude(tmp_path, CLAUDE_2, prompt="Another gondola", message_id="msg_2")
    assert sorted(tool for tool, _ in found(env, "gondola")) == ["claude", "gemini"]
    assert found(env, "Größe") == []
    path.unlink()
    assert [tool for tool, _ in found(env, "gondola")] == ["claude"]


def test_an_update_reads_only_what_changed(tmp_path: Path, env: dict[str, str]) -> None:
    with open_index(env=env) as index:
        first = index.update()
        assert (first.read, first.unchanged, first.removed, first.failed) == (3, 0, 0, 0)
        second = index.update()
        assert (second.read, second.unchanged) == (0, 3)
        gemini(tmp_path, prompt="changed")
        third = index.update(("gemini",))
        assert (third.read, third.unchanged) == (1, 0)


def test_an_archived_copy_is_not_a_second_session(tmp_path: Path, env: dict[str, str]) -> None:
    codex(tmp_path, CODEX_1, "archived_sessions")
    assert len(found(env, "zeppelin")) == 1


def test_the_index_is_for_its_owner_only(env: dict[str, str]) -> None:
    search_sessions("x", env=env)
    folder = default_folder(env)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_folder_of_the_caller_keeps_its_rights(tmp_path: Path, env: dict[str, str]) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    shared.chmod(0o755)
    search_sessions("x", env=env, folder=shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in shared.iterdir()} == {0o600}


def test_a_named_pipe_in_a_store_does_not_hang_the_search(
    tmp_path: Path, env: dict[str, str]
) -> None:
    for folder in (".gemini/tmp/alpha/chats", ".claude/projects/-home-ada-beta"):
        os.mkfifo(tmp_path / folder / f"{CLAUDE_2}.jsonl")
    assert len(found(env, "zeppelin")) == 1
    assert len(recent_sessions(9, env=env)) == 3


def test_a_huge_limit_is_no_error(env: dict[str, str]) -> None:
    assert len(search_sessions("zeppelin", env=env, limit=10**6).hits) == 1


def index_file(env: dict[str, str]) -> Path:
    return next(default_folder(env).glob("*.sqlite"))


@pytest.mark.parametrize(
    "damage", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_broken_index_is_built_anew(env: dict[str, str], damage: bytes) -> None:
    found(env, "zeppelin")
    file = index_file(env)
    for side in ("-wal", "-shm"):
        file.with_name(file.name + side).unlink(missing_ok=True)
    file.write_bytes(damage)
    result = search_sessions("zeppelin", env=env)
    assert len(result.hits) == 1
    assert bool(result.notices) is bool(damage)
    assert found(env, "zeppelin")


def test_an_index_that_breaks_in_the_middle_is_built_anew(env: dict[str, str]) -> None:
    found(env, "zeppelin")
    file = index_file(env)
    data = bytearray(file.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 200] = b"\xff" * 200
    file.write_bytes(data)
    result = search_sessions("zeppelin", env=env)
    assert len(result.hits) == 1
    assert "built anew" in result.notices[0]


def spoil(file: Path) -> None:
    """Overwrites everything behind the first pages, which a connection has read already."""
    with sqlite3.connect(file) as link:
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    link.close()
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)


def test_an_index_that_breaks_while_it_is_open_is_built_anew(env: dict[str, str]) -> None:
    found(env, "zeppelin")
    for act in ("search", "update"):
        with open_index(env=env) as index:
            spoil(index_file(env))
            if act == "update":
                index.update()
            assert len(find(index, "zeppelin", Filters())) == 1
            assert [notice[:31] for notice in index.notices] == ["The search index was built anew"]
    assert len(found(env, "zeppelin")) == 1


def test_sums_survive_an_index_that_breaks(env: dict[str, str]) -> None:
    with open_index(env=env) as index:
        index.update()
        spoil(index_file(env))
        index.rebuild(ValueError("x"))
        index.update()
        assert collect(index, (), Filters()).total.sessions == 3


def test_every_tool_s_sessions_are_searched(tmp_path: Path, env: dict[str, str]) -> None:
    copilot(tmp_path)
    qwen(tmp_path)
    hits = search_sessions("quokka OR abacus", env=env).hits
    assert {(hit.tool, hit.project) for hit in hits} == {
        ("copilot", "/home/ada/delta"),
        ("qwen", "/home/ada/eps"),
    }
    with open_index(env=env) as index:
        assert index.update().read == 0
    assert {info.tool for info in recent_sessions(9, env=env)} == {
        "gemini",
        "claude",
        "codex",
        "copilot",
        "qwen",
    }
    assert [info.tool for info in matching_sessions("cop-", env=env)] == ["copilot"]


def test_a_store_that_fails_does_not_hide_the_others(env: dict[str, str]) -> None:
    class Broken:
        def find(self, query: object, env: object) -> None:
            return None

        def iter_messages(self, found: object, options: object, report: object) -> Any:
            raise OSError("unreadable")

        def list_sessions(self, query: object, env: object) -> Any:
            yield SessionInfo(tool="goose", id="g", path="/g", title="honk")
            raise OSError("disk on fire")

    register_tool("goose", loader=Broken())
    try:
        result = search_sessions("zeppelin", env=env)
        assert [hit.tool for hit in result.hits] == ["codex"]
        assert result.notices == ("The sessions of goose could not be read: disk on fire.",)
        assert len(recent_sessions(9, env=env)) == 4
    finally:
        unregister_tool("goose")


def test_an_index_of_another_layout_is_replaced(env: dict[str, str]) -> None:
    found(env, "zeppelin")
    with sqlite3.connect(index_file(env)) as link:
        link.execute("UPDATE meta SET value = 'older'")
    link.close()
    result = search_sessions("zeppelin", env=env)
    assert len(result.hits) == 1
    assert "older" in result.notices[0]
    with sqlite3.connect(index_file(env)) as link:
        link.execute("DROP TABLE meta")
    link.close()
    assert len(search_sessions("zeppelin", env=env).hits) == 1


def test_a_locked_index_answers_with_what_it_has(tmp_path: Path, env: dict[str, str]) -> None:
    found(env, "zeppelin")
    claude(tmp_path, CLAUDE_2, prompt="zeppelin too", message_id="msg_2")
    other = sqlite3.connect(index_file(env), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        result = search_sessions("zeppelin", env=env)
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert [hit.tool for hit in result.hits] == ["codex"]
    assert "not brought up to date" in result.notices[0]
    assert len(found(env, "zeppelin")) == 2


def test_an_index_that_cannot_be_written_still_spares_reading_everything(
    tmp_path: Path, env: dict[str, str]
) -> None:
    found(env, "zeppelin")
    file = index_file(env)
    holder = sqlite3.connect(file)
    holder.execute("PRAGMA journal_mode=DELETE")
    before = file.read_bytes()
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with open_index(env=env) as index:
            assert "the index is not kept" in index.notices[0]
            assert (index.update().read, index.update().unchanged) == (0, 3)
            gemini(tmp_path, prompt="A gondola")
            assert index.update().read == 1
            assert len(find(index, "gondola", Filters())) == 1
    finally:
        holder.close()
    assert file.read_bytes() == before


def test_a_folder_that_cannot_be_used_does_not_prevent_searching(
    tmp_path: Path, env: dict[str, str]
) -> None:
    (tmp_path / "file").write_text("")
    result = search_sessions("zeppelin", env=env, folder=tmp_path / "file" / "below")
    assert len(result.hits) == 1
    assert "the index is not kept" in result.notices[0]


def test_a_session_that_cannot_be_read_does_not_hide_the_others(
    tmp_path: Path, env: dict[str, str]
) -> None:
    (tmp_path / ".codex/sessions/2025/11/01/rollout-x.jsonl.zst").write_bytes(b"junk")
    (tmp_path / ".claude/projects/-home-ada-beta" / f"{CLAUDE_2}.jsonl").write_bytes(b"\xff\xfe{")
    broken = tmp_path / ".gemini/tmp/alpha/chats/session-2025-10-29T10-00-ffffffff.jsonl"
    broken.write_text("[" * 100_000)
    assert len(found(env, "zeppelin OR renaming OR lexer")) == 3


def test_lone_surrogates_and_nul_in_a_session_are_survived(
    tmp_path: Path, env: dict[str, str]
) -> None:
    gemini(tmp_path, "odd-0001", prompt="odd \ud83d prompt\0word", project="/home/ada/odd")
    assert [tool for tool, _ in found(env, "odd prompt")] == ["gemini"]


@pytest.mark.parametrize("text", ["", "  ", '""', "-only", "OR", "***", "\0", "---"])
def test_a_search_without_a_word_is_refused(env: dict[str, str], text: str) -> None:
    with pytest.raises(UsageError, match="no word"):
        search_sessions(text, env=env)


def test_an_unknown_tool_is_refused(env: dict[str, str]) -> None:
    with pytest.raises(UnknownToolError):
        search_sessions("x", Filters(tools=("vim",)), env=env)


def test_no_input_is_an_error_of_the_query_language(tmp_path: Path) -> None:
    link = sqlite3.connect(":memory:")
    link.execute("CREATE VIRTUAL TABLE words USING fts5(said, thought, tools)")
    for text in (
        'a "b',
        "a*b*",
        "a -b OR -c",
        "(x)",
        "a:b",
        'x"y"z',
        "^a",
        "a+b",
        "é\ud800",
        "a^2",
    ):
        for column in (None, "said"):
            question = expression(text, column)
            asked = link.execute("SELECT 1 FROM words WHERE words MATCH ?", (question,))
            assert asked.fetchall() == []
    link.close()
