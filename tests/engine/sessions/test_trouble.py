"""Kills, full disks and odd records: nothing that was said is lost, and it is told once."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

from engine.sessions.story import ID, Story
from gemini_cli.engine.sessions import messages_of
from gemini_cli.ground.formats.session_file import replay
from gemini_cli.protocol.events import (
    Notice,
    RolledBack,
)
from gemini_cli.protocol.messages import Reply, Text, calls_of, replies_of


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
