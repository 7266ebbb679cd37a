"""Calls of Qwen Code's tools as calls of Claude's.

Qwen took Gemini's tools over and renamed a few; only those few are spelled out here.
"""

from collections.abc import Iterable, Mapping

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_str, first, first_line, present
from gemini_cli.transcripts.gemini.names import edit_input
from gemini_cli.transcripts.gemini.names import map_call as gemini_call
from gemini_cli.transcripts.todos import questions_input, todo_input


def map_call(
    name: str, args: Mapping[str, JsonValue], mcp_servers: Iterable[str] = ()
) -> tuple[str, JsonObject]:
    """Claude's tool name and input."""
    match name:
        case "edit":
            return "Edit", edit_input(args)
        case "todo_write":
            return "TodoWrite", todo_input(args.get("todos"), "content", "description")
        case "web_search":
            return "WebSearch", dict(args)
        case "ask_user_question":
            return "AskUserQuestion", questions_input(args.get("questions"))
        case "agent" | "task":
            return "Task", _task(args)
        case "skill":
            return "Skill", present(skill=first(args, "skill", "name"), args=args.get("args"))
        case "notebook_edit":
            return "NotebookEdit", dict(args)
        case "web_fetch":
            return "WebFetch", present(url=args.get("url"), prompt=args.get("prompt"))
        case _:
            return gemini_call(name, args, mcp_servers)


def _task(args: Mapping[str, JsonValue]) -> JsonObject:
    prompt = first(args, "prompt", "task")
    return present(
        subagent_type=first(args, "subagent_type", "agent_name"),
        prompt=prompt,
        description=first(args, "description") or first_line(as_str(prompt)),
    )
