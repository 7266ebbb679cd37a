"""Sessions of OpenCode: a tree of files, and the databases that followed it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gemini_cli.transcripts import (
    LoadOptions,
    SessionCorruptError,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    list_sessions,
    load_messages_sync,
    parse_message,
)
from gemini_cli.transcripts.opencode.message import blocks_of
from transcripts.reading import stores
from transcripts.reading.told import PICTURE, at, load, said


def opencode_said():
    return [
        ("user", [TextBlock("Sum the numbers"), PICTURE, TextBlock("[file: n.txt]")]),
        (
            "assistant",
            [
                ThinkingBlock("adding"),
                ToolUseBlock(
                    "call_a",
                    "Edit",
                    {"file_path": "/n", "old_string": "1", "new_string": "2", "replace_all": True},
                ),
                ToolResultBlock("call_a", [TextBlock("ok"), PICTURE]),
                ToolUseBlock("call_b", "Bash", {"command": "false"}),
                ToolResultBlock("call_b", "exit 1", is_error=True),
                ToolUseBlock("call_c", "mydb_askQuestion", {"someKey": 1}),
                ToolUseBlock(
                    "prt_a", "Task", {"prompt": "go", "description": "d", "subagent_type": "build"}
                ),
                TextBlock("It is 3."),
            ],
        ),
        ("assistant", [TextBlock("APIError: overloaded")]),
    ]


def database(path: Path, tree: Path = stores.OPENCODE) -> Path:
    """The recorded tree of files as the database that replaced it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    link = sqlite3.connect(path)
    link.execute("PRAGMA journal_mode=WAL")
    link.execute(
        "CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT,"
        " title TEXT, time_created INTEGER, time_updated INTEGER, time_archived INTEGER)"
    )
    link.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
    link.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
    rows = [
        ("ses_1", None, "Sum it", 1772442060000, None),
        ("ses_2", "ses_1", "A sub-session", 1772442070000, None),
        ("ses_3", None, "Put away", 1772442080000, 1),
    ]
    for name, parent, title, updated, archived in rows:
        link.execute(
            "INSERT INTO session VALUES (?, 'p', ?, 's', '/work/app', ?, 1772442000000, ?, ?)",
            (name, parent, title, updated, archived),
        )
    for place in sorted((tree / "message" / "ses_1").iterdir()):
        info = json.loads(place.read_text())
        created = info["time"]["created"]
        name = info.pop("id")
        values = (name, "ses_1", created, json.dumps(info))
        link.execute("INSERT INTO message VALUES (?, ?, ?, ?)", values)
    for place in sorted((tree / "part").rglob("*.json")):
        part = json.loads(place.read_text())
        values = (part.pop("id"), place.parent.name, "ses_1", json.dumps(part))
        link.execute("INSERT INTO part VALUES (?, ?, ?, ?)", values)
    link.commit()
    link.close()
    return path


def test_an_opencode_tree_of_files_is_read(tmp_path):
    shown = load("opencode", stores.OPENCODE / "session" / "prj" / "ses_1.json")
    assert said(shown) == opencode_said()
    assert shown[1].usage == Usage(5, 6, 35, 9, 8, 7, None, "opencode")
    assert shown[1].usage.normalized() == (5, 8, 9, 6, 7)
    assert shown[0].model == "m1"
    env = stores.home(tmp_path)
    stores.copy_to(stores.OPENCODE, at(env, ".local/share/opencode/storage"))
    (info,) = list_sessions("opencode", "/work/app", env=env)
    assert (info.id, info.title, info.updated_at) == ("ses_1", "Sum it", 1772442060000)
    assert said(load_messages_sync("opencode", options=LoadOptions(env=env))) == opencode_said()


