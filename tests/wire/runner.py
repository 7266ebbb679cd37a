"""Runs the real `gemini` in a process of its own, with a temp home, against a scripted server."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GEMINI = [sys.executable, "-m", "gemini_cli"]
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "COVERAGE_PROCESS_START")


@dataclass
class Result:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The JSON lines of stdout."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def types(self) -> list[str]:
        return [line["type"] for line in self.lines]

    @property
    def last(self) -> dict[str, Any]:
        return self.lines[-1]


@dataclass
class Cli:
    """A home and a workspace for `gemini`."""

    home: Path
    workspace: Path
    url: str = ""
    env: dict[str, str] = field(default_factory=dict)

    def settings(self, values: Mapping[str, Any] | str) -> Path:
        path = self.home / ".gemini" / "settings.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(values if isinstance(values, str) else json.dumps(values))
        return path

    def environment(self, **extra: str | None) -> dict[str, str]:
        values = {name: os.environ[name] for name in KEPT if name in os.environ}
        values |= {
            "HOME": str(self.home),
            "GEMINI_CLI_HOME": str(self.home),
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(self.home / "system" / "settings.json"),
            "GEMINI_API_KEY": "test-key",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_FORCE_FILE_STORAGE": "true",
            "NO_COLOR": "1",
            **self.env,
        }
        if self.url:
            values["GOOGLE_GEMINI_BASE_URL"] = self.url
        for name, value in extra.items():
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
        return values

    def start(
        self, *args: str, env: Mapping[str, str | None] | None = None, **options: Any
    ) -> subprocess.Popen[bytes]:
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(
            [*GEMINI, *args], cwd=self.workspace, env=self.environment(**(env or {})), **options
        )

    def run(
        self,
        *args: str,
        stdin: str | None = None,
        env: Mapping[str, str | None] | None = None,
        timeout: float = 60,
    ) -> Result:
        source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        process = self.start(*args, env=env, stdin=source)
        try:
            out, err = process.communicate(stdin.encode() if stdin is not None else None, timeout)
        finally:
            process.kill()
        return Result(process.returncode, out.decode(), err.decode())

    def stream(self, *args: str, **options: Any) -> Result:
        return self.run("-m", "gemini-2.5-flash", "-o", "stream-json", *args, **options)

    def files(self) -> Sequence[str]:
        """Every file below the home, relative."""
        return sorted(str(p.relative_to(self.home)) for p in self.home.rglob("*") if p.is_file())
