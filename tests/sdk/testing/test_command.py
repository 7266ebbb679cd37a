"""The server as a command: its URL, its end, its exit code."""

import http.client
import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

COMMAND = [sys.executable, "-m", "gemini_cli.sdk.testing.server"]


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{"text": "hi"}, {"text": "unused"}]))
    return path


@contextmanager
def serve(script, *more):
    command = [*COMMAND, "--script", str(script), "--print-url", *more]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def ask(url: str, path: str) -> int:
    parts = urlsplit(url.strip())
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request("POST", path, b"{}")
    response = connection.getresponse()
    response.read()
    return response.status


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("path", "options", "status", "code", "complaint"),
    [
        ("/v1beta/models/m:generateContent", [], 200, 0, ""),
        ("/v1beta/models/m:generateContent", ["--check-all"], 200, 1, "never asked for"),
        ("/nowhere", [], 400, 1, "unexpected request 1 to /nowhere"),
    ],
)
def test_the_exit_code_hides_what_happened(script, number, path, options, status, code, complaint):
    with serve(script, *options) as process:
        assert ask(process.stdout.readline(), path) == status
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, "")
    assert complaint in err
    assert bool(err) == bool(code)


def test_a_bad_script_starts_a_server(tmp_path):
    done = subprocess.run(
        [*COMMAND, "--script", str(tmp_path / "none.json")], capture_output=True, text=True
    )
    assert (done.returncode, "cannot be read" in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr


def test_a_taken_port_ends_in_a_traceback(script):
    with serve(script) as first:
        port = first.stdout.readline().strip().rpartition(":")[2]
        done = subprocess.run(
            [*COMMAND, "--script", str(script), "--port", port], capture_output=True, text=True
        )
    assert (done.returncode, f"port {port} cannot be used" in done.stderr) == (2, True)
