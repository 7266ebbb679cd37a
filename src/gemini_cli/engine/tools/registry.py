"""Keeps the tools of a session and says which of them a model is offered now.

Rules, settings and the mode decide what is hidden; a hidden tool cannot be called either.
It never runs a tool and never decides about a single call.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from gemini_cli.engine.tools.names import ALIASES, ORDER, nearest, spellings
from gemini_cli.protocol.errors import InvalidArgs
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import Tool

Hides: TypeAlias = Callable[[Tool, Mode, bool], bool]
"""Whether rules keep this tool from everybody, in this mode, with or without a person."""

ONLY_IN_PLAN_MODE = frozenset({"exit_plan_mode"})
NEVER_IN_PLAN_MODE = frozenset({"enter_plan_mode"})


@runtime_checkable
class PlanAware(Protocol):
    """A tool that describes itself differently while only plans may be written."""

    def for_plans(self) -> Tool:
        """The tool as it is offered in plan mode."""
        ...


@runtime_checkable
class Renaming(Protocol):
    """A tool that takes obsolete names of arguments."""

    name: str

    def canonical(self, args: JsonObject) -> JsonObject:
        """The arguments under their present names. Raises `InvalidArgs`."""
        ...


def renaming(tools: Sequence[Tool]) -> Callable[[str, JsonObject], JsonObject]:
    """Gives a call's arguments their present names, for rules that look at them."""
    offered: Sequence[object] = tools
    known = {tool.name: tool for tool in offered if isinstance(tool, Renaming)}

    def canonical(name: str, args: JsonObject) -> JsonObject:
        for spelling in (name, *ALIASES.get(name, ())):
            if spelling in known:
                try:
                    return known[spelling].canonical(args)
                except InvalidArgs:
                    return args
        return args

    return canonical


class Registry:
    """The catalog: built-in tools in their fixed order, then discovered ones, then servers'.

    `exclude` and `core` take wire names, aliases and class names (`tools.exclude`,
    `tools.core`). `core` keeps only the built-in tools it names.
    """

    def __init__(
        self,
        tools: Sequence[Tool] = (),
        *,
        hides: Hides | None = None,
        exclude: Collection[str] = (),
        core: Collection[str] | None = None,
    ) -> None:
        self._hides = hides
        self._excluded = frozenset(exclude)
        self._core = None if core is None else frozenset(_bare(name) for name in core)
        self._groups: dict[str, dict[str, Tool]] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool, group: str = "") -> bool:
        """Takes a tool in; False when it takes the place of another one of its name."""
        replaced = any(held.pop(tool.name, None) for held in self._groups.values())
        self._groups.setdefault(group, {})[tool.name] = tool
        return not replaced

    def drop(self, group: str) -> None:
        """Forgets all tools of a group, such as those of one server."""
        self._groups.pop(group, None)

    def all(self) -> Sequence[Tool]:
        """Every tool, hidden or not, in the order models see them."""
        tools = [tool for held in self._groups.values() for tool in held.values()]
        return sorted(tools, key=_place)

    def declared(self, view: SessionView) -> Sequence[Tool]:
        """What the model is offered now, in stable order."""
        tools = [tool for tool in self.all() if self._offered(tool, view)]
        if view.mode is not Mode.PLAN:
            return tools
        return [tool.for_plans() if isinstance(tool, PlanAware) else tool for tool in tools]

    def find(self, name: str, view: SessionView) -> Tool | None:
        """The tool of this name or alias, if it may be called now."""
        for spelling in (name, *ALIASES.get(name, ())):
            for held in self._groups.values():
                tool = held.get(spelling)
                if tool is not None and self._offered(tool, view):
                    return tool
        return None

    def near(self, name: str, view: SessionView) -> Sequence[str]:
        """Up to three names that look like this one."""
        return nearest(name, [tool.name for tool in self.declared(view)])

    def _offered(self, tool: Tool, view: SessionView) -> bool:
        planning = view.mode is Mode.PLAN
        if tool.name in (NEVER_IN_PLAN_MODE if planning else ONLY_IN_PLAN_MODE):
            return False
        names = spellings(tool.name)
        if self._excluded & names:
            return False
        if self._core is not None and tool.name in ORDER and not self._core & names:
            return False
        return self._hides is None or not self._hides(tool, view.mode, view.interactive)


def _bare(name: str) -> str:
    """`run_shell_command(git)` allows some calls of the tool, so it keeps the tool."""
    return name.partition("(")[0]


def _place(tool: Tool) -> tuple[int, int, str]:
    if tool.server is not None:
        return (2, 0, tool.server)
    return (0, ORDER[tool.name], "") if tool.name in ORDER else (1, 0, "")
