"""The rule book: which calls pass, which are asked about, which never happen.

Door of the room: `RuleBook` is the `Policy` port, `Rule` its data. It reads no files and asks
nobody; rules come from outside, answers go back to the loop.
"""

from gemini_cli.engine.policy.builtin import builtin_rules
from gemini_cli.engine.policy.delicate import edits_of_settings
from gemini_cli.engine.policy.engine import RuleBook, is_hidden, judge
from gemini_cli.engine.policy.rules import SHELL, Rule

__all__ = [
    "SHELL",
    "Rule",
    "RuleBook",
    "builtin_rules",
    "edits_of_settings",
    "is_hidden",
    "judge",
]
