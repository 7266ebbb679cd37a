"""From a command line to one headless run: output opened, prompt read, session answered.

It joins the application and the headless face and owns the process's signals. Whatever goes
wrong on the way is reported in the output format that was asked for.
"""

import asyncio
import contextlib
import sys
import time
from collections.abc import Mapping

from gemini_cli.app.app import App
from gemini_cli.app.intake import only_words, prompt_of
from gemini_cli.app.launch import Launch
from gemini_cli.app.start import start
from gemini_cli.app.wire.part import Part
from gemini_cli.cli import debuglog, exits, streams
from gemini_cli.cli.args import Args
from gemini_cli.cli.flags import IDLE
from gemini_cli.cli.interrupt import Interrupted, Signals
from gemini_cli.engine.sessions import Stats
from gemini_cli.faces.headless import fatal, outcome
from gemini_cli.faces.headless.out import Out
from gemini_cli.faces.headless.render import Asides
from gemini_cli.faces.headless.run import HeadlessRun
from gemini_cli.faces.headless.stdin import PipedInput
from gemini_cli.ground.config.env import Env, process_cwd, process_home
from gemini_cli.ground.config.tables import Settings
from gemini_cli.ground.host.clock import SystemClock
from gemini_cli.protocol.errors import FatalError, InputError
from gemini_cli.protocol.events import Problem

CLOSE = 0.5
"""Seconds an application may take to close after a signal."""
DRAIN = 0.25
"""Seconds a slow reader gets after a signal before we leave without it."""


class Command:
    """One `gemini` run without a screen."""

    def __init__(self, args: Args, env: Env, started: float, signals: Signals) -> None:
        self._args = args
        self._env = env
        self._started = started
        self._signals = signals
        self._debug = _wants_debug(args, env)
        self._clock = SystemClock()
        self._out = Out(streams.raw(1), self._reader_left)
        self._err = Out(streams.raw(2))
        self._form = fatal.make_format(
            args.output_format or "text",
            self._out,
            self._err,
            raw=bool(args.raw_output),
            debug=self._debug,
        )
        self._asides = Asides(self._err)
        self._stats = Stats()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._run: HeadlessRun | None = None

    def run(self) -> int:
        """The exit code. Everything is written when it returns, or nobody reads it."""
        try:
            unheard = debuglog.start_log(self._env.text(debuglog.VARIABLE), debug=self._debug)
            if unheard:
                self._warn(unheard)
            problem = self._go()
        except Interrupted as error:
            problem = self._report(outcome.of_signal(error.number))
        except Exception as error:
            if self._debug and not isinstance(error, FatalError):
                exits.trace(error)
            problem = self._report(outcome.of_error(error))
        self._signals.leave()
        code = self._delivered(exits.code_of_problem(problem))
        self._err.close(DRAIN if self._signals.first is not None else None)
        return code

    def _delivered(self, code: int) -> int:
        """The exit code, once stdout is written or cannot be."""
        while not self._out.close(DRAIN):
            if self._signals.first is not None:
                return 128 + self._signals.first
        failure = self._out.failure
        if failure is None:
            return code
        if streams.reader_left(failure):
            return 0
        self._asides.say(streams.undelivered(failure))
        return code or 1

    def _go(self) -> Problem | None:
        self._signals.check()
        if self._args.prompt_interactive is not None:
            raise InputError(
                "--prompt-interactive opens the interactive screen, which is not part of this "
                "version; use --prompt TEXT"
            )
        self._tell_idle_flags()
        piped = None if sys.stdin is None or sys.stdin.isatty() else PipedInput(0)
        app = start(
            self._launch(),
            self._env,
            process_cwd(),
            process_home(),
            warn=self._warn,
            settled=self._choose_format,
            clock=self._clock,
        )
        self._warn_of_raw_output()
        typed = self._args.prompt if self._args.prompt is not None else self._args.query
        text = prompt_of(piped.text(self._signals.check) if piped else "", typed)
        if piped is not None and piped.cut:
            self._warn("Input is cut after 8 MiB; put long material into a file instead")
        if text is None:
            raise InputError(
                "No prompt. Give one with --prompt TEXT or pipe it in; the interactive screen "
                "is not part of this version"
            )
        if unread := only_words(typed, process_cwd()):
            self._warn(unread)
        self._signals.check()
        with asyncio.Runner() as runner:
            runner.get_loop()
            return runner.run(self._answer(app, text))

    async def _answer(self, app: App, text: str) -> Problem | None:
        self._loop = asyncio.get_running_loop()
        with self._signals.heard_by(self._loop, self._signalled):
            try:
                session = await app.open(Part(watchers=(self._stats.saw,)))
                self._signals.check()
                self._run = HeadlessRun(
                    session, self._form, self._stats, self._clock, self._started
                )
                return await self._run.answer(app.prompt(text, session))
            finally:
                broken_off = self._signals.first is not None
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(CLOSE if broken_off else None):
                        await app.aclose(broken_off=broken_off)

    def _signalled(self) -> None:
        if self._run is not None and self._signals.first is not None:
            self._run.interrupt(self._signals.first)

    def _reader_left(self) -> None:
        if self._loop is not None and self._run is not None:
            self._loop.call_soon_threadsafe(self._run.abandon)

    def _report(self, problem: Problem) -> Problem:
        fatal.report(problem, self._form, self._stats, self._clock, self._started)
        return problem

    def _warn(self, text: str) -> None:
        self._asides.say(f"[WARNING] {text}")

    def _tell_idle_flags(self) -> None:
        for key, why in IDLE.items():
            given = getattr(self._args, key)
            if given and given != ["none"]:
                self._warn(f"--{key.replace('_', '-')} changes nothing in this version: {why}")

    def _choose_format(self, settings: Settings) -> None:
        """The format of the settings, where the flag is silent."""
        wanted = settings.output.format
        if self._args.output_format is None and wanted != "text":
            self._form = fatal.make_format(wanted, self._out, self._err, debug=self._debug)

    def _warn_of_raw_output(self) -> None:
        if self._args.raw_output and not self._args.accept_raw_output_risk:
            self._warn(
                "--raw-output lets the model's text drive your terminal; "
                "silence this with --accept-raw-output-risk"
            )

    def _launch(self) -> Launch:
        args = self._args
        return Launch(
            model=args.model,
            mode="yolo" if args.yolo else args.approval_mode,
            session_id=args.session_id,
            skip_trust=bool(args.skip_trust),
            ignore_env=bool(args.ignore_env),
            sandbox=args.sandbox,
            roots=tuple(args.include_directories or ()),
            api_key=args.api_key,
            fake_responses=args.fake_responses,
            fake_responses_non_strict=args.fake_responses_non_strict,
            record_responses=args.record_responses,
            allowed_tools=tuple(args.allowed_tools or ()),
            debug=self._debug,
        )


def _wants_debug(args: Args, env: Env) -> bool:
    """The flag, and where it is silent, the variables many programs share."""
    if args.debug is not None:
        return args.debug
    return env.flag("DEBUG") or env.flag("DEBUG_MODE")


def run(args: Args, environ: Mapping[str, str], signals: Signals) -> int:
    """Answers the prompt of this command line; the exit code."""
    started = time.monotonic()
    env = Env(environ)
    if not _wants_debug(args, env):
        sys.unraisablehook = lambda _: None  # what fails while it is thrown away is nobody's news
    return Command(args, env, started, signals).run()
