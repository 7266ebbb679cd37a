"""Calls of Cursor's tools as calls of Claude's, from transcripts and from the live stream.

Transcripts name tools as the editor shows them (`Shell`), the stream as `shellToolCall`; both
arrive here. The format is closed, so anything unknown passes through.
"""

import shlex
from collections.abc import Callable, Mapping

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.patch import patch_call, patch_calls
from gemini_cli.transcripts.coerce import as_dict, as_str, first, present
from gemini_cli.transcripts.todos import questions_input, todo_input

Args = Mapping[str, JsonValue]
_PATCH = "applyPatch"
_PATH = ("path", "file_path", "target_file")


def map_call(name: str, args: Args) -> tuple[str, JsonObject]:
    """Claude's tool name and input; a patch over several files stays one call here."""
    plain = _plain(name)
    if plain in ("mcp", "callMcpTool"):
        return _mcp(args)
    if plain == _PATCH:
        return patch_call(_patch_text(args))
    mapped = _TOOLS.get(plain)
    return (mapped[0], mapped[1](args)) if mapped else (name, dict(args))


def map_calls(name: str, args: Args) -> list[tuple[str, JsonObject]]:
    """The same, with one call for each file of a patch."""
    return patch_calls(_patch_text(args)) if _plain(name) == _PATCH else [map_call(name, args)]


def _plain(name: str) -> str:
    """The tool's name in the one spelling that both places share."""
    plain = name.removesuffix("ToolCall")
    return plain[:1].lower() + plain[1:]


def _patch_text(args: Args) -> str:
    return as_str(first(args, "patch", "input", "raw"))


def _mcp(args: Args) -> tuple[str, JsonObject]:
    server = as_str(first(args, "providerIdentifier", "serverName", "server"), "cursor")
    tool = as_str(first(args, "toolName", "name", "tool"))
    given = first(args, "args", "arguments")
    return f"mcp__{server}__{tool.removeprefix(server + '-')}", as_dict(given)


def _read(args: Args) -> JsonObject:
    return present(
        file_path=first(args, *_PATH), offset=args.get("offset"), limit=args.get("limit")
    )


def _write(args: Args) -> JsonObject:
    content = first(args, "fileText", "contents", "content", "streamContent")
    return present(file_path=first(args, *_PATH), content=content)


def _edit(args: Args) -> JsonObject:
    return present(
        file_path=first(args, *_PATH),
        old_string=first(args, "old_string", "oldString"),
        new_string=first(args, "new_string", "newString", "streamContent"),
        replace_all=True if args.get("replace_all") is True else None,
    )


def _shell(args: Args) -> JsonObject:
    background = first(args, "is_background", "isBackground")
    return present(
        command=args.get("command"),
        description=args.get("description"),
        timeout=args.get("timeout"),
        run_in_background=True if background is True else None,
    )


def _grep(args: Args) -> JsonObject:
    kept = ("-A", "-B", "-C", "-i", "-n", "type", "output_mode", "head_limit", "multiline")
    flags = {key: args[key] for key in kept if key in args}
    return present(
        pattern=first(args, "pattern", "query"),
        path=args.get("path"),
        glob=first(args, "glob", "include"),
        **flags,
    )


def _glob(args: Args) -> JsonObject:
    return present(
        pattern=first(args, "glob_pattern", "globPattern", "pattern"),
        path=first(args, "target_directory", "targetDirectory", "path"),
    )


def _list(args: Args) -> JsonObject:
    return present(pattern="*", path=first(args, "path", "target_directory"))


def _delete(args: Args) -> JsonObject:
    return {"command": f"rm {shlex.quote(as_str(first(args, *_PATH)))}"}


def _search(args: Args) -> JsonObject:
    return present(query=first(args, "search_term", "searchTerm", "query"))


def _fetch(args: Args) -> JsonObject:
    return {"url": first(args, "url"), "prompt": as_str(args.get("prompt"))}


def _task(args: Args) -> JsonObject:
    return present(
        prompt=args.get("prompt"),
        description=args.get("description"),
        subagent_type=first(args, "subagent_type", "subagentType"),
    )


def _todos(args: Args) -> JsonObject:
    return todo_input(args.get("todos"), "content")


_TOOLS: dict[str, tuple[str, Callable[[Args], JsonObject]]] = {
    "read": ("Read", _read),
    "write": ("Write", _write),
    "edit": ("Edit", _edit),
    "strReplace": ("Edit", _edit),
    "shell": ("Bash", _shell),
    "grep": ("Grep", _grep),
    "glob": ("Glob", _glob),
    "ls": ("Glob", _list),
    "lS": ("Glob", _list),
    "delete": ("Bash", _delete),
    "todoWrite": ("TodoWrite", _todos),
    "updateTodos": ("TodoWrite", _todos),
    "webSearch": ("WebSearch", _search),
    "webFetch": ("WebFetch", _fetch),
    "task": ("Task", _task),
    "askQuestion": ("AskUserQuestion", lambda args: questions_input(args.get("questions"))),
}
