"""Without any rule of their own, people get the documented decisions."""

import textwrap

import pytest
from inline_snapshot import snapshot

from gemini_cli.engine.policy import RuleBook
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import Verdict

NAMES = """read_file list_directory glob grep_search google_web_search
    update_topic complete_task replace write_file run_shell_command activate_skill web_fetch
    invoke_agent ask_user enter_plan_mode exit_plan_mode mcp_s_t something_new""".split()
ORDER = (Mode.DEFAULT, Mode.AUTO_EDIT, Mode.PLAN, Mode.YOLO)
SHORT = {Verdict.ALLOW: "allow", Verdict.DENY: "deny", Verdict.ASK: "ask"}


async def table(call, interactive: bool) -> dict[str, str]:
    book = RuleBook()
    rows = {}
    for name in NAMES:
        server = "s" if name.startswith("mcp_") else None
        verdicts = [
            (await book.decide(call(name, mode, interactive, server=server))).verdict
            for mode in ORDER
        ]
        rows[name] = " ".join(SHORT[verdict] for verdict in verdicts)
    return rows


async def test_with_a_person_there_the_defaults_are_default_autoedit_plan_yolo(call):
    assert await table(call, True) == snapshot(
        {
            "read_file": "allow allow allow allow",
            "list_directory": "allow allow allow allow",
            "glob": "allow allow allow allow",
            "grep_search": "allow allow allow allow",
            "google_web_search": "allow allow allow allow",
            "update_topic": "allow allow allow allow",
            "complete_task": "allow allow allow allow",
            "replace": "ask allow deny allow",
            "write_file": "ask allow deny allow",
            "run_shell_command": "ask ask deny allow",
            "activate_skill": "ask ask ask allow",
            "web_fetch": "ask allow ask allow",
            "invoke_agent": "allow allow deny allow",
            "ask_user": "ask ask ask ask",
            "enter_plan_mode": "ask ask deny deny",
            "exit_plan_mode": "deny deny ask deny",
            "mcp_s_t": "ask ask deny allow",
            "something_new": "ask ask deny allow",
        }
    )


async def test_without_a_person_nothing_is_ever_asked(call):
    assert await table(call, False) == snapshot(
        {
            "read_file": "allow allow allow allow",
            "list_directory": "allow allow allow allow",
            "glob": "allow allow allow allow",
            "grep_search": "allow allow allow allow",
            "google_web_search": "allow allow allow allow",
            "update_topic": "allow allow allow allow",
            "complete_task": "allow allow allow allow",
            "replace": "deny allow deny allow",
            "write_file": "deny allow deny allow",
            "run_shell_command": "deny deny deny allow",
            "activate_skill": "deny deny deny allow",
            "web_fetch": "deny allow deny allow",
            "invoke_agent": "allow allow deny allow",
            "ask_user": "deny deny deny deny",
            "enter_plan_mode": "allow allow deny allow",
            "exit_plan_mode": "deny deny allow allow",
            "mcp_s_t": "deny deny deny allow",
            "something_new": "deny deny deny allow",
        }
    )


class Stand:
    """As much of a tool as rules look at."""

    def __init__(self, name: str, server: str | None = None) -> None:
        self.name = name
        self.server = server


