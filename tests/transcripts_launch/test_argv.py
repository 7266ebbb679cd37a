"""The command lines each CLI is started with."""

from pathlib import Path
from typing import Any

import pytest

from gemini_cli.protocol.errors import InputError
from gemini_cli.transcripts.launch import ExecuteOptions, ToolSettings
from gemini_cli.transcripts.launch.argv import ARGUMENT_LIMIT, command_line
from gemini_cli.transcripts.launch.retry import reworded
from gemini_cli.transcripts.launch.shim import program


def argv(tool: str, **settings: Any) -> str:
    line = command_line(ExecuteOptions(**{"tool": tool, "prompt": "P"} | settings))
    return " ".join(line.args)


@pytest.mark.parametrize(
    ("tool", "settings", "expected"),
    [
        ("gemini", {}, "--output-format stream-json --skip-trust --prompt P"),
        (
            "gemini",
            {"model": "m", "permission_mode": "bypassPermissions", "session_id": "u"},
            "--output-format stream-json --approval-mode yolo --model m --skip-trust "
            "--session-id u --prompt P",
        ),
        (
            "gemini",
            {"resume": True, "skip_trust": False, "permission_mode": "acceptEdits"},
            "--output-format stream-json --approval-mode auto_edit --resume latest --prompt P",
        ),
        (
            "gemini",
            {"resume": "3", "prompt": "-x", "permission_mode": "plan", "verbose": True},
            "--output-format stream-json --approval-mode plan --skip-trust --debug --resume 3 "
            "--prompt=-x",
        ),
        ("claude", {}, "-p --output-format stream-json --verbose P"),
        (
            "claude",
            {
                "model": "m",
                "append_system_prompt": "A",
                "system_prompt": "S",
                "mcp_config": ("a.json", "b.json"),
                "tool_settings": ToolSettings(
                    allowed_tools=("Read", "Edit"), disallowed_tools=("X",)
                ),
                "resume": "r",
                "permission_mode": "dontAsk",
                "images": ("i.png",),
            },
            "-p --model m --append-system-prompt A --system-prompt S --mcp-config a.json "
            "--mcp-config b.json --allowed-tools Read,Edit --disallowed-tools X --resume r "
            "--permission-mode dontAsk --output-format stream-json --verbose P i.png",
        ),
        (
            "claude",
            {"continue_": True, "streaming": False, "dangerously_skip_permissions": True},
            "-p --continue --dangerously-skip-permissions --output-format json --verbose P",
        ),
        (
            "claude",
            {"session_id": "s", "on_delta": print, "prompt": "-v"},
            "-p --session-id s --include-partial-messages --output-format stream-json --verbose "
            "-- -v",
        ),
        ("codex", {}, "exec --json -s workspace-write P"),
        (
            "codex",
            {
                "model": "m",
                "working_dir": "/w",
                "images": ("a.png",),
                "session_id": "t",
                "permission_mode": "plan",
                "extra_args": ("--oss",),
            },
            "exec -i a.png --json -m m -C /w --skip-git-repo-check -s read-only --oss resume t P",
        ),
        (
            "codex",
            {"resume": True, "permission_mode": "bypassPermissions"},
            "exec --json --dangerously-bypass-approvals-and-sandbox resume --last P",
        ),
        (
            "cursor",
            {"model": "m", "resume": "c", "permission_mode": "bypassPermissions"},
            "-p --output-format stream-json --model m --resume c --force P",
        ),
        (
            "cursor",
            {"permission_mode": "plan", "on_delta": print, "continue_": True},
            "-p --output-format stream-json --stream-partial-output --continue --mode plan P",
        ),
        (
            "qwen",
            {"resume": "q", "permission_mode": "acceptEdits", "verbose": True},
            "--output-format stream-json --approval-mode auto-edit --debug --resume q --prompt P",
        ),
        ("qwen", {"session_id": "q"}, "--output-format stream-json --session-id q --prompt P"),
        ("qwen", {"continue_": True}, "--output-format stream-json --continue --prompt P"),
        (
            "opencode",
            {"model": "p/m", "resume": "o", "working_dir": "/w", "permission_mode": "plan"},
            "run --format json -m p/m --session o --dir /w --agent plan P",
        ),
        (
            "opencode",
            {"continue_": True, "permission_mode": "bypassPermissions", "verbose": True},
            "run --format json --print-logs --continue --auto P",
        ),
        (
            "copilot",
            {"model": "m", "resume": "c", "permission_mode": "acceptEdits", "prompt": "-p"},
            "--output-format json --model m --resume=c --allow-tool=write --prompt=-p",
        ),
        ("copilot", {"continue_": True}, "--output-format json --continue --prompt=P"),
    ],
)
def test_no_flag_is_lost_or_misplaced(tool: str, settings: dict[str, Any], expected: str) -> None:
    assert argv(tool, **settings) == expected


