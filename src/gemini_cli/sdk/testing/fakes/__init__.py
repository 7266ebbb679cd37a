"""Stand-ins for everything a session is built from, for tests without network, disk or people.

They are scripted and they record; they never decide anything by themselves.
"""

from gemini_cli.sdk.testing.fakes.clock import FakeClock
from gemini_cli.sdk.testing.fakes.hooks import FakeHooks
from gemini_cli.sdk.testing.fakes.machine import FakeFiles, FakeProcesses, FakeWorkspace
from gemini_cli.sdk.testing.fakes.models import (
    FakeModels,
    Item,
    Stall,
    call,
    error,
    retried,
    stall,
    text,
    thought,
)
from gemini_cli.sdk.testing.fakes.people import FakePeople
from gemini_cli.sdk.testing.fakes.policy import FakePolicy
from gemini_cli.sdk.testing.fakes.ports import FakePrompts, fake_ports
from gemini_cli.sdk.testing.fakes.session import FakeSession, fake_session
from gemini_cli.sdk.testing.fakes.store import FakeStore
from gemini_cli.sdk.testing.fakes.tools import FakeCatalog, FakeTool

__all__ = [
    "FakeCatalog",
    "FakeClock",
    "FakeFiles",
    "FakeHooks",
    "FakeModels",
    "FakePeople",
    "FakePolicy",
    "FakeProcesses",
    "FakePrompts",
    "FakeSession",
    "FakeStore",
    "FakeTool",
    "FakeWorkspace",
    "Item",
    "Stall",
    "call",
    "error",
    "fake_ports",
    "fake_session",
    "retried",
    "stall",
    "text",
    "thought",
]
