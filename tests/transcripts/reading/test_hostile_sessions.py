"""Sessions and stores made to stall or break whoever reads them."""

import json
import os
import random
import signal
import sqlite3
from contextlib import closing, contextmanager

import pytest

from gemini_cli.transcripts import (
    LoadOptions,
    SessionCorruptError,
    TextBlock,
    ToolResultBlock,
    dumps,
    list_sessions,
    load_messages_sync,
    parse_message,
)
from gemini_cli.transcripts.tags import tagged, without_tagged
from transcripts.reading import stores

TOOLS = ("claude", "codex", "gemini", "cursor", "qwen", "opencode", "copilot")
MANY = 40_000  # takes a blink in a straight walk, and minutes to hours in a square one


@contextmanager
def in_reasonable_time(seconds=60):
    """Ends what would not end by itself; far above what a slow machine takes."""

    def give_up(*_):
        raise AssertionError(f"still at work after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


needs_alarm = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no SIGALRM here")


def codex_call(command):
    args = json.dumps({"command": ["bash", "-lc", command]})
    payload = {"type": "function_call", "name": "shell", "call_id": "c", "arguments": args}
    return parse_message("codex", {"type": "response_item", "payload": payload})


def gemini_shell(output, **options):
    answer = {"functionResponse": {"id": "c", "name": "x", "response": {"output": output}}}
    call = {"id": "c", "name": "run_shell_command", "status": "success", "result": [answer]}
    record = {"id": "g", "type": "gemini", "content": "", "toolCalls": [call]}
    return parse_message("gemini", record, LoadOptions(**options)).content[1]


def typed(text):
    record = {"type": "user", "uuid": "u", "message": {"role": "user", "content": text}}
    return parse_message("claude", record).content


@needs_alarm
def test_a_patch_command_of_blank_lines_does_not_stall_the_reader():
    command = "apply_patch <<EOF\n" + "\n" * MANY + "x"
    with in_reasonable_time():
        assert codex_call(command).content[0].input == {"command": command}


@needs_alarm
@pytest.mark.parametrize("tag", ["command-name", "command-args"])
def test_tags_that_nothing_closes_do_not_stall_the_reader(tag):
    text = "<command-name>" + f"<{tag}>" * MANY
    with in_reasonable_time():
        assert typed(text) == [TextBlock(text)]


@needs_alarm
@pytest.mark.parametrize("tag", ["user_query", "timestamp"])
def test_cursor_tags_that_nothing_closes_do_not_stall_the_reader(tag):
    text = f"<{tag}>" * MANY
    with in_reasonable_time():
        message = parse_message("cursor", {"role": "user", "message": {"content": text}})
    assert message.content == [TextBlock(text)]


@needs_alarm
def test_a_prompt_of_blanks_or_open_tags_does_not_stall_a_list(tmp_path):
    env = stores.home(tmp_path)
    for number, text in enumerate(["a" + " " * MANY + "b", "<ide_selection>" * MANY]):
        name = f"1111111{number}-1111-4111-8111-111111111111.jsonl"
        line = {"type": "user", "uuid": "u", "message": {"role": "user", "content": text}}
        stores.write_lines(tmp_path / "home" / ".claude" / "projects" / "-a" / name, [line])
    with in_reasonable_time():
        assert {i.title for i in list_sessions("claude", env=env)} >= {"a b"}


@needs_alarm
def test_blank_lines_in_a_shells_output_do_not_stall_the_reader():
    with in_reasonable_time():
        assert not gemini_shell("\n" * MANY, shell_exit_is_error=True).is_error


def test_tagged_passages_are_found_once_and_never_inside_each_other():
    text = "x<a>1</a><b>2<a>3</a></b><a>4<b>5</a>6"
    found = [(t.name, t.inner, text[t.start : t.end]) for t in tagged(text, "a", "b")]
    assert found == [
        ("a", "1", "<a>1</a>"),
        ("b", "2<a>3</a>", "<b>2<a>3</a></b>"),
        ("a", "4<b>5", "<a>4<b>5</a>"),
    ]
    assert without_tagged(text, "a", "b", filler="-") == "x---6"


@pytest.mark.parametrize("code", ["9" * 5000, "-" + "1" * 5000, "0" * 5000, "-0"])
def test_an_exit_code_of_any_length_is_read(code):
    output = f"Exit code: {code}\nOutput:\nx"
    payload = {"type": "function_call_output", "call_id": "c", "output": output}
    (result,) = parse_message("codex", {"type": "response_item", "payload": payload}).content
    failed = code.strip("-0") != ""
    assert result == ToolResultBlock("c", "x", failed)
    shell = gemini_shell(f"x\nExit Code: {code}", shell_exit_is_error=True)
    assert shell.is_error is failed


def test_what_a_command_printed_is_not_taken_for_its_exit_code():
    printed = "Output: Exit Code: 3\nExit Code: 3\nError: (none)\nExit Code: 0\nSignal: (none)"
    assert not gemini_shell(printed, shell_exit_is_error=True).is_error


@pytest.mark.parametrize("depth", [900, 960, 975, 980, 985, 990, 995, 1100])
def test_a_result_nested_to_the_limit_is_read_or_a_bad_line(tmp_path, depth):
    deep = '{"a":' * depth + "1" + "}" * depth
    line = (
        '{"type":"response_item","payload":{"type":"function_call_output","call_id":"c",'
        f'"output":{deep}}}}}'
    )
    path = stores.write_lines(tmp_path / "s.jsonl", [line, {"type": "x"}])
    for message in load_messages_sync("codex", session_path=path):
        assert message.content[0].tool_use_id == "c"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("place", ["a\0b", "\ud83d", "x" * 5000, "/" + "y/" * 3000])
def test_a_path_no_file_system_has_is_an_absent_session(tool, place, tmp_path):
    env = stores.home(tmp_path)
    options = LoadOptions(env=env)
    assert load_messages_sync(tool, project_path=place, options=options) == []
    assert load_messages_sync(tool, "abcdefgh-1", project_path=place, options=options) == []
    assert load_messages_sync(tool, session_path=place, options=options) == []
    assert list_sessions(tool, place, env=env) == []


@pytest.mark.parametrize("marker", ["gitdir: a\0b", "gitdir: loop", "gitdir:", "\0", "gitdir: x"])
def test_a_git_marker_made_by_a_stranger_does_not_break_the_search(marker, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / ".git").write_text(marker)
    (project / "loop").symlink_to("loop")
    options = LoadOptions(env=stores.home(tmp_path))
    assert load_messages_sync("claude", "abcdefgh-1", project_path=project, options=options) == []


@pytest.mark.parametrize("tool", ["codex", "copilot", "cursor"])
def test_an_entry_that_may_not_be_looked_at_hides_no_other(tool, tmp_path):
    env = stores.home(tmp_path)
    folder, name = {
        "codex": (".codex/sessions/2026/03/02", stores.CODEX.name),
        "copilot": (".copilot/session-state", "4.jsonl"),
        "cursor": (".cursor/projects/app/agent-transcripts", "5.jsonl"),
    }[tool]
    stores.copy_to(stores.FILES[tool], tmp_path / "home" / folder / name)
    options = LoadOptions(env=env)
    expected = load_messages_sync(tool, options=options)
    assert expected
    entry = tmp_path / "home" / folder / "zz"
    os.symlink("n" * 300, entry)  # looking at it is an error, as for a folder closed to us
    assert load_messages_sync(tool, options=options) == expected
    assert len(list_sessions(tool, env=env)) == 1


def opencode_database(path, *, without=()):
    tables = {
        "session": {"id": "ses_1", "title": "T", "directory": "/a", "time_created": 1},
        "message": {
            "id": "m",
            "session_id": "ses_1",
            "time_created": 1,
            "data": json.dumps({"role": "assistant"}),
        },
        "part": {"id": "p", "message_id": "m", "data": json.dumps({"type": "text", "text": "x"})},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as link:
        for table, row in tables.items():
            kept = {key: value for key, value in row.items() if (table, key) not in without}
            link.execute(f"CREATE TABLE {table} ({', '.join(kept)})")
            link.execute(
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(kept))})", [*kept.values()]
            )
        link.commit()
    return path


