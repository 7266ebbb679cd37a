"""The Gemini Developer API over HTTP: posts a call, reads the events of its answer.

Strict about JSON and about nothing else: keep-alive comments, odd line endings and unknown
event names are no errors. It never repeats a request.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing

from gemini_cli.engine.model.endpoints import Endpoint
from gemini_cli.engine.model.errors import (
    error_from_answer,
    error_from_problem,
    error_in_stream,
)
from gemini_cli.engine.model.quoting import without_keys
from gemini_cli.engine.model.reading import read_json
from gemini_cli.engine.model.transport import ModelCall
from gemini_cli.engine.model.wire import encode
from gemini_cli.ground.net.exchange import Answer, HttpClient, HttpRequest
from gemini_cli.ground.net.problem import HttpProblem
from gemini_cli.ground.net.sse import SseEvent, SseParser
from gemini_cli.protocol.errors import BadRequest, Unavailable
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

_MOST_ERROR_BYTES = 1024 * 1024
_DONE = b"[DONE]"
_log = logging.getLogger(__name__)


class HttpTransport:
    """A `Transport`. `headers` gives those of a request to a model, credential included.

    `secrets` are blotted out should a service repeat them in its refusal.
    """

    def __init__(
        self,
        http: HttpClient,
        endpoint: Endpoint,
        headers: Callable[[str], Mapping[str, str]],
        secrets: Sequence[str] = (),
    ) -> None:
        self._http = http
        self._endpoint = endpoint
        self._headers = headers
        self._secrets = secrets

    async def open(self, call: ModelCall) -> AsyncGenerator[JsonObject, None]:
        answer = await self._send(call)
        if _type(answer) == "application/json":
            return self._array(answer, call.model)
        return self._pieces(answer, call.model)

    async def once(self, call: ModelCall) -> JsonObject:
        answer = await self._send(call)
        return self._sound(await self._body(answer, call.model), call.model)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _send(self, call: ModelCall) -> Answer:
        request = HttpRequest(
            "POST",
            self._endpoint.url(call.model, call.method),
            self._headers(call.model),
            encode(call.body),
            patient=call.method == "generateContent",
        )
        _log.debug("%s: %d bytes", request.url, len(request.body or b""))
        try:
            answer = await self._http.open(request)
            _log.debug("%s: %d", request.url, answer.status)
            if answer.status == 200 and _type(answer) != "text/html":
                return answer
        except HttpProblem as problem:
            raise error_from_problem(problem, call.model) from problem
        body = await _what_it_says(answer)
        if answer.status == 200:
            raise _no_answer(answer, call.model, "a web page")
        raise error_from_answer(answer.status, body, answer.headers, call.model, self._secrets)

    async def _body(self, answer: Answer, model: str) -> JsonValue:
        try:
            return _json(await answer.read(), model)
        except HttpProblem as problem:
            raise error_from_problem(problem, model) from problem
        finally:
            await answer.aclose()

    async def _array(self, answer: Answer, model: str) -> AsyncGenerator[JsonObject, None]:
        """Some gateways ignore `alt=sse` and send all pieces as one array."""
        body = await self._body(answer, model)
        for piece in _listed(body):
            yield self._sound(piece, model)

    async def _pieces(self, answer: Answer, model: str) -> AsyncGenerator[JsonObject, None]:
        parser = SseParser()
        heard = False
        try:
            async with aclosing(answer.chunks()) as chunks:
                async for chunk in chunks:
                    for event in parser.feed(chunk):
                        heard = True
                        if (piece := self._piece(event, model)) is not None:
                            yield piece
            for event in parser.finish():
                heard = True
                if (piece := self._piece(event, model)) is not None:
                    yield piece
            for piece in self._beside(bytes(parser.stray), answer, model, heard=heard):
                yield piece
        except HttpProblem as problem:
            raise error_from_problem(problem, model) from problem
        finally:
            await answer.aclose()

    def _beside(
        self, stray: bytes, answer: Answer, model: str, *, heard: bool
    ) -> Iterator[JsonObject]:
        """What a stream held outside of its events: an error, or the whole answer as JSON."""
        if stray.lstrip()[:1] in (b"{", b"["):
            for piece in _listed(_json(stray, model)):
                sound = self._sound(piece, model)
                if not heard:
                    yield sound
        elif stray.strip() and not heard:
            raise _no_answer(answer, model, "something else")

    def _piece(self, event: SseEvent, model: str) -> JsonObject | None:
        if event.data.strip() in (b"", _DONE):
            return None
        return self._sound(_json(event.data, model), model)

    def _sound(self, value: JsonValue, model: str) -> JsonObject:
        """The piece, unless it is an error in disguise."""
        piece = _object(value, model)
        error = error_in_stream(piece, model, self._secrets)
        if error is not None:
            raise error
        feedback = piece.get("promptFeedback")
        if isinstance(feedback, dict):
            shown = {k: self._shown(v) for k, v in feedback.items()}
            return piece | {"promptFeedback": shown}
        return piece

    def _shown(self, value: JsonValue) -> JsonValue:
        """What a person may read of a refusal."""
        return without_keys(value, self._secrets) if isinstance(value, str) else value


async def _what_it_says(answer: Answer) -> bytes:
    """The body of a refusal. Its status tells enough when the body cannot be had."""
    try:
        return await answer.read(_MOST_ERROR_BYTES)
    except HttpProblem:
        return b""
    finally:
        await answer.aclose()


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _json(data: bytes, model: str) -> JsonValue:
    try:
        return read_json(data)
    except ValueError as error:
        raise Unavailable(
            f"The answer of {model} broke off or is damaged: a piece of it is not JSON.",
            model=model,
        ) from error


def _object(value: JsonValue, model: str) -> JsonObject:
    if not isinstance(value, dict):
        raise Unavailable(f"The answer of {model} has an unknown form.", model=model)
    return value


def _type(answer: Answer) -> str:
    return (answer.headers.get("content-type") or "").partition(";")[0].strip().lower()


def _no_answer(answer: Answer, model: str, what: str) -> BadRequest:
    return BadRequest(
        f"{answer.url.split('?')[0]} answered with {what} instead of a model's answer. "
        "Check GOOGLE_GEMINI_BASE_URL, the proxy, and whether the network wants a log-in.",
        status=200,
        model=model,
    )
