"""What a `Tool` owes: one declaration, arguments checked before anything happens, one result.

It calls the tool as the loop does. Whether what the tool does is right only its author knows.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import get_args

import msgspec

from gemini_cli.protocol.errors import InvalidArgs, ToolProblem
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.tools import Family, Kind, Tool, ToolContext, ToolResult

_CHANGING = ("edit", "delete", "move", "execute")
_ODD: tuple[JsonValue, ...] = (
    *(None, True, 0, -1, 2**63, 1e308),
    *("", " ", "\x00", "\ud800", "x" * 100_000),
    *([], [{}], {}, {"a": 1}),
)


class ToolStage(msgspec.Struct, frozen=True):
    """A tool to check."""

    tool: Tool
    args: JsonObject
    """Arguments that work."""
    context: Callable[[], ToolContext]
    """A fresh context; what it points to may be changed by a run."""


def _declared(tool: Tool, family: Family) -> JsonObject:
    return tool.declaration(family)


def _schema(tool: Tool) -> dict[str, JsonValue]:
    schema = _declared(tool, "gemini-3").get("parametersJsonSchema")
    assert isinstance(schema, dict), "declaration() must hold a parametersJsonSchema object"
    return schema


def _required(tool: Tool) -> list[str]:
    required = _schema(tool).get("required", [])
    assert isinstance(required, list), "`required` must be a list of names"
    return [str(name) for name in required]


async def declares_itself_the_same_way_each_time(stage: ToolStage) -> None:
    """A declaration that changes without cause costs every request its cached prefix."""
    for family in get_args(Family):
        first = json.dumps(_declared(stage.tool, family))
        assert json.dumps(_declared(stage.tool, family)) == first, "the declaration changed"


async def declares_what_the_service_takes(stage: ToolStage) -> None:
    """Name, description and an object schema whose required names exist."""
    for family in get_args(Family):
        declared = _declared(stage.tool, family)
        assert declared.get("name") == stage.tool.name, "declared under another name"
        assert str(declared.get("description", "")).strip(), "no description"
    schema = _schema(stage.tool)
    assert schema.get("type") == "object", "the parameters must be an object"
    properties = schema.get("properties", {})
    assert isinstance(properties, dict), "`properties` must be an object"
    missing = [name for name in _required(stage.tool) if name not in properties]
    assert not missing, f"required but not described: {missing}"


async def is_the_same_tool_to_every_model_family(stage: ToolStage) -> None:
    """Families differ in words only."""
    shapes = set()
    for family in get_args(Family):
        schema = _declared(stage.tool, family).get("parametersJsonSchema")
        assert isinstance(schema, dict)
        properties = schema.get("properties", {})
        assert isinstance(properties, dict)
        shapes.add(json.dumps([sorted(properties), schema.get("required", [])]))
    assert len(shapes) == 1, f"parameters differ between families: {shapes}"


async def says_truly_what_kind_it_is(stage: ToolStage) -> None:
    """What changes the world is not called reading, and stands alone in its wave."""
    tool = stage.tool
    assert tool.kind in get_args(Kind), f"unknown kind {tool.kind!r}"
    if tool.kind in _CHANGING:
        assert not tool.read_only, f"a tool of kind {tool.kind} is not read-only"
    if tool.kind in ("edit", "delete", "move"):
        assert not tool.parallel, "tools that change files must not run beside others"
    assert tool.prepare(stage.args).kind in get_args(Kind), "unknown kind of a call"


async def names_the_argument_that_is_missing(stage: ToolStage) -> None:
    """The model can mend only what it is told. Doing without a required argument is allowed."""
    for name in _required(stage.tool):
        args = {key: value for key, value in stage.args.items() if key != name}
        try:
            stage.tool.prepare(args)
        except InvalidArgs as problem:
            assert name in str(problem), f"{name} is missing, but the text is: {problem}"


async def refuses_odd_arguments_in_one_way(stage: ToolStage) -> None:
    """Whatever a model sends, `prepare` answers with a call or with `InvalidArgs`."""
    for args in _odd(stage):
        try:
            invocation = stage.tool.prepare(args)
        except InvalidArgs as problem:
            assert str(problem).strip(), f"refused {args!r:.80} without a word"
        except Exception as problem:
            raise AssertionError(f"{args!r:.80} raised {problem!r} from prepare") from problem
        else:
            assert isinstance(invocation.title, str)


async def shows_one_line_of_what_it_would_do(stage: ToolStage) -> None:
    """A person reads it before approving."""
    title = stage.tool.prepare(stage.args).title
    assert title.strip(), "the call has no title"
    assert "\n" not in title and "\r" not in title, f"a title is one line, not {title!r}"
    assert "\x1b" not in title, "a title must not carry terminal control characters"


async def prepares_without_acting(stage: ToolStage) -> None:
    """Preparing twice gives the same call, which still runs."""
    first, second = stage.tool.prepare(stage.args), stage.tool.prepare(stage.args)
    assert (first.title, first.kind) == (second.title, second.kind), "prepare() is not repeatable"


async def answers_with_a_result(stage: ToolStage) -> None:
    """A run ends in a result that can be written down."""
    result = await stage.tool.prepare(stage.args).run(stage.context())
    assert isinstance(result, ToolResult), f"run() returned {type(result).__name__}"
    assert result.error is None, f"the arguments should work, but: {result.error}"
    json.dumps(msgspec.to_builtins(result))


async def fails_in_words(stage: ToolStage) -> None:
    """Odd but well-formed arguments end in a result or a `ToolProblem`, never in another error."""
    for args in _odd(stage):
        try:
            invocation = stage.tool.prepare(args)
        except InvalidArgs:
            continue
        if invocation.kind in _CHANGING:
            continue  # nobody has said yes to this
        try:
            async with asyncio.timeout(10):
                await invocation.run(stage.context())
        except ToolProblem as problem:
            assert str(problem).strip() and problem.kind, f"{args!r:.80} failed without a word"
        except Exception as problem:
            raise AssertionError(f"{args!r:.80} raised {problem!r} from run") from problem


async def stops_when_it_is_cancelled(stage: ToolStage) -> None:
    """A cancelled run is over soon, and says so by the cancellation itself."""
    running = asyncio.ensure_future(stage.tool.prepare(stage.args).run(stage.context()))
    await asyncio.sleep(0)
    running.cancel()
    done, _ = await asyncio.wait([running], timeout=10)
    assert done, "a cancelled run goes on"
    assert running.cancelled() or running.exception() is None, "a cancelled run failed otherwise"


def _odd(stage: ToolStage) -> Iterator[JsonObject]:
    """The working arguments with one of them spoilt, and some that never fit."""
    properties = _schema(stage.tool).get("properties", {})
    assert isinstance(properties, dict)
    for name in properties:
        for value in _ODD:
            yield {**stage.args, name: value}
    yield {}
    yield {"no_such_argument": 1}


TOOL_CHECKS: tuple[Callable[[ToolStage], Awaitable[None]], ...] = (
    declares_itself_the_same_way_each_time,
    declares_what_the_service_takes,
    is_the_same_tool_to_every_model_family,
    says_truly_what_kind_it_is,
    names_the_argument_that_is_missing,
    refuses_odd_arguments_in_one_way,
    shows_one_line_of_what_it_would_do,
    prepares_without_acting,
    answers_with_a_result,
    fails_in_words,
    stops_when_it_is_cancelled,
)
