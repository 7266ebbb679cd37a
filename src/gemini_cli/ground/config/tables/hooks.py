"""Settings of hooks: what runs at which event, and which of them are off."""

from typing import Annotated, Literal

from gemini_cli.ground.config.tables.setting import Merge, Setting, Table

EVENTS = (
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "Notification",
    "SessionStart",
    "SessionEnd",
    "PreCompress",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
)


class HookCommand(Table, frozen=True):
    type: Literal["command", "runtime", "plugin"] | None = None
    command: str | None = None
    name: str | None = None
    description: str | None = None
    timeout: float | None = None
    env: dict[str, str] = {}


class HookDefinition(Table, frozen=True):
    """One entry of `hooks.<Event>`."""

    matcher: str | None = None
    sequential: bool = False
    hooks: tuple[HookCommand, ...] = ()


Hooks = dict[str, tuple[HookDefinition, ...]]
"""`hooks`. Open, because the hooks room knows event names of more than one dialect."""

HOOKS = Setting("Hooks to run at this event.", merge=Merge.CONCAT, entries=EVENTS)


class HooksConfig(Table, frozen=True):
    """`hooksConfig`"""

    enabled: Annotated[bool, Setting("Run hooks at all.", shown=True, restart=True)] = True
    disabled: Annotated[
        tuple[str, ...],
        Setting("Hooks that do not run, by name or command.", shown=True, merge=Merge.UNION),
    ] = ()
    notifications: Annotated[bool, Setting("Show when a hook runs.", shown=True)] = True


class Skills(Table, frozen=True):
    """`skills`"""

    enabled: Annotated[bool, Setting("Offer skills.", shown=True, restart=True)] = True
    disabled: Annotated[
        tuple[str, ...],
        Setting("Skills that are off.", restart=True, merge=Merge.UNION),
    ] = ()


class Extensions(Table, frozen=True):
    """`extensions`"""

    disabled: Annotated[
        tuple[str, ...],
        Setting("Extensions that are off.", restart=True, merge=Merge.UNION),
    ] = ()
    workspaces_with_migration_nudge: Annotated[
        tuple[str, ...],
        Setting("Folders whose own extensions were offered to move.", merge=Merge.UNION),
    ] = ()