@pytest.mark.parametrize("tool", ["gemini", "claude", "codex", "qwen"])
def test_a_prompt_too_long_for_an_argument_goes_through_stdin(tool: str) -> None:
    prompt = "é" * ARGUMENT_LIMIT
    line = command_line(ExecuteOptions(tool=tool, prompt=prompt))
    assert line.stdin == prompt.encode()
    assert all(len(arg) < 100 for arg in line.args)
    assert (line.args[-1] == "-") is (tool == "codex")


@pytest.mark.parametrize("tool", ["cursor", "opencode", "copilot"])
def test_a_prompt_too_long_for_a_cli_without_stdin_is_refused(tool: str) -> None:
    with pytest.raises(InputError, match="longer than one argument"):
        command_line(ExecuteOptions(tool=tool, prompt="x" * (ARGUMENT_LIMIT + 1)))


@pytest.mark.parametrize(
    "settings",
    [
        {"prompt": " \n"},
        {"session_id": "--dangerously-skip-permissions"},
        {"resume": "-r"},
        {"model": "-m"},
        {"model": ""},
        {"prompt": "a\0b"},
        {"extra_args": ("a\0",)},
        {"images": ("a\0",)},
    ],
)
def test_a_value_never_becomes_a_flag(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        argv("claude", **settings)


def test_an_option_a_cli_lacks_is_told() -> None:
    options = ExecuteOptions(
        tool="cursor",
        prompt="P",
        permission_mode="acceptEdits",
        system_prompt="S",
        images=("a.png",),
    )
    assert command_line(options).notes == (
        "cursor has no permission mode 'acceptEdits'; ignored",
        "cursor has no option for system_prompt; ignored",
        "cursor has no option for images; ignored",
    )
    codex = command_line(ExecuteOptions(tool="codex", prompt="P", permission_mode="auto"))
    assert codex.args == ("exec", "--json", "-s", "workspace-write", "P")


def test_images_of_gemini_are_named_in_the_prompt() -> None:
    assert argv("gemini", images=("my cat.png",)).endswith("--prompt P @my\\ cat.png")
    assert argv("gemini", images=("a,(1).png",)).endswith(r"--prompt P @a\,\(1\).png")


def test_a_picture_gemini_cannot_reach_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    asked: Any = {"tool": "gemini", "prompt": "P", "working_dir": tmp_path / "work"}
    inside, outside = tmp_path / "work/a.png", tmp_path / "b.png"
    notes = command_line(ExecuteOptions(**asked, images=("a.png", inside, outside))).notes
    assert len(notes) == 1
    assert str(outside) in notes[0]
    way_out = ("--include-directories", str(tmp_path))
    assert str(way_out) in notes[0]
    answered = ExecuteOptions(**asked, images=(outside,), extra_args=way_out)
    assert command_line(answered).notes == ()


def test_skipping_permissions_means_the_mode_that_allows_everything() -> None:
    line = argv("gemini", dangerously_skip_permissions=True)
    assert "--approval-mode yolo" in line


@pytest.mark.parametrize(
    ("tool", "args", "complaint", "expected"),
    [
        ("gemini", ("--skip-trust", "-p"), "Unknown arguments: skip-trust, skipTrust", ("-p",)),
        (
            "gemini",
            ("--approval-mode", "plan", "-p"),
            'Invalid values:\n  Argument: approval-mode, Given: "plan"',
            ("--approval-mode", "default", "-p"),
        ),
        (
            "codex",
            ("exec", "--full-auto", "P"),
            "error: unexpected argument '--full-auto' found",
            ("exec", "-s", "workspace-write", "P"),
        ),
        ("gemini", ("--skip-trust", "--skp"), "Unknown argument: skp", None),
        ("claude", ("--skip-trust",), "unknown option --skip-trust", None),
    ],
)
def test_only_flags_of_other_releases_are_said_differently(
    tool: str, args: tuple[str, ...], complaint: str, expected: tuple[str, ...] | None
) -> None:
    again = reworded(tool, args, complaint)
    assert (again[0] if again else None) == expected


def test_a_windows_shim_is_not_started_through_the_command_interpreter(tmp_path: Path) -> None:
    shim = tmp_path / "gemini.cmd"
    shim.write_text(
        '@ECHO off\r\n"%_prog%"  '
        '"%dp0%\\node_modules\\@google\\gemini-cli\\bundle\\gemini.js" %*\r\n'
    )
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    node.touch(mode=0o755)
    found, script = program(str(shim), str(node.parent))
    assert found == str(node)
    assert script == str(tmp_path / "node_modules/@google/gemini-cli/bundle/gemini.js")
    shim.write_text("@start something.exe %*")
    with pytest.raises(InputError, match="command shim"):
        program(str(shim), str(node.parent))
    with pytest.raises(InputError, match="cannot be read"):
        program(str(tmp_path / "absent.bat"))
    assert program("/usr/bin/gemini") == ("/usr/bin/gemini",)
