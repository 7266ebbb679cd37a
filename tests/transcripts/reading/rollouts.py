"""Writes Codex's rollouts line by line."""

import json
from pathlib import Path

from gemini_cli.transcripts import (
    LoadOptions,
    load_messages_sync,
)
from transcripts.reading import stores

CID = "01990000-aaaa-7bbb-8ccc-ddddeeeeffff"


def load(path=stores.CODEX, **options):
    return load_messages_sync("codex", session_path=path, options=LoadOptions(**options))


def said(messages):
    return [(m.role, m.content) for m in messages]


def line(kind, payload, at=0):
    return {"timestamp": f"2026-03-02T09:00:{at:02d}.000Z", "type": kind, "payload": payload}


def item(payload, at=0):
    return line("response_item", payload, at)


def event(payload, at=0):
    return line("event_msg", payload, at)


def message(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def call(name, arguments, call_id="c"):
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function_call", "name": name, "arguments": given, "call_id": call_id}


def output(text, call_id="c"):
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def count(tokens, total=None):
    info = {"last_token_usage": {"input_tokens": tokens, "output_tokens": 1, "total_tokens": 9}}
    if total is not None:
        info["total_token_usage"] = {"total_tokens": total}
    return event({"type": "token_count", "info": info})


def saved(tmp_path, *records):
    meta = line("session_meta", {"id": CID, "cwd": "/work/app"})
    return stores.write_lines(tmp_path / f"rollout-x-{CID}.jsonl", [meta, *records])


def stored(env, records=None, *, name=CID, folder="sessions/2026/03/02", home=".codex"):
    path = Path(env["HOME"]) / home / folder / f"rollout-2026-03-02T09-00-00-{name}.jsonl"
    return stores.write_lines(path, records or stores.lines_of(stores.CODEX))


def meta(name, at="2026-03-01T09:00:00.000Z", **fields):
    head = {"timestamp": at, "type": "session_meta", "payload": {"id": name, "cwd": "/w", **fields}}
    return [head, {**item(message("user", f"ask {name}")), "timestamp": at}]
