"""How long loading takes, as a ratio to a bare `json.loads` loop over the same lines.

Not a test: `speeds()` is called by the benchmark, and by hand with `python speed.py`.
"""

import json
import sqlite3
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from gemini_cli.transcripts import iter_messages

MEGABYTES = 8
TEXT = "The quick brown fox jumps over the lazy dog; \u201cquoted\u201d and\nbroken. " * 12


def stamp(n: int) -> str:
    return f"2026-03-02T{n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}.000Z"


def gemini() -> Iterator[Any]:
    yield {"sessionId": "s", "projectHash": "h", "startTime": stamp(0), "lastUpdated": stamp(0)}
    n = 0
    while True:
        n += 1
        yield {"id": f"u{n}", "timestamp": stamp(n), "type": "user", "content": [{"text": TEXT}]}
        answer = {
            "id": f"g{n}",
            "timestamp": stamp(n),
            "type": "gemini",
            "content": TEXT,
            "thoughts": [{"subject": "Plan", "description": TEXT[:80], "timestamp": stamp(n)}],
            "tokens": {"input": n, "output": 1, "cached": 0, "thoughts": 1, "total": n + 2},
            "model": "gemini-3-pro",
        }
        yield answer
        response = {"id": f"c{n}", "name": "read_file", "response": {"output": TEXT}}
        call = {
            "id": f"c{n}",
            "name": "read_file",
            "args": {"file_path": "/a"},
            "result": [{"functionResponse": response}],
            "status": "success",
        }
        yield {**answer, "toolCalls": [call]}


def claude() -> Iterator[Any]:
    base = {"cwd": "/w", "sessionId": "s", "version": "2", "gitBranch": "m", "isSidechain": False}
    parent, n = None, 0
    while True:
        n += 1
        usage = {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3}
        blocks = [
            ("user", TEXT),
            ("assistant", [{"type": "text", "text": TEXT}]),
            (
                "assistant",
                [{"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": "/a"}}],
            ),
            ("user", [{"type": "tool_result", "tool_use_id": f"t{n}", "content": TEXT}]),
        ]
        for k, (role, content) in enumerate(blocks):
            message: dict[str, Any] = {"role": role, "content": content}
            if role == "assistant":
                message |= {"id": f"m{n}", "model": "claude", "usage": usage}
            name = f"{n}-{k}"
            yield {
                "parentUuid": parent,
                **base,
                "type": role,
                "message": message,
                "uuid": name,
                "timestamp": stamp(n),
            }
            parent = name


