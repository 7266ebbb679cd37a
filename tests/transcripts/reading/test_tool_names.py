"""Tool calls of every CLI but Codex in the vocabulary of Claude Code."""

import pytest

from gemini_cli.transcripts.claude import names as claude
from gemini_cli.transcripts.copilot import names as copilot
from gemini_cli.transcripts.cursor import names as cursor
from gemini_cli.transcripts.gemini import names as gemini
from gemini_cli.transcripts.opencode import names as opencode

TODO = {"content": "a", "status": "completed", "activeForm": "a"}


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        (
            "read_file",
            {"absolute_path": "/a", "offset": 4},
            ("Read", {"file_path": "/a", "offset": 5}),
        ),
        ("read_file", {"file_path": "a", "end_line": 9}, ("Read", {"file_path": "a", "limit": 9})),
        ("read_file", {"path": None}, ("Read", {})),
        (
            "write_file",
            {"file_path": "a", "content": "b", "ai": 1},
            ("Write", {"file_path": "a", "content": "b"}),
        ),
        (
            "replace",
            {"file_path": "a", "old_string": "x", "new_string": "y", "expected_replacements": 2},
            ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True}),
        ),
        ("replace", {"allow_multiple": True}, ("Edit", {"replace_all": True})),
        (
            "list_directory",
            {"dir_path": "/d", "ignore": []},
            ("Glob", {"pattern": "*", "path": "/d"}),
        ),
        (
            "run_shell_command",
            {"command": "ls", "description": None, "directory": "x", "is_background": True},
            ("Bash", {"command": "ls", "run_in_background": True}),
        ),
        (
            "google_web_search",
            {"query": "q", "wait_for_previous": True},
            ("WebSearch", {"query": "q"}),
        ),
        ("glob", {"pattern": "*", "path": "p"}, ("Glob", {"pattern": "*", "path": "p"})),
        (
            "grep_search",
            {
                "pattern": "x",
                "include": "*.py",
                "names_only": True,
                "case_sensitive": True,
                "after": 1,
            },
            (
                "Grep",
                {"pattern": "x", "glob": "*.py", "output_mode": "files_with_matches", "-A": 1},
            ),
        ),
        (
            "search_file_content",
            {"pattern": "x", "dir_path": "d", "before": 2, "context": 3, "total_max_matches": 9},
            (
                "Grep",
                {
                    "pattern": "x",
                    "path": "d",
                    "output_mode": "content",
                    "head_limit": 9,
                    "-i": True,
                    "-B": 2,
                    "-C": 3,
                },
            ),
        ),
        ("read_many_files", {"include": ["a", "b"]}, ("Read", {"file_path": "a"})),
        ("read_many_files", {"paths": "a"}, ("Read", {"file_path": "a"})),
        (
            "web_fetch",
            {"prompt": "sum up (https://a.b/c?d=1)."},
            ("WebFetch", {"url": "https://a.b/c?d=1", "prompt": "sum up (https://a.b/c?d=1)."}),
        ),
        (
            "web_fetch",
            {"url": "https://x"},
            ("WebFetch", {"url": "https://x", "prompt": "https://x"}),
        ),
        ("web_fetch", {"prompt": 7}, ("WebFetch", {"prompt": 7})),
        (
            "write_todos",
            {"todos": [{"description": "a", "status": "cancelled"}]},
            ("TodoWrite", {"todos": [TODO]}),
        ),
        (
            "ask_user",
            {"questions": [{"question": "q", "header": "h", "type": "text", "placeholder": "p"}]},
            (
                "AskUserQuestion",
                {
                    "questions": [
                        {"question": "q", "header": "h", "multiSelect": False, "options": []}
                    ]
                },
            ),
        ),
        ("exit_plan_mode", {"plan_filename": "p.md"}, ("ExitPlanMode", {"plan": "p.md"})),
        ("enter_plan_mode", {"reason": "r"}, ("EnterPlanMode", {"reason": "r"})),
        (
            "invoke_agent",
            {"agent_name": "x", "prompt": "do it\nnow"},
            ("Task", {"subagent_type": "x", "prompt": "do it\nnow", "description": "do it"}),
        ),
        ("activate_skill", {"name": "pdf"}, ("Skill", {"skill": "pdf"})),
        ("mcp_git_hub_search", {"a": None}, ("mcp__git__hub_search", {"a": None})),
        ("mcp__done", {}, ("mcp__done", {})),
        ("mcp_x", {}, ("mcp_x", {})),
        ("save_memory", {"fact": "f"}, ("save_memory", {"fact": "f"})),
    ],
)
def test_gemini_calls_become_claude_calls(name, args, expected):
    assert gemini.map_call(name, args) == expected


