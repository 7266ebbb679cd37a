"""Makes small executable programs that stand in for a coding CLI."""

import json
import os
import stat
import sys
import textwrap
from pathlib import Path
from typing import Any

from gemini_cli.transcripts.launch import ExecuteOptions

STREAMS = Path(__file__).parent / "streams"


def fake(folder: Path, body: str, name: str = "cli") -> str:
    """An executable Python script; `body` may use json, os, signal, subprocess, sys and time."""
    path = folder / name
    # A `#!` line takes no path with a space in it, nor a long one; to Python its shell is a string.
    head = f"#!/bin/sh\n'''exec' '{sys.executable}' -S \"$0\" \"$@\"\n' '''\n"
    path.write_text(
        f"{head}import json, os, signal, subprocess, sys, time\n{textwrap.dedent(body)}"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def prints(folder: Path, *events: dict[str, Any], exit_code: int = 0, stderr: str = "") -> str:
    """A CLI that prints these events and ends."""
    lines = "".join(json.dumps(event) + "\n" for event in events)
    body = f"sys.stdout.write({lines!r})\nsys.stderr.write({stderr!r})\nsys.exit({exit_code})\n"
    return fake(folder, body)


def options(cli: str, tool: str = "gemini", **settings: Any) -> ExecuteOptions:
    """Options for a run of a fake with a small environment."""
    env = {"PATH": os.environ["PATH"], "HOME": str(Path(cli).parent)}
    return ExecuteOptions(
        **{"tool": tool, "prompt": "do it", "cli_path": cli, "env": env, "timeout": 20_000}
        | settings
    )


def recorded(name: str) -> list[dict[str, Any]]:
    """A stream of a real CLI."""
    text = (STREAMS / f"{name}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


INIT = {"type": "init", "session_id": "s-1", "model": "auto"}
DONE = {"type": "result", "status": "success", "stats": {"total_tokens": 3, "input_tokens": 2}}


def says(text: str) -> dict[str, Any]:
    """A delta of Gemini's stream."""
    return {"type": "message", "role": "assistant", "content": text, "delta": True}