@pytest.mark.parametrize(
    ("mode", "interactive", "expected"),
    [
        (
            Mode.DEFAULT,
            False,
            snapshot(
                [
                    "read_file",
                    "list_directory",
                    "glob",
                    "grep_search",
                    "google_web_search",
                    "update_topic",
                    "complete_task",
                    "invoke_agent",
                    "enter_plan_mode",
                ]
            ),
        ),
        (
            Mode.AUTO_EDIT,
            False,
            snapshot(
                [
                    "read_file",
                    "list_directory",
                    "glob",
                    "grep_search",
                    "google_web_search",
                    "update_topic",
                    "complete_task",
                    "replace",
                    "write_file",
                    "web_fetch",
                    "invoke_agent",
                    "enter_plan_mode",
                ]
            ),
        ),
        (
            Mode.PLAN,
            False,
            snapshot(
                [
                    "read_file",
                    "list_directory",
                    "glob",
                    "grep_search",
                    "google_web_search",
                    "update_topic",
                    "complete_task",
                    "replace",
                    "write_file",
                    "invoke_agent",
                    "exit_plan_mode",
                ]
            ),
        ),
        (
            Mode.YOLO,
            False,
            snapshot(
                [
                    "read_file",
                    "list_directory",
                    "glob",
                    "grep_search",
                    "google_web_search",
                    "update_topic",
                    "complete_task",
                    "replace",
                    "write_file",
                    "run_shell_command",
                    "activate_skill",
                    "web_fetch",
                    "invoke_agent",
                    "enter_plan_mode",
                    "exit_plan_mode",
                    "mcp_s_t",
                    "something_new",
                ]
            ),
        ),
        (
            Mode.DEFAULT,
            True,
            snapshot(
                [
                    "read_file",
                    "list_directory",
                    "glob",
                    "grep_search",
                    "google_web_search",
                    "update_topic",
                    "complete_task",
                    "replace",
                    "write_file",
                    "run_shell_command",
                    "activate_skill",
                    "web_fetch",
                    "invoke_agent",
                    "ask_user",
                    "enter_plan_mode",
                    "mcp_s_t",
                    "something_new",
                ]
            ),
        ),
        (
            Mode.PLAN,
            True,
            snapshot(
                [
                    "read_file",
                    "list_directory",
                    "glob",
                    "grep_search",
                    "google_web_search",
                    "update_topic",
                    "complete_task",
                    "replace",
                    "write_file",
                    "activate_skill",
                    "web_fetch",
                    "invoke_agent",
                    "ask_user",
                    "exit_plan_mode",
                    "mcp_s_t",
                ]
            ),
        ),
    ],
)
def test_a_tool_that_could_only_be_refused_is_not_offered(mode, interactive, expected):
    book = RuleBook()
    tools = [Stand(name, "s" if name.startswith("mcp_") else None) for name in NAMES]
    assert [t.name for t in tools if not book.hides(t, mode, interactive)] == expected


async def test_in_plan_mode_only_markdown_among_the_plans_may_be_written(call):
    book = RuleBook()

    async def verdict(path: str) -> Verdict:
        facts = call("write_file", Mode.PLAN, args={"file_path": path, "content": "x"})
        return (await book.decide(facts)).verdict

    assert await verdict("my-plan.md") is Verdict.ALLOW
    assert await verdict("/home/me/.gemini/tmp/p/s/plans/my-plan.md") is Verdict.ALLOW
    assert await verdict("C:\\Users\\me\\plans\\a.md") is Verdict.ALLOW
    for path in ("src/main.py", "plans/../a.py", "docs/a.md", "plans/.md", 'plans/a.md","b":"'):
        assert await verdict(path) is Verdict.DENY, path


async def test_a_hidden_second_argument_does_not_open_plan_mode(call):
    args = {"file_path": "src/main.py", "x": {"file_path": "plans/a.md"}, "y": '"file_path":"a.md"'}
    decision = await RuleBook().decide(call("write_file", Mode.PLAN, args=args))
    assert decision.verdict is Verdict.DENY
    assert decision.reason.startswith("In plan mode only plans may be written")


async def test_the_two_reading_agents_work_in_plan_mode_and_others_do_not(call):
    book = RuleBook()
    for agent, verdict in [("cli_help", Verdict.ALLOW), ("editor", Verdict.DENY)]:
        facts = call("invoke_agent", Mode.PLAN, args={"agent_name": agent, "prompt": "x"})
        assert (await book.decide(facts)).verdict is verdict


async def test_a_tool_of_a_server_is_not_taken_for_ours(call):
    book = RuleBook()
    decision = await book.decide(call("mcp_evil_read_file", server="evil"))
    assert decision.verdict is Verdict.ASK
    hint = call("mcp_s_t", Mode.PLAN, server="s", annotations={"readOnlyHint": True})
    assert (await book.decide(hint)).verdict is Verdict.ASK
    assert (await book.decide(call("mcp_s_t", Mode.PLAN, server="s"))).verdict is Verdict.DENY


async def test_a_refusal_says_what_to_do(call):
    book = RuleBook()
    reasons = [
        textwrap.wrap((await book.decide(call(name, interactive=False))).reason, 80)
        for name in ("replace", "run_shell_command", "something_new")
    ]
    assert reasons == snapshot(
        [
            [
                "replace needs a person's approval and nobody can be asked here. Start with",
                "--approval-mode auto_edit, or allow it in a policy file.",
            ],
            [
                "run_shell_command needs a person's approval and nobody can be asked here. Start",
                "with --approval-mode yolo, or allow it in a policy file.",
            ],
            [
                "something_new needs a person's approval and nobody can be asked here. Start with",
                "--approval-mode yolo, or allow it in a policy file.",
            ],
        ]
    )
