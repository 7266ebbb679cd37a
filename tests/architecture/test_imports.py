"""What each start-up path may load, looked at in a fresh interpreter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.sdk.testing import call, scripted_server, text

ALWAYS_ABSENT = (
    "yaml",
    "markdown_it",
    "keyring",
    "cryptography",
    "pygments",
    "argparse",
    "sqlite3",
    "prompt_toolkit",
    "a2a",
    "opentelemetry",
    "tree_sitter",
    "google",
    "unittest",
    "multiprocessing",
)
TELL = "\nimport sys; sys.stderr.write(''.join('\\nloaded ' + name for name in sys.modules))"
PATHS = {
    "version": (
        "from gemini_cli.cli.main import run; run(['--version'])",
        ("asyncio", "msgspec", "httpx2", "pathlib", "json", "gemini_cli.app"),
    ),
    "help": (
        "from gemini_cli.cli.main import run; run(['--help'])",
        ("asyncio", "msgspec", "httpx2", "pathlib", "json", "gemini_cli.app"),
    ),
    "prompt": (
        "import gemini_cli.cli.prompt",
        ("httpx2", "gemini_cli.transcripts", "gemini_cli.sdk", "gemini_cli.ground.net.http"),
    ),
    "transcripts": (
        "import gemini_cli.transcripts",
        ("asyncio", "httpx2", "gemini_cli.engine", "gemini_cli.app", "gemini_cli.faces"),
    ),
    "loop": ("import gemini_cli.engine.loop", ("gemini_cli.ground", "httpx2")),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_start_up_path_loads_nothing_it_does_not_need(path: str):
    code, absent = PATHS[path]
    done = subprocess.run(
        [sys.executable, "-c", code + TELL], capture_output=True, text=True, check=True
    )
    assert loaded(done.stderr) & {*absent, *ALWAYS_ABSENT} == set()


def test_a_whole_turn_loads_no_room_it_does_not_use(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("plum")
    code = "from gemini_cli.cli.main import run; run(['-p', 'hi'])" + TELL
    with scripted_server([call("read_file", {"file_path": "notes.txt"}), text("ok")]) as server:
        env = {
            "PATH": os.defpath,
            "HOME": str(tmp_path / "home"),
            "GEMINI_API_KEY": "any",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GOOGLE_GEMINI_BASE_URL": server.url,
        }
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True
        )
    assert done.stdout == "ok\n", done.stderr
    unused = {"gemini_cli.transcripts", "gemini_cli.sdk", "gemini_cli.ground.host.keychain"}
    assert loaded(done.stderr) & {*unused, *ALWAYS_ABSENT} == set()


def loaded(told: str) -> set[str]:
    """The modules that were told."""
    names = {line.removeprefix("loaded ") for line in told.splitlines() if line[:7] == "loaded "}
    assert names
    return names
