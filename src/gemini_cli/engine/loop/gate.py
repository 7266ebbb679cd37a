"""The gate in front of every tool call: hooks, rules, and a person where they say so.

A call that passes is `scheduled`; one that does not has its error or is cancelled. Nothing
runs here, and nothing is remembered here: grants belong to the policy.
"""

from msgspec.structs import replace

from gemini_cli.engine.loop.context import context
from gemini_cli.engine.loop.course import Course
from gemini_cli.engine.loop.edited import edited
from gemini_cli.engine.loop.readable import readable
from gemini_cli.engine.loop.run import WAIT_FLAG, CallRun, bug
from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.display import (
    CommandPreview,
    EditPreview,
    InfoPreview,
    McpPreview,
    Preview,
)
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import CallState
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import CANCEL, ONCE, Answer, Ask, AskChoice
from gemini_cli.protocol.policy import CallFacts, Decision, Verdict
from gemini_cli.protocol.tools import Tool

EDITOR = "modify_with_editor"
_LONGEST_NAME = 100
_CHANGED = "[System] A hook changed the parameters of this call before it ran."


class Gate:
    """Lets calls through. `own` marks calls that a person, not a model, asked for."""

    def __init__(self, state: State, course: Course, *, own: bool, trusted: bool = False) -> None:
        self._state = state
        self._course = course
        self._own = own
        self._trusted = trusted

    async def admit(self, run: CallRun) -> None:
        """Leads a prepared call to `scheduled` or to its early end."""
        run.ctx = context(self._state, run)
        if self._trusted:
            run.decision = "accept"
        else:
            await self._judge(run)
        if not run.settled:
            run.tell(CallState.SCHEDULED)

    async def _judge(self, run: CallRun) -> None:
        mcp = mcp_facts(run.tool)
        outcome = await self._course.before_tool(run.now_called, mcp, run.original)
        if outcome.stop is not None:
            run.stop = outcome.stop
            run.fail(f"A hook stopped the agent: {outcome.stop}", "stop_execution")
            return
        if outcome.block is not None:
            run.fail(f"Tool execution blocked: {outcome.block}", "policy_violation")
            return
        if outcome.args is not None and outcome.args != run.args:
            run.args = outcome.args
            run.notes.append(_CHANGED)
            if not self.prepared(run):
                return
        facts = self._facts(run)
        decision = await self._state.ports.policy.decide(facts)
        if decision.verdict is not Verdict.DENY and outcome.ask is not None:
            decision = Decision(Verdict.ASK, outcome.ask, "hook")
        elif decision.verdict is Verdict.ASK and self._own:
            decision = replace(decision, verdict=Verdict.ALLOW)
        match decision.verdict:
            case Verdict.DENY:
                run.fail(_denied(decision.reason), "policy_violation")
            case Verdict.ALLOW:
                run.decision = "accept"
            case Verdict.ASK:
                await self._ask(run, facts, outcome.ask or "")

    async def _ask(self, run: CallRun, facts: CallFacts, why: str) -> None:
        """Asks until there is an answer that settles it."""
        people = self._state.ports.people
        if not people.present:
            reason = why or "it needs a person's approval, and nobody is there to give it"
            run.fail(_denied(reason), "policy_violation")
            return
        while not run.settled:
            try:
                ask = await self._question(run, facts, why)
            except ToolProblem as problem:
                run.fail(str(problem), problem.kind)
                return
            run.tell(CallState.AWAITING_APPROVAL)
            await self._course.permission_asked(ask, _details(ask, run.preview))
            answer = await people.ask(ask, run.preview, agent=self._state.agent)
            if await self._answered(run, facts, ask, answer):
                return

    async def _question(self, run: CallRun, facts: CallFacts, why: str) -> Ask:
        """The tool's own question, or the approval question with what is about to happen."""
        invocation, ctx = run.invocation, run.ctx
        assert invocation is not None and ctx is not None
        run.preview = await invocation.preview(ctx)
        ask = invocation.question()
        if ask is None:
            ask = self._state.ports.policy.choices(facts)
        title = ask.title or run.title
        return replace(ask, id=run.call.id, title=title, message=why or ask.message)

    async def _answered(self, run: CallRun, facts: CallFacts, ask: Ask, answer: Answer) -> bool:
        """Acts on an answer. False when the same must be asked again."""
        if ask.kind != "approval":
            run.answer = answer
            run.decision = "reject" if answer.choice == CANCEL else "accept"
            return True
        chosen = next((choice for choice in ask.choices if choice.id == answer.choice), None)
        if chosen is None and answer.choice not in (ONCE, EDITOR):
            self._decline(run)
            return True
        if answer.choice == CANCEL:
            self._decline(run)
            return True
        run.answer = answer
        run.decision = "accept"
        if answer.content is not None:
            args = edited(run.args, answer.content, run.preview)
            if args != run.args:
                run.args, run.decision = args, "modify"
            if not self.prepared(run):
                return True
        if answer.choice == EDITOR:
            return False
        if chosen is not None:
            await self._granted(run, facts, chosen)
        return True

    async def _granted(self, run: CallRun, facts: CallFacts, chosen: AskChoice) -> None:
        """Hands an "always" to the rules; one for edits is a change of mode, too."""
        if chosen.grants in (None, "once"):
            return
        assert chosen.grants is not None
        await self._state.ports.policy.grant(facts, chosen.grants)
        if run.decision == "accept":
            run.decision = "auto_accept"
        if facts.kind == "edit" and chosen.grants == "session" and facts.mode is Mode.DEFAULT:
            self._state.set_mode(Mode.AUTO_EDIT, "approval")

    def _decline(self, run: CallRun) -> None:
        run.declined = True
        run.decision = "reject"
        if self._state.is_child:
            run.cancel("the person declined this call; find another way or finish without it.")
        else:
            run.cancel("the person declined this call.")

    def prepared(self, run: CallRun) -> bool:
        """Finds the tool and checks the arguments; False when that settled the call."""
        run.takes(None)
        try:
            self._prepare(run)
            failure = None
        except ToolProblem as problem:
            failure = readable(str(problem)), problem.kind
        except Exception as problem:
            failure = bug(problem)
        run.tell(CallState.VALIDATING)
        if failure is not None:
            run.fail(*failure)
        return failure is None

    def _prepare(self, run: CallRun) -> None:
        tool = self._find(run.name)
        if tool is None:
            raise ToolProblem(self._unknown(run.name), "tool_not_registered")
        run.takes(tool)
        args = {key: value for key, value in run.args.items() if key != WAIT_FLAG}
        run.becomes(tool.prepare(args))

    def _find(self, name: str) -> Tool | None:
        """The tool, unless the rules hide it from the model that asks for it."""
        state = self._state
        tool = state.ports.catalog.find(name, state.view())
        if tool is None or self._own:
            return tool
        hidden = state.ports.policy.hides(tool, state.mode, state.interactive)
        return None if hidden else tool

    def _unknown(self, name: str) -> str:
        state = self._state
        near = [n for n in state.ports.catalog.near(name, state.view()) if self._find(n)]
        text = f'Tool "{_shown(name)}" not found.'
        return f"{text} Did you mean one of: {', '.join(near)}?" if near else text

    def _facts(self, run: CallRun) -> CallFacts:
        tool, invocation = run.tool, run.invocation
        assert tool is not None and invocation is not None
        return CallFacts(
            name=tool.name,
            args=run.args,
            kind=invocation.kind,
            mode=self._state.mode,
            interactive=self._state.interactive,
            read_only=tool.read_only,
            server=tool.server,
            agent=self._state.agent,
        )


