"""Flags that one release of a CLI knows and another does not, and what to say instead.

It answers only for flags we add ourselves or that are known to have been removed; a mistake of
the caller is never papered over.
"""

import re

_UNKNOWN = re.compile(r"unknown (?:argument|option)s?|unexpected argument", re.IGNORECASE)
_PLAN_REFUSED = re.compile(r"approval-mode.{0,40}plan", re.IGNORECASE | re.DOTALL)


def reworded(
    tool: str, args: tuple[str, ...], complaint: str
) -> tuple[tuple[str, ...], str] | None:
    """Other arguments and a note about the change, or None when nothing is to be done."""
    if tool == "gemini":
        return _gemini(args, complaint)
    if tool == "codex" and "--full-auto" in args and _refused(complaint, "--full-auto"):
        place = args.index("--full-auto")
        changed = (*args[:place], "-s", "workspace-write", *args[place + 1 :])
        return changed, "this codex has no --full-auto; ran with -s workspace-write"
    return None


def _gemini(args: tuple[str, ...], complaint: str) -> tuple[tuple[str, ...], str] | None:
    if "--skip-trust" in args and _refused(complaint, "skip-trust"):
        changed = tuple(arg for arg in args if arg != "--skip-trust")
        return changed, "this gemini has no --skip-trust; left out"
    mode = ("--approval-mode", "plan")
    for place in range(len(args) - 1):
        if args[place : place + 2] == mode and _PLAN_REFUSED.search(complaint):
            changed = (*args[:place], mode[0], "default", *args[place + 2 :])
            return changed, "this gemini has no plan mode; ran in the default mode"
    return None


def _refused(complaint: str, flag: str) -> bool:
    return flag in complaint and _UNKNOWN.search(complaint) is not None
