"""What the environment may change about the system prompt: sections off, replaced, written out.

It reads variables from a mapping it is handed. A file the user names and that is not there
ends the start, because running with another prompt than the chosen one would mislead.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from gemini_cli.engine.context.prompt import SECTIONS
from gemini_cli.ground.host.ordinary import NotOrdinary, ordinary
from gemini_cli.protocol.errors import FatalError

READ = "GEMINI_SYSTEM_MD"
WRITE = "GEMINI_WRITE_SYSTEM_MD"
_OFF = ("0", "false")
_ON = ("1", "true")
_LARGEST = 4 * 1024 * 1024


class PromptSwitches(Struct, frozen=True):
    """The choices, with paths resolved and the user's file already read."""

    off: frozenset[str] = frozenset()
    """Section keys in lower case."""
    template: str | None = None
    """The user's own base prompt."""
    write_to: Path | None = None

    @classmethod
    def of(cls, env: Mapping[str, str], *, workspace: Path, home: Path) -> "PromptSwitches":
        """Reads `GEMINI_PROMPT_<KEY>`, `GEMINI_SYSTEM_MD` and `GEMINI_WRITE_SYSTEM_MD`."""
        off = frozenset(
            key.lower()
            for key, _ in SECTIONS
            if env.get(f"GEMINI_PROMPT_{key.upper()}", "").strip().lower() in _OFF
        )
        source = _path(env.get(READ, ""), workspace, home)
        template = None if source is None else _read(source)
        return cls(off, template, _path(env.get(WRITE, ""), workspace, home))


def _path(value: str, workspace: Path, home: Path) -> Path | None:
    """The file a variable names: yes means the workspace's own, no or nothing means none."""
    value = value.strip()
    if not value or value.lower() in _OFF:
        return None
    if value.lower() in _ON:
        return workspace / ".gemini" / "system.md"
    if value == "~" or value.startswith(("~/", "~\\")):
        return home / value[2:]
    return Path(os.path.normpath(workspace / value))


def _read(path: Path) -> str:
    try:
        with ordinary(path) as file:
            return file.read(_LARGEST).decode("utf-8-sig")
    except NotOrdinary as error:
        raise FatalError(f"{READ}: {path} is not an ordinary file. Name a text file.") from error
    except UnicodeDecodeError as error:
        raise FatalError(f"{READ}: {path} is not UTF-8 text. Save it as UTF-8.") from error
    except OSError as error:
        raise FatalError(
            f"{READ}: {path} cannot be read ({error.strerror or error}). "
            f"Create the file, or set {READ} to another path or to 0."
        ) from error
