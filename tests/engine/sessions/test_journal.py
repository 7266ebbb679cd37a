"""What is said is on disk at once, in the form other programs read, and nothing is ever lost."""

import fcntl
import json
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from engine.sessions.story import ID, Story
from gemini_cli.engine.sessions import messages_of
from gemini_cli.ground.formats.session_file import replay
from gemini_cli.protocol.display import PlainText
from gemini_cli.protocol.events import (
    End,
    Failed,
    HistoryReplaced,
    MessageAdded,
    MetaChanged,
    Notice,
    Problem,
    RolledBack,
    SessionOpened,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from gemini_cli.protocol.messages import Call, Message, Reply, Text, calls_of, replies_of, text_of
from gemini_cli.protocol.mode import Mode


def lines(story: Story) -> list[dict]:
    return [json.loads(line) for line in Path(story.journal.path(ID)).read_text().splitlines()]


def remaining(story: Story) -> list[dict]:
    return replay(iter(lines(story)))[1]


def test_nothing_is_written_before_a_person_speaks(story: Story, chats: Path):
    story.open()
    story.context()
    story.tell(Notice("info", "Welcome"))
    story.tell(MetaChanged({"summary": "x"}))
    assert story.journal.path(ID) == "" and not chats.exists()
    story.prompt("hi")
    assert Path(story.journal.path(ID)).name == "session-2026-01-02T03-04-1b4e28ba.jsonl"


def test_the_file_and_its_folders_are_for_the_owner_only(story: Story, chats: Path):
    story.open()
    story.prompt("hi")
    assert stat.S_IMODE(Path(story.journal.path(ID)).stat().st_mode) == 0o600
    assert stat.S_IMODE(chats.stat().st_mode) == stat.S_IMODE(chats.parent.stat().st_mode) == 0o700


def test_the_lines_of_a_turn(story: Story):
    story.open(roots=("/work", "/other"))
    story.context()
    story.whole_turn()
    assert [outline(line) for line in lines(story)] == snapshot(
        [
            "header sessionId projectHash startTime lastUpdated kind directories",
            "set messages lastUpdated",
            'm2 user [{"text": "look at @a.txt"}]',
            "set lastUpdated",
            'm3 gemini "I look."',
            "set lastUpdated",
            'm3 gemini "I look." read_file__1',
            'm3 gemini "I look." read_file__1 replace__2',
            'm3_response user [{"functionResponse": {"id": "read_file__1", "name": "read_f',
            "set lastUpdated",
            'm4 gemini "Done."',
            "set lastUpdated",
        ]
    )


def outline(line: dict) -> str:
    """A line in a few words."""
    if "$set" in line:
        return f"set {' '.join(line['$set'])}"
    if "id" not in line:
        return f"header {' '.join(line)}"
    calls = " ".join(call["id"] for call in line.get("toolCalls", []))
    return f"{line['id']} {line['type']} {json.dumps(line['content'])[:60]} {calls}".rstrip()


def test_an_answer_with_its_calls_has_every_field(story: Story):
    story.open()
    story.whole_turn()
    answer = next(record for record in remaining(story) if record.get("toolCalls"))
    assert answer == snapshot(
        {
            "id": "m2",
            "timestamp": "2026-01-02T03:04:05.678Z",
            "type": "gemini",
            "content": "I look.",
            "thoughts": [
                {
                    "subject": "Plan",
                    "description": "Think first.",
                    "timestamp": "2026-01-02T03:04:05.678Z",
                }
            ],
            "tokens": {
                "input": 10,
                "output": 5,
                "cached": 2,
                "thoughts": 1,
                "tool": 0,
                "total": 16,
            },
            "model": "gemini-3-pro",
            "toolCalls": [
                {
                    "id": "read_file__1",
                    "name": "read_file",
                    "args": {"file_path": "a.txt"},
                    "result": [
                        {
                            "functionResponse": {
                                "id": "read_file__1",
                                "name": "read_file",
                                "response": {"output": "content"},
                                "parts": [
                                    {"inlineData": {"mimeType": "image/png", "data": "iVA="}}
                                ],
                            }
                        }
                    ],
                    "status": "success",
                    "timestamp": "2026-01-02T03:04:05.004Z",
                    "displayName": "ReadFile",
                    "description": "a.txt",
                    "resultDisplay": "content",
                    "renderOutputAsMarkdown": False,
                },
                {
                    "id": "replace__2",
                    "name": "replace",
                    "args": {"file_path": "a.txt"},
                    "result": [
                        {
                            "functionResponse": {
                                "id": "replace__2",
                                "name": "replace",
                                "response": {"output": "done"},
                            }
                        }
                    ],
                    "status": "success",
                    "timestamp": "2026-01-02T03:04:05.005Z",
                    "displayName": "ReadFile",
                    "description": "a.txt",
                    "resultDisplay": {
                        "fileDiff": "@@",
                        "fileName": "a.txt",
                        "filePath": "/work/a.txt",
                        "originalContent": "old",
                        "newContent": "new",
                        "diffStat": {
                            "model_added_lines": 0,
                            "model_removed_lines": 0,
                            "model_added_chars": 0,
                            "model_removed_chars": 0,
                            "user_added_lines": 0,
                            "user_removed_lines": 0,
                            "user_added_chars": 0,
                            "user_removed_chars": 0,
                        },
                        "isNewFile": False,
                    },
                    "renderOutputAsMarkdown": False,
                },
            ],
        }
    )


def test_each_result_is_safe_as_soon_as_it_is_there(story: Story):
    story.open()
    story.prompt("go")
    one, two = Call("a__1", "a", {}), Call("a__2", "a", {})
    story.answer("", one, two)
    story.finish(one, "first")
    (stored,) = remaining(story)[-1]["toolCalls"]
    assert stored["result"][0]["functionResponse"]["response"] == {"output": "first"}


def test_many_large_results_do_not_fill_the_disk_many_times_over(story: Story):
    story.open()
    story.prompt("go")
    calls = [Call(f"a__{n}", "a", {}) for n in range(30)]
    story.answer("", *calls)
    for call in calls:
        story.finish(call, "x" * 50_000, display=PlainText(""))
    assert len(remaining(story)[1]["toolCalls"]) == 30
    assert Path(story.journal.path(ID)).stat().st_size < 4 * 30 * 50_000


def test_a_prompt_that_was_cancelled_is_gone_and_the_notice_stays(story: Story):
    story.open()
    story.whole_turn()
    before = remaining(story)
    prompt = story.prompt("stop this")
    answer = story.answer("half")
    story.tell(Notice("info", "Cancelled"))
    story.tell(RolledBack((prompt.id, answer.id), "cancelled"))
    assert [r["content"] for r in remaining(story)[len(before) :]] == ["Cancelled"]
    assert remaining(story)[: len(before)] == before
    assert {"$rewindTo": prompt.id} in lines(story)


def test_a_cancelled_prompt_takes_the_results_of_its_calls_along(story: Story):
    story.open()
    story.whole_turn()
    before = remaining(story)
    prompt = story.prompt("more")
    one = Call("ls__9", "ls", {})
    answer = story.answer("", one)
    story.finish(one, "a.txt")
    story.tell(RolledBack((prompt.id, answer.id, "unknown-reply")))
    assert remaining(story) == before


def test_a_first_prompt_taken_back_before_the_file_exists_leaves_nothing(story: Story):
    story.open()
    message = story.message("user", Text("<hook_context>x</hook_context>"), origin="hook")
    from_hook = Message(message.id, "user", message.parts, message.at, origin="hook")
    story.tell(HistoryReplaced((from_hook,), "load"))
    story.tell(RolledBack((message.id,)))
    assert story.journal.path(ID) == ""
    story.prompt("hi")
    assert [r["type"] for r in remaining(story)] == ["user"]


def test_a_replaced_history_keeps_what_was_stored_and_the_notices_in_place(story: Story):
    story.open()
    story.whole_turn()
    story.tell(Notice("warning", "careful"))
    last = story.prompt("and now")
    before = {record["id"]: record for record in remaining(story)}
    summary = story.message("user", Text("Summary so far."), origin="context")
    answer = next(r for r in remaining(story) if r.get("toolCalls"))
    kept = Message(answer["id"], "model", (Text("ignored"),), "")
    story.tell(HistoryReplaced((summary, kept, last), "compact"))
    after = remaining(story)
    assert [r.get("content") for r in after] == [
        [{"text": "Summary so far."}],
        "I look.",
        "careful",
        [{"text": "and now"}],
    ]
    assert after[1] == before[answer["id"]]


def test_a_replaced_history_includes_calls_that_were_held_back(story: Story):
    story.open()
    prompt = story.prompt("go")
    calls = [Call(f"a__{n}", "a", {}) for n in range(3)]
    answer = story.answer("", *calls)
    for call in calls[:2]:
        story.finish(call, "x" * 200_000)
    story.tell(HistoryReplaced((prompt, answer), "mask"))
    assert len(remaining(story)[1]["toolCalls"]) == 2


def test_failures_are_kept_for_the_person(story: Story):
    story.open()
    story.prompt("hi")
    story.tell(Failed(Problem("overloaded", "The service is busy.")))
    assert [(r["type"], r["content"]) for r in remaining(story)[1:]] == [
        ("error", "The service is busy.")
    ]


def test_live_events_do_not_get_into_the_file(story: Story):
    story.open()
    story.prompt("hi")
    before = lines(story)
    story.tell(TextDelta("x"))
    assert lines(story) == before


def test_what_subagents_say_lies_in_files_of_their_own(story: Story, chats: Path):
    story.open()
    story.prompt("hi")
    before = lines(story)
    for child in ("one", "../two"):
        opened = SessionOpened(child, "/work", "m", Mode.DEFAULT, parent=ID)
        story.tell(opened, agent=("scout",), turn=None)
    for turn in ("a", "b", "a"):
        words = story.message("user", Text(f"in {turn}"))
        event = TurnStarted(words) if words.id in ("m2", "m3") else MessageAdded(words)
        story.tell(event, agent=("scout",), turn=turn)
        story.tell(TurnEnded(End.COMPLETED), agent=("scout",), turn=turn)
    assert lines(story) == before
    held = {}
    for path in sorted((chats / ID).iterdir()):
        metadata, messages = replay(json.loads(line) for line in path.read_text().splitlines())
        held[path.name] = (metadata["kind"], [m["content"][0]["text"] for m in messages])
    assert held == {
        "___two.jsonl": ("subagent", ["in b"]),
        "one.jsonl": ("subagent", ["in a", "in a"]),
    }


def test_a_title_cannot_overwrite_who_the_session_is(story: Story):
    story.open()
    story.prompt("hi")
    story.tell(MetaChanged({"summary": "greeting", "sessionId": "x", "messages": []}))
    metadata, messages = replay(iter(lines(story)))
    assert (metadata["summary"], metadata["sessionId"], len(messages)) == ("greeting", ID, 1)


def test_text_that_is_no_unicode_does_not_stop_the_record(story: Story):
    story.open()
    story.prompt("broken \ud83d text")
    assert remaining(story)[0]["content"][0]["text"] == "broken \ufffd text"


# ── going on ───────────────────────────────────────────────────────────────


def test_a_resumed_session_goes_on_in_the_same_file_without_a_second_header(story, make_journal):
    story.open()
    story.whole_turn()
    story.tell(Notice("info", "note"))
    first = story.journal.path(ID)
    story.journal.close()
    again = Story(make_journal())
    again.prefix = "n"
    record = again.journal.load(ID)
    assert record is not None and record.meta.path == first
    again.open("resume")
    assert again.journal.path(ID) == first
    again.prompt("more")
    kinds = [line for line in lines(again) if "projectHash" in line]
    assert len(kinds) == 1
    texts = [text_of(message.parts) for message in again.journal.load(ID).messages]
    assert texts == ["look at @a.txt", "I look.", "", "Done.", "more"]
    again.tell(RolledBack(("n1",)))
    assert [r["type"] for r in remaining(again)][-1] == "info"


def test_a_torn_line_does_not_swallow_the_next(story, make_journal):
    story.open()
    story.prompt("one")
    path = Path(story.journal.path(ID))
    story.journal.close()
    with path.open("ab") as file:
        file.write(b'{"id":"half","type":"us')
    again = Story(make_journal())
    again.prefix = "n"
    again.open("resume")
    again.prompt("two")
    assert [text_of(m.parts) for m in again.journal.load(ID).messages] == ["one", "two"]


def test_what_comes_back_is_what_was_said(story: Story):
    story.open()
    story.context()
    story.whole_turn()
    record = story.journal.load(ID)
    assert record.meta.session_id == ID
    assert [(m.role, m.origin) for m in record.messages] == [
        ("user", "context"),
        ("user", "person"),
        ("model", "model"),
        ("user", "tool"),
        ("model", "model"),
    ]
    prompt, answer, replies = record.messages[1:4]
    assert prompt.display == "look"
    assert [call.args for call in calls_of(answer.parts)] == [{"file_path": "a.txt"}] * 2
    assert [reply.call_id for reply in replies_of(replies.parts)] == ["read_file__1", "replace__2"]
    assert replies.parts[0].parts[1].data == b"\x89P"
    assert answer.usage is not None and answer.usage.total == 16


def test_two_sessions_that_begin_alike_in_one_minute_have_two_files(make_journal):
    journal = make_journal()
    for name in (ID, ID[:8] + "-other"):
        story = Story(journal, name)
        story.open()
        story.prompt(name)
    assert journal.path(ID) != journal.path(ID[:8] + "-other")
    assert text_of(journal.load(ID).messages[0].parts) == ID


def test_a_session_in_use_elsewhere_is_forked_with_a_notice(story, make_journal, warnings):
    story.open()
    story.prompt("one")
    other = Story(make_journal())
    other.prefix = "n"
    assert other.journal.busy(ID)
    other.open("resume")
    other.prompt("two")
    assert other.journal.path(ID) != story.journal.path(ID)
    assert [text_of(m.parts) for m in other.journal.load("fresh-1").messages] == ["one", "two"]
    assert [text_of(m.parts) for m in story.journal.load(ID).messages] == ["one"]
    assert "in use by another process" in warnings[0] and len(warnings) == 1


def test_a_fork_begins_with_what_it_was_forked_from(story: Story, make_journal):
    story.open()
    story.whole_turn()
    fork = Story(make_journal(), "fork")
    fork.prefix = "n"
    fork.open("fork", parent=ID)
    assert fork.journal.path("fork") == ""
    fork.prompt("another way")
    before, after = story.journal.load(ID), fork.journal.load("fork")
    assert after.messages[:-1] == before.messages
    assert after.meta.forked_from == ID
    assert text_of(after.messages[-1].parts) == "another way"


def test_an_empty_twin_of_another_program_does_not_hide_the_conversation(
    story: Story, chats: Path, make_journal
):
    story.open()
    story.prompt("one")
    real = story.journal.path(ID)
    story.journal.close()
    twin = chats / f"session-2030-01-01T00-00-{ID[:8]}.jsonl"
    twin.write_text(Path(real).read_text().splitlines()[0] + "\n")
    assert make_journal().path(ID) == real


def test_an_old_file_is_kept_and_gone_on_with_beside_it(chats: Path, make_journal):
    chats.mkdir(parents=True)
    old = chats / "session-2025-01-01T00-00-1b4e28ba.json"
    message = {"id": "a", "timestamp": "t", "type": "user", "content": "hello"}
    old.write_text(json.dumps({"sessionId": ID, "messages": [message]}, indent=2))
    before = old.read_bytes()
    story = Story(make_journal())
    assert [text_of(m.parts) for m in story.journal.load(ID).messages] == ["hello"]
    story.open("resume")
    story.prompt("more")
    assert old.read_bytes() == before
    assert [text_of(m.parts) for m in story.journal.load(ID).messages] == ["hello", "more"]


def test_a_file_that_is_no_session_is_named(chats: Path, make_journal):
    chats.mkdir(parents=True)
    (chats / f"session-2025-01-01T00-00-{ID[:8]}.jsonl").write_text("garbage")
    journal = make_journal()
    assert journal.load(ID) is None
    assert journal.load("../../etc/passwd") is None


# ── trouble ────────────────────────────────────────────────────────────────


def test_a_killed_process_loses_at_most_the_line_it_was_writing(story: Story):
    story.open()
    story.context()
    story.whole_turn()
    cancelled = story.prompt("cancelled")
    story.tell(Notice("info", "note"))
    story.tell(RolledBack((cancelled.id,)))
    data = Path(story.journal.path(ID)).read_bytes()
    ends = [n + 1 for n, byte in enumerate(data) if byte == 10]
    after = {end: balanced(data[:end]) for end in (0, *ends)}
    for cut in range(len(data) + 1):
        whole = max(end for end in after if end <= cut + (cut + 1 in after))
        assert balanced(data[:cut]) == after[whole]


def balanced(data: bytes) -> tuple[str, ...]:
    """The ids of the conversation in a file, after checking that each call has its reply."""
    records = []
    for line in data.split(b"\n"):
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    _, messages = replay(iter(records))
    history = messages_of(messages)
    for place, message in enumerate(history):
        calls = [call.id for call in calls_of(message.parts)]
        given = [] if place + 1 == len(history) else replies_of(history[place + 1].parts)
        assert [reply.call_id for reply in given] == calls or message.role == "user"
    assert len({message.id for message in history}) == len(history)
    return tuple(message.id for message in history)


def test_a_full_disk_is_told_once_and_the_conversation_goes_on(chats: Path, tmp_path: Path):
    """A file size limit is how a full disk looks to a process; it needs one of its own."""
    program = textwrap.dedent(f"""
        import resource, signal, sys
        sys.path[:0] = {sys.path!r}
        from pathlib import Path
        from engine.sessions.story import Story
        from gemini_cli.engine.sessions import Journal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        told = []
        story = Story(Journal(Path({str(chats)!r}), "/work", told.append, str))
        story.open()
        story.prompt("one")
        story.prompt("x" * 5000)
        story.prompt("three")
        print(len(told), told[0])
        """)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("1 This session is no longer recorded in ")
    (path,) = chats.iterdir()
    assert balanced(path.read_bytes()) == ("m1",)


def test_a_folder_that_is_a_file_is_told_once(story, chats, warnings):
    chats.parent.mkdir(parents=True)
    chats.write_text("")
    story.open()
    story.prompt("one")
    story.prompt("two")
    assert len(warnings) == 1 and str(chats) in warnings[0]


def test_odd_records_never_break_the_reading():
    odd = [
        {"id": "1", "type": "gemini", "content": None, "toolCalls": [{"id": 1}, "x", None]},
        {"id": "2", "type": "gemini", "toolCalls": [{"id": "c", "name": "t", "args": 3}] * 2},
        {"id": "3", "type": "user", "content": [{"functionResponse": {"id": "zzz"}}]},
        {"id": "4", "type": "user", "content": [{"functionResponse": "x"}, 5, {"text": 1}]},
        {"id": "5", "type": "info", "content": "x"},
        {"id": "6"},
    ]
    history = messages_of(odd)
    (call,) = calls_of(history[0].parts)
    assert history[1].parts[0] == Reply(
        "c", "t", (Text("The result of this call was lost when the program ended."),), True
    )
    assert call.args == {}


def test_a_reply_that_was_stored_twice_comes_once():
    result = [{"functionResponse": {"id": "c", "name": "t", "response": {"output": "x"}}}]
    call = {"id": "c", "name": "t", "args": {}, "result": result, "status": "success"}
    records = [
        {"id": "1", "type": "gemini", "content": "", "toolCalls": [call]},
        {"id": "2", "type": "user", "content": result},
        {"id": "3", "type": "user", "content": result},
    ]
    assert [m.id for m in messages_of(records)] == ["1", "2"]


def test_a_call_beside_the_turn_is_stored_as_one_the_model_made(story: Story):
    story.open()
    story.prompt("hi")
    story.answer("Hello.")
    before = lines(story)
    story.finish(Call("run_shell_command__9", "run_shell_command", {"command": "ls"}), "a.txt")
    assert lines(story) == before


def test_a_result_that_comes_after_its_prompt_was_taken_back_brings_the_answer_back(story: Story):
    story.open()
    prompt = story.prompt("hi")
    call = Call("ls__1", "ls", {})
    answer = story.answer("I look.", call)
    story.tell(RolledBack((prompt.id, answer.id), "cancelled"))
    story.finish(call, "late")
    assert remaining(story) == []


def test_the_file_of_a_subagent_stays_locked_after_its_work(story: Story, chats: Path):
    story.open()
    story.prompt("hi")
    agent = ("scout",)
    story.tell(SessionOpened("child", "/work", "pro", Mode.DEFAULT, "startup"), agent=agent)
    message = story.message("user", Text("look"))
    story.tell(TurnStarted(message), agent=agent, turn="inner")
    path = chats / ID / "child.jsonl"
    with path.open() as file:
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        story.tell(TurnEnded(End.COMPLETED), agent=agent, turn="inner")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
