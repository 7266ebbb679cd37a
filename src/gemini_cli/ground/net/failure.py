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
_LEFT = ("Server disconnected", "peer ")
"""How the library's words begin when the other side went away; else it said no HTTP."""


class Stage(StrEnum):
    """How far a request had come."""

    HEADERS = "headers"
    BODY = "body"


def problem_from(error: Exception, url: str, stage: Stage, proxy: str | None = None) -> HttpProblem:
    """The problem behind a library exception. `proxy` is the one the request went through."""
    host = host_of(url)
    if isinstance(error, httpx2.ConnectTimeout):
        where = f"The proxy {host_of(proxy)}" if proxy else host
        hint = f" {_check_proxy(host)}" if proxy else ""
        return HttpProblem(f"{where} did not accept a connection in time.{hint}", "connect_timeout")
    if isinstance(error, httpx2.TimeoutException):
        return late(url, stage)
    if isinstance(error, httpx2.ProxyError):
        return _refused_tunnel(str(error), host)
    if isinstance(error, httpx2.ConnectError):
        return _unconnected(error, host, proxy)
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol):
        return HttpProblem(f"The request to {host} cannot be sent: {error}", "request")
    if isinstance(error, httpx2.DecodingError):
        return HttpProblem(f"{host} sent a body that cannot be decompressed.", "broken")
    through = f" (through the proxy {host_of(proxy)})" if proxy else ""
    if isinstance(error, httpx2.RemoteProtocolError) and not str(error).startswith(_LEFT):
        return HttpProblem(f"{host}{through} answered with something that is no HTTP.", "broken")
    where = "before it answered" if stage is Stage.HEADERS else "in the middle of its answer"
    return HttpProblem(f"{host}{through} closed the connection {where}.", "broken")


def late(url: str, stage: Stage) -> HttpProblem:
    """The problem of a server that took too long."""
    host = host_of(url)
    if stage is Stage.HEADERS:
        return HttpProblem(f"{host} did not begin to answer in time.", "first_byte_timeout")
    return HttpProblem(f"{host} stopped in the middle of its answer.", "idle_timeout")


def _refused_tunnel(said: str, host: str) -> HttpProblem:
    """`said` begins with the proxy's status; the rest are its own words and not shown."""
    status = said[:3] if said[:3].isdecimal() else "no status"
    hint = _check_proxy(host)
    if status == "407":
        hint = "It wants a user name and password: http://user:password@host:port in HTTPS_PROXY."
    passing = status.startswith("5")
    return HttpProblem(
        f"The proxy refused to connect to {host} ({status}). {hint}",
        "broken" if passing else "proxy",
    )


def _unconnected(error: Exception, host: str, proxy: str | None) -> HttpProblem:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return HttpProblem(
                f"The certificate of {host} is not trusted ({cause.verify_message}). If your "
                "network has its own authority, name its PEM file in NODE_EXTRA_CA_CERTS.",
                "tls",
            )
        if isinstance(cause, ssl.SSLError):
            reason = cause.reason or "handshake failed"
            hint = " Does it want http:// instead of https://?" if "WRONG_VERSION" in reason else ""
            return HttpProblem(f"No secure connection to {host}: {reason}.{hint}", "broken")
        if isinstance(cause, socket.gaierror):
            return _offline("{} could not be resolved.", host, proxy)
        if isinstance(cause, ConnectionRefusedError):
            return _offline("Nothing answers at {} (connection refused).", host, proxy)
    return _offline("{} could not be reached.", host, proxy)


def _offline(what: str, host: str, proxy: str | None) -> HttpProblem:
    if proxy:
        told = what.format(f"the proxy {host_of(proxy)}")
        return HttpProblem(f"{told[0].upper()}{told[1:]} {_check_proxy(host)}", "offline")
    hint = "Check the network connection, or HTTPS_PROXY if you need a proxy."
    return HttpProblem(f"{what.format(host)} {hint}", "offline")


def _check_proxy(host: str) -> str:
    return f"Check HTTPS_PROXY and HTTP_PROXY, or list {host} in NO_PROXY."


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and len(found) < _DEPTH:
        if isinstance(current, BaseExceptionGroup):
            found.extend(current.exceptions)
        found.append(current)
        current = current.__cause__ or current.__context__
    return found


def host_of(url: str) -> str:
    """Host and port, without the user info, path and query a URL may hide secrets in."""
    parts = urlsplit(url)
    host = parts.hostname or "the server"
    return f"{host}:{parts.port}" if parts.port else host
