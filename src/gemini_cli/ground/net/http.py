"""The only HTTP client of the product: one long-lived connection pool, HTTP/1.1, kept alive.

Proxies, certificates and timeouts come in as values. It never follows a redirect to another
host with a key or a body, never sends a header with a line break in it, and never says more
about a failure than host and reason.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import cast
from urllib.parse import SplitResult, urljoin, urlsplit

import msgspec

from gemini_cli.ground.net.exchange import (
    MAX_BODY_BYTES,
    HttpOptions,
    HttpRequest,
    Timeouts,
)
from gemini_cli.ground.net.failure import Stage, host_of, late, problem_from
from gemini_cli.ground.net.headers import checked_headers, portable_headers
from gemini_cli.ground.net.library import httpx2
from gemini_cli.ground.net.problem import HttpProblem
from gemini_cli.ground.net.proxy import Bypass, bypasses, direct, port_of, proxy_address
from gemini_cli.ground.net.tls import bare_context, tls_context, trust_also

_KEEP_ALIVE_SECONDS = 20.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ENCODINGS = frozenset({"", "identity", "gzip", "deflate"})


class HttpResponse:
    """Status and headers of an answer whose body is still to be read; close it when done."""

    def __init__(self, inner: httpx2.Response, url: str, proxy: str | None = None) -> None:
        self._inner = inner
        self._proxy = proxy
        self.url = url
        self.status = inner.status_code
        self.headers: Mapping[str, str] = inner.headers
        """Names are looked up without regard to case."""

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body, decompressed, as it arrives."""
        try:
            async with aclosing(self._pieces()) as pieces:
                async for piece in pieces:
                    yield piece
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise problem_from(error, self.url, Stage.BODY, self._proxy) from error

    async def read(self, limit: int = MAX_BODY_BYTES) -> bytes:
        """The whole body; more than `limit` bytes are an error, not a silent cut."""
        body = bytearray()
        async with aclosing(self.chunks()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > limit:
                    host = urlsplit(self.url).hostname
                    raise HttpProblem(f"{host} answered with more than {limit} bytes.", "too_large")
        return bytes(body)

    async def aclose(self) -> None:
        """Lets the connection go: back to the pool when the body was read, else closed."""
        await self._inner.aclose()

    async def __aenter__(self) -> "HttpResponse":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _pieces(self) -> AsyncGenerator[bytes, None]:
        if "content-encoding" in self.headers:
            self._refuse_unasked_encoding()
            return self._inner.aiter_bytes()
        # The shortest way through the library: token streams are thousands of small pieces.
        stream = cast(httpx2.AsyncByteStream, self._inner.stream)
        return cast(AsyncGenerator[bytes, None], aiter(cast(AsyncIterator[bytes], stream)))

    def _refuse_unasked_encoding(self) -> None:
        """The library passes on what it cannot decode, as if it were the text itself."""
        for name in self.headers["content-encoding"].lower().split(","):
            if name.strip() not in _ENCODINGS:
                raise HttpProblem(
                    f"{urlsplit(self.url).hostname} sent a body encoded as {name.strip()[:20]!a}, "
                    "which nobody asked for and we cannot read.",
                    "encoding",
                )


class Http:
    """Opens requests. One per process. `tell` hears, once each, of settings it has to leave out."""

    def __init__(
        self, options: HttpOptions | None = None, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._options = options or HttpOptions()
        self._tell = tell
        self._told: set[str] = set()
        self._no_proxy: tuple[Bypass, ...] = bypasses(self._options.no_proxy)
        self._proxy: str | None = None
        self._transports: dict[tuple[str | None, bool], httpx2.AsyncHTTPTransport] = {}
        self._retired: list[httpx2.AsyncHTTPTransport] = []
        self._tls: ssl.SSLContext | None = None
        self._thorough = bool(self._options.ca_file)
        if self._options.proxy:
            self._adopt_proxy(self._options.proxy)

    async def open(self, request: HttpRequest) -> HttpResponse:
        """Sends and returns as soon as the status line is in. Raises `HttpProblem`."""
        for _ in range(max(request.redirects, 0) + 1):
            response = await self._open_trusting(request)
            following = _redirected(request, response)
            if following is None:
                return response
            await response.aclose()
            request = following
        host = urlsplit(request.url).hostname
        raise HttpProblem(f"{host} redirects in a circle or too often.", "redirect")

    async def fetch(
        self, request: HttpRequest, limit: int = MAX_BODY_BYTES
    ) -> tuple[HttpResponse, bytes]:
        """Sends and reads the whole answer."""
        async with await self.open(request) as response:
            return response, await response.read(limit)

    async def aclose(self) -> None:
        """Closes every connection. The client may be used again afterwards."""
        transports = [*self._retired, *self._transports.values()]
        self._retired, self._transports = [], {}
        for transport in transports:
            await transport.aclose()

    async def _open_trusting(self, request: HttpRequest) -> HttpResponse:
        """A certificate is distrusted only after a look at everything the system trusts."""
        try:
            return await self._open_once(request)
        except HttpProblem as problem:
            if problem.kind != "tls" or self._thorough:
                raise
        self._thorough, self._tls = True, None
        self._retire_tls()
        return await self._open_once(request)

    async def _open_once(self, request: HttpRequest) -> HttpResponse:
        timeouts = request.timeouts or self._options.timeouts
        outgoing = _outgoing(request, timeouts)
        proxy = self._proxy_for(request.url)
        transport = self._transport(request.url, proxy)
        try:
            async with asyncio.timeout(None) as deadline:
                outgoing.extensions["trace"] = _head_timer(deadline, _patience(request, timeouts))
                inner = await transport.handle_async_request(outgoing)
        except TimeoutError as error:
            raise late(request.url, Stage.HEADERS) from error
        except httpx2.HTTPError as error:
            raise problem_from(error, request.url, Stage.HEADERS, proxy) from error
        # The library looks this up again when it starts on the body.
        outgoing.extensions["timeout"]["read"] = timeouts.idle
        return HttpResponse(inner, request.url, proxy)

    def _proxy_for(self, url: str) -> str | None:
        parts = split_url(url)
        port = port_of(parts.scheme, parts.port)
        return None if direct(self._no_proxy, parts.hostname or "", port) else self._proxy

    def _transport(self, url: str, proxy: str | None) -> httpx2.AsyncHTTPTransport:
        needs_tls = url.lower().startswith("https:") or (proxy or "").startswith("https:")
        key = (proxy, needs_tls)
        if key not in self._transports:
            self._transports[key] = self._make_transport(proxy, needs_tls)
        return self._transports[key]

    def _retire_tls(self) -> None:
        """Other requests may still be running over these, so they are closed at the end."""
        for key in [key for key in self._transports if key[1]]:
            self._retired.append(self._transports.pop(key))

    def _make_transport(self, proxy: str | None, needs_tls: bool) -> httpx2.AsyncHTTPTransport:
        context = self._tls_context() if needs_tls else bare_context()
        through = None
        if proxy:
            secure = proxy.startswith("https:")
            through = httpx2.Proxy(proxy, ssl_context=context if secure else None)
        return httpx2.AsyncHTTPTransport(
            verify=context,
            trust_env=False,
            proxy=through,
            limits=httpx2.Limits(keepalive_expiry=_KEEP_ALIVE_SECONDS),
        )

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = tls_context(self._options.ca_file, thorough=self._thorough)
            if self._options.extra_ca_file:
                self._add_authorities(self._tls, self._options.extra_ca_file)
        return self._tls

    def _add_authorities(self, context: ssl.SSLContext, file: str) -> None:
        """A stale name of a file that would only add trust is no reason to stop."""
        try:
            trust_also(context, file)
        except HttpProblem as problem:
            self._tell_once(f"{problem} Until then it is ignored.")

    def _tell_once(self, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            self._tell(problem)

    def _adopt_proxy(self, value: str) -> None:
        try:
            self._proxy = proxy_address(value)
        except ValueError as error:
            self._tell_once(
                f"HTTPS_PROXY or HTTP_PROXY is not a usable proxy address: {error}. "
                "It is ignored; connections are made directly."
            )


def _patience(request: HttpRequest, timeouts: Timeouts) -> float:
    """How long the head of the answer may take."""
    return timeouts.idle if request.patient else timeouts.first_byte


def _head_timer(
    deadline: asyncio.Timeout, seconds: float
) -> Callable[[str, Mapping[str, object]], Awaitable[None]]:
    """Starts the clock when the request is out: the library's own limit is for one read, so
    a server that sends its head drop by drop could hold us for ever."""

    async def watch(event: str, _: Mapping[str, object]) -> None:
        if event.endswith("receive_response_headers.started"):
            deadline.reschedule(asyncio.get_running_loop().time() + seconds)
        elif event.endswith("receive_response_headers.complete"):
            deadline.reschedule(None)

    return watch


def _outgoing(request: HttpRequest, timeouts: Timeouts) -> httpx2.Request:
    headers = {"accept": "*/*", "accept-encoding": "gzip, deflate"} | {
        name.lower(): value for name, value in checked_headers(request.headers).items()
    }
    limits = {
        "connect": timeouts.connect,
        "read": _patience(request, timeouts),
        "write": timeouts.idle,
        "pool": None,
    }
    split_url(request.url)
    try:
        return httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            content=request.body,
            extensions={"timeout": limits},
        )
    except httpx2.InvalidURL as error:
        raise HttpProblem(f"The address is not a URL: {error}", "request") from error


def split_url(url: str) -> SplitResult:
    """The parts of an http or https address, or `HttpProblem`."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise HttpProblem("The address must start with http:// or https:// and a host.", "request")
    return parts


def _redirected(request: HttpRequest, response: HttpResponse) -> HttpRequest | None:
    location = response.headers.get("location")
    if response.status not in _REDIRECTS or not location or request.redirects <= 0:
        return None
    old = split_url(request.url)
    try:
        url = urljoin(request.url, location)
        new = split_url(url)
    except (ValueError, HttpProblem) as error:
        raise HttpProblem(
            f"{old.hostname} redirects to something that is no web address.", "redirect"
        ) from error
    if (old.scheme, new.scheme) == ("https", "http"):
        raise HttpProblem(f"{old.hostname} redirects to an address without TLS.", "redirect")
    same_host = (old.scheme, old.netloc) == (new.scheme, new.netloc)
    keeps_body = response.status in (307, 308)
    if request.body is not None and (not same_host or not keeps_body):
        raise HttpProblem(
            f"{host_of(request.url)} redirects to {host_of(url)}, and what was to be sent is not "
            "handed on to another address. Use the final address directly.",
            "redirect",
        )
    headers = request.headers if same_host else portable_headers(request.headers)
    return msgspec.structs.replace(request, url=url, headers=headers)