def test_a_known_server_with_an_underscore_keeps_its_name():
    servers = ("git", "git_hub")
    assert gemini.map_call("mcp_git_hub_search", {}, servers) == ("mcp__git_hub__search", {})


def test_compatibility_maps_six_names_only():
    assert gemini.map_call("glob", {"pattern": "*"}, compat="sdk") == ("glob", {"pattern": "*"})
    assert gemini.map_call("read_file", {"path": "a"}, compat="sdk") == ("Read", {"file_path": "a"})


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        (
            "read",
            {"filePath": "/a", "offset": 1, "limit": 2},
            ("Read", {"file_path": "/a", "offset": 1, "limit": 2}),
        ),
        (
            "edit",
            {"path": "/a", "oldString": "x", "newString": "y", "replaceAll": True},
            (
                "Edit",
                {"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": True},
            ),
        ),
        (
            "write",
            {"filePath": "/a", "content": "c"},
            ("Write", {"file_path": "/a", "content": "c"}),
        ),
        (
            "bash",
            {"command": "ls", "workdir": "/", "timeout": 5},
            ("Bash", {"command": "ls", "timeout": 5}),
        ),
        (
            "grep",
            {"pattern": "x", "include": "*.py"},
            ("Grep", {"pattern": "x", "glob": "*.py", "output_mode": "content"}),
        ),
        ("glob", {"pattern": "*"}, ("Glob", {"pattern": "*"})),
        ("list", {"path": "/"}, ("Glob", {"pattern": "*", "path": "/"})),
        ("webfetch", {"url": "u"}, ("WebFetch", {"url": "u", "prompt": ""})),
        ("websearch", {"query": "q"}, ("WebSearch", {"query": "q"})),
        (
            "todowrite",
            {"todos": [{"content": "a", "status": "completed", "priority": "high"}]},
            ("TodoWrite", {"todos": [TODO]}),
        ),
        (
            "task",
            {"description": "d", "prompt": "p", "subagent_type": "s"},
            ("Task", {"description": "d", "prompt": "p", "subagent_type": "s"}),
        ),
        ("question", {"questions": []}, ("AskUserQuestion", {"questions": []})),
        ("skill", {"name": "n"}, ("Skill", {"skill": "n"})),
        ("apply_patch", {"patchText": "*** Delete File: a"}, ("Bash", {"command": "rm a"})),
        ("db_query", {"someKey": 1}, ("db_query", {"someKey": 1})),
    ],
)
def test_opencode_calls_become_claude_calls(name, args, expected):
    assert opencode.map_call(name, args) == expected


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        (
            "bash",
            {"command": "ls", "mode": "async"},
            ("Bash", {"command": "ls", "run_in_background": True}),
        ),
        ("view", {"path": "/a", "view_range": [2, -1]}, ("Read", {"file_path": "/a", "offset": 2})),
        (
            "create",
            {"path": "/a", "file_text": "x"},
            ("Write", {"file_path": "/a", "content": "x"}),
        ),
        (
            "str_replace",
            {"path": "/a", "old_str": "x", "new_str": "y"},
            ("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}),
        ),
        ("glob", {"pattern": "*"}, ("Glob", {"pattern": "*"})),
        ("web_fetch", {"url": "u"}, ("WebFetch", {"url": "u", "prompt": ""})),
        (
            "task",
            {"prompt": "p", "agent_type": "t"},
            ("Task", {"prompt": "p", "subagent_type": "t"}),
        ),
        (
            "update_todo",
            {"todos": "- [x] a\n- [ ] b"},
            (
                "TodoWrite",
                {"todos": [TODO, {"content": "b", "status": "pending", "activeForm": "b"}]},
            ),
        ),
        (
            "update_todo",
            {"todos": [{"title": "a", "status": "done"}]},
            ("TodoWrite", {"todos": [TODO]}),
        ),
        (
            "ask_user",
            {"question": "q", "choices": ["y"]},
            (
                "AskUserQuestion",
                {
                    "questions": [
                        {
                            "question": "q",
                            "header": "",
                            "multiSelect": False,
                            "options": [{"label": "y", "description": ""}],
                        }
                    ]
                },
            ),
        ),
        ("ask_user", {"questions": []}, ("AskUserQuestion", {"questions": []})),
        ("report_intent", {"intent": "i"}, ("report_intent", {"intent": "i"})),
        ("apply_patch", "*** Delete File: a", ("Bash", {"command": "rm a"})),
        ("bash", "raw text", ("Bash", {})),
        ("odd", "raw text", ("odd", {"raw": "raw text"})),
    ],
)
def test_copilot_calls_become_claude_calls(name, args, expected):
    assert copilot.map_call(name, args) == expected


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("readToolCall", {"path": "/a"}, ("Read", {"file_path": "/a"})),
        (
            "writeToolCall",
            {"path": "/a", "fileText": "x"},
            ("Write", {"file_path": "/a", "content": "x"}),
        ),
        (
            "editToolCall",
            {"path": "/a", "streamContent": "n"},
            ("Edit", {"file_path": "/a", "new_string": "n"}),
        ),
        ("shellToolCall", {"command": "ls"}, ("Bash", {"command": "ls"})),
        (
            "Shell",
            {"command": "ls", "is_background": True},
            ("Bash", {"command": "ls", "run_in_background": True}),
        ),
        ("grepToolCall", {"pattern": "x", "-i": True}, ("Grep", {"pattern": "x", "-i": True})),
        ("lsToolCall", {"path": "/"}, ("Glob", {"pattern": "*", "path": "/"})),
        ("LS", {"path": "/"}, ("Glob", {"pattern": "*", "path": "/"})),
        ("Glob", {"glob_pattern": "*"}, ("Glob", {"pattern": "*"})),
        ("deleteToolCall", {"path": "a b"}, ("Bash", {"command": "rm 'a b'"})),
        (
            "updateTodosToolCall",
            {"todos": [{"content": "a", "status": "TODO_STATUS_COMPLETED"}]},
            ("TodoWrite", {"todos": [TODO]}),
        ),
        (
            "mcpToolCall",
            {"providerIdentifier": "db", "toolName": "db-query", "args": {"q": 1}},
            ("mcp__db__query", {"q": 1}),
        ),
        ("WebSearch", {"search_term": "q"}, ("WebSearch", {"query": "q"})),
        ("WebFetch", {"url": "u"}, ("WebFetch", {"url": "u", "prompt": ""})),
        (
            "Task",
            {"prompt": "p", "subagent_type": "s"},
            ("Task", {"prompt": "p", "subagent_type": "s"}),
        ),
        ("AskQuestion", {"questions": []}, ("AskUserQuestion", {"questions": []})),
        ("ApplyPatch", {"patch": "*** Delete File: a"}, ("Bash", {"command": "rm a"})),
        ("Strange", {"a": 1}, ("Strange", {"a": 1})),
    ],
)
def test_cursor_calls_become_claude_calls(name, args, expected):
    assert cursor.map_call(name, args) == expected


def test_claude_calls_stay_as_they_are():
    assert claude.map_call("Read", {"file_path": "/a"}) == ("Read", {"file_path": "/a"})
