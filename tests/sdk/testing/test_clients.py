"""Clients that are broken, hostile or gone: the scripted server stays and says what it saw."""

import asyncio
import json
import re
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemini_cli.sdk.testing import (
    ScriptedServer,
    always,
    answer,
    scripted_server,
    stall,
    text,
)
from sdk.testing.sockets import HELLO, STREAM, chunks, connect, events, post, talk


def test_a_stall_in_the_middle_holds_back_what_came_before():
    with scripted_server([answer(text("before"), stall(), text("after"))]) as server:
        response = post(server)
        first = response.readline() + response.readline()
        server.release()
        rest = chunks(response)
    assert events(first)[0]["candidates"][0]["content"]["parts"] == [{"text": "before"}]
    assert rest[0]["candidates"][0]["finishReason"] == "STOP"


def test_a_stalled_first_byte_arrives_before_its_release():
    with scripted_server([answer(stall("first_byte"), text("late"))]) as server:
        connection = connect(server)
        connection.request("POST", STREAM, json.dumps(HELLO))
        server.until(1)
        connection.sock.setblocking(False)
        with pytest.raises(BlockingIOError):
            connection.sock.recv(1, socket.MSG_PEEK)
        connection.sock.settimeout(10)
        server.release()
        assert chunks(connection.getresponse())


@pytest.mark.parametrize("where", ["first_byte", "mid"])
def test_a_client_that_gives_up_is_not_noticed(where):
    with scripted_server([stall(where)]) as server:
        connection = connect(server)
        connection.request("POST", STREAM, json.dumps(HELLO))
        server.until(1)
        connection.close()
        server.settled()
        assert [e.outcome for e in server.exchanges] == ["client left"]


def test_a_timed_stall_never_ends():
    with scripted_server([answer(stall("mid", seconds=0.01), text("on"))]) as server:
        assert chunks(post(server))[0]["candidates"][0]["finishReason"] == "STOP"


async def test_stopping_hangs_on_a_stalled_client():
    async with ScriptedServer([stall()]) as server:
        connection = connect(server)
        connection.request("POST", STREAM, json.dumps(HELLO))
        await server.until(1)
    assert [e.outcome for e in server.exchanges] == ["cut"]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", 413),
        (b"POST / HTTP/1.1\r\n" + b"a: b\r\n" * 300 + b"\r\n", 431),
        (b"POST / HTTP/1.1\r\na: " + b"b" * 200_000 + b"\r\n\r\n", 431),
        (b"POST " + STREAM.encode() + b" HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]", 400),
    ],
)
async def test_a_broken_client_stops_the_server(data: bytes, status: int):
    async with ScriptedServer([text("fine")], max_body=10_000) as server:
        got = await asyncio.to_thread(talk, server, data)
        assert int(got.split(b" ")[1]) == status
        again = await asyncio.to_thread(post, server)
        assert (again.status, bool(chunks(again))) == (200, True)
        with pytest.raises(AssertionError):
            server.check()


NOISE = st.sampled_from(
    [b"POST ", STREAM.encode(), b" HTTP/1.1", b"\r\n", b"\r\n\r\n", b"\x00", b"\xff"]
) | st.sampled_from(
    [b"Content-Length: ", b"5", b"{}", b"Transfer-Encoding: chunked", b"Expect: 100-continue"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(NOISE | st.binary(max_size=6), max_size=14).map(b"".join))
def test_noise_breaks_the_server(noise):
    with scripted_server([always(text("fine"))]) as server:
        talk(server, noise)
        assert chunks(post(server))
        try:
            server.check()
        except AssertionError as error:
            assert "itself failed" not in str(error)


def test_a_client_that_leaves_mid_request_counts_as_a_request():
    with scripted_server([text("fine")]) as server:
        assert talk(server, b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc") == b""
        assert talk(server, b"POST /") == b""
        assert chunks(post(server))
        server.check()


def test_a_chunked_request_is_not_understood():
    body = json.dumps(HELLO).encode()
    parts = b"".join(b"%x;ext=1\r\n%b\r\n" % (1, body[i : i + 1]) for i in range(len(body)))
    head = f"POST {STREAM} HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    with scripted_server([text("fine")]) as server:
        got = talk(server, head.encode() + parts + b"0\r\nTrailer: x\r\n\r\n")
        assert re.match(rb"HTTP/1.1 200 ", got)
        assert server.requests[0].body == HELLO
