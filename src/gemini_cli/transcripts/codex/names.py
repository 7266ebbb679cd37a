"""Calls of Codex's tools as calls of Claude's.

Shell calls lose their wrapper, patches become edits per file, plans become task lists; every
other tool passes through.
"""

import shlex
from collections.abc import Callable, Mapping

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.patch import patch_call, patch_calls, patch_of_command
from gemini_cli.transcripts.coerce import as_dict, as_str, first, first_line, present
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.todos import questions_input, todo_input

Args = Mapping[str, JsonValue]
Mapped = tuple[str, JsonObject]

_SHELLS = frozenset({"bash", "zsh", "sh", "dash", "ksh", "fish"})
_POWERSHELLS = frozenset({"powershell", "pwsh", "powershell.exe", "pwsh.exe"})
_SHELL_FLAGS = frozenset({"-c", "-lc", "-cl", "-ic", "-lic"})
_LONGEST_ARGUMENT = 128 * 1024  # what a system takes; splitting far longer texts takes minutes
_SHELL_TOOLS = frozenset(
    {"shell", "shell_command", "exec_command", "local_shell", "container.exec"}
)


def map_call(name: str, args: Args) -> Mapped:
    """Claude's tool name and input; a patch over several files stays one call here."""
    patch = patch_text(name, args)
    return patch_call(patch) if patch is not None else _plain_call(name, args)


def map_calls(name: str, args: Args) -> list[Mapped]:
    """The same, with one call for each file of a patch."""
    patch = patch_text(name, args)
    return patch_calls(patch) if patch is not None else [_plain_call(name, args)]


def _plain_call(name: str, args: Args) -> Mapped:
    mapper = _TOOLS.get(name)
    return mapper(args) if mapper else (name, dict(args))


def arguments(text: JsonValue) -> JsonObject:
    """The arguments of a function call, stored as JSON inside a str."""
    if isinstance(text, dict):
        return text
    try:
        found = decode(text) if isinstance(text, str) else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    return {} if text in (None, "") else {"raw": text}


def qualified(name: str, namespace: JsonValue) -> str:
    """The tool's full name when its MCP namespace is stored apart from it."""
    if namespace is None:
        return name
    space = as_str(namespace).rstrip("_")
    return f"{space}__{name}" if space.startswith("mcp__") and not name.startswith(space) else name


def patch_text(name: str, args: Args) -> str | None:
    """The patch a call carries, whichever of the three ways it was handed over."""
    if name == "apply_patch":
        return as_str(first(args, "input", "patch", "raw"))
    if name not in _SHELL_TOOLS:
        return None
    command = first(args, "command", "cmd")
    words = command if isinstance(command, list) else [command]
    last = words[-1] if words else None
    if not isinstance(last, str):
        return None
    if len(words) == 2 and words[0] in ("apply_patch", "applypatch"):
        return last
    return patch_of_command(unwrap_shell(command)) if "patch" in last else None


def unwrap_shell(command: JsonValue) -> str:
    """The command a person would type: without `bash -lc`, lists joined with quotes."""
    if isinstance(command, str):
        try:
            words = shlex.split(command) if _looks_wrapped(command) else []
        except ValueError:
            return command
        inner = _inner(words)
        return command if inner is None else inner
    if not isinstance(command, list):
        return ""
    words = [word if isinstance(word, str) else str(word) for word in command]
    inner = _inner(words)
    return shlex.join(words) if inner is None else inner


def _looks_wrapped(command: str) -> bool:
    if len(command) > _LONGEST_ARGUMENT:
        return False
    head = command.lstrip()[:200].split(" ", 2)
    return len(head) == 3 and _shell_name(head[0].strip("'\"")) in _SHELLS | _POWERSHELLS


def _shell_name(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].lower()


def _inner(words: list[str]) -> str | None:
    if len(words) < 3:
        return None
    shell = words[0] if words[0] in _SHELLS else _shell_name(words[0])
    if shell in _SHELLS and len(words) == 3 and words[1] in _SHELL_FLAGS:
        return words[2]
    if shell in _POWERSHELLS and words[-2].lower() in ("-command", "-c"):
        return words[-1]
    return None


def _shell(args: Args) -> Mapped:
    return "Bash", present(
        command=unwrap_shell(first(args, "command", "cmd")),
        description=first(args, "justification", "description"),
        timeout=first(args, "timeout_ms", "timeout"),
    )


def _command(args: Args) -> Mapped:
    return "Bash", present(
        command=first(args, "cmd", "command"),
        description=args.get("justification"),
        timeout=args.get("timeout_ms"),
    )


def _plan(args: Args) -> Mapped:
    return "TodoWrite", todo_input(args.get("plan"), "step", "content")


def _image(args: Args) -> Mapped:
    return "Read", present(file_path=args.get("path"))


def _spawn(args: Args) -> Mapped:
    message = args.get("message")
    return "Task", present(
        prompt=message,
        description=first(args, "task_name") or first_line(as_str(message)),
        subagent_type=args.get("agent_type"),
    )


def web_search(action: JsonValue, query: JsonValue = None) -> Mapped:
    """A search, or a page that was opened or searched in."""
    found = as_dict(action)
    if found.get("type") in ("open_page", "find_in_page"):
        prompt = as_str(found.get("pattern"))
        return "WebFetch", {"url": as_str(found.get("url")), "prompt": prompt}
    queries = found.get("queries")
    several = queries[0] if isinstance(queries, list) and queries else None
    words = first(found, "query") or several or query
    return "WebSearch", {"query": as_str(words)}


_TOOLS: dict[str, Callable[[Args], Mapped]] = {
    "shell": _shell,
    "local_shell": _shell,
    "container.exec": _shell,
    "shell_command": _command,
    "exec_command": _command,
    "update_plan": _plan,
    "view_image": _image,
    "request_user_input": lambda args: (
        "AskUserQuestion",
        questions_input(args.get("questions")),
    ),
    "spawn_agent": _spawn,
}
