"""What is said is on disk at once, in the form other programs read."""

import fcntl
import json
import stat
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from engine.sessions.stored import lines, remaining
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
from gemini_cli.protocol.messages import Call, Message, Text
from gemini_cli.protocol.mode import Mode


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
