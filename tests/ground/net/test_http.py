import asyncio
import ssl
import subprocess

import msgspec
import pytest

from gemini_cli.ground.net.exchange import HttpOptions, HttpRequest, Timeouts
from gemini_cli.ground.net.http import Http
from gemini_cli.ground.net.problem import HttpProblem
from ground.net.loopback import Loopback

QUICK = Timeouts(connect=20, first_byte=0.05, idle=20)


async def get(http: Http, url: str, **headers: str):
    request = HttpRequest("GET", url, {n.replace("_", "-"): v for n, v in headers.items()})
    try:
        return await http.fetch(request)
    finally:
        await http.aclose()


async def problem(http: Http, request: HttpRequest) -> HttpProblem:
    with pytest.raises(HttpProblem) as caught:
        await http.fetch(request)
    await http.aclose()
    return caught.value


async def test_a_second_request_does_not_pay_for_a_second_connection():
    async with Loopback(lambda seen, wire: wire.answer(200, b"ok")) as server:
        http = Http()
        for _ in range(3):
            _, body = await http.fetch(HttpRequest("POST", server.url + "/x", {}, b"{}"))
        await http.aclose()
        assert (body, server.connections, server.seen[0].body) == (b"ok", 1, b"{}")


async def test_gzip_is_undone():
    async with Loopback(lambda seen, wire: wire.gzipped({"a": 1})) as server:
        _, body = await get(Http(), server.url)
    assert body == b'data: {"a": 1}\n\n'


async def test_a_body_larger_than_allowed_is_an_error_not_a_cut():
    async with Loopback(lambda seen, wire: wire.answer(200, b"x" * 1000)) as server:
        http = Http()
        with pytest.raises(HttpProblem) as caught:
            await http.fetch(HttpRequest("GET", server.url), limit=999)
        await http.aclose()
    assert caught.value.kind == "too_large"


async def test_a_silent_server_does_not_hang_the_client():
    async with Loopback(lambda seen, wire: wire.stall()) as server:
        found = await problem(Http(), HttpRequest("GET", server.url, timeouts=QUICK))
    assert (found.kind, str(found)) == (
        "first_byte_timeout",
        f"127.0.0.1:{server.port} did not begin to answer in time.",
    )


async def test_a_head_that_arrives_for_ever_does_not_hang_the_client():
    async def script(seen, wire):
        await wire.raw(b"HTTP/1.1 200 OK\r\n")
        while not wire.writer.is_closing():
            await wire.raw(b"x")
            await asyncio.to_thread(int)

    async with Loopback(script) as server, asyncio.timeout(20):
        found = await problem(Http(), HttpRequest("GET", server.url, timeouts=QUICK))
    assert found.kind == "first_byte_timeout"


async def test_silence_in_the_middle_of_a_body_ends_after_the_idle_time_not_the_header_time():
    async def script(seen, wire):
        await wire.start_stream()
        await wire.piece(b"data: 1\n\n")
        await wire.stall()

    async with Loopback(script) as server:
        times = Timeouts(connect=20, first_byte=20, idle=0.05)
        found = await problem(Http(), HttpRequest("GET", server.url, timeouts=times))
    assert found.kind == "idle_timeout"


@pytest.mark.parametrize("how", ["cut", "reset"])
async def test_a_connection_lost_in_the_body_is_told_apart_from_an_end(how):
    async def script(seen, wire):
        await wire.start_stream()
        await wire.piece(b"data: 1\n\n")
        getattr(wire, how)()

    async with Loopback(script) as server:
        found = await problem(Http(), HttpRequest("GET", server.url))
    assert (found.kind, "in the middle of its answer" in str(found)) == ("broken", True)


async def test_a_truncated_length_is_told_apart_from_an_end():
    async def script(seen, wire):
        await wire.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort")
        wire.cut()

    async with Loopback(script) as server:
        assert (await problem(Http(), HttpRequest("GET", server.url))).kind == "broken"


async def test_garbage_instead_of_http_is_a_readable_problem():
    async def script(seen, wire):
        await wire.raw(b"SSH-2.0-OpenSSH_9.6\r\n")
        wire.cut()

    async with Loopback(script) as server:
        assert (await problem(Http(), HttpRequest("GET", server.url))).kind == "broken"


async def test_a_refused_connection_says_who_refused():
    async with Loopback(lambda seen, wire: wire.answer(200)) as server:
        url = server.url
    found = await problem(Http(), HttpRequest("GET", url + "/secret?key=1"))
    assert found.kind == "offline"
    assert "refused" in str(found) and "secret" not in str(found)


async def test_an_unknown_host_is_offline():
    found = await problem(Http(), HttpRequest("GET", "http://no-such-host.invalid"))
    assert found.kind in ("offline", "connect_timeout")


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://x:99999", "http://[::1", "nonsense"])
async def test_an_address_that_is_none_is_refused(url):
    assert (await problem(Http(), HttpRequest("GET", url))).kind == "request"


