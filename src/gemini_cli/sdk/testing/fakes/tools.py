"""Tools made of a function or a fixed result, and a catalog of them.

A fake tool records how it was called; what it answers is up to the test.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from gemini_cli.protocol.display import Location, Preview
from gemini_cli.protocol.errors import InvalidArgs
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.people import Answer, Ask
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import Family, Kind, Tool, ToolContext, ToolResult, said

Result: TypeAlias = ToolResult | str
Work: TypeAlias = Callable[[JsonObject, ToolContext, Answer | None], Result | Awaitable[Result]]


class FakeTool:
    """Implements `Tool`. `does` is a result, a text, or a function of (args, ctx, answer)."""

    def __init__(
        self,
        name: str,
        does: Result | Work = "ok",
        *,
        kind: Kind = "read",
        parallel: bool = True,
        read_only: bool | None = None,
        server: str | None = None,
        required: Sequence[str] = (),
        preview: Preview | None = None,
        question: Ask | None = None,
    ) -> None:
        self.name = name
        self.display_name = name.replace("_", " ").title()
        self.kind: Kind = kind
        self.parallel = parallel
        self.read_only = kind in ("read", "search", "fetch") if read_only is None else read_only
        self.server = server
        self.calls: list[JsonObject] = []
        self.running = 0
        self.most_running = 0
        self._does = does
        self._required = tuple(required)
        self._preview = preview
        self._question = question

    def declaration(self, family: Family) -> JsonObject:
        """A schema with the required names."""
        schema = {
            "type": "object",
            "properties": {name: {"type": "string"} for name in self._required},
            "required": list(self._required),
        }
        return {"name": self.name, "description": self.name, "parametersJsonSchema": schema}

    def prepare(self, args: JsonObject) -> "FakeInvocation":
        """Wants the required names."""
        for name in self._required:
            if name not in args:
                raise InvalidArgs(f"params must have required property '{name}'")
        return FakeInvocation(self, args, self._preview, self._question)

    async def work(self, args: JsonObject, ctx: ToolContext, answer: Answer | None) -> ToolResult:
        """Records the call and does what it was told to do."""
        self.calls.append(args)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(0)
            done = self._does(args, ctx, answer) if callable(self._does) else self._does
            result = await done if inspect.isawaitable(done) else done
        finally:
            self.running -= 1
        return said(result) if isinstance(result, str) else result


class FakeInvocation:
    """Implements `Invocation` for a `FakeTool`."""

    locations: tuple[Location, ...] = ()

    def __init__(
        self, tool: FakeTool, args: JsonObject, preview: Preview | None, question: Ask | None
    ) -> None:
        self.args = args
        self.kind: Kind = tool.kind
        self.title = f"{tool.name} {' '.join(str(value) for value in args.values())}".strip()
        self._tool = tool
        self._preview = preview
        self._question = question

    async def preview(self, ctx: ToolContext) -> Preview | None:
        """As scripted."""
        await asyncio.sleep(0)
        return self._preview

    def question(self) -> Ask | None:
        """As scripted."""
        return self._question

    async def run(self, ctx: ToolContext, answer: Answer | None = None) -> ToolResult:
        """Does what the tool was told to do."""
        return await self._tool.work(self.args, ctx, answer)


class FakeCatalog:
    """Implements `Catalog` over a list that a test may change at any time."""

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        self.tools: list[Tool] = list(tools)

    def declared(self, view: SessionView) -> Sequence[Tool]:
        """All of them."""
        return tuple(self.tools)

    def find(self, name: str, view: SessionView) -> Tool | None:
        """By its name."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def near(self, name: str, view: SessionView) -> Sequence[str]:
        """Those that begin with the same letter."""
        return [tool.name for tool in self.tools if tool.name[:1] == name[:1]][:3]
