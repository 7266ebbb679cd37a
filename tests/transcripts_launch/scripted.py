"""A tiny scripted HTTP server that answers as the Gemini, Anthropic and OpenAI services do."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
Reply = Callable[[str, Json], tuple[int, str, bytes] | None]


class Scripted:
    """Serves `answer(path, body)`; remembers what was asked."""

    def __init__(self, answer: Reply) -> None:
        self.requests: list[tuple[str, Json]] = []
        self._answer = answer
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                self._reply({})

            def do_HEAD(self) -> None:
                self._reply({})

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    self._reply(json.loads(data or b"{}"))
                except ValueError:
                    self._reply({})

            def _reply(self, body: Json) -> None:
                with outer._lock:
                    outer.requests.append((self.path, body))
                    found = outer._answer(self.path, body)
                status, kind, data = found or (404, "application/json", b"{}")
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@contextmanager
def scripted(answer: Reply) -> Iterator[Scripted]:
    """A running server for the length of the block."""
    one = Scripted(answer)
    thread = threading.Thread(target=one.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield one
    finally:
        one.server.shutdown()
        one.server.server_close()
        thread.join()


def sse(events: list[Json], named: bool = False) -> tuple[int, str, bytes]:
    """Events as a server-sent stream."""
    head = lambda event: f"event: {event['type']}\n" if named else ""  # noqa: E731 - one use
    text = "".join(f"{head(event)}data: {json.dumps(event)}\n\n" for event in events)
    return 200, "text/event-stream", text.encode()


def gemini_turns(*turns: list[Json]) -> Reply:
    """Each turn is a list of parts; every streamed request gets the next one."""
    left = list(turns)

    def answer(path: str, body: Json) -> tuple[int, str, bytes] | None:
        if ":streamGenerateContent" in path:
            parts = left.pop(0)
            usage = {"promptTokenCount": 100, "candidatesTokenCount": 7, "totalTokenCount": 107}
            content = {"role": "model", "parts": parts}
            candidate = {"content": content, "finishReason": "STOP", "index": 0}
            return sse([{"candidates": [candidate], "usageMetadata": usage}])
        if ":countTokens" in path:
            return 200, "application/json", b'{"totalTokens": 10}'
        return None

    return answer


def claude_turns(*turns: list[Json]) -> Reply:
    """Each turn is a list of content blocks of the Anthropic API."""
    left = list(turns)
    count = iter(range(1, 100))

    def answer(path: str, body: Json) -> tuple[int, str, bytes] | None:
        if "/v1/messages/count_tokens" in path:
            return 200, "application/json", b'{"input_tokens": 10}'
        if "/v1/messages" not in path:
            return None
        if not body.get("tools"):
            return sse(_claude_events(body, [{"type": "text", "text": "A title"}], 99), named=True)
        return sse(_claude_events(body, left.pop(0), next(count)), named=True)

    return answer


def _claude_events(body: Json, blocks: list[Json], number: int) -> list[Json]:
    usage = {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 30}
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    events: list[Json] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}})
    events.append({"type": "message_stop"})
    return events


def codex_turns(*turns: list[Json]) -> Reply:
    """Each turn is a list of output items of the OpenAI responses API."""
    left = list(turns)
    count = iter(range(1, 100))

    def answer(path: str, body: Json) -> tuple[int, str, bytes] | None:
        if "/responses" not in path:
            return (200, "application/json", b'{"models": []}') if "models" in path else None
        number = f"resp_{next(count)}"
        events: list[Json] = [{"type": "response.created", "response": {"id": number}}]
        for index, item in enumerate(left.pop(0)):
            done = {"type": "response.output_item.done", "output_index": index, "item": item}
            events.append(done)
        usage = {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 30},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 2},
            "total_tokens": 107,
        }
        events.append({"type": "response.completed", "response": {"id": number, "usage": usage}})
        return sse(events, named=True)

    return answer
