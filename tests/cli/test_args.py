"""The command line keeps the habits its users have."""

import pytest

from gemini_cli.cli import args as command_line
from gemini_cli.cli.flags import FLAGS, VERBS, help_text
from gemini_cli.protocol.errors import UsageError


@pytest.mark.parametrize(
    ("argv", "key", "value"),
    [
        (["-p", "hi"], "prompt", "hi"),
        (["--prompt=hi there"], "prompt", "hi there"),
        (["-p=hi"], "prompt", "hi"),
        (["--prompt="], "prompt", ""),
        (["-p", "- a list"], "prompt", "- a list"),
        (["-p", "-"], "prompt", "-"),
        (["-m", "a", "--model", "b"], "model", "b"),
        (["--outputFormat", "json"], "output_format", "json"),
        (["--approvalMode=plan"], "approval_mode", "plan"),
        (["--no-sandbox"], "sandbox", False),
        (["-s"], "sandbox", True),
        (["--debug=false"], "debug", False),
        (["-dy"], "yolo", True),
        (["-dm", "x"], "model", "x"),
        (["--yolo", "false"], "yolo", False),
        (["-y", "true", "-p", "hi"], "prompt", "hi"),
        (["-p", "-5"], "prompt", "-5"),
        (["-p", "-1.5"], "prompt", "-1.5"),
        (["-r"], "resume", ""),
        (["-r", "3"], "resume", "3"),
        (["-r3"], "resume", "3"),
        (["-dr12"], "resume", "12"),
        (["-m", "a\udcffb"], "model", "a?b"),
        (["--fake-responses", "a\udcffb"], "fake_responses", "a\udcffb"),
        (["-r", "-d"], "resume", ""),
        (["-r", "question"], "resume", "question"),
        (["-w", "tree"], "worktree", "tree"),
        (["-e", "a, b", "-e", "c,,"], "extensions", ["a", "b", "c"]),
        (["-e", ""], "extensions", [""]),
        (["--includeDirectories=x,y"], "include_directories", ["x", "y"]),
        (["--experimental-acp"], "experimental_acp", True),
        (["--fake-responses", "f"], "fake_responses", "f"),
    ],
)
def test_a_flag_reaches_its_value(argv: list[str], key: str, value: object):
    assert getattr(command_line.parse(argv), key) == value


@pytest.mark.parametrize(
    ("argv", "query"),
    [
        (["fix", "the", "bug"], "fix the bug"),
        (["fix", "-m", "x", "it"], "fix it"),
        (["--", "-p", "x"], "-p x"),
        (["explain", "mcp"], "explain mcp"),
        ([], None),
    ],
)
def test_words_become_the_prompt(argv: list[str], query: str | None):
    assert command_line.parse(argv).query == query


def test_a_verb_counts_only_as_the_first_word():
    args = command_line.parse(["-d", "transcripts", "list", "--json"])
    assert (args.verb, args.rest, args.debug) == ("transcripts", ["list", "--json"], True)
    assert command_line.parse(["about", "transcripts"]).verb is None


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["--bogus"], "--bogus"),
        (["-z"], "-z"),
        (["-m"], "--model"),
        (["-p", "-x"], "--prompt"),
        (["-o", "xml"], "stream-json"),
        (["--approval-mode", "auto"], "auto_edit"),
        (["--debug=maybe"], "--debug"),
        (["--no-model"], "--no-model"),
        (["-md", "x"], "-m"),
        (["-d5"], "-5"),
    ],
)
def test_a_command_line_that_cannot_be_meant_is_named(argv: list[str], named: str):
    with pytest.raises(UsageError, match=named):
        command_line.check(command_line.parse(argv))


def test_a_flag_behind_a_wrong_one_is_still_read():
    args = command_line.parse(["--bogus", "--worse", "-o", "json", "-v"])
    assert (args.output_format, args.version) == ("json", True)
    assert "--bogus" in str(args.complaint)


@pytest.mark.parametrize(
    "argv",
    [
        ["-p", "x", "words"],
        ["-p", "x", "-i", "y"],
        ["-y", "--approval-mode", "plan"],
        ["-r", "--session-id", "a"],
        ["--session-id", "a", "--session-file", "f"],
        ["--session-id", "../x"],
        ["--session-id", ""],
    ],
)
def test_flags_that_contradict_each_other_are_refused(argv: list[str]):
    args = command_line.parse(argv)
    with pytest.raises(UsageError):
        command_line.check(args)


def test_every_flag_has_an_attribute_and_every_visible_one_is_in_the_help():
    shown = help_text()
    for flag in FLAGS:
        assert hasattr(command_line.Args, flag.key), flag
        assert (f"--{flag.name}" in shown) is not flag.hidden
    assert all(name in shown for name in VERBS)
    assert all(f"--{flag.name} " in shown or f"--{flag.name}\n" in shown for flag in FLAGS
               if not flag.hidden)  # fmt: skip
    for line in shown.splitlines():
        assert ("--resume" in line) <= ("[not in this version]" in line)
    assert max(map(len, shown.splitlines())) <= 110
