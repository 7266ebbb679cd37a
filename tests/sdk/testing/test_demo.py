"""The tour: it works with nothing set up, it does not flatter, and it leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.sdk.testing import answer, call, scripted_server, text
from gemini_cli.sdk.testing.demo.run import run
from gemini_cli.sdk.testing.demo.view import Palette, View

DEMO = [sys.executable, "-m", "gemini_cli.sdk.testing.demo"]
DEAD = "http://127.0.0.1:9"


def bare_environment(tmp_path: Path) -> dict[str, str]:
    """No key, no home of its own, a proxy that leads nowhere."""
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    return {
        "PATH": os.defpath,
        "HOME": str(tmp_path),
        "TMPDIR": str(scratch),
        "HTTPS_PROXY": DEAD,
        "http_proxy": DEAD,
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
    }


def demo(tmp_path: Path, *args: str, **env: str) -> tuple[int, str]:
    values = {**bare_environment(tmp_path), **env}
    done = subprocess.run(
        [*DEMO, *args],
        cwd=tmp_path,
        env=values,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [p.name for p in tmp_path.iterdir()] == ["tmp"]
    return done.returncode, done.stdout


def test_the_tour_needs_a_key_or_a_network(tmp_path):
    code, out = demo(tmp_path)
    assert code == 0, out
    order = [
        "✗ fails",
        "> The test in test_basket.py fails.",
        "● read_file test_basket.py",
        "● replace basket.py",
        "-    for price in prices[1:]:",
        "+    for price in prices:",
        "● run_shell_command python3 test_basket.py",
        "Ran 3 tests",
        "Fixed. `total` skipped the first price",
        "✓ passes",
        "4 tool calls",
        "exit code 0",
    ]
    places = [out.find(words) for words in order]
    assert -1 not in places, out
    assert places == sorted(places), out


def test_with_a_key_the_service_is_still_scripted(tmp_path):
    fix = {"file_path": "basket.py", "instruction": "i", "old_string": "[1:]", "new_string": ""}
    with scripted_server([answer(text("Mine."), call("replace", fix)), text("Done.")]) as server:
        code, out = demo(
            tmp_path,
            *("-m", "gemini-2.5-pro"),
            GEMINI_API_KEY="my-key",
            GOOGLE_GEMINI_BASE_URL=server.url,
            NO_PROXY="127.0.0.1",
            GOOGLE_GENAI_USE_VERTEXAI="",
        )
        server.check()
        first = server.requests[0]
    assert code == 0, out
    assert "real service" in out
    assert (first.headers["x-goog-api-key"], first.model) == ("my-key", "gemini-2.5-pro")


def test_further_arguments_are_lost(tmp_path):
    code, out = demo(tmp_path, "--version")
    assert (code, out.count("\n")) == (0, 1)


@pytest.mark.parametrize("args", [["what", "fails?"], ["-p", "what fails?"]])
def test_words_of_ones_own_collide_with_those_of_the_tour(tmp_path, args):
    code, out = demo(tmp_path, *args)
    assert code == 0 and "Fixed. `total` skipped" in out and "✓" not in out


def test_a_mode_of_ones_own_collides_with_that_of_the_tour(tmp_path):
    code, out = demo(tmp_path, "--approval-mode", "yolo")
    assert code == 0 and "✓ passes" in out


def stand_in(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(body)
    return [sys.executable, str(path)]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("", 1, "the test should pass at this point"),
        ("raise SystemExit(3)", 3, "exit code 3"),
        ("import os; os.abort()", 134, "exit code 134"),
        ("import sys; sys.exit('no such luck')", 1, "no such luck"),
        (
            "p = open('basket.py').read(); open('basket.py', 'w').write(p.replace('[1:]', ''))",
            1,
            "never asked for: thought(",
        ),
        ("open('test_basket.py', 'w').write('raise SystemExit(1)')", 1, "✗ fails"),
    ],
)
def test_a_failed_tour_claims_success(tmp_path, body, code, words):
    shown: list[str] = []
    got = run(stand_in(tmp_path, body), [], bare_environment(tmp_path), shown.append)
    assert (got, words in "".join(shown)) == (code, True), "".join(shown)


def test_the_key_of_the_user_reaches_the_scripted_run(tmp_path):
    report = tmp_path / "report.json"
    body = f"import json, os; json.dump(dict(os.environ), open({str(report)!r}, 'w'))"
    run(stand_in(tmp_path, body), [], bare_environment(tmp_path), lambda words: None)
    env = json.loads(report.read_text())
    assert env["GEMINI_API_KEY"] == "no-key-needed"
    assert env["GOOGLE_GEMINI_BASE_URL"].startswith("http://127.0.0.1:")
    assert env["NO_PROXY"] == "127.0.0.1,localhost"
    assert "GOOGLE_GENAI_USE_VERTEXAI" not in env
    assert not Path(env["GEMINI_CLI_HOME"]).exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_terminated_tour_leaves_its_folder_behind(tmp_path, number):
    env = bare_environment(tmp_path)
    with subprocess.Popen(DEMO, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as tour:
        try:
            assert tour.stdout.readline()
            tour.send_signal(number)
            tour.communicate(timeout=60)
        finally:
            tour.kill()
    assert tour.returncode == 128 + number
    assert list((tmp_path / "tmp").iterdir()) == []


def view(*events: object, colours: bool = False) -> str:
    shown: list[str] = []
    screen = View(shown.append, Palette(colours))
    for event in events:
        screen.feed(event if isinstance(event, str) else json.dumps(event))
    return "".join(shown)


USE = {"type": "tool_use", "tool_id": "1", "tool_name": "replace", "parameters": {}}
DONE = {"type": "tool_result", "tool_id": "1", "status": "success"}
PATCH = "@@ -1 +1 @@\n-old\n+new\n same"


def test_a_diff_is_shown_with_its_header_or_without_its_colours():
    header = "Index: a.py\n=====\n--- a.py\tOriginal\n+++ a.py\tWritten\n"
    assert view(USE, {**DONE, "output": header + PATCH}, colours=True).splitlines() == [
        "\x1b[32m●\x1b[0m \x1b[1mreplace\x1b[0m ",
        "  \x1b[36m@@ -1 +1 @@\x1b[0m",
        "  \x1b[31m-old\x1b[0m",
        "  \x1b[32m+new\x1b[0m",
        "   same",
        "",
    ]


def test_an_edit_without_a_diff_shows_nothing():
    args = {"file_path": "a.py", "old_string": "x = 1\n", "new_string": "x = 2\n"}
    assert view({**USE, "parameters": args}, DONE).splitlines() == [
        "● replace a.py",
        "  @@ -1 +1 @@",
        "  -x = 1",
        "  +x = 2",
        "",
    ]


def test_output_takes_over_the_terminal():
    wild = "\x1b]0;title\x07\x1b[2Jred\x1b[31m\x00\u202e"
    shown = view(
        {"type": "message", "role": "assistant", "content": wild, "delta": True},
        {**USE, "parameters": {"command": wild}},
        {**DONE, "output": wild},
        {"type": "error", "severity": "error", "message": wild},
        wild,
        colours=False,
    )
    assert set(shown) <= set("red●!place \n")


def test_long_output_floods_the_screen():
    lines = view(USE, {**DONE, "output": "\n".join(str(n) for n in range(100))}).splitlines()
    assert (len(lines), lines[-2]) == (19, "  … 84 more lines")


def test_strange_lines_stop_the_view():
    assert (
        view("", "not json", "[1]", '{"type": "new"}', "{}", DONE) == "not json\n[1]\n● tool \n\n"
    )


def test_a_failed_call_or_run_looks_fine():
    failed = {**DONE, "status": "error", "error": {"type": "x", "message": "no such file"}}
    ended = {"type": "result", "status": "error", "error": {"type": "y", "message": "gave up"}}
    assert view(USE, failed, ended) == "● replace \n  no such file\n\n! gave up\n"
