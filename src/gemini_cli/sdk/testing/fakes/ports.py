"""All fakes put together into the ports of a session.

Everything allowed, nobody present, no hooks, no tools, unless a test says otherwise.
"""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from gemini_cli.protocol.messages import Message, Part
from gemini_cli.protocol.ports import Ports
from gemini_cli.protocol.session import SessionView
from gemini_cli.sdk.testing.fakes.clock import FakeClock
from gemini_cli.sdk.testing.fakes.hooks import FakeHooks
from gemini_cli.sdk.testing.fakes.machine import FakeFiles, FakeProcesses, FakeWorkspace
from gemini_cli.sdk.testing.fakes.models import FakeModels
from gemini_cli.sdk.testing.fakes.people import FakePeople
from gemini_cli.sdk.testing.fakes.policy import FakePolicy
from gemini_cli.sdk.testing.fakes.tools import FakeCatalog


class FakePrompts:
    """Implements `Prompts` with fixed texts; `news` is said once per turn until it is empty."""

    def __init__(self, system: str = "Be brief.", opening: tuple[Message, ...] = ()) -> None:
        self.text = system
        self.first = opening
        self.news: list[tuple[Part, ...]] = []

    def system(self, view: SessionView) -> str:
        """Always the same."""
        return self.text

    def opening(self, view: SessionView) -> tuple[Message, ...]:
        """Always the same."""
        return self.first

    def delta(self, view: SessionView) -> tuple[Part, ...]:
        """The next news."""
        return self.news.pop(0) if self.news else ()


def fake_ports(**overrides: Any) -> Ports:
    """Ports of fakes; name any field of `Ports` to put something else in."""
    ports = Ports(
        models=FakeModels(),
        catalog=FakeCatalog(),
        prompts=FakePrompts(),
        policy=FakePolicy(),
        hooks=FakeHooks(),
        people=FakePeople(),
        files=FakeFiles(),
        processes=FakeProcesses(),
        workspace=FakeWorkspace(),
        clock=FakeClock(),
        scratch=Path("/scratch"),
    )
    return replace(ports, **overrides)
