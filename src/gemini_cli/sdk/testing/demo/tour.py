"""The sample project of the tour, its script, and the honest question whether its test passes.

The test is run by this module too, before and after, so that the tour cannot claim a result
it did not get.
"""

import subprocess
import sys
from pathlib import Path

from msgspec import Struct

from gemini_cli.sdk.testing.script import Step
from gemini_cli.sdk.testing.script_file import parsed

PROMPT = "The test in test_basket.py fails. Find out why, fix the code and show that it passes."
TEST = "test_basket.py"
MODEL = "gemini-2.5-flash"
_HERE = Path(__file__).parent
_TEST_SECONDS = 60


class TestRun(Struct, frozen=True):
    """What the sample project's own test said."""

    passed: bool
    output: str


def copy_project(target: Path) -> None:
    """Puts the sample project into an empty folder."""
    target.mkdir(parents=True)
    for source in sorted((_HERE / "project").glob("*.sample")):
        (target / source.stem).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")


def tour_script() -> list[Step]:
    """The answers of the scripted model."""
    path = _HERE / "tour.json"
    python = "python" if sys.platform == "win32" else "python3"
    return parsed(path.read_text(encoding="utf-8").replace("{python}", python), path)


def run_test(project: Path) -> TestRun:
    """Runs the sample test in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-B", TEST],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TEST_SECONDS,
        check=False,
    )
    return TestRun(done.returncode == 0, (done.stdout + done.stderr).strip())
