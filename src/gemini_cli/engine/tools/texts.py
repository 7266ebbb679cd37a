"""Reads what a model is told about a tool from the Markdown file beside its code.

The text before the first `# name` heading describes the tool, each heading one argument.
`<tool>.<family>.md` replaces `<tool>.md` for one family of models where it exists.
"""

from functools import cache
from pathlib import Path

import msgspec

from gemini_cli.protocol.tools import Family

HERE = Path(__file__).parent


class ToolTexts(msgspec.Struct, frozen=True):
    """The description of a tool and of each of its arguments."""

    description: str
    params: dict[str, str]


@cache
def texts_of(name: str, family: Family, folder: str = "") -> ToolTexts:
    """The texts of a tool whose files lie in `folder` of this room."""
    special = HERE / folder / f"{name}.{family}.md"
    path = special if special.is_file() else HERE / folder / f"{name}.md"
    return parsed(path.read_text(encoding="utf-8"))


def parsed(source: str) -> ToolTexts:
    """Splits a file at its headings; lines of one paragraph are joined."""
    sections: dict[str, list[str]] = {"": []}
    current = sections[""]
    for line in source.splitlines():
        if line.startswith("# "):
            current = sections.setdefault(line[2:].strip(), [])
        else:
            current.append(line.strip())
    texts = {name: _flowed(lines) for name, lines in sections.items()}
    return ToolTexts(texts.pop(""), texts)


def _flowed(lines: list[str]) -> str:
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if not line:
            paragraphs.append([])
        elif line.startswith("- "):
            paragraphs[-1].append("\n" + line)
        else:
            paragraphs[-1].append(" " + line)
    return "\n\n".join("".join(words).strip() for words in paragraphs if words)
