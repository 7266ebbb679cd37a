"""What each start-up path may load, looked at in a fresh interpreter."""

import subprocess
import sys

import pytest

ALWAYS_ABSENT = (
    "yaml",
    "markdown_it",
    "keyring",
    "cryptography",
    "pygments",
    "argparse",
    "sqlite3",
)
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
    probe = f"{code}\nimport sys; sys.stderr.write(chr(10).join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert loaded & {*absent, *ALWAYS_ABSENT} == set()
