"""The public door: what it exports, what it costs, and the seam for other tools."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import gemini_cli.transcripts as door
from gemini_cli.transcripts import (
    ExecuteOptions,
    Found,
    LoadOptions,
    SessionInfo,
    TextBlock,
    UnifiedMessage,
    UnknownToolError,
    codex,
    gemini,
    list_sessions,
    load_messages_sync,
    parse_message,
    register_tool,
    tool_names,
    unregister_tool,
)
from gemini_cli.transcripts.claude.types import ClaudeLine
from gemini_cli.transcripts.codex.types import RolloutLine
from gemini_cli.transcripts.copilot.types import Event
from gemini_cli.transcripts.cursor.types import CursorLine
from gemini_cli.transcripts.gemini.types import MessageRecord
from gemini_cli.transcripts.opencode.types import MessageData, PartData
from gemini_cli.transcripts.qwen.types import QwenLine
from transcripts.reading import stores


def test_everything_promised_can_be_had():
    for name in door.__all__:
        assert getattr(door, name) is not None
    assert set(door.__all__) <= set(dir(door))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = door.no_such_name


def test_importing_the_door_loads_no_reader_and_no_event_loop():
    code = (
        "import sys, gemini_cli.transcripts\n"
        "heavy = {'asyncio', 'msgspec', 'sqlite3', 'json', 'gemini_cli.transcripts.load'}\n"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_reading_without_await_loads_no_event_loop():
    code = (
        "import sys\n"
        "from gemini_cli.transcripts import list_sessions, load_messages_sync\n"
        "load_messages_sync('claude', session_path='/nowhere')\n"
        "list_sessions('codex', env={'HOME': '/nowhere'})\n"
        "sys.exit('asyncio' if 'asyncio' in sys.modules else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_reading_one_tool_loads_no_other():
    code = (
        "import sys\n"
        "from gemini_cli.transcripts import load_messages_sync\n"
        "load_messages_sync('cursor', session_path='/nowhere')\n"
        "others = [m for m in sys.modules if m.endswith(('opencode.load', 'copilot.load'))]\n"
        "sys.exit(str(others) if others or 'sqlite3' in sys.modules else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


class EchoLoader:
    """A tool of the caller's own: one session with one message."""

    def find(self, query, env):
        return None if query.session_id == "gone" else Found(Path("/echo"), "e1")

    def iter_messages(self, found, options, report):
        text = TextBlock(options.compat or "hello")
        yield UnifiedMessage(id="1", role="user", content=[text], timestamp=1, tool="echo")

    def list_sessions(self, query, env):
        yield SessionInfo(tool="echo", id="e1", path="/echo", title=env.get("NAME", ""))


@pytest.fixture
def echo():
    register_tool("echo", EchoLoader())
    yield
    unregister_tool("echo")


def test_a_registered_tool_is_loaded_and_listed_like_the_others(echo, tmp_path):
    assert "echo" in tool_names()
    assert load_messages_sync("echo")[0].content == [TextBlock("hello")]
    assert load_messages_sync("echo", "gone") == []
    options = LoadOptions(compat="sdk")
    assert load_messages_sync("echo", options=options)[0].content == [TextBlock("sdk")]
    env = {"HOME": str(tmp_path), "NAME": "mine"}
    assert [i.title for i in list_sessions(env=env)] == ["mine"]
    with pytest.raises(UnknownToolError):
        parse_message("echo", {})


def test_a_tool_without_a_loader_adds_nothing_to_a_list(tmp_path):
    register_tool("runner", executor=lambda options: None)
    try:
        assert list_sessions("runner", env={"HOME": str(tmp_path)}) == []
        with pytest.raises(ValueError, match="Unknown tool: runner"):
            load_messages_sync("runner")
    finally:
        unregister_tool("runner")


@pytest.mark.parametrize("tool", ["vim", "", None, 7])
def test_an_unknown_tool_is_a_value_error(tool):
    for function in (load_messages_sync, list_sessions if tool is not None else load_messages_sync):
        with pytest.raises(ValueError, match=f"Unknown tool: {tool}"):
            function(tool)
    with pytest.raises(UnknownToolError):
        parse_message(tool, {})


