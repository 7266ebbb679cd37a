"""What stands between `gemini` and the service: gateways, proxies and servers that are neither.

Whatever they do, the person reads one line that names who failed, and no key is ever in it.
"""

import json
import re
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Thread

import pytest
from runner import Cli, Result

from gemini_cli.sdk.testing import text

SECRET = "sk-the-most-secret-key"
ONCE = {"general": {"maxAttempts": 1}}


class Peer:
    """Answers every connection with the same bytes, once a request or a greeting has come."""

    def __init__(self, answer: bytes, *, reset: bool) -> None:
        self._answer = answer
        self._reset = reset
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self._meet(connection)

    def _meet(self, connection: socket.socket) -> None:
        heard = connection.recv(65536)
        while heard.startswith(b"POST") and not heard.endswith(b"}"):
            heard += connection.recv(65536)
        if not self._reset:
            connection.sendall(self._answer)
        else:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.fixture
def peer() -> Iterator[Callable[..., Peer]]:
    with ExitStack() as stack:

        def start(status: str, body: bytes = b"", *headers: str, reset: bool = False) -> Peer:
            lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers]
            made = Peer("\r\n".join(lines).encode() + b"\r\n\r\n" + body, reset=reset)
            stack.callback(made.close)
            return made

        yield start


def told(cli: Cli, *args: str, **env: str) -> str:
    """The one line on stderr."""
    cli.settings(ONCE)
    result = cli.run(
        "-m", "gemini-2.5-flash", *args, "-p", "hi", env={"GEMINI_API_KEY": SECRET} | env
    )
    assert (result.code, result.out) == (1, ""), result
    assert "Traceback" not in result.err and result.err.count("\n") == 1, result.err
    assert result.err.rstrip("\n").isprintable() and not leaks(cli, result)
    return result.err


def leaks(cli: Cli, result: Result) -> bool:
    written = b"".join((cli.home / file).read_bytes() for file in cli.files())
    return SECRET in result.out + result.err or SECRET.encode() in written


def echo(peer) -> str:
    body = b'{"error": {"code": 400, "message": "bad \x1b[2J %s\nkey"}}' % SECRET.encode()
    return f"http://{peer('400 Bad', body).address}"


def test_a_service_that_repeats_the_key_gives_it_to_nobody(cli: Cli, peer):
    cli.url = echo(peer)
    assert "bad [2J [key] key" in told(cli)


@pytest.mark.parametrize("asked", [("-d", {}), ("", {"DEBUG": "1"}), ("", {"DEBUG_MODE": "true"})])
def test_who_asks_for_more_gets_traces_and_reports_without_the_key(cli: Cli, peer, asked):
    flag, variables = asked
    cli.settings(ONCE)
    cli.url = echo(peer)
    env = {"GEMINI_API_KEY": SECRET, "GEMINI_DEBUG_LOG_FILE": str(cli.home / "log")} | variables
    result = cli.run("-m", "gemini-2.5-flash", *flag.split(), "-p", "my words", env=env)
    assert result.code == 1 and "Traceback" in result.err and "[DEBUG]" in result.err
    report = next(cli.home / file for file in cli.files() if "gemini-client-error" in file)
    assert report.parent == cli.home / ".gemini/tmp" / cli.workspace.name
    written = json.loads(report.read_text())
    assert "bad [2J [key] key" in written["error"]["message"]
    assert "my words" in json.dumps(written["context"]) and "Traceback" in written["error"]["stack"]
    assert [oct(f.stat().st_mode)[-3:] for f in (report, cli.home / "log")] == ["600", "600"]
    assert not leaks(cli, result)


def test_a_log_file_says_what_happened_when_and_no_word_of_the_prompt(cli: Cli, serve):
    log = cli.home / "log"
    log.write_text("earlier\n")
    server = serve(text("secret answer"))
    env = {"GEMINI_DEBUG_LOG_FILE": str(log)}
    result = cli.run("-m", "gemini-2.5-flash", "-p", "secret prompt", env=env)
    assert (result.code, result.err) == (0, "")
    first, *lines = log.read_text().splitlines()
    assert first == "earlier" and f"{server.url}/v1beta" in lines[0] and lines[1].endswith(" 200")
    assert all(re.match(r"\[20\d\d-\S+Z\] \[DEBUG\] ", line) for line in lines)
    assert "secret" not in log.read_text() and "client-error" not in str(cli.files())


def test_a_log_file_that_cannot_be_written_is_told_and_does_not_stop(cli: Cli, serve):
    serve(text("ok"))
    nowhere = str(cli.home / "no" / "log")
    env = {"GEMINI_DEBUG_LOG_FILE": nowhere}
    result = cli.run("-m", "gemini-2.5-flash", "-p", "hi", env=env)
    assert (result.code, result.out) == (0, "ok\n")
    assert nowhere in result.err and "GEMINI_DEBUG_LOG_FILE" in result.err


