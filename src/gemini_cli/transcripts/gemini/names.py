"""Calls of Gemini CLI's tools as calls of Claude's: name and input.

Only what a call says is translated; what has no place in Claude's input stays in the record.
A tool without a counterpart keeps its name and its arguments.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from gemini_cli.ground.formats.claude_names import GEMINI_TO_CLAUDE, claude_tool
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_list, as_str, first, first_line, opt_int, present
from gemini_cli.transcripts.todos import questions_input, todo_input

Args = Mapping[str, JsonValue]

_URL = re.compile(r"https?://[^\s<>\"'`]+")
_SCHEDULER_KEY = "wait_for_previous"


def map_call(
    name: str,
    args: Args,
    mcp_servers: Iterable[str] = (),
    compat: Literal["sdk"] | None = None,
) -> tuple[str, JsonObject]:
    """Claude's tool name and input. `compat="sdk"` knows the oldest six tools only."""
    given = {key: value for key, value in args.items() if key != _SCHEDULER_KEY}
    mapper = _INPUTS.get(name)
    if mapper is not None and (compat is None or name in _SDK_TOOLS):
        return GEMINI_TO_CLAUDE[name], mapper(given)
    if compat == "sdk":
        return name, given
    return claude_tool(name, mcp_servers) or name, given


def agent_call(name: str, args: Args) -> tuple[str, JsonObject]:
    """A call of a subagent, under the agent's own name as older versions have it."""
    return "Task", _task({"agent_name": name, **args})


def read_input(args: Args) -> JsonObject:
    """`Read`: lines count from 1, whatever the version counted from."""
    start, end = opt_int(args.get("start_line")), opt_int(args.get("end_line"))
    offset, limit = opt_int(args.get("offset")), opt_int(args.get("limit"))
    if offset is not None:
        offset += 1
    if start is not None or end is not None:
        offset = start
        limit = None if end is None else max(0, end - (start or 1) + 1)
    path = first(args, "absolute_path", "file_path", "path")
    return present(file_path=path, offset=offset, limit=limit)


def _write(args: Args) -> JsonObject:
    path = first(args, "file_path", "absolute_path", "path")
    return present(file_path=path, content=args.get("content"))


def edit_input(args: Args) -> JsonObject:
    """`Edit`: the instruction is for the model that repairs edits, not for a reader."""
    many = args.get("allow_multiple") is True or args.get("replace_all") is True
    return present(
        file_path=first(args, "file_path", "absolute_path", "path"),
        old_string=args.get("old_string"),
        new_string=args.get("new_string"),
        replace_all=True if many or (opt_int(args.get("expected_replacements")) or 0) > 1 else None,
    )


def _list(args: Args) -> JsonObject:
    return present(pattern="*", path=first(args, "path", "dir_path"))


def _shell(args: Args) -> JsonObject:
    return present(
        command=args.get("command"),
        description=args.get("description"),
        timeout=args.get("timeout"),
        run_in_background=True if args.get("is_background") is True else None,
    )


def _glob(args: Args) -> JsonObject:
    return present(pattern=args.get("pattern"), path=first(args, "path", "dir_path"))


def _grep(args: Args) -> JsonObject:
    flags = {
        "-i": None if args.get("case_sensitive") is True else True,
        "-A": args.get("after"),
        "-B": args.get("before"),
        "-C": args.get("context"),
    }
    return present(
        pattern=args.get("pattern"),
        path=first(args, "path", "dir_path"),
        glob=first(args, "include", "include_pattern", "glob"),
        output_mode="files_with_matches" if args.get("names_only") is True else "content",
        head_limit=first(args, "total_max_matches", "limit"),
        **flags,
    )


def _read_many(args: Args) -> JsonObject:
    named = first(args, "include", "paths")
    return present(file_path=next(iter(as_list(named)), named if isinstance(named, str) else None))


def _fetch(args: Args) -> JsonObject:
    prompt = first(args, "prompt", "url")
    url = args.get("url")
    if not isinstance(url, str):
        found = _URL.search(as_str(prompt))
        url = found[0].rstrip(".,;:!?)]}") if found else None
    return present(url=url, prompt=prompt)


def _todos(args: Args) -> JsonObject:
    return todo_input(args.get("todos"), "description", "content")


def _ask(args: Args) -> JsonObject:
    return questions_input(args.get("questions"))


def _plan(args: Args) -> JsonObject:
    return present(plan=first(args, "plan_filename", "plan_path", "plan"))


def _task(args: Args) -> JsonObject:
    prompt = first(args, "prompt", "objective", "query", "task")
    description = opt_description(args.get("description")) or first_line(as_str(prompt))
    return present(
        subagent_type=first(args, "agent_name", "subagent_type"),
        prompt=prompt,
        description=description,
    )


def opt_description(value: JsonValue) -> str | None:
    """A description in words, or None."""
    return value if isinstance(value, str) and value.strip() else None


def _skill(args: Args) -> JsonObject:
    return present(skill=first(args, "name", "skill"), args=args.get("args"))


def _same(args: Args) -> JsonObject:
    return dict(args)


_SDK_TOOLS = frozenset(
    {
        "read_file",
        "write_file",
        "replace",
        "list_directory",
        "run_shell_command",
        "google_web_search",
    }
)

_INPUTS: dict[str, Callable[[Args], JsonObject]] = {
    "read_file": read_input,
    "write_file": _write,
    "replace": edit_input,
    "list_directory": _list,
    "run_shell_command": _shell,
    "google_web_search": _same,
    "glob": _glob,
    "grep_search": _grep,
    "search_file_content": _grep,
    "read_many_files": _read_many,
    "web_fetch": _fetch,
    "write_todos": _todos,
    "ask_user": _ask,
    "exit_plan_mode": _plan,
    "enter_plan_mode": _same,
    "invoke_agent": _task,
    "activate_skill": _skill,
}