def test_one_record_of_each_tool_can_be_parsed_alone():
    gemini = {"id": "g", "type": "user", "content": [{"functionResponse": {"id": "c"}}]}
    assert parse_message("gemini", gemini) is None
    assert parse_message("codex", {"type": "turn_context", "payload": {}}) is None
    assert (
        parse_message("copilot", {"type": "user.message", "data": {"content": "x"}}).role == "user"
    )
    assert parse_message("copilot", {"type": "other"}) is None
    assert parse_message(
        "qwen", {"type": "user", "message": {"parts": [{"text": "x"}]}}
    ).content == [TextBlock("x")]


def test_a_tools_own_package_offers_its_functions(tmp_path):
    messages = gemini.load_session_sync(session_path=stores.GEMINI_OLD)
    assert messages == load_messages_sync("gemini", session_path=stores.GEMINI_OLD)
    assert gemini.parse(messages[0].original).content == messages[0].content
    assert gemini.list_sessions(env=stores.home(tmp_path)) == []


@pytest.mark.parametrize("tool", [name for name in tool_names() if name != "echo"])
def test_a_tools_package_can_be_used_without_importing_its_modules(tool):
    code = (
        "import sys, types, gemini_cli.transcripts as t\n"
        f"own = t.{tool}\n"
        "for name in ('load_session', 'execute', 'detect_cli', 'stream', 'parse'):\n"
        "    assert callable(getattr(own, name)), name\n"
        "assert isinstance(own.types, types.ModuleType)\n"
        "heavy = {'asyncio', 'msgspec', 'sqlite3', f'{own.__name__}.load'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


RECORDS = {
    "claude": {"type": "user", "message": {"role": "user", "content": "hello"}},
    "codex": {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "hello"}],
        },
    },
    "copilot": {"type": "user.message", "data": {"content": "hello"}},
    "cursor": {"role": "user", "message": {"content": [{"type": "text", "text": "hello"}]}},
    "gemini": {"id": "1", "type": "user", "content": "hello"},
    "opencode": {"info": {"role": "user"}, "parts": [{"type": "text", "text": "hello"}]},
    "qwen": {"type": "user", "message": {"parts": [{"text": "hello"}]}},
}


@pytest.mark.parametrize("tool", sorted(RECORDS))
def test_a_tools_parse_stays_a_function_whatever_was_loaded_before(tool):
    load_messages_sync(tool, session_path="/nowhere")
    message = getattr(door, tool).parse(RECORDS[tool])
    assert (message.role, message.content) == ("user", [TextBlock("hello")])
    assert message.tool == tool


async def test_a_tools_execute_runs_that_tool_whichever_the_options_name(tmp_path):
    cli = tmp_path / "codex"
    cli.write_text("#!/bin/sh\nexit 3\n")
    cli.chmod(0o755)
    options = ExecuteOptions(tool="claude", prompt="x", cli_path=str(cli), env={"PATH": "/bin"})
    result = await codex.execute(options)
    assert (result.exit_code, result.success) == (3, False)
    async with codex.stream(options) as messages:
        assert [message async for message in messages] == []
    assert messages.result.exit_code == 3


def objects_in(folder):
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]


@pytest.mark.parametrize(
    ("shape", "records"),
    [
        (ClaudeLine, [r for r in stores.records_of(stores.CLAUDE) if r["type"] == "user"]),
        (RolloutLine, stores.records_of(stores.CODEX)),
        (MessageRecord, [r for r in stores.records_of(stores.GEMINI_LOG) if "id" in r]),
        (QwenLine, stores.records_of(stores.QWEN)),
        (Event, stores.records_of(stores.COPILOT / "events.jsonl")),
        (CursorLine, stores.records_of(stores.CURSOR)),
        (MessageData, objects_in(stores.OPENCODE / "message")),
        (PartData, objects_in(stores.OPENCODE / "part")),
    ],
)
def test_the_described_shapes_know_every_key_of_the_recordings(shape, records):
    known = set(shape.__annotations__)
    extra = {"userType", "version"}
    assert {key for record in records for key in record} <= known | extra