def codex() -> Iterator[Any]:
    def line(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": stamp(n), "type": kind, "payload": payload}

    n = 0
    yield line("session_meta", {"id": "s", "cwd": "/w", "timestamp": stamp(0)})
    yield line("turn_context", {"model": "gpt-5-codex", "cwd": "/w"})
    while True:
        n += 1
        said = [{"type": "input_text", "text": TEXT}]
        yield line("response_item", {"type": "message", "role": "user", "content": said})
        yield line("event_msg", {"type": "user_message", "message": TEXT})
        arguments = json.dumps({"command": ["bash", "-lc", "ls -la"], "timeout_ms": 1000})
        yield line(
            "response_item",
            {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": f"c{n}"},
        )
        output = json.dumps({"output": TEXT, "metadata": {"exit_code": 0}})
        yield line(
            "response_item",
            {"type": "function_call_output", "call_id": f"c{n}", "output": output},
        )
        usage = {"input_tokens": n, "output_tokens": 1, "total_tokens": n + 1}
        yield line("event_msg", {"type": "token_count", "info": {"last_token_usage": usage}})


def qwen() -> Iterator[Any]:
    parent, n = None, 0
    while True:
        n += 1
        for kind, parts in (
            ("user", [{"text": TEXT}]),
            ("assistant", [{"text": TEXT}, {"functionCall": {"id": f"c{n}", "name": "edit"}}]),
            (
                "tool_result",
                [{"functionResponse": {"id": f"c{n}", "response": {"output": TEXT}}}],
            ),
        ):
            name = f"{kind}{n}"
            yield {
                "uuid": name,
                "parentUuid": parent,
                "sessionId": "s",
                "timestamp": stamp(n),
                "type": kind,
                "message": {"role": "user", "parts": parts},
            }
            parent = name


def copilot() -> Iterator[Any]:
    n = 0
    while True:
        n += 1
        request = {"toolCallId": f"t{n}", "name": "view", "arguments": {"path": "/a"}}
        for k, (kind, data) in enumerate(
            (
                ("user.message", {"content": TEXT}),
                ("assistant.message", {"content": TEXT, "toolRequests": [request]}),
                (
                    "tool.execution_complete",
                    {"toolCallId": f"t{n}", "success": True, "result": {"content": TEXT}},
                ),
            )
        ):
            yield {"type": kind, "data": data, "id": f"{n}-{k}", "timestamp": stamp(n)}


def cursor() -> Iterator[Any]:
    while True:
        text = f"<user_query>{TEXT}</user_query>"
        yield {"role": "user", "message": {"content": [{"type": "text", "text": text}]}}
        call = {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}
        content = [{"type": "text", "text": TEXT}, call]
        yield {"role": "assistant", "message": {"content": content}}


def opencode() -> Iterator[Any]:
    """A message row and its part rows, one behind the other."""
    n = 0
    while True:
        n += 1
        user, answer = f"msg_{n:08}a", f"msg_{n:08}b"
        at = 1_770_000_000_000 + n * 1000
        yield {"id": user, "data": {"role": "user", "time": {"created": at}}}
        yield {"id": f"prt_{n:08}a", "message_id": user, "data": {"type": "text", "text": TEXT}}
        tokens = {"input": 1, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}}
        yield {
            "id": answer,
            "data": {"role": "assistant", "time": {"created": at}, "tokens": tokens},
        }
        state = {"status": "completed", "input": {"filePath": "/a"}, "output": TEXT}
        for k, data in enumerate(
            (
                {"type": "step-start"},
                {"type": "text", "text": TEXT},
                {"type": "tool", "callID": f"c{n}", "tool": "read", "state": state},
            )
        ):
            yield {"id": f"prt_{n:08}b{k}", "message_id": answer, "data": data}


SOURCES: dict[str, Callable[[], Iterator[Any]]] = {
    "gemini": gemini,
    "claude": claude,
    "codex": codex,
    "qwen": qwen,
    "copilot": copilot,
    "cursor": cursor,
    "opencode": opencode,
    "gemini-old": gemini,
}


def written(path: Path, source: Iterator[Any], limit: int) -> None:
    size = 0
    with path.open("wb") as stream:
        for record in source:
            data = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            stream.write(data)
            size += len(data)
            if size >= limit:
                return


def bare(path: Path) -> None:
    with path.open("rb") as stream:
        for line in stream:
            json.loads(line)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def as_database(lines: Path, path: Path) -> None:
    """The rows of `lines` in OpenCode's tables."""
    with closing(sqlite3.connect(path)) as link:
        link.executescript(
            "CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, time_created, time_updated);"
            "CREATE TABLE message (id TEXT PRIMARY KEY, session_id, time_created, data);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id, session_id, data);"
            "CREATE INDEX part_message ON part (message_id, id);"
            "INSERT INTO session VALUES ('s', 't', 1, 1);"
        )
        with lines.open("rb") as stream:
            for number, line in enumerate(stream):
                row = json.loads(line)
                data = json.dumps(row["data"], ensure_ascii=False)
                if "message_id" in row:
                    values = (row["id"], row["message_id"], "s", data)
                    link.execute("INSERT INTO part VALUES (?, ?, ?, ?)", values)
                else:
                    values = (row["id"], "s", number, data)
                    link.execute("INSERT INTO message VALUES (?, ?, ?, ?)", values)
        link.commit()


def as_one_object(lines: Path, path: Path) -> None:
    """The messages of `lines` as Gemini's first generation printed them."""
    with lines.open("rb") as stream:
        header, *messages = [json.loads(line) for line in stream]
    unique = list({message["id"]: message for message in messages}.values())
    path.write_text(json.dumps({**header, "messages": unique}, indent=2, ensure_ascii=False))


def measured(tool: str, lines: Path) -> tuple[float, float, float]:
    """Seconds of ours and of bare decoding, and the megabytes both worked through."""
    path = lines
    if tool == "opencode":
        path = lines.with_suffix(".db")
        as_database(lines, path)
    elif tool == "gemini-old":
        path = lines.with_suffix(".json")
        as_one_object(lines, path)

    def load() -> None:
        deque(iter_messages(tool.removesuffix("-old"), session_path=path), maxlen=0)

    def decode() -> None:
        if path.suffix == ".json":
            json.loads(path.read_bytes())
        else:
            bare(lines)

    megabytes = (path if path.suffix == ".json" else lines).stat().st_size / (1 << 20)
    return seconds(load), seconds(decode), megabytes


def speeds() -> Iterator[tuple[str, float, float]]:
    """For each format the MB/s of loading and of a bare `json.loads` loop over the same lines."""
    for tool, source in SOURCES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{tool}.jsonl"
            written(path, source(), MEGABYTES << 20)
            ours, theirs, size = measured(tool, path)
        yield tool, size / ours, size / theirs


def told(tool: str, ours: float, theirs: float) -> str:
    """One line of the table; the aim is a ratio of 2 and less."""
    return f"{tool:12}{ours:8.1f}{theirs:14.1f}{theirs / ours:9.2f}"


HEAD = f"{'reading':12}{'MB/s':>8}{'json.loads':>14}{'ratio':>9}"

if __name__ == "__main__":
    print(HEAD)
    for speed in speeds():
        print(told(*speed))
