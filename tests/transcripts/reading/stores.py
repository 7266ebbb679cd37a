"""Recordings of this repository, and stores of other CLIs laid out in a temp folder."""

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parents[2] / "corpora" / "transcripts"
ROOT = Path(__file__).resolve().parents[3]

GEMINI_OLD = CORPUS / "gemini" / "session-2025-10-30T09-00-0a1b2c3d.json"
GEMINI_LOG = CORPUS / "gemini" / "session-2026-03-02T09-00-7d7d7d7d.jsonl"
CLAUDE = CORPUS / "claude" / "11111111-2222-4333-8444-555555555555.jsonl"
CODEX = CORPUS / "codex" / "rollout-2026-03-02T09-00-00-01990000-aaaa-7bbb-8ccc-ddddeeeeffff.jsonl"
QWEN = CORPUS / "qwen" / "33333333-2222-4333-8444-555555555555.jsonl"
COPILOT = CORPUS / "copilot" / "44444444-2222-4333-8444-555555555555"
CURSOR = CORPUS / "cursor" / "55555555-2222-4333-8444-555555555555.jsonl"
CURSOR_TEXT = CORPUS / "cursor" / "66666666-2222-4333-8444-555555555555.txt"
OPENCODE = CORPUS / "opencode" / "storage"

FILES = {
    "gemini": GEMINI_LOG,
    "claude": CLAUDE,
    "codex": CODEX,
    "qwen": QWEN,
    "copilot": COPILOT / "events.jsonl",
    "cursor": CURSOR,
}


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def records_of(path: Path) -> list[Any]:
    found = []
    for line in lines_of(path):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    """JSON lines; a str is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose home is empty."""
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    return {"HOME": str(folder), "USERPROFILE": str(folder)}


def copy_to(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
    return target


def shared_corpus() -> Path:
    """Recordings of the real CLIs, which are not part of the repository."""
    named = os.environ.get("GEMINI_TEST_CORPORA")
    return Path(named) if named else ROOT.parent / "shared" / "corpora" / "transcripts"
