"""How work proceeds: the ordinary cycle, and the planning one.

Wording only. The planning section replaces the ordinary one while plan mode is on.
"""

from gemini_cli.engine.context.prompt.facts import PromptFacts


def primary_workflows(facts: PromptFacts) -> str:
    """Understand, decide, change, verify."""
    return "\n\n".join(part for part in (_cycle(facts), _new_applications(facts)) if part)


def planning_workflow(facts: PromptFacts) -> str:
    """What may be done in plan mode and how a plan becomes work."""
    where = f"`{facts.plans_dir}`" if facts.plans_dir else "the plans folder"
    leave = (
        "5. When the plan is settled call `exit_plan_mode` with the plan's file name. The user "
        "approves it there; do not ask for approval in prose as well."
        if facts.has("exit_plan_mode")
        else "5. End with the plan's location and a short summary."
    )
    ask = (
        "3. Put open decisions to the user with `ask_user`: concrete options, your own choice "
        "first, at most a few at a time."
        if facts.has("ask_user")
        else "3. Decide open points yourself and mark them as assumptions in the plan."
    )
    tools = ", ".join(f"`{tool}`" for tool in facts.tools)
    approved = (
        f"\nThe plan at `{facts.approved_plan}` was approved before. Read it and revise it "
        "rather than starting anew."
        if facts.approved_plan
        else ""
    )
    return f"""\
# Planning
You may look at everything and change nothing, with one exception: plans are Markdown files in \
{where}, and `write_file` and `replace` work there only. Available now: {tools}.

1. Explore until you can name the files, functions and data involved, and the risks.
2. Match the depth to the task: a small change needs a few lines, a large one alternatives \
with their costs and a recommendation.
{ask}
4. Write the plan: goal, findings with file references, the steps in order with the files they \
touch, how each will be verified, what is left out. Somebody who never saw this conversation \
should be able to carry it out.
{leave}

A question that needs no plan is simply answered.{approved}"""


def _cycle(facts: PromptFacts) -> str:
    return f"""\
# How to work
1. **Understand.** {_understand(facts)} For a fault, see it fail before you explain it.
2. **Decide.** {_decide(facts)}
3. **Change.** Make small, complete edits that fit the code around them.{_edits(facts)} After \
each one the project should still build.
4. **Verify.** {_verify(facts)} Read the output; a command that ran is not yet a test that \
passed. If something is red, find the cause, do not try variations blindly. After two failed \
attempts at one approach step back and question the diagnosis.
5. **Finish.** Check the result against every part of the request, remove what you made only \
to investigate, and report: what changed, what was verified and how, what remains open.

Stop when the work is done. Do not hand back a half-finished change because it is long, and do \
not claim success for anything you have not seen."""


def _understand(facts: PromptFacts) -> str:
    if facts.has("codebase_investigator"):
        return (
            "For wide questions about structure hand the search to `codebase_investigator`; for "
            "a known name or text search yourself."
        )
    if any(agent.name == "codebase_investigator" for agent in facts.agents):
        return (
            "For wide questions about structure delegate to the `codebase_investigator` "
            "subagent; for a known name or text search yourself."
        )
    return (
        "Search for the names involved, read the code that matters and its tests, and follow "
        "the calls until you can say how it works."
    )


def _decide(facts: PromptFacts) -> str:
    lines = ["Settle on the simplest approach that solves the cause, not the symptom."]
    if facts.approved_plan:
        lines.append(
            f"An approved plan is at `{facts.approved_plan}`: read it and follow it; if it "
            "turns out wrong, say so before departing from it."
        )
    elif facts.interactive and facts.has("enter_plan_mode"):
        lines.append(
            "For work that is large, risky or open in its design, propose `enter_plan_mode` first."
        )
    if facts.has("write_todos"):
        lines.append(
            "Keep a list with `write_todos` when there are more than a few steps: one item in "
            "progress, each ticked off as soon as it is done. Skip it for small jobs."
        )
    return " ".join(lines)


def _edits(facts: PromptFacts) -> str:
    if facts.has("replace", "write_file"):
        return (
            " Use `replace` on existing files and `write_file` for new ones; do not write files "
            "through shell commands."
        )
    return "" if facts.has("run_shell_command") else " You have no tool to edit files here: say so."


def _verify(facts: PromptFacts) -> str:
    if not facts.has("run_shell_command"):
        return "You cannot run commands here, so check by reading and say what is untested."
    return (
        "Run the narrowest test that shows the change works, then the project's own checks "
        "(build, lint, types, tests) as its files describe them."
    )


def _new_applications(facts: PromptFacts) -> str:
    if not facts.has("write_file"):
        return ""
    agree = (
        "Outline it in a few sentences and let the user agree before you build."
        if facts.interactive
        else "State your choices briefly and build."
    )
    return f"""\
## Starting something new
Name the purpose, the features and the technology that fits them; without a stated wish take \
common, well-kept choices. {agree} Deliver something that starts and does its main job, with a \
way to run it and a test of its core; make plain, consistent visuals rather than none, and \
create simple stand-ins for missing assets yourself. Build and start it before you report."""