def _shown(name: str) -> str:
    """A name that a model made up, short enough to say it back and on one line."""
    words = " ".join(name[:_LONGEST_NAME].split())
    return f"{words}…" if len(name) > _LONGEST_NAME else words


def _denied(reason: str) -> str:
    return (
        f"Tool execution denied by policy: {reason}"
        if reason
        else ("Tool execution denied by policy.")
    )


def mcp_facts(tool: Tool | None) -> JsonObject | None:
    """What hooks are told of a tool that an MCP server offers."""
    if tool is None or tool.server is None:
        return None
    return {"server_name": tool.server, "tool_name": tool.name}


def _details(ask: Ask, preview: Preview | None) -> JsonObject:
    """What the notification hook is told of a question, by kind."""
    match preview:
        case EditPreview(diff=diff):
            more: JsonObject = {
                "type": "edit",
                "fileName": diff.name,
                "filePath": diff.path,
                "fileDiff": diff.patch,
                "originalContent": diff.original,
                "newContent": diff.new,
                "isModifying": False,
            }
        case CommandPreview(command=command, roots=roots):
            more = {"type": "exec", "command": command, "rootCommand": ", ".join(roots)}
        case McpPreview(server=server, tool=tool):
            more = {
                "type": "mcp",
                "serverName": server,
                "toolName": tool,
                "toolDisplayName": tool,
            }
        case InfoPreview(text=text, urls=urls):
            more = {"type": "info", "prompt": text, "urls": list(urls)}
        case None:
            more = {"type": "info", "prompt": ask.message or ask.title}
    return {**more, "title": ask.title}
