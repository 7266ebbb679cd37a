"""Calls of OpenCode's tools as calls of Claude's.

MCP tools keep OpenCode's own `<server>_<tool>` spelling: nothing in a part says where the
server's name ends.
"""

from collections.abc import Callable, Mapping

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.patch import patch_call, patch_calls
from gemini_cli.transcripts.coerce import as_str, first, present
from gemini_cli.transcripts.todos import questions_input, todo_input

Args = Mapping[str, JsonValue]
_PATH = ("filePath", "file_path", "path")


def map_call(name: str, args: Args) -> tuple[str, JsonObject]:
    """Claude's tool name and input; a patch over several files stays one call here."""
    if name == "apply_patch":
        return patch_call(_patch_text(args))
    mapped = _TOOLS.get(name)
    return (mapped[0], mapped[1](args)) if mapped else (name, dict(args))


def map_calls(name: str, args: Args) -> list[tuple[str, JsonObject]]:
    """The same, with one call for each file of a patch."""
    return patch_calls(_patch_text(args)) if name == "apply_patch" else [map_call(name, args)]


def _patch_text(args: Args) -> str:
    return as_str(first(args, "patchText", "patch", "input"))


def _read(args: Args) -> JsonObject:
    return present(
        file_path=first(args, *_PATH), offset=args.get("offset"), limit=args.get("limit")
    )


def _edit(args: Args) -> JsonObject:
    return present(
        file_path=first(args, *_PATH),
        old_string=first(args, "oldString", "old_string"),
        new_string=first(args, "newString", "new_string"),
        replace_all=True if first(args, "replaceAll", "replace_all") is True else None,
    )


def _write(args: Args) -> JsonObject:
    return present(file_path=first(args, *_PATH), content=args.get("content"))


def _bash(args: Args) -> JsonObject:
    return present(
        command=args.get("command"),
        description=args.get("description"),
        timeout=args.get("timeout"),
    )


def _grep(args: Args) -> JsonObject:
    return present(
        pattern=args.get("pattern"),
        path=args.get("path"),
        glob=first(args, "include", "glob"),
        output_mode="content",
    )


def _glob(args: Args) -> JsonObject:
    return present(pattern=args.get("pattern"), path=args.get("path"))


def _list(args: Args) -> JsonObject:
    return present(pattern="*", path=args.get("path"))


def _fetch(args: Args) -> JsonObject:
    return {"url": first(args, "url"), "prompt": as_str(args.get("prompt"))}


def _search(args: Args) -> JsonObject:
    return present(query=args.get("query"))


def _task(args: Args) -> JsonObject:
    return present(
        description=args.get("description"),
        prompt=args.get("prompt"),
        subagent_type=first(args, "subagent_type", "subagentType", "agent"),
    )


def _skill(args: Args) -> JsonObject:
    return present(skill=first(args, "name", "skill"), args=args.get("args"))


_TOOLS: dict[str, tuple[str, Callable[[Args], JsonObject]]] = {
    "read": ("Read", _read),
    "edit": ("Edit", _edit),
    "write": ("Write", _write),
    "bash": ("Bash", _bash),
    "grep": ("Grep", _grep),
    "glob": ("Glob", _glob),
    "list": ("Glob", _list),
    "webfetch": ("WebFetch", _fetch),
    "websearch": ("WebSearch", _search),
    "todowrite": ("TodoWrite", lambda args: todo_input(args.get("todos"), "content")),
    "task": ("Task", _task),
    "question": ("AskUserQuestion", lambda args: questions_input(args.get("questions"))),
    "skill": ("Skill", _skill),
}