@pytest.mark.parametrize(
    "headers",
    [
        {"x-key": "a\r\nEvil: 1"},
        {"x-key": "a\nb"},
        {"x\r\ny": "a"},
        {"x-key": "schlüssel\u20ac"},
        {"content-length": "5"},
        {"Transfer-Encoding": "chunked"},
    ],
)
async def test_a_header_cannot_smuggle_another_request(headers):
    async with Loopback(lambda seen, wire: wire.answer(200)) as server:
        found = await problem(Http(), HttpRequest("GET", server.url, headers))
        assert (found.kind, server.seen) == ("request", [])
    assert "Evil" not in str(found)


async def test_a_redirect_to_another_host_loses_the_key():
    async with Loopback(lambda seen, wire: wire.answer(200, b"there")) as other:

        async def script(seen, wire):
            await wire.answer(302, location=f"http://localhost:{other.port}/to")

        async with Loopback(script) as server:
            _, body = await get(Http(), server.url, x_goog_api_key="k", authorization="b")
        assert body == b"there"
        assert not {"x-goog-api-key", "authorization"} & set(other.seen[0].headers)


async def test_a_redirect_on_the_same_host_keeps_the_headers():
    async def moved(seen, wire):
        await wire.answer(302, location="/new")

    async def here(seen, wire):
        await wire.answer(200, seen.path.encode())

    async with Loopback([moved, here]) as server:
        _, body = await get(Http(), server.url + "/old", x_key="k")
        assert (body, server.seen[1].headers["x-key"]) == (b"/new", "k")


async def test_a_conversation_is_not_posted_to_a_host_nobody_named():
    async with Loopback(lambda seen, wire: wire.answer(200)) as other:

        async def script(seen, wire):
            await wire.answer(307, location=other.url)

        async with Loopback(script) as server:
            found = await problem(Http(), HttpRequest("POST", server.url, {}, b"secret"))
        assert (found.kind, other.seen) == ("redirect", [])
        assert f":{server.port} redirects to 127.0.0.1:{other.port}" in str(found)


async def test_redirects_in_a_circle_end():
    async with Loopback(lambda seen, wire: wire.answer(302, location="/again")) as server:
        assert (await problem(Http(), HttpRequest("GET", server.url))).kind == "redirect"


async def test_a_proxy_gets_the_request_unless_no_proxy_names_the_host():
    async def script(seen, wire):
        await wire.answer(200, b"proxied")

    async with Loopback(script) as proxy, Loopback(lambda s, w: w.answer(200, b"direct")) as server:
        _, first = await get(Http(HttpOptions(proxy=proxy.url)), server.url + "/p")
        options = HttpOptions(proxy=proxy.url, no_proxy=f"127.0.0.1:{server.port}")
        _, second = await get(Http(options), server.url + "/p")
        assert (first, second) == (b"proxied", b"direct")
        assert proxy.seen[0].path == server.url + "/p"


async def test_tls_goes_through_the_proxy_as_a_tunnel_that_sees_no_key():
    async with Loopback(lambda seen, wire: wire.answer(403)) as proxy:
        request = HttpRequest("GET", "https://model.example/x", {"x-goog-api-key": "k"})
        found = await problem(Http(HttpOptions(proxy=proxy.url)), request)
        assert (proxy.seen[0].method, proxy.seen[0].path) == ("CONNECT", "model.example:443")
        assert "x-goog-api-key" not in proxy.seen[0].headers
    assert (found.kind, "HTTPS_PROXY" in str(found)) == ("proxy", True)


async def test_a_senseless_proxy_is_reported_and_does_not_stop_the_program():
    async with Loopback(lambda seen, wire: wire.answer(200, b"ok")) as server:
        told: list[str] = []
        http = Http(HttpOptions(proxy="socks5://localhost:1"), told.append)
        _, body = await get(http, server.url)
    assert body == b"ok" and "socks5" in told[0]


async def test_a_missing_certificate_file_is_named_and_only_when_tls_is_used(tmp_path):
    options = HttpOptions(ca_file=str(tmp_path / "ca.pem"))
    async with Loopback(lambda seen, wire: wire.answer(200, b"ok")) as server:
        _, body = await get(Http(options), server.url)
        found = await problem(Http(options), HttpRequest("GET", "https://127.0.0.1:1"))
    assert body == b"ok"
    assert "SSL_CERT_FILE" in str(found) and "ca.pem" in str(found)


