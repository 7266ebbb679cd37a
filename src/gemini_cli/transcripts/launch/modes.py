"""Permission modes, in the flags of each CLI. Data, with one function to look things up.

None means that the CLI has no such mode; the run goes on in its default mode and says so.
"""

from collections.abc import Mapping

Flags = tuple[str, ...]

_APPROVAL = "--approval-mode"
_MODE = "--permission-mode"
_SKIP_CODEX = "--dangerously-bypass-approvals-and-sandbox"

MODES: Mapping[str, Mapping[str, Flags | None]] = {
    "gemini": {
        "default": (_APPROVAL, "default"),
        "plan": (_APPROVAL, "plan"),
        "acceptEdits": (_APPROVAL, "auto_edit"),
        "bypassPermissions": (_APPROVAL, "yolo"),
    },
    "claude": {
        "default": (_MODE, "default"),
        "plan": (_MODE, "plan"),
        "acceptEdits": (_MODE, "acceptEdits"),
        "bypassPermissions": (_MODE, "bypassPermissions"),
        "dontAsk": (_MODE, "dontAsk"),
        "auto": (_MODE, "auto"),
    },
    "codex": {
        "default": ("-s", "workspace-write"),
        "plan": ("-s", "read-only"),
        "acceptEdits": ("-s", "workspace-write"),
        "bypassPermissions": (_SKIP_CODEX,),
    },
    "cursor": {
        "default": (),
        "plan": ("--mode", "plan"),
        "bypassPermissions": ("--force",),
    },
    "qwen": {
        "default": (_APPROVAL, "default"),
        "plan": (_APPROVAL, "plan"),
        "acceptEdits": (_APPROVAL, "auto-edit"),
        "bypassPermissions": (_APPROVAL, "yolo"),
        "auto": (_APPROVAL, "auto"),
    },
    "opencode": {
        "default": (),
        "plan": ("--agent", "plan"),
        "bypassPermissions": ("--auto",),
    },
    "copilot": {
        "default": (),
        "plan": ("--mode", "plan"),
        "acceptEdits": ("--allow-tool=write",),
        "bypassPermissions": ("--allow-all",),
    },
}


def modes_of(tool: str) -> tuple[str, ...]:
    """The permission modes that make a difference for this CLI."""
    return tuple(MODES.get(tool, {}))


def mode_flags(tool: str, mode: str | None, skip_permissions: bool) -> tuple[Flags, str | None]:
    """The flags for a mode, and a note when the CLI does not have it."""
    if skip_permissions:
        if tool == "claude":
            return ("--dangerously-skip-permissions",), None
        mode = "bypassPermissions"
    if mode is None:
        return (MODES[tool]["default"] or ()) if tool == "codex" else (), None
    flags = MODES.get(tool, {}).get(mode)
    if flags is None:
        return mode_flags(tool, None, False)[0], f"{tool} has no permission mode {mode!r}; ignored"
    return flags, None
