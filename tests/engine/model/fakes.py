"""What the tests of this room share: a clock that never waits and a way to build models."""

from dataclasses import dataclass, field

from gemini_cli.engine.model import ModelSettings, open_models
from gemini_cli.ground.net.exchange import HttpOptions, Timeouts
from gemini_cli.ground.net.http import Http
from gemini_cli.protocol.messages import Call, Message, Reply, Text
from gemini_cli.protocol.model import Chunk, ModelRequest

MODEL = "gemini-2.5-pro"
CALM = Timeouts(connect=20, first_byte=20, idle=20)


@dataclass
class FakeClock:
    sleeps: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def now(self) -> str:
        return "2026-01-02T03:04:05.678Z"

    def monotonic(self) -> float:
        self.seconds += 0.25
        return self.seconds

    def new_id(self) -> str:
        return "id"

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)


def models(url: str = "", *, env=None, settings=None, clock=None, timeouts=CALM, **more):
    env = {"GEMINI_API_KEY": "key", "GOOGLE_GEMINI_BASE_URL": url} | (env or {})
    return open_models(
        settings or ModelSettings(),
        env,
        http=lambda: Http(HttpOptions(timeouts=timeouts)),
        clock=clock or FakeClock(),
        **more,
    )


def user(*parts, id="u") -> Message:
    parts = tuple(Text(p) if isinstance(p, str) else p for p in parts)
    return Message(id, "user", parts, "t")


def model(*parts) -> Message:
    parts = tuple(Text(p) if isinstance(p, str) else p for p in parts)
    return Message("m", "model", parts, "t", origin="model")


def call(name: str, signature: str | None = None, id: str = "1", **args) -> Call:
    return Call(f"{name}__{id}", name, args, signature)


def reply(name: str, text: str = "ok", id: str = "1", **more) -> Reply:
    return Reply(f"{name}__{id}", name, (Text(text),), **more)


def request(*contents: Message, **more) -> ModelRequest:
    return ModelRequest(**{"model": MODEL, "contents": contents or (user("hi"),)} | more)


async def collect(made, req: ModelRequest | None = None) -> list:
    try:
        return [item async for item in made.stream(req or request())]
    finally:
        await made.aclose()


def answer(text: str = "hello", finish: str | None = "STOP", **more) -> dict:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate]} | more


def text_in(items: list) -> str:
    return "".join(p.text for i in items if isinstance(i, Chunk) for p in i.parts)
