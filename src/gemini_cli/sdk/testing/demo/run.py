"""Runs the tour: sample project, scripted service, the real `gemini`, and a check of the result.

With GEMINI_API_KEY set the real service answers instead. Everything lives in one temporary
folder that is gone afterwards, however the run ends.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from gemini_cli.ground.config.env import Env
from gemini_cli.sdk.testing.demo import tour
from gemini_cli.sdk.testing.demo.view import Palette, View, cut_short
from gemini_cli.sdk.testing.thread import ThreadedServer, scripted_server

LIMIT_SECONDS = 120.0
"""How long a scripted run may take; a real one is not limited."""
_DROPPED = ("GEMINI_", "GOOGLE_", "CLOUD_SHELL")
_PROMPTS = ("-p", "--prompt", "-i", "--prompt-interactive")
_FORMATS = ("-o", "--output-format")
_MODES = ("-y", "--yolo", "--approval-mode")
_QUESTIONS = ("-h", "--help", "-v", "--version")


def main(argv: Sequence[str]) -> int:
    """The command line; further arguments go to `gemini`."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    env = Env.from_process()
    colours = sys.stdout.isatty() and not env.text("NO_COLOR") and env.text("TERM") != "dumb"

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    try:
        with _ending_on_signals():
            return run(_installed(), argv, env, write, colours)
    except BrokenPipeError:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        return 0


def run(
    program: Sequence[str],
    args: Sequence[str],
    env: Mapping[str, str],
    write: Callable[[str], None],
    colours: bool = False,
) -> int:
    """One tour with this program; the exit code says whether it did what it promises."""
    view = View(write, Palette(colours))
    real = bool(env.get("GEMINI_API_KEY"))
    with tempfile.TemporaryDirectory(prefix="gemini-demo-", ignore_cleanup_errors=True) as folder:
        place = Path(folder).resolve()
        project = place / "basket"
        tour.copy_project(project)
        stage: AbstractContextManager[ThreadedServer | None] = (
            nullcontext() if real else scripted_server(tour.tour_script())
        )
        with stage as server:
            child_env = _environment(env, place, server.url if server else None)
            options = [*([] if _names(args, _MODES) else ["--yolo"]), *args]
            if server and not _names(args, ("-m", "--model")):
                options += ["-m", tour.MODEL]
            if not _asks(args):
                options += ["-p", tour.PROMPT]
            if _asks(args) or _names(args, _FORMATS):
                return _plain([*program, *options], project, child_env)
            return _Tour(view, Palette(colours), project, server).run(
                [*program, "-o", "stream-json", *options], child_env
            )


