"""An "always" covers what the person saw and nothing that merely looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from gemini_cli.engine.policy import Rule, RuleBook, builtin_rules, judge
from gemini_cli.engine.policy.grants import granted_rules
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import CallFacts, Verdict


def shell(command: str, mode: Mode = Mode.DEFAULT) -> CallFacts:
    return CallFacts("run_shell_command", {"command": command}, "execute", mode, True)


def ids(ask) -> list[str]:
    return [choice.id for choice in ask.choices]


async def test_a_program_is_allowed_from_then_on_whatever_its_arguments():
    book = RuleBook()
    await book.grant(shell("git status"), "session")
    assert (await book.decide(shell("git log -3"))).verdict is Verdict.ALLOW
    assert (await book.decide(shell("gitk"))).verdict is Verdict.ASK


@pytest.mark.parametrize(
    "command",
    [
        "git status && rm x",
        "git status; rm x",
        "git log | sh",
        "git log > x",
        "git $(rm x)",
        "git `rm x`",
        "git status\nrm x",
        "git status & rm x",
        "git 'a",
        'git"evil"',
        "git\u00a0status",
        "FOO=1 git status",
        "git {a,b}",
        "git\\ status",
        "/tmp/git status",
        " git status; rm x",
    ],
)
async def test_nothing_but_a_plain_command_profits(command: str):
    book = RuleBook()
    await book.grant(shell("git status"), "session")
    assert (await book.decide(shell(command))).verdict is Verdict.ASK


@given(st.text(alphabet="git ;&|<>`$(){}\\\n\"'#!arm", max_size=20))
def test_no_operator_anywhere_is_covered_by_a_grant(tail: str):
    rules = [*granted_rules(shell("git status"), "session"), *builtin_rules()]
    allowed = judge(rules, shell("git " + tail)).verdict is Verdict.ALLOW
    assert not (allowed and set(tail) & set(";&|<>`$(){}\\\n#!"))


@pytest.mark.parametrize("command", ["git commit -m 'two words'", 'git log --grep "it\'s"'])
async def test_words_in_quotes_take_a_grant_away(command: str):
    book = RuleBook()
    await book.grant(shell("git status"), "session")
    assert (await book.decide(shell(command))).verdict is Verdict.ALLOW


@pytest.mark.parametrize("command", ["rm -r x", "pwd", "lsof"])
async def test_another_program_of_the_same_length_profits(command: str):
    book = RuleBook()
    await book.grant(shell("ls -l"), "session")
    assert (await book.decide(shell(command))).verdict is Verdict.ASK


@pytest.mark.parametrize("name", ["grep_search", "search_file_content", "write_file", "glob"])
async def test_a_call_that_cannot_be_narrowed_down_is_granted_for_good(call, name: str):
    saved: list[Rule] = []

    async def save(rules) -> None:
        saved.append(rules)

    book = RuleBook(save=save)
    before = book.rules
    assert ids(book.choices(call(name))) == ["proceed_once", "cancel"]
    await book.grant(call(name), "always")
    assert (book.rules, saved) == (before, [])


async def test_an_always_that_nobody_saves_is_lost_at_once():
    book = RuleBook()
    await book.grant(shell("git status"), "always")
    assert (await book.decide(shell("git log"))).verdict is Verdict.ALLOW


async def test_what_is_saved_for_the_future_is_not_named(call):
    async def save(rules) -> None:
        pass

    book = RuleBook(save=save)
    asked = [
        call("replace", args={"file_path": "a"}),
        call("mcp_docs_find", server="docs"),
        shell("ls"),
    ]
    assert [book.choices(facts).choices[-2].label for facts in asked] == [
        "Allow this file in future sessions",
        "Allow this tool in future sessions",
        "Allow in future sessions",
    ]


@pytest.mark.parametrize("command", ["sudo ls", "bash -c ls", "env ls", "ls && pwd", "xargs rm"])
async def test_a_program_that_starts_others_is_only_allowed_once(command: str):
    book = RuleBook()
    assert ids(book.choices(shell(command))) == ["proceed_once", "cancel"]
    before = book.rules
    await book.grant(shell(command), "session")
    assert book.rules == before


async def test_a_file_is_granted_by_its_exact_name(call):
    book = RuleBook()
    args = {"file_path": "a.b", "old_string": "x", "new_string": "y"}
    await book.grant(call("replace", args=args), "session")
    decide = book.decide
    assert (await decide(call("replace", args=args | {"new_string": "z"}))).verdict is Verdict.ALLOW
    assert (await decide(call("replace", args=args | {"file_path": "aXb"}))).verdict is Verdict.ASK
    assert (await decide(call("write_file", args=args))).verdict is Verdict.ASK


async def test_a_grant_does_not_reach_into_a_stricter_mode():
    book = RuleBook()
    await book.grant(shell("git status"), "session")
    assert (await book.decide(shell("git status", Mode.AUTO_EDIT))).verdict is Verdict.ALLOW
    assert (await book.decide(shell("git status", Mode.PLAN))).verdict is Verdict.DENY


async def test_a_server_is_granted_as_a_whole_only_when_asked_for(call):
    tool, whole = RuleBook(), RuleBook()
    await tool.grant(call("mcp_s_a", server="s"), "tool")
    await whole.grant(call("mcp_s_a", server="s"), "server")
    other = call("mcp_s_b", server="s")
    assert (await tool.decide(other)).verdict is Verdict.ASK
    assert (await whole.decide(other)).verdict is Verdict.ALLOW
    assert (await whole.decide(call("mcp_t_b", server="t"))).verdict is Verdict.ASK


async def test_once_leaves_no_trace(call):
    book = RuleBook()
    await book.grant(shell("git status"), "once")
    assert book.rules == RuleBook().rules


async def test_where_nothing_may_be_remembered_only_once_is_offered():
    book = RuleBook(remember=False)
    assert ids(book.choices(shell("git status"))) == ["proceed_once", "cancel"]
    await book.grant(shell("git status"), "session")
    assert book.rules == RuleBook().rules


async def test_a_saved_answer_is_handed_to_whoever_saves():
    saved: list[Rule] = []

    async def save(rules) -> None:
        saved.extend(rules)

    book = RuleBook(save=save)
    assert ids(book.choices(shell("git status"))) == [
        "proceed_once",
        "proceed_always",
        "proceed_always_and_save",
        "cancel",
    ]
    await book.grant(shell("git status"), "session")
    assert saved == []
    await book.grant(shell("git status"), "always")
    assert [(rule.tool, rule.prefix, rule.priority) for rule in saved] == [
        ("run_shell_command", "git", 4.95)
    ]


def test_the_question_reads_well(call):
    book = RuleBook()
    asked = [book.choices(call("replace", args={"file_path": "a"})), book.choices(shell("ls -l"))]
    asked.append(book.choices(call("mcp_docs_find", server="docs")))
    assert [(a.title, [c.label for c in a.choices]) for a in asked] == snapshot(
        [
            (
                "Apply this change?",
                ["Allow once", "Allow edits for this session", "No, suggest changes (esc)"],
            ),
            (
                "Allow this command to run?",
                ["Allow once", "Allow for this session", "No, suggest changes (esc)"],
            ),
            (
                'Allow mcp_docs_find of "docs"?',
                [
                    "Allow once",
                    "Allow this tool for this session",
                    'Allow all tools of "docs" for this session',
                    "No, suggest changes (esc)",
                ],
            ),
        ]
    )
