"""A session that is gone on with: resumed, forked, in use elsewhere, old, or torn."""

import json
from pathlib import Path

from engine.sessions.stored import lines, remaining
from engine.sessions.story import ID, Story
from gemini_cli.protocol.events import (
    Notice,
    RolledBack,
)
from gemini_cli.protocol.messages import calls_of, replies_of, text_of


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
