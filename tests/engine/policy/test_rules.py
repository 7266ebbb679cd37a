"""A rule speaks of the calls it names and of no others; the highest one decides."""

from pathlib import Path

import pytest

from gemini_cli.engine.policy import Rule, RuleBook, edits_of_settings, is_hidden, judge
from gemini_cli.engine.policy.rules import args_text
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import Verdict
from gemini_cli.sdk.testing.fakes import FakeTool, FakeWorkspace

ALLOW, DENY, ASK = Verdict.ALLOW, Verdict.DENY, Verdict.ASK


def test_arguments_are_spelled_so_that_patterns_can_anchor():
    assert args_text({"dir_path": "x", "command": "ls"}) == (
        '{\0"command":"ls"\0,\0"dir_path":"x"\0}'
    )
    assert "\0x" not in args_text({"command": "\0x"})
    assert args_text({"a": {"z": "é", "b": 1}}) == '{\0"a":{"b":1,"z":"é"}\0}'


@pytest.mark.parametrize(
    ("tool", "name", "server", "matches"),
    [
        ("*", "anything", None, True),
        ("read_file", "read_file", None, True),
        ("read_file", "read_files", None, False),
        ("grep_search", "search_file_content", None, True),
        ("search_file_content", "grep_search", None, True),
        ("mcp_*", "mcp_a_b", "a", True),
        ("mcp_*", "read_file", None, False),
        ("mcp_a_*", "mcp_a_b", "a", True),
        ("mcp_a_*", "mcp_a_b_c", "a_b", False),
        ("mcp_*_b", "mcp_a_b", "a", True),
        ("mcp_*_b", "mcp_a_c", "a", False),
        ("mcp_a_*", "mcp_a_b", None, True),
        ("mcp_a_*", "mcp_b_b", None, False),
        ("mcp_*", "read_file", "", False),
        ("read_*", "read_file", None, False),
        ("*_file", "read_file", None, False),
    ],
)
def test_names_and_wildcards(call, tool, name, server, matches):
    decision = judge([Rule(tool, DENY, 5.0)], call(name, server=server))
    assert (decision.verdict is DENY) == matches


def test_a_short_name_counts_only_beside_its_server(call):
    rule = Rule("read_file", ALLOW, 5.0, server="docs")
    assert judge([rule], call("mcp_docs_read_file", server="docs")).verdict is ALLOW
    assert judge([rule], call("mcp_evil_read_file", server="evil")).verdict is ASK
    assert judge([rule], call("read_file")).verdict is ASK


def test_a_rule_for_every_server_reaches_tools_of_none(call):
    rule = Rule("*", ALLOW, 5.0, server="*")
    assert judge([rule], call("mcp_docs_find", server="docs")).verdict is ALLOW
    assert judge([rule], call("run_shell_command")).verdict is ASK


def test_a_tool_called_by_its_whole_name_is_missed_beside_its_server(call):
    rule = Rule("mcp_docs_find", DENY, 5.0, server="docs")
    assert judge([rule], call("mcp_docs_find", server="docs")).verdict is DENY
    assert judge([rule], call("mcp_docs_read", server="docs")).verdict is ASK


def test_a_rule_for_a_subagent_misses_its_start_or_hits_another_tool(call):
    rules = [Rule("scout", DENY, 5.0), Rule("*", ALLOW, 1.0)]
    cases = {
        ("invoke_agent", "scout"): DENY,
        ("invoke_agent", "other"): ALLOW,
        ("read_file", "scout"): ALLOW,
    }
    for (tool, agent), verdict in cases.items():
        assert judge(rules, call(tool, args={"agent_name": agent})).verdict is verdict
    assert judge(rules, call("invoke_agent", args={"agent_name": ["scout"]})).verdict is ALLOW


async def test_the_highest_rule_decides_and_the_first_of_equals(call):
    rules = [Rule("x", ALLOW, 1.5), Rule("x", DENY, 4.1), Rule("x", ALLOW, 4.1)]
    decision = await RuleBook(rules).decide(call("x"))
    assert (decision.verdict, decision.rule) == (DENY, "default: deny x (4.100)")


def test_conditions_of_mode_person_agent_and_annotations_must_all_hold(call):
    cases = [
        (Rule("x", DENY, 1, frozenset({Mode.YOLO})), call("x", Mode.YOLO), call("x")),
        (Rule("x", DENY, 1, interactive=True), call("x"), call("y")),
        (Rule("x", DENY, 1, agent="a"), call("x", agent=("b", "a")), call("x", agent=("a", "b"))),
        (
            Rule("x", DENY, 1, annotations={"readOnlyHint": False}),
            call("x", annotations={"readOnlyHint": False}),
            call("x"),
        ),
        (Rule("x", DENY, 1, args='"p":"src/'), call("x", args={"p": "src/a"}), call("x")),
    ]
    for rule, inside, outside in cases:
        assert judge([rule], inside).verdict is DENY
        assert judge([rule], outside).verdict is ASK


