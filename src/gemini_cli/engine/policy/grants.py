"""What a person may answer to an approval, and the rules an "always" turns into.

A grant is as narrow as the call lets it be: a program, a file, a tool of one server. Calls
that cannot be narrowed down are never granted for longer than once.
"""

from collections.abc import Sequence

from gemini_cli.engine.policy.command import grantable_root
from gemini_cli.engine.policy.rules import SHELL, Rule, exactly
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import CANCEL, ONCE, Ask, AskChoice, Scope
from gemini_cli.protocol.policy import CallFacts, Verdict

SESSION_TIER = 3.95
SAVED_TIER = 4.95
CONFIRMED = "Dynamic (Confirmed)"
LADDER = (Mode.PLAN, Mode.DEFAULT, Mode.AUTO_EDIT, Mode.YOLO)
"""From the strictest mode to the most permissive."""

NEED_NARROWING: dict[str, str] = {
    "read_file": "file_path",
    "write_file": "file_path",
    "replace": "file_path",
    "list_directory": "dir_path",
    "glob": "pattern",
}
"""File tools are granted for one value of this argument only."""
NEVER_GRANTED = frozenset({"grep_search", "search_file_content", "read_many_files"})


def menu(facts: CallFacts, *, remember: bool, permanent: bool) -> Ask:
    """The approval question with the answers this call may get."""
    longer = _longer(facts, permanent) if remember and granted_rules(facts, "session") else ()
    return Ask(
        id="",
        kind="approval",
        title=_title(facts),
        choices=(
            AskChoice(ONCE, "Allow once", "once"),
            *longer,
            AskChoice(CANCEL, "No, suggest changes (esc)"),
        ),
        default=CANCEL,
    )


def granted_rules(facts: CallFacts, scope: Scope) -> Sequence[Rule]:
    """The rules that let calls like this one pass from now on; empty when that is too wide."""
    if scope == "once":
        return ()
    if facts.server is not None:
        name = "*" if scope == "server" else facts.name
        return (_rule(facts, scope, name, server=facts.server),)
    if facts.name == SHELL:
        root = grantable_root(str(facts.args.get("command", "")))
        return () if root is None else (_rule(facts, scope, SHELL, prefix=root),)
    if facts.name in NEVER_GRANTED:
        return ()
    if facts.name in NEED_NARROWING:
        key = NEED_NARROWING[facts.name]
        value = facts.args.get(key)
        if not isinstance(value, str):
            return ()
        return (_rule(facts, scope, facts.name, args=exactly(key, value)),)
    return (_rule(facts, scope, facts.name),)


def _rule(
    facts: CallFacts,
    scope: Scope,
    tool: str,
    *,
    server: str | None = None,
    args: str | None = None,
    prefix: str | None = None,
) -> Rule:
    return Rule(
        tool,
        Verdict.ALLOW,
        SAVED_TIER if scope == "always" else SESSION_TIER,
        modes=frozenset(LADDER[LADDER.index(facts.mode) :]),
        server=server,
        args=args,
        prefix=prefix,
        source=CONFIRMED,
    )


def _title(facts: CallFacts) -> str:
    if facts.server is not None:
        return f'Allow {facts.name} of "{facts.server}"?'
    match facts.kind:
        case "edit":
            return "Apply this change?"
        case "execute":
            return "Allow this command to run?"
        case _:
            return f"Allow {facts.name}?"


def _longer(facts: CallFacts, permanent: bool) -> tuple[AskChoice, ...]:
    if facts.server is not None:
        choices = [
            AskChoice("proceed_always_tool", "Allow this tool for this session", "tool"),
            AskChoice(
                "proceed_always_server",
                f'Allow all tools of "{facts.server}" for this session',
                "server",
            ),
        ]
        saved = "Allow this tool in future sessions"
    elif facts.kind == "edit":
        choices = [AskChoice("proceed_always", "Allow edits for this session", "session")]
        saved = "Allow this file in future sessions"
    else:
        choices = [AskChoice("proceed_always", "Allow for this session", "session")]
        saved = "Allow in future sessions"
    if permanent:
        choices.append(AskChoice("proceed_always_and_save", saved, "always"))
    return tuple(choices)
