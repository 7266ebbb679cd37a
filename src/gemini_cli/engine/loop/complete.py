"""The tool with which a subagent hands in its result and ends.

Given to subagents only. It checks the shape of the result as far as top-level fields go.
"""

import json

from gemini_cli.protocol.display import Location, PlainText, Preview
from gemini_cli.protocol.errors import InvalidArgs
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Text
from gemini_cli.protocol.people import Answer, Ask
from gemini_cli.protocol.tools import AgentEnded, Family, Kind, ToolContext, ToolResult

NAME = "complete_task"
_RESULT_ONLY: JsonObject = {
    "type": "object",
    "properties": {"result": {"type": "string", "description": "Your findings, complete."}},
    "required": ["result"],
}


class CompleteTask:
    """Implements `Tool`; `called` tells whether a valid call has run."""

    name = NAME
    display_name = "Complete Task"
    kind: Kind = "other"
    parallel = False
    read_only = True
    server: str | None = None

    def __init__(self, schema: JsonObject | None) -> None:
        self._schema = schema or _RESULT_ONLY
        self._structured = schema is not None
        self.called = False

    def declaration(self, family: Family) -> JsonObject:
        """What a result must look like."""
        text = "Hands in the result of your task and ends your work. Call it exactly once."
        return {"name": NAME, "description": text, "parametersJsonSchema": self._schema}

    def prepare(self, args: JsonObject) -> "Completion":
        """Refuses an empty or incomplete result, so that the agent can mend it."""
        for name in self._schema.get("required", ()):
            if name not in args:
                raise InvalidArgs(f"params must have required property '{name}'")
        if not self._structured:
            result = args["result"]
            if not isinstance(result, str) or not result.strip():
                raise InvalidArgs("params/result must be a text that is not blank")
        return Completion(self, self._output(args))

    def _output(self, args: JsonObject) -> str:
        """A lone value by itself, anything else as JSON."""
        value: JsonValue = next(iter(args.values())) if len(args) == 1 else args
        return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


class Completion:
    """One prepared hand-in. Implements `Invocation`."""

    title = "Complete the task"
    kind: Kind = "other"
    locations: tuple[Location, ...] = ()

    def __init__(self, tool: CompleteTask, output: str) -> None:
        self._tool = tool
        self._output = output

    async def preview(self, ctx: ToolContext) -> Preview | None:
        """A plain yes or no."""
        return None

    def question(self) -> Ask | None:
        """It is no question."""
        return None

    async def run(self, ctx: ToolContext, answer: Answer | None = None) -> ToolResult:
        """Ends the agent with its result."""
        self._tool.called = True
        return ToolResult(
            for_model=(Text("The result was handed in."),),
            display=PlainText(self._output, markdown=True),
            effects=(AgentEnded(self._output),),
        )
