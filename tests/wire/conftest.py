"""A `gemini` with a home of its own, and a way to give it a scripted service."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from runner import Cli

from gemini_cli.sdk.testing import Step, ThreadedServer, scripted_server


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    home, workspace = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    workspace.mkdir()
    return Cli(home, workspace)


@pytest.fixture
def serve(cli: Cli) -> Iterator[Callable[..., ThreadedServer]]:
    """`serve(step, …)` starts a server with this script and points `cli` at it."""
    with ExitStack() as stack:

        def start(*script: Step) -> ThreadedServer:
            server = stack.enter_context(scripted_server(list(script)))
            cli.url = server.url
            return server

        yield start
