"""Where Codex's rollouts lie, the compressed ones too, and what the list tells of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.transcripts import (
    LoadOptions,
    SessionCorruptError,
    find_session,
    list_sessions,
    load_messages_sync,
    load_session,
)
from gemini_cli.transcripts.lines import zstd_module
from transcripts.reading import stores
from transcripts.reading.rollouts import CID, item, load, message, meta, saved, stored


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