async def test_an_old_argument_name_does_not_slip_past_a_pattern(call):
    def canonical(name, args):
        return {"file_path" if key == "path" else key: value for key, value in args.items()}

    rules = [Rule("read_file", DENY, 4.5, args='"file_path":"secret'), Rule("*", ALLOW, 1)]
    facts = call("read_file", args={"path": "secret.txt"})
    assert (await RuleBook(rules).decide(facts)).verdict is ALLOW
    assert (await RuleBook(rules, canonical=canonical).decide(facts)).verdict is DENY


def test_a_prohibited_command_is_found_inside_a_chain(call):
    rules = [Rule("run_shell_command", DENY, 4.4, prefix="rm"), Rule("*", ALLOW, 1)]
    for command in ("rm -r x", "/bin/rm x", "ls && rm x", "echo $(rm x)", 'bash -c "rm x"'):
        args = {"command": command}
        assert judge(rules, call("run_shell_command", args=args)).verdict is DENY, command
    for command in ("npm run perform-it", "git rm x"):
        args = {"command": command}
        assert judge(rules, call("run_shell_command", args=args)).verdict is ALLOW, command


def test_a_prohibited_command_is_looked_for_where_no_command_is(call):
    rules = [Rule("*", DENY, 4.4, prefix="rm"), Rule("*", ALLOW, 1)]
    for name, command in (("note", "rm x"), ("run_shell_command", ["rm x"])):
        assert judge(rules, call(name, args={"command": command})).verdict is ALLOW


@pytest.mark.parametrize(
    "command", ['r""m x', "r\\m x", "'rm' x", "rm\tx", "ls;r''m x", "git  push", '"git" push']
)
def test_another_spelling_gets_a_prohibited_command_through(call, command):
    rules = [
        Rule("run_shell_command", DENY, 4.4, prefix="rm"),
        Rule("run_shell_command", DENY, 4.4, prefix="git push"),
        Rule("*", ALLOW, 1),
    ]
    facts = call("run_shell_command", args={"command": command})
    assert judge(rules, facts).verdict is DENY


def hidden(*rules: Rule, tool: str = "t") -> bool:
    return is_hidden(rules, FakeTool(tool), Mode.DEFAULT, True)


def test_a_rule_for_one_subagent_hides_a_tool_from_everybody():
    assert not hidden(Rule("t", DENY, 5, agent="scout"))
    assert hidden(Rule("t", DENY, 5))


def test_a_tool_with_some_calls_refused_is_hidden_or_one_with_none_left_is_offered():
    for some in (
        Rule("t", DENY, 5, args='"p":"x"'),
        Rule("t", DENY, 5, prefix="rm"),
        Rule("t", DENY, 5, annotations={"readOnlyHint": False}),
    ):
        assert not hidden(some)
        assert hidden(some, Rule("t", DENY, 1))
    assert not hidden(Rule("t", ASK, 5, args='"p":"x"'), Rule("t", DENY, 1))


async def test_the_same_answer_given_twice_makes_the_book_longer(call):
    book = RuleBook()
    facts = call("run_shell_command", args={"command": "git status"})
    await book.grant(facts, "session")
    once = len(book.rules)
    await book.grant(facts, "session")
    assert len(book.rules) == once


@pytest.mark.parametrize(
    ("rule", "interactive", "why", "verdict", "reason"),
    [
        (ALLOW, True, "delicate", ASK, "delicate"),
        (ALLOW, False, "delicate", DENY, "delicate"),
        (ALLOW, True, "", ALLOW, ""),
        (DENY, True, "delicate", DENY, "never"),
    ],
)
async def test_an_objection_is_not_heard_or_lifts_a_refusal(
    call, rule, interactive, why, verdict, reason
):
    rules = [Rule("x", rule, 1, deny_message="never")]
    book = RuleBook(rules, objection=lambda facts: why)
    decision = await book.decide(call("x", interactive=interactive))
    assert (decision.verdict, decision.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("name", "path", "mode", "verdict"),
    [
        ("replace", "src/.gemini/settings.json", Mode.AUTO_EDIT, ASK),
        ("replace", ".VSCode/tasks.json", Mode.AUTO_EDIT, ASK),
        ("replace", "/more/.gemini/settings.json", Mode.AUTO_EDIT, ASK),
        ("replace", ".gemini/tmp/own/plan.md", Mode.AUTO_EDIT, ALLOW),
        ("replace", "gemini/settings.json", Mode.AUTO_EDIT, ALLOW),
        ("replace", "/elsewhere/.gemini/x", Mode.AUTO_EDIT, ALLOW),
        ("replace", None, Mode.AUTO_EDIT, ALLOW),
        ("replace", ".gemini/settings.json", Mode.YOLO, ALLOW),
        ("read_file", ".gemini/settings.json", Mode.AUTO_EDIT, ALLOW),
    ],
)
async def test_settings_are_edited_unseen_or_other_calls_asked_about(
    call, name, path, mode, verdict
):
    workspace = FakeWorkspace()
    workspace.add(Path("/more"))
    objection = edits_of_settings(workspace, Path("/work/.gemini/tmp/own"))
    book = RuleBook([Rule("*", ALLOW, 1)], objection=objection)
    facts = call(name, mode, args={"file_path": path})
    decision = await book.decide(facts)
    assert decision.verdict is verdict
    assert not path or (path in decision.reason) == (verdict is ASK)
