"""The rules that hold when nobody has written any, as data in the first tier.

They are spelled in Python rather than in a policy file because every start needs them and
reading a file would cost more than the rest of this room.
"""

from collections.abc import Iterable

from gemini_cli.engine.policy.rules import Rule
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import Verdict

TIER = 1.0
ALLOW, DENY, ASK = Verdict.ALLOW, Verdict.DENY, Verdict.ASK
OUTSIDE_PLAN = frozenset({Mode.DEFAULT, Mode.AUTO_EDIT, Mode.YOLO})
CAREFUL = frozenset({Mode.DEFAULT, Mode.AUTO_EDIT})
PLAN = frozenset({Mode.PLAN})
YOLO = frozenset({Mode.YOLO})
AUTO_EDIT = frozenset({Mode.AUTO_EDIT})

FREE = """read_file list_directory glob grep_search google_web_search tracker_create_task
    tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency
    tracker_visualize update_topic complete_task get_internal_docs list_mcp_resources
    read_mcp_resource codebase_investigator cli_help""".split()
EDITS = ("replace", "write_file")
GUARDED = (*EDITS, "run_shell_command", "activate_skill", "web_fetch")

PLAN_FILE = r'\x00"file_path":"(?:[^"]*[/\\]plans[/\\]+)?[\w-]+\.md"\x00'
SAFE_AGENT = r'\x00"agent_name":"(?:codebase_investigator|cli_help)"\x00'
PLAN_MESSAGE = "In plan mode only plans may be written and nothing may be changed."


def builtin_rules() -> tuple[Rule, ...]:
    """The default rules, in order of writing."""
    return (*_free(), *_guarded(), *_asking(), *_planning(), *_yolo())


def _rule(
    tool: str,
    verdict: Verdict,
    thousandths: int,
    modes: frozenset[Mode] = frozenset(),
    interactive: bool | None = None,
    args: str | None = None,
    deny_message: str = "",
) -> Rule:
    priority = TIER + thousandths / 1000
    return Rule(
        tool,
        verdict,
        priority,
        modes,
        interactive,
        args=args,
        deny_message=deny_message,
    )


def _free() -> Iterable[Rule]:
    for tool in FREE:
        yield _rule(tool, ALLOW, 50)
    yield _rule("invoke_agent", ALLOW, 50, OUTSIDE_PLAN)
    yield _rule("invoke_agent", ALLOW, 50, PLAN, args=SAFE_AGENT)


def _guarded() -> Iterable[Rule]:
    for tool in GUARDED:
        yield _rule(tool, ASK, 10, interactive=True)
        yield _rule(tool, DENY, 10, interactive=False, deny_message=_headless(tool))
    for tool in (*EDITS, "web_fetch"):
        yield _rule(tool, ALLOW, 15, AUTO_EDIT)


def _asking() -> Iterable[Rule]:
    yield _rule("ask_user", ASK, 50, PLAN)
    yield _rule("ask_user", ASK, 999, YOLO)
    yield _rule("ask_user", DENY, 999, interactive=False, deny_message="Nobody is there to ask.")
    yield _rule("enter_plan_mode", ASK, 50, CAREFUL, interactive=True)
    yield _rule("enter_plan_mode", ALLOW, 50, CAREFUL, interactive=False)
    yield _rule("enter_plan_mode", DENY, 70, PLAN, deny_message="Plan mode is already on.")
    yield _rule("enter_plan_mode", DENY, 999, YOLO, interactive=True)
    yield _rule("exit_plan_mode", DENY, 50, CAREFUL, deny_message="Plan mode is not on.")
    yield _rule("exit_plan_mode", ASK, 70, PLAN, interactive=True)
    yield _rule("exit_plan_mode", ALLOW, 70, PLAN, interactive=False)
    yield _rule("exit_plan_mode", DENY, 999, YOLO, interactive=True)


def _planning() -> Iterable[Rule]:
    for tool in EDITS:
        yield _rule(tool, ALLOW, 70, PLAN, args=PLAN_FILE)
        yield _rule(tool, DENY, 65, PLAN, deny_message=PLAN_MESSAGE)
    yield _rule("web_fetch", ASK, 50, PLAN)
    yield _rule("activate_skill", ASK, 50, PLAN)
    yield Rule("mcp_*", ASK, TIER + 0.05, PLAN, annotations={"readOnlyHint": True})
    yield _rule("run_shell_command", DENY, 40, PLAN, deny_message=PLAN_MESSAGE)
    yield _rule("*", DENY, 40, PLAN, deny_message=PLAN_MESSAGE)


def _yolo() -> Iterable[Rule]:
    yield Rule("*", ALLOW, TIER + 0.998, YOLO)


def _headless(tool: str) -> str:
    flag = "auto_edit" if tool in (*EDITS, "web_fetch") else "yolo"
    return (
        f"{tool} needs a person's approval and nobody can be asked here. "
        f"Start with --approval-mode {flag}, or allow it in a policy file."
    )
