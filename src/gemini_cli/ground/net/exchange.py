"""One HTTP request and its answer as plain data and ports, without an HTTP library behind them.

Rooms that talk to servers depend on this page; `http.Http` fulfils it. Importing it is
cheap, so a session that never goes online never loads a network stack.
"""

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

import msgspec

MAX_BODY_BYTES = 64 * 1024 * 1024


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds to wait: for a connection, for the status line, between two pieces of a body."""

    connect: float = 30.0
    first_byte: float = 60.0
    idle: float = 300.0


class HttpOptions(msgspec.Struct, frozen=True):
    """What a client is built from; every value comes from the environment of the process."""

    proxy: str | None = None
    """First of HTTPS_PROXY, https_proxy, HTTP_PROXY and http_proxy that is set."""
    no_proxy: str = ""
    ca_file: str | None = None
    """SSL_CERT_FILE."""
    extra_ca_file: str | None = None
    """NODE_EXTRA_CA_CERTS."""
    timeouts: Timeouts = Timeouts()


class HttpRequest(msgspec.Struct, frozen=True):
    """One request. `redirects` is how many hops may be followed."""

    method: str
    url: str
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    redirects: int = 5
    patient: bool = False
    """The answer comes all at once when it is ready: wait for it as long as for a pause."""
    timeouts: Timeouts | None = None


class Answer(Protocol):
    """Status and headers, and a body still to be read; close it when done."""

    @property
    def url(self) -> str:
        """Where the answer came from, after redirects."""
        ...

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Names are looked up without regard to case."""
        ...

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body, decompressed, as it arrives. Raises `HttpProblem`."""
        ...

    async def read(self, limit: int = MAX_BODY_BYTES) -> bytes:
        """The whole body; more than `limit` bytes are an error, not a silent cut."""
        ...

    async def aclose(self) -> None:
        """Lets the connection go: back to the pool when the body was read, else closed."""
        ...


class HttpClient(Protocol):
    """Opens requests."""

    async def open(self, request: HttpRequest) -> Answer:
        """Sends and returns as soon as the status line is in. Raises `HttpProblem`."""
        ...

    async def aclose(self) -> None:
        """Closes every connection."""
        ...
