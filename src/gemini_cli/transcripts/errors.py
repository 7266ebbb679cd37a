"""What can go wrong when sessions of coding CLIs are found, read or started.

An absent session is an empty list unless the caller asked for strictness; these errors are for
that wish and for files that cannot be decoded at all. Single bad lines are counted, never raised.
"""

from gemini_cli.protocol.errors import GeminiError, SessionProblem


class UnknownToolError(GeminiError, ValueError):
    """The tool is not among the known or registered ones. Callers catch `ValueError`."""

    def __init__(self, tool: object) -> None:
        super().__init__(f"Unknown tool: {tool}")
        self.tool = tool


class SessionNotFoundError(SessionProblem, LookupError):
    """Raised under `LoadOptions(strict=True)` where the default is an empty list."""

    def __init__(self, tool: str, session_id: str | None = None, place: str | None = None) -> None:
        what = f"No {tool} session {session_id!r}" if session_id else f"No {tool} session"
        where = f" in {place}" if place else ""
        super().__init__(f"{what} found{where}. List the sessions there are with list_sessions().")
        self.tool = tool
        self.session_id = session_id


class SessionCorruptError(SessionProblem):
    """The file exists but nothing in it can be decoded."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read as a session: {reason}")
        self.path = path
        self.reason = reason


class SessionTooLargeError(SessionProblem):
    """A file that must be held in memory at once is over `LoadOptions(max_file_bytes=…)`."""

    def __init__(self, path: str, size: int, limit: int) -> None:
        super().__init__(
            f"{path} has {size} bytes, more than max_file_bytes={limit}; "
            "raise LoadOptions(max_file_bytes=…) to read it."
        )
        self.path = path
        self.size = size
        self.limit = limit


class MissingZstdError(SessionProblem):
    """A `.jsonl.zst` archive was met and no Zstandard decoder is installed."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is compressed with Zstandard; install the package backports.zstd to read it."
        )
        self.path = path


class CliNotFoundError(GeminiError):
    """The executable of a coding CLI is not on this machine."""

    def __init__(self, message: str, tool: str = "") -> None:
        super().__init__(message)
        self.tool = tool
