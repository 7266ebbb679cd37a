"""Turns what the operating system says into a problem a tool can report.

One table from errno to error type; every message names the path and the way out.
It refuses to swallow anything: the cause stays chained.
"""

import errno
from pathlib import Path

from gemini_cli.protocol.errors import ToolProblem

KINDS = {
    errno.ENOENT: "file_not_found",
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
    errno.EROFS: "permission_denied",
    errno.ENOSPC: "no_space_left",
    errno.EDQUOT: "no_space_left",
    errno.EISDIR: "target_is_directory",
    errno.ENOTDIR: "path_is_not_a_directory",
    errno.ELOOP: "path_not_in_workspace",
    errno.EFBIG: "file_too_large",
}

ADVICE = {
    "file_not_found": "there is nothing at this path; check the spelling",
    "permission_denied": "the file system does not allow it; check owner and mode",
    "no_space_left": "the disk or quota is full; free some space and try again",
    "target_is_directory": "it is a folder, not a file; name a file in it",
    "path_is_not_a_directory": "a part of the path that must be a folder is a file",
    "path_not_in_workspace": "a symbolic link on the way leads in a circle or was just changed",
    "file_too_large": "the file would be larger than the file system allows",
}


def problem_of(error: OSError, action: str, path: Path, otherwise: str) -> ToolProblem:
    """The problem to raise when `action` on `path` failed; `otherwise` is the default kind."""
    kind = KINDS.get(error.errno or 0, otherwise)
    advice = ADVICE.get(kind) or (error.strerror or str(error))
    return ToolProblem(f"Cannot {action} {path}: {advice}.", kind)
