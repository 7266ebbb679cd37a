"""Finds which file an edit means: inside the workspace, or among the plans in plan mode.

A relative path that leads nowhere is looked for by its ending, in a bounded part of the
workspace. It reads folders only.
"""

from collections import deque
from pathlib import Path

from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.tools import ToolContext

MOST_FOLDERS = 50
SKIPPED = frozenset({".git", "node_modules", ".hg", ".svn", ".gemini", ".vscode"})
PLANS = "plans"


async def place_of(ctx: ToolContext, text: str, *, search: bool, plans: Path | None = None) -> Path:
    """The real path of the file to edit; with `search`, also found by its ending.

    Plans lie in `plans`, or in a folder of the session's own where nobody named one.
    """
    if ctx.view.mode is Mode.PLAN:
        return _among_plans(ctx, plans or ctx.scratch / PLANS, text)
    path = ctx.workspace.resolve(text, for_write=True)
    if not search or Path(text).is_absolute() or await ctx.files.stat(path) is not None:
        return path
    found = await _by_ending(ctx, Path(text).parts)
    if len(found) > 1:
        names = ", ".join(ctx.workspace.shown(other) for other in found)
        raise ToolProblem(
            f"There is no {text} in the working directory, but several files end like that: "
            f"{names}. Name one of them.",
            "file_not_found",
        )
    return ctx.workspace.resolve(str(found[0]), for_write=True) if found else path


def _among_plans(ctx: ToolContext, folder: Path, text: str) -> Path:
    plans = ctx.workspace.resolve(str(folder), for_write=True)
    path = ctx.workspace.resolve(str(folder / text), for_write=True)
    if not path.is_relative_to(plans) or path == plans:
        raise ToolProblem(
            f"In plan mode only files in {plans} may be written, and {path} is not there.",
            "path_not_in_workspace",
        )
    return path


async def _by_ending(ctx: ToolContext, ending: tuple[str, ...]) -> list[Path]:
    if not ending or ".." in ending:
        return []
    waiting = deque(ctx.workspace.roots)
    found: list[Path] = []
    for _ in range(MOST_FOLDERS):
        if not waiting:
            break
        folder = waiting.popleft()
        try:
            entries = await ctx.files.list(folder)
        except ToolProblem:
            continue
        for name, stat in entries:
            path = folder / name
            if stat.kind == "dir" and name not in SKIPPED:
                waiting.append(path)
            elif stat.kind == "file" and path.parts[-len(ending) :] == ending:
                found.append(path)
    return found
