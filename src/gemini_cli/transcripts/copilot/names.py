"""Calls of Copilot CLI's tools as calls of Claude's.

Arguments may be a raw str (a patch); everything unknown passes through under its own name.
"""

from collections.abc import Callable, Mapping

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.patch import patch_call, patch_calls
from gemini_cli.transcripts.coerce import as_str, first, opt_int, present
from gemini_cli.transcripts.todos import questions_input, todo_input

Args = Mapping[str, JsonValue]


def map_call(name: str, args: Args | str) -> tuple[str, JsonObject]:
    """Claude's tool name and input."""
    if name == "apply_patch":
        return patch_call(patch_text(args))
    given: Args = {"raw": args} if isinstance(args, str) else args
    mapped = _TOOLS.get(name)
    return (mapped[0], mapped[1](given)) if mapped else (name, dict(given))


def map_calls(name: str, args: Args | str) -> list[tuple[str, JsonObject]]:
    """The same, with one call for each file of a patch."""
    if name == "apply_patch":
        return patch_calls(patch_text(args))
    return [map_call(name, args)]


def patch_text(args: Args | str) -> str:
    """The patch, which may be all there is of the arguments."""
    return args if isinstance(args, str) else as_str(first(args, "input", "patch"))


def mcp_call(server: str, tool: str, args: Args | str) -> tuple[str, JsonObject]:
    """A call of an MCP server's tool."""
    return f"mcp__{server}__{tool}", {"raw": args} if isinstance(args, str) else dict(args)


def _shell(args: Args) -> JsonObject:
    timeout = opt_int(args.get("timeout"))
    background = args.get("mode") in ("async", "detached") or args.get("async") is True
    return present(
        command=args.get("command"),
        description=args.get("description"),
        timeout=timeout,
        run_in_background=True if background else None,
    )


def _view(args: Args) -> JsonObject:
    span = args.get("view_range")
    start = end = None
    if isinstance(span, list) and len(span) == 2:
        start, end = opt_int(span[0]), opt_int(span[1])
    whole = start is None or end is None or end < start
    limit = None if whole or start is None or end is None else end - start + 1
    return present(file_path=first(args, "path", "file_path"), offset=start, limit=limit)


def _create(args: Args) -> JsonObject:
    content = first(args, "file_text", "content")
    return present(file_path=first(args, "path", "file_path"), content=content)


def _edit(args: Args) -> JsonObject:
    return present(
        file_path=first(args, "path", "file_path"),
        old_string=first(args, "old_str", "old_string"),
        new_string=first(args, "new_str", "new_string"),
    )


def _glob(args: Args) -> JsonObject:
    return present(pattern=args.get("pattern"), path=args.get("path"))


def _fetch(args: Args) -> JsonObject:
    return {"url": first(args, "url"), "prompt": as_str(args.get("prompt"))}


def _task(args: Args) -> JsonObject:
    return present(
        prompt=args.get("prompt"),
        description=args.get("description"),
        subagent_type=first(args, "agent_type", "subagent_type"),
    )


def _todos(args: Args) -> JsonObject:
    todos = args.get("todos")
    if isinstance(todos, str):
        return {"todos": [_checkbox(line) for line in todos.splitlines() if line.strip()]}
    return todo_input(todos, "content", "title", "description")


def _checkbox(line: str) -> JsonObject:
    """A line of a Markdown check list."""
    text = line.strip().lstrip("-* ").strip()
    box, text = (text[:3], text[3:].strip()) if text[:1] == "[" else ("[ ]", text)
    done = "completed" if box.lower() == "[x]" else "pending"
    return {"content": text, "status": done, "activeForm": text}


def _ask(args: Args) -> JsonObject:
    if isinstance(args.get("questions"), list):
        return questions_input(args["questions"])
    options = first(args, "choices", "options")
    return questions_input([{"question": args.get("question"), "options": options}])


_TOOLS: dict[str, tuple[str, Callable[[Args], JsonObject]]] = {
    "bash": ("Bash", _shell),
    "powershell": ("Bash", _shell),
    "view": ("Read", _view),
    "create": ("Write", _create),
    "edit": ("Edit", _edit),
    "str_replace": ("Edit", _edit),
    "grep": ("Grep", dict),
    "glob": ("Glob", _glob),
    "web_fetch": ("WebFetch", _fetch),
    "web_search": ("WebSearch", dict),
    "task": ("Task", _task),
    "update_todo": ("TodoWrite", _todos),
    "ask_user": ("AskUserQuestion", _ask),
    "skill": ("Skill", dict),
}
