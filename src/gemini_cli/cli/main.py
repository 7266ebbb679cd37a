"""The entry point. A door: it imports what the command line asks for, and no more.

`--version` and `--help` are answered from the flag table alone. Imports stand inside the
functions so that an early Ctrl+C finds the process ready for it.
"""

import os
import signal
import sys

from gemini_cli import __version__


def main() -> None:
    """Runs the command line of this process and exits."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gemini_cli.cli import streams

    streams.open_missing()
    sys.exit(streams.settle(run(sys.argv[1:])))


def run(argv: list[str]) -> int:
    """Does what the command line says; the exit code."""
    if argv in (["--version"], ["-v"]):
        print(__version__)
        return 0
    from gemini_cli.cli import args as command_line
    from gemini_cli.cli.flags import help_text
    from gemini_cli.protocol.errors import UsageError

    args = command_line.parse(argv)
    try:
        if args.version:
            print(__version__)
            return 0
        if args.help and args.verb is None:
            from gemini_cli.cli import streams

            return streams.put(help_text())
        command_line.check(args)
        if args.verb is not None:
            return _verb(args.verb, args.rest)
    except UsageError as error:
        if args.output_format in ("json", "stream-json"):
            from gemini_cli.cli import misuse

            misuse.tell(error, args.output_format)
        _say(command_line.explained(error))
        return error.exit_code
    except BrokenPipeError:
        return 0
    from gemini_cli.cli.interrupt import Interrupted, Signals, forget_broken_imports

    signals = Signals()
    signals.catch()
    try:
        from gemini_cli.cli import prompt

        code = prompt.run(args, os.environ, signals)
    except Interrupted as interrupted:
        forget_broken_imports()
        from gemini_cli.cli import misuse

        misuse.tell_interrupted(interrupted.number, args.output_format)
        code = 128 + interrupted.number
    signals.ignore()
    return code


def _verb(verb: str, rest: list[str]) -> int:
    from gemini_cli.cli.args import NotYet
    from gemini_cli.cli.flags import ELSEWHERE

    if verb in ELSEWHERE:
        raise NotYet(f"`gemini {verb}` is not in this version; {ELSEWHERE[verb]}")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from gemini_cli.cli.verbs import transcripts
    from gemini_cli.ground.config.env import process_cwd

    return transcripts.main(rest, env=os.environ, cwd=process_cwd())


def _say(text: str) -> None:
    """Words that were not text where they came from must not stop the message."""
    sys.stderr.write(text.encode("utf-8", "replace").decode())


if __name__ == "__main__":
    main()