@pytest.mark.parametrize(
    ("status", "body", "headers", "word"),
    [
        ("302 Found", b"", ["location: http://elsewhere.example/?k=1"], "elsewhere.example,"),
        ("302 Found", b"", ["location: http://[::1"], "no web address"),
        (
            "502 Bad",
            b"<html><style>p{}</style><p>Bad gateway</p></html>",
            [],
            "(502): Bad gateway.",
        ),
        ("200 OK", b"<html>Log in", ["content-type: text/html"], "GOOGLE_GEMINI_BASE_URL"),
        ("200 OK", b"Denied by policy", ["content-type: text/plain"], "GOOGLE_GEMINI_BASE_URL"),
        ("200 OK", b"\x0b\x02\x80hi\x03", ["content-encoding: br"], "'br'"),
        ("407 Auth", b"", [], "HTTPS_PROXY"),
    ],
    ids=["redirect", "redirect-nowhere", "502-html", "log-in", "plain", "brotli", "407"],
)
def test_an_answer_from_somebody_in_between_is_told_as_that(
    cli: Cli, peer, status, body, headers, word
):
    cli.url = f"http://{peer(status, body, *headers).address}"
    assert word in told(cli)


def test_a_reset_before_the_answer_is_told_with_the_address(cli: Cli, peer):
    address = peer("", reset=True).address
    cli.url = f"http://{address}"
    assert address in told(cli)


def test_tls_to_a_port_without_it_asks_whether_http_was_meant(cli: Cli, peer):
    cli.url = f"https://{peer('400 Bad Request').address}"
    assert "http://" in told(cli)


def test_a_proxy_that_refuses_or_is_down_is_named_without_its_password(cli: Cli, peer):
    cli.url = "https://model.example"
    refusing = peer("403 Forbidden").address
    assert "(403)" in told(cli, HTTPS_PROXY=f"http://me:{SECRET}@{refusing}")
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"127.0.0.1:{gone.getsockname()[1]}"
    said = told(cli, https_proxy=f"http://me:{SECRET}@{address}")
    assert f"the proxy {address}" in said and "model.example in NO_PROXY" in said


def test_a_host_in_no_proxy_is_reached_without_the_proxy(cli: Cli, serve):
    serve(text("direct"))
    proxy = {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
    assert cli.run("-m", "gemini-2.5-flash", "-p", "hi", env=proxy).out == "direct\n"


def test_a_senseless_proxy_and_a_stale_authority_are_told_and_do_not_stop(cli: Cli, peer):
    cli.settings(ONCE)
    cli.url = f"https://{peer('400 Bad Request').address}"
    env = {"HTTPS_PROXY": f"http://me:{SECRET}/x@h:1", "NODE_EXTRA_CA_CERTS": "/nowhere/ca.pem"}
    result = cli.run("-m", "gemini-2.5-flash", "-p", "hi", env=env)
    warnings = [line for line in result.err.splitlines() if line.startswith("[WARNING]")]
    assert ["HTTPS_PROXY" in warnings[0], "/nowhere/ca.pem" in warnings[1]] == [True, True]
    assert len(warnings) == 2 and not leaks(cli, result)


@pytest.mark.parametrize(
    ("allowed", "found", "sent"),
    [(True, "id-1\n", "id-1"), (False, "id-1", None), (True, "id\x1b\n2", None), (True, "", None)],
)
def test_the_installation_id_is_sent_only_while_statistics_are_allowed(
    cli: Cli, serve, allowed, found, sent
):
    cli.settings({"privacy": {"usageStatisticsEnabled": allowed}})
    (cli.home / ".gemini" / "installation_id").write_text(found)
    server = serve(text("ok"))
    assert cli.run("-m", "gemini-2.5-flash", "-p", "hi").code == 0
    assert server.requests[0].headers.get("x-gemini-api-privileged-user-id") == sent


def test_a_custom_header_that_is_none_is_told_and_the_others_are_sent(cli: Cli, serve):
    server = serve(text("ok"))
    env = {"GEMINI_CLI_CUSTOM_HEADERS": f"{SECRET},X-Team:a, b,X-Time:1:2"}
    result = cli.run("-m", "gemini-2.5-flash", "-p", "hi", env=env)
    assert (result.code, result.out) == (0, "ok\n")
    assert "GEMINI_CLI_CUSTOM_HEADERS: entry 1" in result.err and not leaks(cli, result)
    sent = server.requests[0].headers
    assert (sent["x-team"], sent["x-time"]) == ("a, b", "1:2")