def test_an_opencode_database_is_read_and_left_as_it_was(tmp_path):
    env = {"HOME": "/nowhere", "XDG_DATA_HOME": str(tmp_path)}
    path = database(tmp_path / "opencode" / "opencode.db")
    before = path.read_bytes()
    options = LoadOptions(env=env)
    assert said(load_messages_sync("opencode", "ses_1", options=options)) == opencode_said()
    assert said(load("opencode", path)) == opencode_said()
    assert path.read_bytes() == before
    listed = [(i.id, i.parent_id) for i in list_sessions("opencode", env=env)]
    assert listed == [("ses_2", "ses_1"), ("ses_1", None)]
    every = list_sessions("opencode", env=env, include_archived=True)
    assert [i.id for i in every] == ["ses_3", "ses_2", "ses_1"]
    assert list_sessions("opencode", "/work/else", env=env) == []
    with pytest.raises(SessionCorruptError, match=r"opencode\.db"):
        path.write_bytes(b"this is no database at all, but long enough to look like one" * 20)
        load("opencode", path)
    assert list_sessions("opencode", env=env) == []


def test_a_column_a_database_computes_cannot_fill_the_memory(tmp_path):
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as link:
        link.execute("CREATE TABLE session(id, x AS (hex(zeroblob(200000000))))")
        link.execute("INSERT INTO session VALUES('ses_1')")
        link.commit()
    with pytest.raises(SessionCorruptError, match="too big"):
        load("opencode", path)


def test_an_opencode_database_that_is_being_written_is_read(tmp_path):
    path = database(tmp_path / "opencode.db")
    writer = sqlite3.connect(path)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO message VALUES ('x', 'ses_1', 1, '{}')")
    assert said(load("opencode", path)) == opencode_said()
    writer.rollback()
    writer.close()


def test_the_newer_opencode_table_counts_when_the_old_one_is_empty(tmp_path):
    path = tmp_path / "opencode.db"
    link = sqlite3.connect(path)
    link.execute("CREATE TABLE session (id TEXT, title TEXT, time_created INTEGER)")
    link.execute("INSERT INTO session VALUES ('s', 't', 1772442000000)")
    link.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
    link.execute(
        "CREATE TABLE session_message"
        " (id TEXT, session_id TEXT, type TEXT, time_created INTEGER, data TEXT)"
    )
    data = json.dumps({"parts": [{"type": "text", "text": "hi"}]})
    link.execute("INSERT INTO session_message VALUES ('m', 's', 'user', 1, ?)", (data,))
    link.execute("INSERT INTO session_message VALUES ('n', 's', 'assistant', 2, 'broken')")
    link.commit()
    link.close()
    assert said(load("opencode", path)) == [("user", [TextBlock("hi")]), ("assistant", "")]


def test_opencode_texts_nobody_typed_are_meta(tmp_path):
    info = {"id": "m", "role": "user"}
    parts = [{"type": "text", "text": "auto", "synthetic": True}]
    message = parse_message("opencode", {"info": info, "parts": parts})
    assert (message.is_meta, message.content) == (True, [TextBlock("auto")])
    step = {"type": "step-finish", "tokens": {"input": 1, "output": 2, "total": 9}}
    done = parse_message("opencode", {"info": {"role": "assistant"}, "parts": [step]})
    assert done.usage.total_tokens == 9


PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"


@pytest.mark.parametrize("failed", [False, True])
def test_an_opencode_patch_over_several_files_stays_one_call(tmp_path, failed):
    end = {"status": "error", "error": "no"} if failed else {"status": "completed", "output": "no"}
    state = {"input": {"patchText": PATCH}, **end}
    part = {"type": "tool", "callID": "c", "tool": "apply_patch", "state": state}
    calls = list(blocks_of(part))
    assert [block.type for block in calls] == ["tool_use", "tool_use", "tool_result", "tool_result"]
    assert [(c.id, c.name) for c in calls[:2]] == [("c", "Write"), ("c:1", "Bash")]
    assert calls[2:] == [ToolResultBlock("c", "no", failed), ToolResultBlock("c:1", "no", failed)]