def test_an_opencode_database_without_its_data_columns_is_read_as_empty_messages(tmp_path):
    path = opencode_database(tmp_path / "opencode.db", without={("message", "data")})
    (message,) = load_messages_sync("opencode", "ses_1", session_path=path)
    assert message.content == [TextBlock("x")]
    path = opencode_database(tmp_path / "other.db", without={("part", "data")})
    assert [m.content for m in load_messages_sync("opencode", "ses_1", session_path=path)] == [""]


def test_a_broken_opencode_database_is_an_error_and_hides_no_other_tool(tmp_path):
    env = stores.home(tmp_path)
    home = tmp_path / "home"
    stores.copy_to(stores.CODEX, home / ".codex/sessions/2026/03/02" / stores.CODEX.name)
    path = opencode_database(home / ".local/share/opencode/opencode.db")
    whole = path.read_bytes()
    damaged = [whole.replace(b"directory", b"direct\xd8ry"), whole.replace(b"TABLE", b"\xc3ABLE")]
    noise = random.Random(5)
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(noise.choice((1, 5, 50))):
            data[noise.randrange(len(data))] = noise.randrange(256)
        damaged.append(bytes(data))
    for data in damaged:
        path.write_bytes(data)
        assert "codex" in {info.tool for info in list_sessions(env=env)}
        try:
            messages = load_messages_sync("opencode", "ses_1", session_path=path)
        except SessionCorruptError as error:
            assert str(path) in str(error)
        else:
            assert all(dumps(message) for message in messages)


