"""The entry point. A door: it imports what the command line asks for, and no more.

`--version` and `--help` are answered from the flag table alone.
"""

import os
import sys

from gemini_cli import __version__
from gemini_cli.cli import args as command_line
from gemini_cli.cli import interrupt
from gemini_cli.cli.flags import ELSEWHERE, help_text
from gemini_cli.protocol.errors import UsageError


def main() -> None:
    """Runs the command line of this process and exits."""
    sys.exit(run(sys.argv[1:]))


def run(argv: list[str]) -> int:
    """Does what the command line says; the exit code."""
    if argv in (["--version"], ["-v"]):
        print(__version__)
        return 0
    try:
        args = command_line.parse(argv)
        if args.version:
            print(__version__)
            return 0
        if args.help and args.verb is None:
            print(help_text(), end="")
            return 0
        command_line.check(args)
        if args.verb is not None:
            return _verb(args.verb, args.rest)
    except UsageError as error:
        print(f"{error}\n\n{help_text()}", file=sys.stderr, end="")
        return error.exit_code
    except BrokenPipeError:
        return 0
    interrupt.catch_signals()
    try:
        from gemini_cli.cli import prompt

        return prompt.run(args, os.environ)
    except interrupt.Interrupted as error:
        return 128 + error.number


def _verb(verb: str, rest: list[str]) -> int:
    if verb in ELSEWHERE:
        raise UsageError(f"`gemini {verb}` is not in this version; {ELSEWHERE[verb]}")
    from gemini_cli.cli.verbs import transcripts
    from gemini_cli.ground.config.env import process_cwd

    return transcripts.main(rest, env=os.environ, cwd=process_cwd())


if __name__ == "__main__":
    main()
