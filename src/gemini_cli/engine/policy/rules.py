"""What a rule is, and whether it speaks about a given call.

A rule is plain data, whoever wrote it: our defaults, a policy file, a setting or a person's
"always". Matching is pure; what follows from a match is decided in `engine`.
"""

import json
import re
from collections.abc import Callable
from functools import cache

import msgspec

from gemini_cli.engine.policy.command import (
    grantable_root,
    is_simple,
    starts_with,
    without_folder,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import CallFacts, Verdict

SHELL = "run_shell_command"
ALIASES: dict[str, str] = {
    "search_file_content": "grep_search",
    "grep_search": "search_file_content",
}


class Rule(msgspec.Struct, frozen=True):
    """One line of the rule book. Conditions left at their default hold for every call."""

    tool: str
    """Exact name, `*`, `mcp_*`, `mcp_<server>_*` or `mcp_*_<tool>`."""
    verdict: Verdict
    priority: float
    """Tier plus three decimals; the highest matching rule decides."""
    modes: frozenset[Mode] = frozenset()
    interactive: bool | None = None
    server: str | None = None
    """With it, `tool` may be the short name. `*` is any server."""
    agent: str | None = None
    args: str | None = None
    """Regular expression searched in `args_text`."""
    prefix: str | None = None
    """Beginning of a shell command, whole words."""
    annotations: JsonObject = {}
    deny_message: str = ""
    source: str = "default"

    @property
    def narrow(self) -> bool:
        """Whether it speaks about some calls of a tool only, depending on their arguments."""
        return self.args is not None or self.prefix is not None

    @property
    def label(self) -> str:
        """How it is called in messages and lists."""
        return f"{self.source}: {self.verdict.value} {self.tool} ({self.priority:.3f})"


def speaks_of(rule: Rule, facts: CallFacts, text: Callable[[], str]) -> bool:
    """Whether all conditions of the rule hold for this call; `text` gives its `args_text`."""
    return (
        in_force(rule, facts.mode, facts.interactive)
        and (rule.agent is None or rule.agent in facts.agent[-1:])
        and names_match(rule, names_of(facts), facts.server)
        and all(facts.annotations.get(key) == value for key, value in rule.annotations.items())
        and (rule.args is None or _compiled(rule.args).search(text()) is not None)
        and (rule.prefix is None or _prefix_holds(rule, facts))
    )


def in_force(rule: Rule, mode: Mode, interactive: bool) -> bool:
    """Whether the rule counts at all in this mode, with or without a person."""
    return (not rule.modes or mode in rule.modes) and rule.interactive in (None, interactive)


def names_of(facts: CallFacts) -> tuple[str, ...]:
    """Every name the call goes by: its own, its alias, the subagent it would start."""
    names = [facts.name]
    if facts.name in ALIASES:
        names.append(ALIASES[facts.name])
    agent = facts.args.get("agent_name")
    if facts.name == "invoke_agent" and isinstance(agent, str):
        names.append(agent)
    return tuple(names)


def names_match(rule: Rule, names: tuple[str, ...], server: str | None) -> bool:
    """Whether the rule means a tool of one of these names from this server."""
    if rule.server is not None:
        if server is None or rule.server not in ("*", server):
            return False
        short = tuple(name.removeprefix(f"mcp_{server}_") for name in names)
        return rule.tool == "*" or rule.tool in names or rule.tool in short
    if "*" not in rule.tool:
        return rule.tool in names
    head, _, tail = rule.tool.partition("*")
    if not head and not tail:
        return True
    if not head.startswith("mcp_"):
        return False
    if server is not None and head != "mcp_" and head != f"mcp_{server}_":
        return False
    return names[0].startswith(head) and names[0].endswith(tail)


def args_text(args: JsonObject) -> str:
    """The arguments as patterns see them: keys sorted, each top-level pair between NULs."""
    pairs = [f"\0{_json(key)}:{_json(args[key])}\0" for key in sorted(args)]
    return "{" + ",".join(pairs) + "}"


def exactly(key: str, value: str) -> str:
    """A pattern for calls whose argument `key` is this very string."""
    return f"\\x00{re.escape(_json(key))}:{re.escape(_json(value))}\\x00"


def _prefix_holds(rule: Rule, facts: CallFacts) -> bool:
    """A permission covers simple commands only; a prohibition covers any mention."""
    command = facts.args.get("command")
    if facts.name != SHELL or not isinstance(command, str) or rule.prefix is None:
        return False
    if rule.verdict is Verdict.ALLOW:
        return is_simple(command) and starts_with(command, rule.prefix)
    # `"git"  stat\us` is `git status` to the shell.
    words = " ".join(re.sub(r"[\"'\\]", "", command).split())
    if grantable_root(command) is not None:
        return starts_with(without_folder(words), rule.prefix)
    mention = re.compile(rf"(?<![\w-]){re.escape(rule.prefix)}(?![\w-])")
    return any(mention.search(text) is not None for text in (command, words))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