@needs_alarm
def test_a_log_of_rewinds_is_replayed_in_one_walk(tmp_path):
    head = {"sessionId": "s", "projectHash": "h"}
    said = [{"id": f"m{n}", "type": "user", "content": "x"} for n in range(MANY)]
    back = [{"$rewindTo": f"m{n}"} for n in range(MANY - 1, 0, -1)]
    path = stores.write_lines(tmp_path / "s.jsonl", [head, *said, *back])
    with in_reasonable_time():
        assert [m.id for m in load_messages_sync("gemini", session_path=path)] == ["m0"]


@needs_alarm
def test_a_rollout_of_rollbacks_is_read_in_one_walk(tmp_path):
    def event(number):
        said = {"type": "message", "role": "user", "content": f"x{number}"}
        return {"type": "response_item", "payload": said}

    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    said = [event(n) for n in range(MANY)]
    path = stores.write_lines(tmp_path / "s.jsonl", [*said, *[back] * (MANY - 1)])
    with in_reasonable_time():
        messages = load_messages_sync("codex", session_path=path)
    assert [m.content for m in messages] == [[TextBlock("x0")]]


@pytest.mark.parametrize("images", ["drop", "ref"])
def test_an_empty_picture_does_not_change_every_empty_text_of_the_record(tmp_path, images):
    image = {"type": "image", "source": {"type": "base64", "data": "", "media_type": "image/png"}}
    content = [image, {"type": "text", "text": "x"}]
    record = {"type": "user", "uuid": "u", "cwd": "", "message": {"content": content}}
    path = stores.write_lines(tmp_path / "s.jsonl", [record])
    options = LoadOptions(images=images)
    (message,) = load_messages_sync("claude", session_path=path, options=options)
    assert message.original == record
    assert message.content[-1] == TextBlock("x")
    assert len(message.content) == (1 if images == "drop" else 2)


@needs_alarm
def test_a_list_of_messages_is_decoded_once_however_others_come_in_between(tmp_path):
    head = {"sessionId": "s", "projectHash": "h"}
    said = [{"id": f"m{n}", "type": "user", "content": "x" * 400} for n in range(MANY // 4)]
    path = stores.write_lines(
        tmp_path / "s.jsonl", [head, {"$set": {"messages": said}}, *said[::2]]
    )
    with in_reasonable_time():
        messages = load_messages_sync("gemini", session_path=path)
    assert [m.id for m in messages] == [m["id"] for m in said]


@needs_alarm
def test_thousands_of_responses_find_their_calls_in_one_walk(tmp_path):
    calls = [{"id": f"c{n}", "name": "q", "status": "executing"} for n in range(MANY // 2)]
    answers = [
        {"functionResponse": {"id": call["id"], "name": "q", "response": {"output": call["id"]}}}
        for call in calls
    ]
    head = {"sessionId": "s", "projectHash": "h"}
    asked = {"id": "g", "type": "gemini", "content": "", "toolCalls": calls}
    told = {"id": "r", "type": "user", "content": answers}
    gemini = stores.write_lines(tmp_path / "s.jsonl", [head, asked, told])
    record = {"type": "tool_result", "uuid": "u", "message": {"parts": answers}}
    with in_reasonable_time():
        (message,) = load_messages_sync("gemini", session_path=gemini)
        results = [b for b in message.content if isinstance(b, ToolResultBlock)]
        assert all(result.tool_use_id == result.content for result in results)
        assert len(results) == len(calls)
        assert parse_message("qwen", record).content == results


@needs_alarm
def test_silent_lines_at_the_end_of_a_long_chain_are_walked_once(tmp_path):
    def line(number, parent, kind="progress"):
        told = {"role": "user", "content": "x"}
        return {"type": kind, "uuid": f"u{number}", "parentUuid": parent, "message": told}

    half = MANY // 2
    chain = [line(n, f"u{n - 1}" if n else None, "progress" if n else "user") for n in range(half)]
    ends = [line(n, f"u{half - 1}") for n in range(half, MANY)]
    path = stores.write_lines(tmp_path / "s.jsonl", [*chain, *ends])
    with in_reasonable_time():
        assert [m.id for m in load_messages_sync("claude", session_path=path)] == ["u0"]
