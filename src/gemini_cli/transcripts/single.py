"""One tool's sessions and runs: the functions of the room's door with the tool filled in.

Only arguments are bound here; what is done is done by the door, which loads what it needs when
it is called.
"""

from typing import TYPE_CHECKING

from gemini_cli import transcripts as door

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any, TypeVar, overload

    from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
    from gemini_cli.transcripts.capabilities import AgentCapabilities, ModelInfo
    from gemini_cli.transcripts.detect import Prefer
    from gemini_cli.transcripts.launch.options import ExecuteOptions
    from gemini_cli.transcripts.launch.result import ExecuteResult
    from gemini_cli.transcripts.launch.run import MessageStream
    from gemini_cli.transcripts.model import SessionInfo, UnifiedMessage
    from gemini_cli.transcripts.options import LoadOptions

    T = TypeVar("T")


class Single:
    """The door as it looks from one tool. Each tool's package exports the methods of one."""

    def __init__(self, tool: str) -> None:
        self.tool = tool

    def parse(
        self, record: "JsonObject", options: "LoadOptions | None" = None
    ) -> "UnifiedMessage | None":
        """`parse_message` for this tool."""
        return door.parse_message(self.tool, record, options or door.LoadOptions())

    async def load_session(
        self,
        session_id: str | None = None,
        *,
        project_path: "str | Path | None" = None,
        session_path: "str | Path | None" = None,
        options: "LoadOptions | None" = None,
    ) -> "list[UnifiedMessage]":
        """`load_messages` for this tool."""
        return await door.load_messages(
            self.tool,
            session_id,
            project_path=project_path,
            session_path=session_path,
            options=options or door.LoadOptions(),
        )

    def load_session_sync(
        self,
        session_id: str | None = None,
        *,
        project_path: "str | Path | None" = None,
        session_path: "str | Path | None" = None,
        options: "LoadOptions | None" = None,
    ) -> "list[UnifiedMessage]":
        """`load_messages_sync` for this tool."""
        return door.load_messages_sync(
            self.tool,
            session_id,
            project_path=project_path,
            session_path=session_path,
            options=options or door.LoadOptions(),
        )

    def list_sessions(
        self,
        project_path: "str | Path | None" = None,
        limit: int | None = None,
        *,
        env: "Mapping[str, str] | None" = None,
        include_exec: bool = False,
        include_archived: bool = False,
        current_id: str | None = None,
    ) -> "list[SessionInfo]":
        """`list_sessions` of this tool."""
        return door.list_sessions(
            self.tool,
            project_path,
            limit,
            env=env,
            include_exec=include_exec,
            include_archived=include_archived,
            current_id=current_id,
        )

    if TYPE_CHECKING:

        @overload
        async def execute(self, options: ExecuteOptions) -> ExecuteResult[JsonValue]: ...
        @overload
        async def execute(self, options: ExecuteOptions, schema: type[T]) -> ExecuteResult[T]: ...

    async def execute(self, options: "ExecuteOptions", schema: "Any" = None) -> "Any":
        """`execute` with this tool, whichever the options name."""
        return await door.execute(options.for_tool(self.tool), schema)

    def stream(self, options: "ExecuteOptions") -> "MessageStream":
        """`stream` with this tool, whichever the options name."""
        return door.stream(options.for_tool(self.tool))

    def detect_cli(
        self, *, env: "Mapping[str, str] | None" = None, prefer: "Prefer" = "path"
    ) -> str | None:
        """`detect_cli` for this tool."""
        return door.detect_cli(self.tool, env=env, prefer=prefer)

    async def get_capabilities(
        self,
        *,
        env: "Mapping[str, str] | None" = None,
        models: "Sequence[ModelInfo] | None" = None,
        prefer: "Prefer" = "path",
    ) -> "AgentCapabilities":
        """`get_capabilities` of this tool."""
        return await door.get_capabilities(self.tool, env=env, models=models, prefer=prefer)
