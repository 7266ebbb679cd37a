"""Writes small session stores of several CLIs into a temporary home."""

import json
from pathlib import Path
from typing import Any

CLAUDE_1 = "11111111-1111-4111-8111-111111111111"
CLAUDE_2 = "22222222-2222-4222-8222-222222222222"
CODEX_1 = "01999999-aaaa-7bbb-8ccc-dddddddddddd"


def write_lines(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def gemini(
    home: Path,
    session_id: str = "gem-0001-abcd",
    prompt: str = "Please fix the Größe parser",
    day: str = "2025-10-29",
    project: str = "/home/ada/alpha",
    model: str = "gemini-2.5-pro",
) -> Path:
    """A Gemini session: a prompt, a failed and a good call, an answer."""
    at = f"{day}T10:00:00.000Z"
    folder = home / ".gemini/tmp" / project.rsplit("/", 1)[1]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".project_root").write_text(project)
    calls = [
        {
            "id": f"c{number}",
            "name": "run_shell_command",
            "args": {"command": f"make target{number}"},
            "status": status,
            "timestamp": at,
            "result": [{"functionResponse": {"id": f"c{number}", "response": response}}],
        }
        for number, status, response in (
            (1, "success", {"output": "all green"}),
            (2, "error", {"error": "missing separator"}),
        )
    ]
    tokens = {"input": 1000, "output": 100, "cached": 400, "thoughts": 50, "tool": 0}
    return write_lines(
        folder / "chats" / f"session-{day}T10-00-{session_id[:8]}.jsonl",
        {"sessionId": session_id, "projectHash": "h", "startTime": at, "lastUpdated": at},
        {"id": "u1", "timestamp": at, "type": "user", "content": [{"text": prompt}]},
        {
            "id": "g1",
            "timestamp": at,
            "type": "gemini",
            "content": "The lexer drops umlauts.",
            "thoughts": [{"subject": "Plan", "description": "bisect it", "timestamp": at}],
            "toolCalls": calls,
            "tokens": {**tokens, "total": 1150},
            "model": model,
        },
    )


def claude(
    home: Path,
    session_id: str = CLAUDE_1,
    prompt: str = "Rename the widget",
    project: str = "/home/ada/beta",
    message_id: str = "msg_1",
    day: str = "2025-10-30",
) -> Path:
    """A Claude session whose one response is written as two lines with the same numbers."""
    usage = {"input_tokens": 10, "output_tokens": 200, "cache_read_input_tokens": 1000}
    base: dict[str, Any] = {
        "sessionId": session_id,
        "cwd": project,
        "gitBranch": "main",
        "timestamp": f"{day}T09:00:00.000Z",
        "isSidechain": False,
    }

    def line(number: int, block: dict[str, Any]) -> dict[str, Any]:
        message = {
            "id": message_id,
            "role": "assistant",
            "model": "claude-sonnet-4-5-20250929",
            "content": [block],
            "usage": usage,
        }
        uuid, parent = f"{session_id}-{number}", f"{session_id}-{number - 1}"
        return base | {
            "type": "assistant",
            "uuid": uuid,
            "parentUuid": parent,
            "requestId": "r",
            "message": message,
        }

    edit = {"file_path": "/b/w.py", "old_string": "widget", "new_string": "gadget"}
    return write_lines(
        home / ".claude/projects" / project.replace("/", "-") / f"{session_id}.jsonl",
        base
        | {
            "type": "user",
            "uuid": f"{session_id}-0",
            "parentUuid": None,
            "message": {"role": "user", "content": prompt},
        },
        line(1, {"type": "text", "text": "Renaming now."}),
        line(2, {"type": "tool_use", "id": "t1", "name": "Edit", "input": edit}),
    )


def codex(home: Path, session_id: str = CODEX_1, folder: str = "sessions/2025/11/01") -> Path:
    """A Codex session of an unpriced model."""
    at = "2025-11-01T08:00:00.000Z"

    def entry(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": at, "type": kind, "payload": payload}

    ask = [{"type": "input_text", "text": "Explain the zeppelin module"}]
    say = [{"type": "output_text", "text": "It floats."}]
    numbers = {"input_tokens": 70, "cached_input_tokens": 20, "output_tokens": 9}
    info = {"last_token_usage": {**numbers, "total_tokens": 79}}
    return write_lines(
        home / ".codex" / folder / f"rollout-2025-11-01T08-00-00-{session_id}.jsonl",
        entry("session_meta", id=session_id, timestamp=at, cwd="/home/ada/gamma", source="cli"),
        entry("turn_context", cwd="/home/ada/gamma", model="gpt-99-secret"),
        entry("response_item", type="message", role="user", content=ask),
        entry("response_item", type="message", role="assistant", content=say),
        entry("event_msg", type="token_count", info=info),
    )


def everything(home: Path) -> dict[str, str]:
    """All three stores, and the environment that names the home."""
    gemini(home)
    claude(home)
    codex(home)
    return {"HOME": str(home)}


def copilot(home: Path, session_id: str = "cop-0001-aaaa") -> Path:
    """A Copilot session."""
    at = "2025-11-02T08:00:00.000Z"

    def event(kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "id": kind, "timestamp": at, "parentId": None, "data": data}

    return write_lines(
        home / ".copilot/session-state" / session_id / "events.jsonl",
        event("session.start", sessionId=session_id, context={"cwd": "/home/ada/delta"}),
        event("user.message", content="Find the quokka"),
        event("assistant.message", messageId="m", content="It smiles.", toolRequests=[]),
    )


def qwen(home: Path, session_id: str = "33333333-3333-4333-8333-333333333333") -> Path:
    """A Qwen session."""
    base: dict[str, Any] = {
        "sessionId": session_id,
        "cwd": "/home/ada/eps",
        "timestamp": "2025-11-03T08:00:00.000Z",
        "version": "1",
    }
    ask = {"role": "user", "parts": [{"text": "Polish the abacus"}]}
    say = {"role": "model", "parts": [{"text": "Shiny."}]}
    return write_lines(
        home / ".qwen/projects/-home-ada-eps/chats" / f"{session_id}.jsonl",
        base | {"type": "user", "uuid": "u1", "parentUuid": None, "message": ask},
        base
        | {
            "type": "assistant",
            "uuid": "a1",
            "parentUuid": "u1",
            "message": say,
            "model": "qwen-x",
            "usageMetadata": {
                "promptTokenCount": 9,
                "candidatesTokenCount": 2,
                "totalTokenCount": 11,
            },
        },
    )
