"""Turns the HTTP library's exceptions into `HttpProblem`, with a sentence a person can use.

The library's own texts are not shown where they say nothing; its cause chain is searched
for the real reason.
"""

import socket
import ssl
from enum import StrEnum
from urllib.parse import urlsplit

from gemini_cli.ground.net.library import httpx2
from gemini_cli.ground.net.problem import HttpProblem

_DEPTH = 8


class Stage(StrEnum):
    """How far a request had come."""

    HEADERS = "headers"
    BODY = "body"


def problem_from(error: Exception, url: str, stage: Stage) -> HttpProblem:
    """The problem behind a library exception."""
    host = _host(url)
    if isinstance(error, httpx2.ConnectTimeout):
        return HttpProblem(f"{host} did not accept a connection in time.", "connect_timeout")
    if isinstance(error, httpx2.TimeoutException):
        return late(url, stage)
    if isinstance(error, httpx2.ProxyError):
        return HttpProblem(
            f"The proxy refused to connect to {host} ({error}). "
            "Check HTTPS_PROXY, or list the host in NO_PROXY.",
            "proxy",
        )
    if isinstance(error, httpx2.ConnectError):
        return _unconnected(error, host)
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol):
        return HttpProblem(f"The request to {host} cannot be sent: {error}", "request")
    if isinstance(error, httpx2.DecodingError):
        return HttpProblem(f"{host} sent a body that cannot be decompressed.", "broken")
    where = "before it answered" if stage is Stage.HEADERS else "in the middle of its answer"
    return HttpProblem(f"{host} closed the connection {where}.", "broken")


def late(url: str, stage: Stage) -> HttpProblem:
    """The problem of a server that took too long."""
    host = _host(url)
    if stage is Stage.HEADERS:
        return HttpProblem(f"{host} did not begin to answer in time.", "first_byte_timeout")
    return HttpProblem(f"{host} stopped in the middle of its answer.", "idle_timeout")


def _unconnected(error: Exception, host: str) -> HttpProblem:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return HttpProblem(
                f"The certificate of {host} is not trusted ({cause.verify_message}). If your "
                "network has its own authority, name its PEM file in NODE_EXTRA_CA_CERTS.",
                "tls",
            )
        if isinstance(cause, ssl.SSLError):
            reason = cause.reason or "handshake failed"
            return HttpProblem(f"No secure connection to {host}: {reason}.", "broken")
        if isinstance(cause, socket.gaierror):
            return HttpProblem(
                f"The name {host} could not be resolved. Check the network connection, "
                "or HTTPS_PROXY if you need a proxy.",
                "offline",
            )
        if isinstance(cause, ConnectionRefusedError):
            return HttpProblem(f"Nothing answers at {host} (connection refused).", "offline")
    return HttpProblem(
        f"{host} could not be reached. Check the network connection, "
        "or HTTPS_PROXY if you need a proxy.",
        "offline",
    )


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and len(found) < _DEPTH:
        if isinstance(current, BaseExceptionGroup):
            found.extend(current.exceptions)
        found.append(current)
        current = current.__cause__ or current.__context__
    return found


def _host(url: str) -> str:
    """Host and port, without the user info, path and query a URL may hide secrets in."""
    parts = urlsplit(url)
    host = parts.hostname or "the server"
    return f"{host}:{parts.port}" if parts.port else host