@pytest.fixture
def authority(tmp_path):
    """A throw-away certificate for localhost."""
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = "-addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem"
    made = subprocess.run(
        ["openssl", *command.split(), "-subj", "/CN=localhost", *names.split()],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr.decode()
    return tmp_path


async def serve_tls(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, "localhost", 0, ssl=context)


async def test_an_unknown_authority_is_refused_until_its_file_is_named(authority):
    server = await serve_tls(authority)
    async with server:
        url = f"https://localhost:{server.sockets[0].getsockname()[1]}"
        found = await problem(Http(), HttpRequest("GET", url))
        assert (found.kind, "NODE_EXTRA_CA_CERTS" in str(found)) == ("tls", True)
        for options in (
            HttpOptions(extra_ca_file=str(authority / "cert.pem")),
            HttpOptions(ca_file=str(authority / "cert.pem")),
        ):
            _, body = await get(Http(options), url)
            assert body == b"ok"


async def test_cancelling_frees_the_caller_while_the_server_stalls():
    arrived = asyncio.Event()

    async def script(seen, wire):
        arrived.set()
        await wire.stall()

    async with Loopback(script) as server:
        http = Http()
        task = asyncio.create_task(http.fetch(HttpRequest("GET", server.url)))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)
        await http.aclose()


async def test_an_answer_that_comes_all_at_once_may_take_its_time():
    times = Timeouts(connect=20, first_byte=0.05, idle=20)

    async def script(seen, wire):
        ready = asyncio.Event()
        asyncio.get_running_loop().call_later(0.1, ready.set)
        await ready.wait()
        await wire.answer(200, b"ready")

    async with Loopback(script) as server:
        request = HttpRequest("POST", server.url, {}, b"{}", timeouts=times)
        assert (await problem(Http(), request)).kind == "first_byte_timeout"
        http = Http()
        _, body = await http.fetch(msgspec.structs.replace(request, patient=True))
        await http.aclose()
    assert body == b"ready"


async def test_distrust_is_final_only_after_the_whole_bundle_was_read(authority):
    server = await serve_tls(authority)
    async with server:
        url = f"https://localhost:{server.sockets[0].getsockname()[1]}"
        http = Http(HttpOptions(timeouts=Timeouts(connect=20)))
        for _ in range(2):
            with pytest.raises(HttpProblem) as caught:
                await http.fetch(HttpRequest("GET", url))
            assert caught.value.kind == "tls"
        await http.aclose()


async def test_a_stale_file_of_extra_authorities_is_reported_and_does_not_stop(authority):
    server = await serve_tls(authority)
    async with server:
        url = f"https://localhost:{server.sockets[0].getsockname()[1]}"
        cert = str(authority / "cert.pem")
        told: list[str] = []
        options = HttpOptions(ca_file=cert, extra_ca_file=str(authority / "gone.pem"))
        http = Http(options, told.append)
        _, body = await get(http, url)
    assert body == b"ok"
    assert len(told) == 1 and "gone.pem" in told[0]


@pytest.mark.parametrize("location", ["http://[::1", "javascript:alert(1)", "http://"])
async def test_a_redirect_to_nowhere_is_a_readable_problem(location):
    async with Loopback(lambda seen, wire: wire.answer(302, location=location)) as server:
        assert (await problem(Http(), HttpRequest("GET", server.url))).kind == "redirect"


async def free_address() -> str:
    async with Loopback([]) as gone:
        return gone.url


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_is_down_is_named_and_not_the_host_behind_it(scheme):
    proxy = await free_address()
    options = HttpOptions(proxy=proxy.replace("//", "//me:pass@"))
    found = await problem(Http(options), HttpRequest("GET", f"{scheme}://model.example/x"))
    assert found.kind == "offline"
    assert f"the proxy {proxy[7:]} (connection refused)" in str(found)
    assert "list model.example in NO_PROXY" in str(found) and "pass" not in str(found)


@pytest.mark.parametrize(
    ("status", "kind", "says"), [(407, "proxy", "user:password"), (502, "broken", "(502)")]
)
async def test_a_proxy_refusing_a_tunnel_tells_a_closed_door_from_a_passing_fault(
    status, kind, says
):
    async with Loopback(lambda seen, wire: wire.answer(status)) as proxy:
        options = HttpOptions(proxy=proxy.url)
        found = await problem(Http(options), HttpRequest("GET", "https://model.example/x"))
    assert (found.kind, says in str(found)) == (kind, True)


async def test_a_proxy_that_hangs_up_is_mentioned():
    async def script(seen, wire):
        wire.cut()

    async with Loopback(script) as proxy:
        options = HttpOptions(proxy=proxy.url)
        found = await problem(Http(options), HttpRequest("GET", "https://model.example/x"))
        assert f"through the proxy 127.0.0.1:{proxy.port}" in str(found)


@pytest.mark.parametrize("head", [b"bad header\r\n", b"x: " + b"a" * 300_000 + b"\r\n"])
async def test_an_answer_that_is_no_http_is_not_called_a_closed_connection(head):
    async def script(seen, wire):
        await wire.raw(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n")

    async with Loopback(script) as server:
        found = await problem(Http(), HttpRequest("GET", server.url))
    assert (found.kind, "no HTTP" in str(found)) == ("broken", True)
