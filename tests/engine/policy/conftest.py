"""Calls and circumstances as the rules see them."""

import pytest

from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import CallFacts

KINDS = {"replace": "edit", "write_file": "edit", "run_shell_command": "execute"}


@pytest.fixture
def call():
    def facts(name: str, mode: Mode = Mode.DEFAULT, interactive: bool = True, **more) -> CallFacts:
        args = more.pop("args", {})
        return CallFacts(name, args, KINDS.get(name, "other"), mode, interactive, **more)

    return facts
