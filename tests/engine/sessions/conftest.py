"""A journal in a temp folder, and a story for it to hear."""

import itertools
from pathlib import Path

import pytest

from engine.sessions.story import Story
from gemini_cli.engine.sessions import Journal


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    return tmp_path / "tmp" / "work" / "chats"


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def make_journal(chats: Path, warnings: list[str]):
    made = []
    fresh = itertools.count(1)

    def make() -> Journal:
        journal = Journal(chats, "/work", warnings.append, lambda: f"fresh-{next(fresh)}")
        made.append(journal)
        return journal

    yield make
    for journal in made:
        journal.close()


@pytest.fixture
def story(make_journal) -> Story:
    return Story(make_journal())
