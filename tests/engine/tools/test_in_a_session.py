"""Real tools, rules and journal under the real loop: what one hands the other fits."""

import os
from pathlib import Path

import pytest

from gemini_cli.engine.policy import RuleBook
from gemini_cli.engine.sessions import Journal
from gemini_cli.engine.tools import ReadFile, Registry, Replace, Shell, renaming
from gemini_cli.ground.host.files import LocalFiles
from gemini_cli.ground.host.process import LocalProcesses
from gemini_cli.ground.host.workspace import LocalWorkspace, Special
from gemini_cli.protocol.events import ModeChanged, ToolFinished
from gemini_cli.protocol.messages import text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.sdk.testing.fakes import (
    FakeModels,
    FakePeople,
    call,
    fake_ports,
    fake_session,
    text,
)


@pytest.fixture
async def parts(root: Path):
    """What `fake_ports` needs to work on this machine."""
    temp = root.parent / "temp"
    temp.mkdir()
    processes = LocalProcesses()
    tools = [Shell(), Replace(), ReadFile()]
    registry = Registry(tools)
    book = RuleBook(canonical=renaming(tools))
    yield {
        "catalog": registry,
        "policy": book,
        "files": LocalFiles(),
        "processes": processes,
        "workspace": LocalWorkspace(root, Special(temp)),
        "scratch": temp / "session",
        "child_env": {"PATH": os.environ["PATH"]},
    }
    await processes.close()


def calls(name: str, *many: dict) -> list:
    return [call(name, args, id=str(n)) for n, args in enumerate(many)]


def edit(old: str, new: str) -> dict:
    return {"file_path": "a.txt", "instruction": "x", "old_string": old, "new_string": new}


async def test_an_always_for_edits_turns_the_mode_and_asks_no_more(parts, root: Path):
    (root / "a.txt").write_text("one two\n")
    people = FakePeople("proceed_always")
    script = [calls("replace", edit("one", "1")), calls("replace", edit("two", "2")), text("ok")]
    ports = fake_ports(models=FakeModels(*script), people=people, **parts)
    async with fake_session(ports=ports, interactive=True) as run:
        await run.prompt("go")
    assert (root / "a.txt").read_text() == "1 2\n"
    assert [event.mode for event in run.of(ModeChanged)] == [Mode.AUTO_EDIT]
    assert len(people.asks) == 1 and people.asks[0].title == "Apply this change?"


async def test_a_persons_version_of_an_edit_is_what_is_written(parts, root: Path):
    (root / "a.txt").write_text("one\nend\n")
    people = FakePeople(("proceed_once", {"newContent": "uno\nend\n"}))
    script = [calls("replace", edit("one", "1")), text("ok")]
    ports = fake_ports(models=FakeModels(*script), people=people, **parts)
    async with fake_session(ports=ports, interactive=True) as run:
        await run.prompt("go")
    assert (root / "a.txt").read_text() == "uno\nend\n"
    (finished,) = run.of(ToolFinished)
    assert finished.decision == "modify"
    assert finished.display.stat.user_added_lines == 1
    assert "person changed the proposal" in run.replies[0]


async def test_a_granted_program_runs_again_without_a_question(parts):
    people = FakePeople("proceed_always", "cancel")
    commands = ({"command": "echo a"}, {"command": "echo b"}, {"command": "echo c; echo d"})
    script = [calls("run_shell_command", one) for one in commands]
    ports = fake_ports(models=FakeModels(*script, text("ok")), people=people, **parts)
    async with fake_session(ports=ports, interactive=True) as run:
        await run.prompt("go")
    assert "Output: a" in run.replies[0] and "Output: b" in run.replies[1]
    assert [event.status for event in run.of(ToolFinished)] == ["success", "success", "cancelled"]


async def test_without_a_person_a_command_is_not_even_offered(parts, root: Path):
    (root / "a.txt").write_text("hello")
    models = FakeModels(
        calls("run_shell_command", {"command": "touch hit"}),
        calls("read_file", {"file_path": "a.txt"}),
        text("ok"),
    )
    registry = parts["catalog"]
    ports = fake_ports(models=models, **parts)
    async with fake_session(ports=ports) as run:
        await run.prompt("go")
    assert not (root / "hit").exists()
    assert run.replies[0].startswith('Tool "run_shell_command" not found.')
    assert run.replies[1] == "hello"
    assert registry.find("run_shell_command", run.session.view) is not None


async def test_a_turn_is_on_disk_and_comes_back(parts, root: Path):
    (root / "a.txt").write_text("hello")
    journal = Journal(root.parent / "chats", str(root), print, str)
    script = [calls("read_file", {"file_path": "a.txt"}), text("It says hello.")]
    ports = fake_ports(models=FakeModels(*script), **parts)
    async with fake_session(ports=ports) as run:
        run.bus.tap(journal.append)
        for envelope in run.envelopes:
            journal.append(envelope)
        await run.prompt("What does it say?")
    record = journal.load("session")
    journal.close()
    assert [text_of(m.parts) for m in record.messages] == [
        "What does it say?",
        "",
        "",
        "It says hello.",
    ]
