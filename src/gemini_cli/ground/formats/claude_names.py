"""Tool names in the Claude vocabulary and in ours, both ways.

Names only: how the arguments of a call translate is the business of whoever holds a call.
It answers None rather than guess when a name has no counterpart.
"""

from collections.abc import Iterable

CLAUDE_TO_GEMINI: dict[str, str] = {
    "Read": "read_file",
    "Write": "write_file",
    "Edit": "replace",
    "MultiEdit": "replace",
    "Bash": "run_shell_command",
    "Glob": "glob",
    "LS": "list_directory",
    "Grep": "grep_search",
    "WebFetch": "web_fetch",
    "WebSearch": "google_web_search",
    "TodoWrite": "write_todos",
    "Task": "invoke_agent",
    "Agent": "invoke_agent",
    "Skill": "activate_skill",
    "AskUserQuestion": "ask_user",
}

GEMINI_TO_CLAUDE: dict[str, str] = {
    "read_file": "Read",
    "read_many_files": "Read",
    "write_file": "Write",
    "replace": "Edit",
    "run_shell_command": "Bash",
    "glob": "Glob",
    "list_directory": "Glob",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
    "write_todos": "TodoWrite",
    "ask_user": "AskUserQuestion",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
    "invoke_agent": "Task",
    "activate_skill": "Skill",
}


def gemini_tool(name: str) -> str | None:
    """Our name for a Claude tool, `mcp__server` and `mcp__server__tool` included."""
    if name.startswith("mcp__"):
        server, _, tool = name[len("mcp__") :].partition("__")
        return f"mcp_{server}_{tool or '*'}" if server else None
    return CLAUDE_TO_GEMINI.get(name)


def claude_tool(name: str, servers: Iterable[str] = ()) -> str | None:
    """Claude's name for one of our tools; `servers` are the MCP servers known by name."""
    known = GEMINI_TO_CLAUDE.get(name)
    if known is not None:
        return known
    parts = split_mcp(name, servers)
    if parts is None:
        return None
    server, tool = parts
    return f"mcp__{server}" if tool == "*" else f"mcp__{server}__{tool}"


def split_mcp(name: str, servers: Iterable[str] = ()) -> tuple[str, str] | None:
    """Server and tool of `mcp_<server>_<tool>`: the longest known server, else the first `_`."""
    if not name.startswith("mcp_") or name.startswith("mcp__"):
        return None
    rest = name[len("mcp_") :]
    fitting = [server for server in servers if server and rest.startswith(server + "_")]
    server = max(fitting, key=len) if fitting else rest.partition("_")[0]
    tool = rest[len(server) + 1 :]
    return (server, tool) if server and tool else None
