"""Running other coding CLIs headless; the door of the launch.

Names are imported on first use. It starts and ends processes and reads their stdout; finding
executables and reading session files is done beside it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gemini_cli.transcripts.launch.json_text import extract_json, find_json
    from gemini_cli.transcripts.launch.options import (
        PERMISSION_MODES,
        Delta,
        ExecuteOptions,
        Output,
        PermissionMode,
        StreamEvent,
        ToolSettings,
    )
    from gemini_cli.transcripts.launch.process import KillResult, kill_process
    from gemini_cli.transcripts.launch.reduce import Outcome, Reducer
    from gemini_cli.transcripts.launch.reducers import reducer_for
    from gemini_cli.transcripts.launch.result import ExecuteResult
    from gemini_cli.transcripts.launch.run import MessageStream, execute, stream

__all__ = [
    "PERMISSION_MODES",
    "Delta",
    "ExecuteOptions",
    "ExecuteResult",
    "KillResult",
    "MessageStream",
    "Outcome",
    "Output",
    "PermissionMode",
    "Reducer",
    "StreamEvent",
    "ToolSettings",
    "execute",
    "extract_json",
    "find_json",
    "kill_process",
    "reducer_for",
    "stream",
]
_HOME = {
    "PERMISSION_MODES": "options",
    "Delta": "options",
    "ExecuteOptions": "options",
    "ExecuteResult": "result",
    "KillResult": "process",
    "MessageStream": "run",
    "Outcome": "reduce",
    "Output": "options",
    "PermissionMode": "options",
    "Reducer": "reduce",
    "StreamEvent": "options",
    "ToolSettings": "options",
    "execute": "run",
    "extract_json": "json_text",
    "find_json": "json_text",
    "kill_process": "process",
    "reducer_for": "reducers",
    "stream": "run",
}


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
