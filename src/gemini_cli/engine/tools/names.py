"""The names tools go by: their order, their aliases, and what a wrong name may have meant.

It holds tables and pure functions; it knows no tool objects.
"""

from collections.abc import Iterable, Sequence

ORDER = {
    name: place
    for place, name in enumerate(
        """update_topic list_directory read_file grep_search glob activate_skill replace
        write_file web_fetch read_mcp_resource list_mcp_resources run_shell_command
        list_background_processes read_background_output google_web_search ask_user write_todos
        exit_plan_mode enter_plan_mode tracker_create_task tracker_update_task tracker_get_task
        tracker_list_tasks tracker_add_dependency tracker_visualize invoke_agent""".split()
    )
}
"""The built-in tools in the order models see them."""

ALIASES: dict[str, tuple[str, ...]] = {
    "search_file_content": ("grep_search",),
    "grep_search": ("search_file_content",),
}

CLASS_NAMES: dict[str, tuple[str, ...]] = {
    "read_file": ("ReadFileTool",),
    "list_directory": ("LSTool",),
    "glob": ("GlobTool",),
    "grep_search": ("GrepTool", "RipGrepTool"),
    "replace": ("EditTool",),
    "write_file": ("WriteFileTool",),
    "run_shell_command": ("ShellTool",),
    "web_fetch": ("WebFetchTool",),
    "google_web_search": ("WebSearchTool",),
    "write_todos": ("WriteTodosTool",),
    "read_many_files": ("ReadManyFilesTool",),
    "ask_user": ("AskUserTool",),
    "activate_skill": ("ActivateSkillTool",),
    "enter_plan_mode": ("EnterPlanModeTool",),
    "exit_plan_mode": ("ExitPlanModeTool",),
}

LONGEST_NAME = 64
"""Of a longer name only the beginning is compared: comparing takes its length times ours."""


def spellings(name: str) -> frozenset[str]:
    """Every name under which settings may mean the tool of this wire name."""
    return frozenset((name, *ALIASES.get(name, ()), *CLASS_NAMES.get(name, ())))


def wire_name(name: str) -> str:
    """The name models use for the tool that settings call so."""
    return next((wire for wire, others in CLASS_NAMES.items() if name in others), name)


def nearest(name: str, known: Iterable[str], most: int = 3) -> Sequence[str]:
    """The names that look most like this one, best first."""
    start = name[:LONGEST_NAME].lower()
    scored = sorted((distance(start, other.lower()), other) for other in known)
    return [other for _, other in scored[:most]]


def distance(left: str, right: str) -> int:
    """The Levenshtein distance: insertions, deletions and replacements."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
