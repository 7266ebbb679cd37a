"""The patch text of `apply_patch`, as one Claude call per file.

Added lines and removed lines become an edit's new and old text; context lines only say where.
A text that is no patch is kept whole rather than guessed at.
"""

import re
import shlex

from msgspec import Struct

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import present

_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")
_HEREDOC = re.compile(
    r"\s*(?:cd\s+\S+\s*&&\s*)?apply_?patch\s*<<-?\s*(?P<q>['\"]?)(?P<tag>\w+)(?P=q)[^\S\n]*\n"
)
Mapped = tuple[str, JsonObject]


class _Section(Struct):
    kind: str
    path: str
    moved_to: str | None = None
    old: list[str] = []
    new: list[str] = []


def patch_calls(patch: str) -> list[Mapped]:
    """One call per file of the patch, at least one whatever the text is."""
    sections = _sections(patch)
    if not sections:
        found = _HEADER.search(patch)
        return [("Edit", present(file_path=found[2].strip() if found else None, patch=patch))]
    return [call for section in sections for call in _calls(section)]


def patch_call(patch: str) -> Mapped:
    """The patch as a single call: the first file's, the whole text kept when there are more."""
    calls = patch_calls(patch)
    if len(calls) == 1:
        return calls[0]
    path = calls[0][1].get("file_path")
    return "Edit", present(file_path=path, patch=patch)


def patch_of_command(command: str) -> str | None:
    """The patch inside `apply_patch <<EOF … EOF`, or None when the command is another."""
    if "patch" not in command:
        return None
    head = _HEREDOC.match(command)
    if head is None:
        return None
    body, _, last = command[head.end() :].rstrip().rpartition("\n")
    return body if last.strip() == head["tag"] else None


def _sections(patch: str) -> list[_Section]:
    found: list[_Section] = []
    for line in patch.splitlines():
        header = _HEADER.fullmatch(line.rstrip())
        if header:
            found.append(_Section(header[1], header[2].strip()))
        elif found:
            _take(found[-1], line)
    return found


def _take(section: _Section, line: str) -> None:
    moved = _MOVE.fullmatch(line.rstrip())
    if moved:
        section.moved_to = moved[1].strip()
    elif line.startswith("+"):
        section.new.append(line[1:])
    elif line.startswith("-"):
        section.old.append(line[1:])


def _calls(section: _Section) -> list[Mapped]:
    path = section.path
    if section.kind == "Delete":
        return [("Bash", {"command": f"rm {shlex.quote(path)}"})]
    new = "\n".join(section.new)
    if section.kind == "Add":
        return [("Write", {"file_path": path, "content": new + "\n" if section.new else ""})]
    calls: list[Mapped] = []
    if section.old or section.new or not section.moved_to:
        old = "\n".join(section.old)
        calls.append(("Edit", {"file_path": path, "old_string": old, "new_string": new}))
    if section.moved_to:
        command = f"mv {shlex.quote(path)} {shlex.quote(section.moved_to)}"
        calls.append(("Bash", {"command": command}))
    return calls
