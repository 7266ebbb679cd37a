"""A client of the scripted server that knows nothing of our own."""

import http.client
import json
import socket
from urllib.parse import urlsplit

STREAM = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"


WHOLE = "/v1beta/models/gemini-x:generateContent"


HELLO = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


def connect(server) -> http.client.HTTPConnection:
    url = urlsplit(server.url)
    return http.client.HTTPConnection(url.hostname, url.port, timeout=10)


def post(server, path=STREAM, body=HELLO, headers=None, connection=None):
    connection = connection or connect(server)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", path, data, {"x-goog-api-key": "s3cret", **(headers or {})})
    return connection.getresponse()


def chunks(response) -> list[dict]:
    return events(response.read())


def events(data: bytes) -> list[dict]:
    assert data.endswith(b"\r\n\r\n")
    found = [e.removeprefix(b"data: ") for e in data.split(b"\r\n\r\n")[:-1]]
    return [json.loads(e) for e in found]


def talk(server, data: bytes) -> bytes:
    """Sends raw bytes and reads until the server closes."""
    url = urlsplit(server.url)
    with socket.create_connection((url.hostname, url.port), timeout=10) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        found = b""
        while more := sock.recv(65536):
            found += more
        return found


def request_bytes(path=STREAM) -> bytes:
    body = json.dumps(HELLO).encode()
    return b"POST %b HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (path.encode(), len(body), body)
