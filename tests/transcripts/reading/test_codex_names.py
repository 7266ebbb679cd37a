"""Codex's calls under the names of Claude Code: shells, patches, plans and searches."""

import pytest

from gemini_cli.transcripts.codex import names as codex
from gemini_cli.transcripts.codex.patch import patch_calls
from gemini_cli.transcripts.qwen import names as qwen

TODO = {"content": "a", "status": "completed", "activeForm": "a"}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["bash", "-lc", "ls | wc"], "ls | wc"),
        (["/bin/zsh", "-c", "x"], "x"),
        (["ls", "-la"], "ls -la"),
        (["ls", "my file"], "ls 'my file'"),
        (["powershell.exe", "-NoProfile", "-Command", "dir"], "dir"),
        (["pwsh", "-c", "dir"], "dir"),
        (["bash", "-x", "f"], "bash -x f"),
        ("bash -lc 'ls -la'", "ls -la"),
        ("bash -lc 'broken", "bash -lc 'broken"),
        ("echo hi there", "echo hi there"),
        (["echo", 1], "echo 1"),
        ([], ""),
        (None, ""),
    ],
)
def test_shell_wrappers_come_off_and_nothing_else(command, expected):
    assert codex.unwrap_shell(command) == expected


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("shell_command", {"command": "ls"}, ("Bash", {"command": "ls"})),
        ("exec_command", {"cmd": "ls", "yield_time_ms": 5}, ("Bash", {"command": "ls"})),
        (
            "update_plan",
            {"plan": [{"step": "a", "status": "completed"}]},
            ("TodoWrite", {"todos": [TODO]}),
        ),
        ("view_image", {"path": "/p.png"}, ("Read", {"file_path": "/p.png"})),
        (
            "spawn_agent",
            {"message": "go on", "agent_type": "w"},
            ("Task", {"prompt": "go on", "description": "go on", "subagent_type": "w"}),
        ),
        (
            "write_stdin",
            {"session_id": 1, "chars": "x"},
            ("write_stdin", {"session_id": 1, "chars": "x"}),
        ),
        ("mcp__s__t", {"a": 1}, ("mcp__s__t", {"a": 1})),
        ("apply_patch", {"input": "nonsense"}, ("Edit", {"patch": "nonsense"})),
        (
            "shell",
            {
                "command": [
                    "bash",
                    "-lc",
                    "cd x && apply_patch <<'EOF'\n*** Begin Patch\n"
                    "*** Add File: a\n+b\n*** End Patch\nEOF\n",
                ]
            },
            ("Write", {"file_path": "a", "content": "b\n"}),
        ),
        (
            "shell",
            {"command": ["apply_patch", "*** Delete File: a"]},
            ("Bash", {"command": "rm a"}),
        ),
        (
            "request_user_input",
            {"questions": [{"question": "q", "options": ["yes"]}]},
            (
                "AskUserQuestion",
                {
                    "questions": [
                        {
                            "question": "q",
                            "header": "",
                            "multiSelect": False,
                            "options": [{"label": "yes", "description": ""}],
                        }
                    ]
                },
            ),
        ),
    ],
)
def test_codex_calls_become_claude_calls(name, args, expected):
    assert codex.map_call(name, args) == expected


def test_a_patch_becomes_one_call_per_file_and_a_move_is_not_lost():
    patch = "\n".join(
        [
            "*** Begin Patch",
            "*** Update File: a.py",
            "*** Move to: b.py",
            "@@ def f():",
            " same",
            "-old",
            "+new",
            "*** Add File: empty",
            "*** Update File: c",
            "*** Move to: d",
            "*** End Patch",
        ]
    )
    assert patch_calls(patch) == [
        ("Edit", {"file_path": "a.py", "old_string": "old", "new_string": "new"}),
        ("Bash", {"command": "mv a.py b.py"}),
        ("Write", {"file_path": "empty", "content": ""}),
        ("Bash", {"command": "mv c d"}),
    ]
    assert codex.map_call("apply_patch", {"input": patch}) == (
        "Edit",
        {"file_path": "a.py", "patch": patch},
    )


def test_arguments_that_are_not_json_are_kept_raw():
    assert codex.arguments("{broken") == {"raw": "{broken"}
    assert codex.arguments("[1]") == {"raw": "[1]"}
    assert codex.arguments("") == {}
    assert codex.arguments({"a": 1}) == {"a": 1}
    assert codex.qualified("t", "mcp__s") == "mcp__s__t"
    assert codex.qualified("t", None) == "t"


def test_web_searches_and_opened_pages_are_told_apart():
    assert codex.web_search({"type": "search", "queries": ["a", "b"]}) == (
        "WebSearch",
        {"query": "a"},
    )
    assert codex.web_search(None, "q") == ("WebSearch", {"query": "q"})
    page = {"type": "find_in_page", "url": "https://x", "pattern": "p"}
    assert codex.web_search(page) == ("WebFetch", {"url": "https://x", "prompt": "p"})


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        (
            "edit",
            {"file_path": "a", "old_string": "x"},
            ("Edit", {"file_path": "a", "old_string": "x"}),
        ),
        (
            "todo_write",
            {"todos": [{"content": "a", "status": "done"}]},
            ("TodoWrite", {"todos": [TODO]}),
        ),
        ("web_search", {"query": "q"}, ("WebSearch", {"query": "q"})),
        ("ask_user_question", {"questions": []}, ("AskUserQuestion", {"questions": []})),
        (
            "agent",
            {"subagent_type": "s", "prompt": "p", "description": "d"},
            ("Task", {"subagent_type": "s", "prompt": "p", "description": "d"}),
        ),
        (
            "task",
            {"prompt": "first\nsecond"},
            ("Task", {"prompt": "first\nsecond", "description": "first"}),
        ),
        ("skill", {"skill": "s"}, ("Skill", {"skill": "s"})),
        ("notebook_edit", {"x": 1}, ("NotebookEdit", {"x": 1})),
        ("web_fetch", {"url": "u", "prompt": "p"}, ("WebFetch", {"url": "u", "prompt": "p"})),
        (
            "read_file",
            {"absolute_path": "/a", "offset": 0},
            ("Read", {"file_path": "/a", "offset": 1}),
        ),
    ],
)
def test_qwen_calls_become_claude_calls(name, args, expected):
    assert qwen.map_call(name, args) == expected
