"""The rule book: decides about calls, hides tools that would always be refused, words the ask.

`judge` and `is_hidden` are pure; `RuleBook` adds what a person has granted in this session.
It asks nobody and runs nothing.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache

from gemini_cli.engine.policy.builtin import builtin_rules
from gemini_cli.engine.policy.delicate import Objection
from gemini_cli.engine.policy.grants import granted_rules, menu
from gemini_cli.engine.policy.rules import (
    ALIASES,
    Rule,
    args_text,
    in_force,
    names_match,
    speaks_of,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import Ask, Scope
from gemini_cli.protocol.policy import CallFacts, Decision, Verdict
from gemini_cli.protocol.tools import Tool

NO_MATCH = "no rule"

Canonical = Callable[[str, JsonObject], JsonObject]
"""Arguments of a tool under their present names, so that no alias slips past a pattern."""
Save = Callable[[Sequence[Rule]], Awaitable[None]]
"""Keeps an "always" for future sessions."""


def judge(rules: Iterable[Rule], facts: CallFacts) -> Decision:
    """The verdict of the first rule that speaks of this call; rules come highest first.

    Where nobody can be asked, a question is a refusal.
    """

    @cache
    def text() -> str:
        return args_text(facts.args)

    rule = next((rule for rule in rules if speaks_of(rule, facts, text)), None)
    verdict = rule.verdict if rule is not None else _default(facts.interactive)
    label = rule.label if rule is not None else NO_MATCH
    if verdict is Verdict.DENY and rule is not None:
        return Decision(Verdict.DENY, rule.deny_message, label)
    if verdict is not Verdict.ALLOW and not facts.interactive:
        return Decision(Verdict.DENY, _nobody(facts), label)
    return Decision(verdict, "", label)


def is_hidden(rules: Iterable[Rule], tool: Tool, mode: Mode, interactive: bool) -> bool:
    """Whether no call of this tool could pass: arguments are not looked at."""
    names = (tool.name, ALIASES.get(tool.name, tool.name))
    for rule in rules:
        if not in_force(rule, mode, interactive) or rule.agent is not None:
            continue
        if not names_match(rule, names, tool.server):
            continue
        refused = rule.verdict is Verdict.DENY or (rule.verdict is Verdict.ASK and not interactive)
        if rule.narrow or rule.annotations:
            if refused:
                continue
            return False
        return refused
    return not interactive


class RuleBook:
    """The `Policy` port over rules from every source.

    `save` keeps "always" answers; without it the ask offers none. `remember` is off where the
    folder is not trusted or settings forbid it, and then only "once" is offered. `objection`
    may turn a permission into a question.
    """

    def __init__(
        self,
        rules: Iterable[Rule] | None = None,
        *,
        canonical: Canonical | None = None,
        save: Save | None = None,
        remember: bool = True,
        objection: Objection | None = None,
    ) -> None:
        own = builtin_rules() if rules is None else rules
        self._rules = sorted(own, key=_height)
        self._canonical = canonical
        self._save = save
        self._remember = remember
        self._objection = objection

    @property
    def rules(self) -> Sequence[Rule]:
        """All rules in force, the session's grants among them, highest first."""
        return tuple(self._rules)

    async def decide(self, facts: CallFacts) -> Decision:
        """May this call happen?"""
        seen = self._seen(facts)
        decision = judge(self._rules, seen)
        if decision.verdict is not Verdict.ALLOW or self._objection is None:
            return decision
        why = self._objection(seen)
        if not why:
            return decision
        return Decision(Verdict.ASK if facts.interactive else Verdict.DENY, why, decision.rule)

    def hides(self, tool: Tool, mode: Mode, interactive: bool) -> bool:
        """Whether every call of this tool would be denied, so that it is not offered at all."""
        return is_hidden(self._rules, tool, mode, interactive)

    def choices(self, facts: CallFacts) -> Ask:
        """The approval question for this call; its id is filled in by the asker."""
        seen = self._seen(facts)
        return menu(seen, remember=self._remember, permanent=self._save is not None)

    async def grant(self, facts: CallFacts, scope: Scope) -> None:
        """Remembers an "always" for calls like this one, as narrowly as the call allows."""
        if not self._remember:
            return
        rules = granted_rules(self._seen(facts), scope)
        fresh = [rule for rule in rules if rule not in self._rules]
        self._rules = sorted([*self._rules, *fresh], key=_height)
        if scope == "always" and self._save is not None and rules:
            await self._save(rules)

    def _seen(self, facts: CallFacts) -> CallFacts:
        if self._canonical is None:
            return facts
        return CallFacts(
            facts.name,
            self._canonical(facts.name, facts.args),
            facts.kind,
            facts.mode,
            facts.interactive,
            facts.read_only,
            facts.server,
            facts.agent,
            facts.annotations,
        )


def _height(rule: Rule) -> float:
    return -rule.priority


def _default(interactive: bool) -> Verdict:
    return Verdict.ASK if interactive else Verdict.DENY


def _nobody(facts: CallFacts) -> str:
    return (
        f"{facts.name} needs a person's approval and nobody can be asked here. "
        "Start with --approval-mode yolo, or allow it in a policy file."
    )
