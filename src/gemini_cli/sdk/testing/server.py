"""A Gemini service that says what a script says: for tests of hooks, tools and extensions.

`async with ScriptedServer([...])` or, without an event loop, `with scripted_server([...])`;
from a shell, `python -m gemini_cli.sdk.testing.server --script FILE --print-url`. It listens
on loopback only and never talks to the real service.
"""

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from gemini_cli.sdk.testing.request import Request
from gemini_cli.sdk.testing.script_file import ScriptProblem, read_script
from gemini_cli.sdk.testing.stage import Exchange, ScriptedServer
from gemini_cli.sdk.testing.thread import ThreadedServer, scripted_server

__all__ = ["Exchange", "Request", "ScriptedServer", "ThreadedServer", "main", "scripted_server"]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: serves until SIGINT or SIGTERM; 1 when a request was not foreseen."""
    options = _arguments().parse_args(argv)
    try:
        script = read_script(options.script)
    except ScriptProblem as error:
        sys.stderr.write(f"{error}\n")
        return 2
    server = ScriptedServer(script, strict=options.strict, port=options.port)
    try:
        asyncio.run(_serve(server, options.print_url))
        server.check(unused=not options.check_all)
    except KeyboardInterrupt:
        pass
    except OSError as error:
        sys.stderr.write(f"port {options.port} cannot be used: {error.strerror or error}\n")
        return 2
    except AssertionError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


async def _serve(server: ScriptedServer, print_url: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    await server.start()
    try:
        if print_url:
            sys.stdout.write(f"{server.url}\n")
            sys.stdout.flush()
        await stop.wait()
    finally:
        await server.stop()


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gemini_cli.sdk.testing.server",
        description="A scripted Gemini service on loopback. Point GOOGLE_GEMINI_BASE_URL at it.",
    )
    parser.add_argument(
        "--script", type=Path, required=True, help="a .json script or a recorded .responses file"
    )
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument(
        "--print-url", action="store_true", help="print the base URL once it listens"
    )
    parser.add_argument(
        "--strict", action="store_true", help="step n answers request n, whatever its method"
    )
    parser.add_argument(
        "--check-all", action="store_true", help="fail at the end when steps are left over"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
