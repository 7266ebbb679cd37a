"""Our stores keep the promises of the port, and the suite notices those that do not."""

from pathlib import Path

import pytest

from gemini_cli.engine.sessions import Journal
from gemini_cli.protocol.events import RolledBack
from gemini_cli.sdk.testing.fakes import FakeStore
from gemini_cli.sdk.testing.suites import STORE_CHECKS
from gemini_cli.sdk.testing.suites.store import (
    forgets_what_was_taken_back,
    has_each_event_before_append_returns,
    keeps_nothing_before_the_first_words,
    keeps_sessions_apart,
    keeps_subagents_out_of_the_conversation,
)


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
async def test_journal(check, tmp_path: Path):
    warnings: list[str] = []
    await check(lambda: Journal(tmp_path, "/work", warnings.append, lambda: "fresh"))
    assert warnings == []


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
async def test_fake(check):
    store = FakeStore()
    await check(lambda: store)


class Late(FakeStore):
    """Writes one event behind."""

    def __init__(self):
        super().__init__()
        self._held = None

    def append(self, envelope):
        if self._held is not None:
            super().append(self._held)
        self._held = envelope


class Deaf(FakeStore):
    """Does not hear of rollbacks."""

    def append(self, envelope):
        if not isinstance(envelope.event, RolledBack):
            super().append(envelope)


class Mixed(FakeStore):
    """Keeps everything in one place."""

    def append(self, envelope):
        for name in (
            "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa",
            "22222222-bbbb-4bbb-8bbb-bbbbbbbbbbbb",
        ):
            self.told.setdefault(name, []).append(envelope)


class Nosy(FakeStore):
    """Writes subagents into the main record."""

    def _main(self, session_id):
        return self.told.get(session_id, [])


@pytest.mark.parametrize(
    ("store", "check"),
    [
        (Late, has_each_event_before_append_returns),
        (Deaf, forgets_what_was_taken_back),
        (Mixed, keeps_sessions_apart),
        (Nosy, keeps_subagents_out_of_the_conversation),
        (Nosy, keeps_nothing_before_the_first_words),
    ],
)
async def test_a_broken_store_is_noticed(store, check):
    made = store()
    with pytest.raises(AssertionError):
        await check(lambda: made)
