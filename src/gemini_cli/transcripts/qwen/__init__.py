"""Qwen Code: its stored sessions and its live stream in the unified shape.

The functions of the room's door with the tool filled in; `types` describes its records.
Nothing else is loaded before use.
"""

from gemini_cli.transcripts.qwen import types
from gemini_cli.transcripts.single import Single

_single = Single("qwen")
detect_cli = _single.detect_cli
execute = _single.execute
get_capabilities = _single.get_capabilities
list_sessions = _single.list_sessions
load_session = _single.load_session
load_session_sync = _single.load_session_sync
parse = _single.parse
stream = _single.stream

__all__ = [
    "detect_cli",
    "execute",
    "get_capabilities",
    "list_sessions",
    "load_session",
    "load_session_sync",
    "parse",
    "stream",
    "types",
]
