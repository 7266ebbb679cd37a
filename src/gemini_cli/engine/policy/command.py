"""Judges shell commands without a grammar, and therefore strictly.

A command is simple when it can only be one program with plain words. Whatever might chain,
substitute, redirect or start another program is not simple, even inside quotes.
"""

import re

NOT_SIMPLE = re.compile(r"[;&|<>`$(){}!\\#\n\r\0]")
PLAIN_PROGRAM = re.compile(r"[A-Za-z0-9_./+-]+")
# Programs whose arguments are programs, and words that are not programs at all.
RUNS_OTHERS = frozenset(
    """bash sh zsh dash ksh fish env sudo doas su xargs eval exec command builtin nohup time nice
    timeout watch setsid stdbuf parallel find ssh source . if while until for case select function
    coproc then else elif do done fi esac in trap""".split()
)


def is_simple(command: str) -> bool:
    """Whether this can only be a single command of plain words."""
    return root_of(command) is not None


def root_of(command: str) -> str | None:
    """The program a simple command runs; None when the command is not simple."""
    if NOT_SIMPLE.search(command) or not _quotes_close(command):
        return None
    # Only these two separate words in a shell; Python would also split at other blanks.
    first = re.split(r"[ \t]", command.strip(" \t"), maxsplit=1)[0]
    return first if PLAIN_PROGRAM.fullmatch(first) else None


def grantable_root(command: str) -> str | None:
    """The program that an "always" may name: not one that would start any other."""
    root = root_of(command)
    return None if root is None or root.rpartition("/")[2] in RUNS_OTHERS else root


def starts_with(command: str, prefix: str) -> bool:
    """Whether the command begins with these words: `git st` does not begin `git status`."""
    rest = command[len(prefix) :]
    return command.startswith(prefix) and (not rest or rest[0] in " \t")


def without_folder(command: str) -> str:
    """A simple command with its program called by name: `/bin/rm x` is `rm x`."""
    first, gap, rest = re.split(r"([ \t]|$)", command.strip(" \t"), maxsplit=1)
    return first.rpartition("/")[2] + gap + rest


def _quotes_close(command: str) -> bool:
    open_quote = ""
    for char in command:
        if open_quote:
            open_quote = "" if char == open_quote else open_quote
        elif char in "'\"":
            open_quote = char
    return not open_quote
