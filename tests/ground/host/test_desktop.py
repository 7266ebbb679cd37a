"""Editors, browsers and terminals are chosen as people set them, and never tricked."""

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from gemini_cli.ground.host import browser, editor, pty
from gemini_cli.ground.host.clock import SystemClock
from gemini_cli.ground.host.process import LocalProcesses
from gemini_cli.ground.host.terminal import Terminal, colours, facts
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import PtySize


def having(*names: str) -> editor.Finder:
    return lambda name: f"/bin/{name}" if name in names else None


@pytest.mark.parametrize(
    ("preferred", "environ", "installed", "argv"),
    [
        ("vscode", {"EDITOR": "vim"}, ("code", "vim"), ("/bin/code",)),
        ("vscode", {"EDITOR": "vim"}, ("vim",), ("/bin/vim",)),
        (None, {"VISUAL": "code -r", "EDITOR": "vi"}, ("code",), ("/bin/code", "-r")),
        (None, {"VISUAL": "'broken", "EDITOR": "nano"}, ("nano",), ("/bin/nano",)),
        (None, {}, ("vi",), ("/bin/vi",)),
        ("neovim", {}, ("nvim",), ("/bin/nvim",)),
    ],
)  # fmt: skip
def test_the_editor_is_the_one_the_person_chose(preferred, environ, installed, argv):
    found = editor.choose(preferred, environ, having(*installed))
    assert found is not None
    assert found.argv == argv


def test_a_project_brings_no_editor_and_no_browser_along(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("code", "firefox", "xdg-open"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    for path in (".", "", f".{os.pathsep}sub"):
        environ = {"PATH": path, "BROWSER": "firefox"}
        assert editor.named("vscode", editor.finder(environ)) is None
        assert browser.command_for("https://a.example/", environ, "linux") is None


def test_no_editor_at_all_is_none_and_an_unknown_name_is_refused():
    assert editor.choose(None, {}, having()) is None
    with pytest.raises(ToolProblem, match=r"general\.preferredEditor"):
        editor.choose("rm", {}, having("rm"))


def test_editors_are_told_to_wait_and_paths_are_never_options():
    code = editor.named("vscode", having("code"))
    vim = editor.named("vim", having("vim"))
    emacs = editor.named("emacs", having("emacs"))
    assert code and vim and emacs
    assert editor.open_command(code, Path("-x"), new_window=True) == (
        "/bin/code", "--wait", "--new-window", "./-x",
    )  # fmt: skip
    assert editor.open_command(vim, Path("+q"))[-1] == "./+q"
    assert editor.compare_command(code, Path("/a"), Path("/b")) == (
        "/bin/code", "--wait", "--diff", "/a", "/b",
    )  # fmt: skip
    assert editor.compare_command(emacs, Path('/a"b\\'), Path("/b")) == (
        "/bin/emacs", "--eval", '(ediff "/a\\"b\\\\" "/b")',
    )  # fmt: skip
    plain = editor.named("micro", having("micro"))
    assert plain
    assert editor.compare_command(plain, Path("/a"), Path("/b")) is None


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "javascript:alert(1)", "--version", "http://", "https://a b", "",
     "https://a\nb", "http://a/`id`", 'http://a/"', "ssh://a", "http://[::1", "http://a:99999",
     "http://a/\\b", "http:/a", "http://\u0430.com"],
)  # fmt: skip
def test_only_web_addresses_are_opened(url):
    with pytest.raises(ToolProblem):
        browser.command_for(url, {}, "linux")


def test_the_chosen_browser_is_used_without_a_shell(tmp_path):
    program = tmp_path / "my browser"
    program.write_text("")
    program.chmod(0o755)
    environ = {"PATH": str(tmp_path), "BROWSER": "'my browser' --new %s"}
    url = "https://a.example/?q=1&x=$(id)"
    assert browser.command_for(url, environ, "linux") == (str(program), "--new", url)
    assert browser.command_for(url, {"PATH": str(tmp_path)}, "linux") is None
    assert browser.command_for(url, {}, "darwin") == ("/usr/bin/open", url)


@pytest.mark.parametrize(
    ("environ", "platform", "may"),
    [
        ({"DISPLAY": ":0"}, "linux", True),
        ({}, "linux", False),
        ({"DISPLAY": ":0", "NO_BROWSER": "1"}, "linux", False),
        ({"DISPLAY": ":0", "CI": "true"}, "linux", False),
        ({"DISPLAY": ":0", "BROWSER": "/usr/bin/w3m -x"}, "linux", False),
        ({}, "darwin", True),
        ({"SSH_CONNECTION": "x"}, "darwin", False),
    ],
)
def test_no_browser_is_started_where_nobody_would_see_it(environ, platform, may):
    assert browser.may_open(environ, platform) is may


async def test_a_page_is_handed_to_the_browser_as_one_word(tmp_path):
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {tmp_path}/seen\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "BROWSER": "browser", "DISPLAY": ":0"}
    assert await browser.open_page("https://a.example/x?y;z", environ, cwd=tmp_path)
    assert (tmp_path / "seen").read_text() == "https://a.example/x?y;z|"
    program.write_text("#!/bin/sh\nexit 3\n")
    assert not await browser.open_page("https://a.example/", environ, cwd=tmp_path)
    assert not await browser.open_page("https://a.example/", environ | {"CI": "1"}, cwd=tmp_path)


def test_streams_that_are_no_terminals_or_closed_are_known_as_such(tmp_path):
    closed = io.StringIO()
    closed.close()
    with (tmp_path / "f").open("w") as file:
        assert facts(closed, file, {"COLUMNS": "100", "TERM": "xterm-256color"}) == Terminal(
            input=False, output=False, columns=100, rows=24, colours=0
        )
    assert not facts(None, None, {"COLUMNS": "9" * 50}).interactive


@pytest.mark.skipif(not pty.AVAILABLE, reason="this platform has no terminals")
async def test_size_and_presence_of_a_real_terminal_are_seen(tmp_path):
    code = (
        "import sys; from gemini_cli.ground.host.terminal import facts;"
        "t = facts(sys.stdin, sys.stdout, {'TERM': 'xterm-256color'});"
        "print(t.interactive, t.columns, t.rows, t.colours)"
    )
    processes = LocalProcesses()
    process = await processes.start(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        pty=PtySize(columns=99, rows=11),
    )
    said = b"".join([chunk async for chunk in process.output()])
    await processes.close()
    assert said.split() == [b"True", b"99", b"11", b"256"]


@pytest.mark.parametrize(
    ("environ", "terminal", "count"),
    [
        ({"TERM": "xterm-256color"}, True, 256),
        ({"TERM": "xterm"}, True, 16),
        ({"TERM": "dumb"}, True, 0),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, True, 16_777_216),
        ({"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "3"}, True, 0),
        ({"TERM": "xterm"}, False, 0),
        ({"FORCE_COLOR": "1"}, False, 16),
        ({"FORCE_COLOR": "0", "TERM": "xterm"}, True, 0),
    ],
)
def test_colours_follow_what_the_person_asked_for(environ, terminal, count):
    assert colours(environ, terminal) == count


async def test_the_clock_writes_times_others_can_read():
    clock = SystemClock()
    assert len(clock.now()) == len("2026-01-02T03:04:05.678Z")
    assert clock.now().endswith("Z")
    assert clock.new_id() != clock.new_id()
    before = clock.monotonic()
    await clock.sleep(0)
    assert clock.monotonic() >= before
