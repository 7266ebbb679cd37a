"""Reads a shell command line: quotes, substitutions, wrappers, the programs it names.

It is a scanner, not a grammar: good enough to refuse substitutions and to show a person what
would run. Decisions about permission need more and are not made here.
"""

import re
from collections.abc import Generator, Iterator

WRAPPER = re.compile(r"\s*(?:[\w./-]*/)?(?:bash|sh|zsh)\s+-c\s+")
HEREDOC = re.compile(
    r"<<(-?)[ \t]*(?:'([^'\n]*)'|\"([^\"\n\\$`]*)\"|(\\)?([^\s;&|<>()'\"\\$`]+))(?=[\s;&|<>()]|$)"
)
ANYWHERE = re.compile(r"`|[$<>]\(")
# bash takes a backslash and the end of its line out before it reads on, also inside a mark.
JOINED = re.compile(r"[$<>](?:\\\n)+")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
OPERATORS = re.compile(r"&&|\|\||[;&|\n(){}]")
KEYWORDS = frozenset(
    "if then elif else fi for while until do done case esac in select function time ! [[ ]]".split()
)


def substitutes(command: str) -> bool:
    """Whether a part of this would run to produce text for the rest: `$(…)`, backticks, `<(…)`."""
    joined = command.replace("\\\n", "")
    if joined != command and JOINED.search(command) and ANYWHERE.search(joined):
        return True
    odd = any(mark in joined for mark in ("((", "${", "["))
    if odd and ("<<" in command or "#" in command) and ANYWHERE.search(command):
        # In arithmetic `<<` begins no here-document and `#` no comment, so nothing is hidden.
        return True
    return any(True for _ in _substitutions(command))


def unwrapped(command: str) -> str:
    """What a leading `bash -c '…'` would run; the command itself where that is not certain.

    Only a single quoted word counts: with anything after it, or anything in double quotes that
    the outer shell would change, the wrapper stays.
    """
    match = WRAPPER.match(command)
    if match is None:
        return command.strip()
    rest = command[match.end() :].strip()
    quote, inner = rest[:1], rest[1:-1]
    if len(rest) < 2 or quote not in ("'", '"') or not rest.endswith(quote) or quote in inner:
        return command.strip()
    if quote == '"' and re.search(r"[$`\\!]", inner):
        return command.strip()
    return inner.strip() or command.strip()


def programs(command: str) -> tuple[str, ...]:
    """The programs this names, in order and once each, for a person to see."""
    found: dict[str, None] = {}
    for part in OPERATORS.split(_without_quoted(command)):
        words = [word for word in part.split() if word not in KEYWORDS]
        while words and ASSIGNMENT.match(words[0]):
            words.pop(0)
        if words and not words[0].startswith(("<", ">", "#")):
            found[words[0]] = None
    return tuple(found)


def _substitutions(command: str) -> Iterator[int]:
    """Where substitutions begin, outside of single quotes, escapes and comments."""
    at = 0
    double = False
    escaped = -1
    waiting: list[tuple[str, bool, bool]] = []
    while at < len(command):
        char, pair = command[at], command[at : at + 2]
        if char == "\\":
            escaped = at + 1
            at += 2
        elif char == "`" or pair == "$(" or (pair in ("<(", ">(") and not double):
            yield at
            at += 1
        elif double:
            double = char != '"'
            at += 1
        elif char == '"':
            double = True
            at += 1
        elif pair == "$'":
            at = _end_of_ansi(command, at + 2)
        elif char == "'":
            at = _after(command, "'", at + 1)
        elif char == "#" and escaped == at - 1 and command[at - 1] == "\n":
            # Whether this is a comment depends on the line it continues: take it for both.
            yield from (found.start() for found in ANYWHERE.finditer(command, at))
            at += 1
        elif char == "#" and _begins_word(command, at, escaped):
            at = _after(command, "\n", at) - 1
        elif command.startswith("<<<", at):
            at += 3
        elif (heredoc := HEREDOC.match(command, at)) is not None:
            waiting.append(_delimiter(heredoc))
            at = heredoc.end()
        elif pair == "<<":
            # A here-document whose end we cannot tell: whatever follows may be code.
            yield from (found.start() for found in ANYWHERE.finditer(command, at))
            at += 2
        elif char == "\n" and waiting:
            for delimiter in waiting:
                at = yield from _body(command, at + 1, delimiter)
            waiting = []
        else:
            at += 1


def _begins_word(command: str, at: int, escaped: int) -> bool:
    """Whether a word may begin here: at the start, or behind a blank or operator that counts."""
    return at == 0 or (command[at - 1] in " \t\n;&|()" and escaped != at - 1)


def _delimiter(match: re.Match[str]) -> tuple[str, bool, bool]:
    """The word that ends a here-document, whether its body is literal, whether tabs go."""
    literal = match[2] is not None or match[3] is not None or match[4] is not None
    word = next(group for group in (match[2], match[3], match[5]) if group is not None)
    return word, literal, match[1] == "-"


def _body(command: str, at: int, delimiter: tuple[str, bool, bool]) -> Generator[int, None, int]:
    """Substitutions in the body of a here-document that begins at `at`; returns its end."""
    word, literal, tabs = delimiter
    while at < len(command):
        end = command.find("\n", at)
        end = len(command) if end < 0 else end
        line = command[at:end]
        if (line.lstrip("\t") if tabs else line) == word:
            return end
        if not literal and line.endswith("\\"):
            # Joined with the next line this may be the end word, so all that follows may be code.
            yield from (found.start() for found in ANYWHERE.finditer(command, at))
        if not literal:
            for match in re.finditer(r"\\.|`|\$\(", line):
                if not match[0].startswith("\\"):
                    yield at + match.start()
        at = end + 1
    return at


def _end_of_ansi(command: str, at: int) -> int:
    while at < len(command) and command[at] != "'":
        at += 2 if command[at] == "\\" else 1
    return at + 1


def _after(command: str, mark: str, at: int) -> int:
    found = command.find(mark, at)
    return len(command) + 1 if found < 0 else found + 1


def _without_quoted(command: str) -> str:
    """The command with quoted blanks and operators made harmless."""

    def harmless(match: re.Match[str]) -> str:
        return re.sub(r"[\s;&|(){}]", "_", match[0])

    return re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.", harmless, command, flags=re.DOTALL)