class _Tour:
    """The tour proper, with our own prompt and a check before and after."""

    def __init__(
        self, view: View, palette: Palette, project: Path, server: ThreadedServer | None
    ) -> None:
        self._view = view
        self._paint = palette
        self._project = project
        self._server = server

    def run(self, command: Sequence[str], env: Mapping[str, str]) -> int:
        say = self._view.line
        kind = "scripted model, real tools: no key, no network" if self._server else "real service"
        say(self._paint.bold(f"gemini, a tour ({kind})"))
        say(self._paint.dim(f"a small project in {self._project}; its test, before:"))
        if not self._test(wanted=False):
            return 1
        began = time.monotonic()
        code = self._watch(command, env)
        took = time.monotonic() - began
        say(self._paint.dim("the same test, run once more by the tour itself:"))
        passed = self._test(wanted=True)
        say(self._paint.dim(self._summary(code, took)))
        return code or (0 if passed and self._as_scripted() else 1)

    def _watch(self, command: Sequence[str], env: Mapping[str, str]) -> int:
        errors = self._project.parent / "stderr.txt"
        with errors.open("wb") as sink:
            child = subprocess.Popen(
                command,
                cwd=self._project,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=sink,
            )
        limit = threading.Timer(LIMIT_SECONDS, child.kill)
        if self._server:
            limit.start()
        try:
            assert child.stdout is not None
            for raw in child.stdout:
                self._view.feed(raw.decode("utf-8", "replace"))
            code = child.wait()
        finally:
            limit.cancel()
            _end(child)
        if code != 0 or self._view.result is None:
            for line in cut_short(errors.read_text(encoding="utf-8", errors="replace")):
                self._view.line(self._paint.red(f"  {line}"))
        return 128 - code if code < 0 else code

    def _test(self, *, wanted: bool) -> bool:
        found = tour.run_test(self._project)
        lines = [line for line in found.output.splitlines() if line.strip()]
        mark = self._paint.green("✓ passes") if found.passed else self._paint.red("✗ fails")
        self._view.line(f"  {mark}  {self._paint.dim(lines[-1] if lines else '')}")
        if found.passed != wanted:
            verb = "pass" if wanted else "fail"
            self._view.line(self._paint.red(f"  the test should {verb} at this point; it says:"))
            for line in cut_short(found.output):
                self._view.line(f"  {line}")
        self._view.line()
        return found.passed == wanted

    def _summary(self, code: int, took: float) -> str:
        stats = (self._view.result or {}).get("stats")
        stats = stats if isinstance(stats, dict) else {}
        return (
            f"{stats.get('tool_calls', len(self._view.tools))} tool calls · "
            f"{stats.get('input_tokens', 0)} tokens in, {stats.get('output_tokens', 0)} out · "
            f"{took:.1f} s · exit code {code}"
        )

    def _as_scripted(self) -> bool:
        try:
            if self._server:
                self._server.check()
        except AssertionError as error:
            self._view.line(self._paint.red(str(error)))
            return False
        return all(status == "success" for _, status in self._view.tools) or not self._server


def _names(args: Sequence[str], flags: Sequence[str]) -> bool:
    return any(arg.split("=")[0] in flags for arg in args)


def _asks(args: Sequence[str]) -> bool:
    """Whether the caller has words of their own for `gemini`: a flag for them, or first of all."""
    words = bool(args) and not args[0].startswith("-")
    return words or _names(args, (*_PROMPTS, *_QUESTIONS))


def _plain(command: Sequence[str], project: Path, env: Mapping[str, str]) -> int:
    """The caller's own prompt or format: the program speaks for itself."""
    child = subprocess.Popen(command, cwd=project, env=dict(env))
    try:
        code = child.wait()
    finally:
        _end(child)
    return 128 - code if code < 0 else code


def _environment(env: Mapping[str, str], place: Path, url: str | None) -> dict[str, str]:
    home, scratch = place / "home", place / "tmp"
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir(parents=True)
    scratch.mkdir()
    chosen = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    settings.write_text(json.dumps(chosen), encoding="utf-8")
    kept = {k: v for k, v in env.items() if url is None or not k.upper().startswith(_DROPPED)}
    path = f"{Path(sys.executable).parent}{_separator()}{kept.get('PATH', '')}"
    ours = {
        "GEMINI_CLI_HOME": str(home),
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_FORCE_FILE_STORAGE": "true",
        "TMPDIR": str(scratch),
        "PATH": path,
    }
    if url is not None:
        local = "127.0.0.1,localhost"
        ours |= {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "no-key-needed",
            "NO_PROXY": local,
            "no_proxy": local,
        }
    return {**kept, **ours}


def _separator() -> str:
    return ";" if sys.platform == "win32" else ":"


def _installed() -> list[str]:
    """The `gemini` that belongs to this Python."""
    name = "gemini.exe" if sys.platform == "win32" else "gemini"
    beside = Path(sys.executable).with_name(name)
    if beside.exists():
        return [str(beside)]
    return [sys.executable, "-m", "gemini_cli.cli.main"]


def _end(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextlib.contextmanager
def _ending_on_signals() -> Iterator[None]:
    """The first signal ends the run by way of every clean-up; more of its kind change nothing."""

    def leave(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(128 + number)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = [signal.signal(number, leave) for number in numbers]
    try:
        yield
    finally:
        for number, old in zip(numbers, before, strict=True):
            signal.signal(number, old)
