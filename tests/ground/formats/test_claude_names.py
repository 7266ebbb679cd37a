"""Tool names of both dialects."""

import pytest

from gemini_cli.ground.formats import claude_names as names


@pytest.mark.parametrize(
    ("claude", "ours"),
    [
        ("Read", "read_file"),
        ("MultiEdit", "replace"),
        ("LS", "list_directory"),
        ("Agent", "invoke_agent"),
        ("mcp__srv__do_it", "mcp_srv_do_it"),
        ("mcp__srv", "mcp_srv_*"),
        ("mcp__", None),
        ("NotebookEdit", None),
        ("ExitPlanMode", None),
    ],
)
def test_claude_names_become_ours_or_nothing(claude, ours):
    assert names.gemini_tool(claude) == ours


@pytest.mark.parametrize(
    ("ours", "claude"),
    [
        ("list_directory", "Glob"),
        ("search_file_content", "Grep"),
        ("mcp_srv_do_it", "mcp__srv__do_it"),
        ("mcp_srv_*", "mcp__srv"),
        ("mcp_srv", None),
        ("tracker_create_task", None),
    ],
)
def test_our_names_become_claudes_or_nothing(ours, claude):
    assert names.claude_tool(ours) == claude


def test_the_longest_known_server_wins():
    assert names.split_mcp("mcp_a_b_c", ["a", "a_b"]) == ("a_b", "c")
    assert names.split_mcp("mcp_a_b_c", ["x"]) == ("a", "b_c")
    assert names.split_mcp("mcp__a__b") is None
    assert names.split_mcp("other") is None


def test_every_name_of_ours_leads_back_to_a_claude_tool():
    for claude, ours in names.CLAUDE_TO_GEMINI.items():
        assert names.claude_tool(ours) is not None, claude
