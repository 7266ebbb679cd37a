"""Ignored files are exactly those git ignores, plus our own rules on top."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gemini_cli.ground.host.gitignore import PatternList
from gemini_cli.ground.host.ignore import IgnoreRules

GIT_ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": "/nonexistent",
}


def git(root: Path, *args: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", *args], cwd=root, env=GIT_ENV, input=stdin, capture_output=True, check=False
    ).stdout


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    listed = b"\0".join(os.fsencode(path) for path in paths)
    answer = git(root, "check-ignore", "-z", "--no-index", "--stdin", stdin=listed)
    return {os.fsdecode(path) for path in answer.split(b"\0") if path}


def everything(root: Path) -> list[str]:
    return [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, folders, files in os.walk(root)
        for name in (*folders, *files)
        if ".git" not in Path(folder).parts and name != ".git"
    ]


def ignored_by_us(root: Path, paths: list[str], **rules) -> set[str]:
    made = IgnoreRules(root, **rules)
    return {p for p in paths if made.ignores(root / p, is_dir=os.path.isdir(root / p))}


def tree(root: Path, files: list[str], git_folder: bool = True) -> Path:
    if git_folder:
        subprocess.run(["git", "init", "-q", str(root)], env=GIT_ENV, check=True)
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("")
    return root


FILES = [
    "a", "b.txt", "ab", "a b", "c/a", "c/b.txt", "c/d/a", "c/d/e/b.txt", "d/a", "d/c/a.py",
    "build/x", "c/build/y", "é", "#x", "!x", "a\\b", "[a]", "c/[", "x/y/z/a", "space ", "A/a",
    "c/*", "-", "]", "c/x-y", "t\tab",
]  # fmt: skip
ATOMS = [
    "a", "b", "c", "d", "e", "x", "y", "A", ".txt", ".py", "build", "*", "**", "***", "?", "/",
    "/", "/", "[ab]", "[!a]", "[^a]", "[a-c]", "[c-a]", "[]a]", "[!]a]", "[a-]", "[", "]",
    "[[:alpha:]]", "[[:upper:]-z]", "[[:nope:]]", "[[:a]", "[\\]]", "[a\\-c]", "\\", "\\*",
    "\\ ", " ", "#", "!", "é", "\\#", "\t", "\r", "-", "[/]", "\\/", "[+--]", "[a-\\c]", "[:a:]",
]  # fmt: skip
LINE = st.builds(
    lambda bang, atoms: bang + "".join(atoms),
    st.sampled_from(["", "", "", "!"]),
    st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6),
)
FILE = st.lists(LINE, max_size=6).map("\n".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    return tree(tmp_path_factory.mktemp("repo"), FILES)


@settings(
    max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(FILE, FILE, FILE)
@example("*\n!*/\n!*.py\n!a", "", "")
@example("/c/*\n!/c/d/", "!b.txt", "a")
@example("**/a\nc/**\n!c/d/**/b.txt\nd/**/a.py", "\\", "trailing \\ \n")
@example("c/**/b.txt\nx/**/**/a\nbuild/\n!c/build", "", "")
@example("c[!a]d/a\nc?d/e\nx[!b]y/*", "d[^x]e/b.txt", "")
@example("**\\/a", "x/**\\/a\nd/**\\/e", "[a[/]\n[a/]")
@example("\ufeff*.txt\r\n#x\n\\#x\n\\!x", "", "")
def test_every_decision_is_the_one_git_makes(repository, top, nested, exclude):
    (repository / ".gitignore").write_bytes(top.encode())
    (repository / "c" / ".gitignore").write_bytes(nested.encode())
    (repository / ".git" / "info" / "exclude").write_bytes(exclude.encode())
    paths = everything(repository)
    assert ignored_by_us(repository, paths) == ignored_by_git(repository, paths)


def test_nothing_is_ignored_by_git_rules_outside_a_repository(tmp_path):
    tree(tmp_path, ["a"], git_folder=False)
    (tmp_path / ".gitignore").write_text("a\n")
    if IgnoreRules(tmp_path.parent).ignores(tmp_path / "a", is_dir=False):
        pytest.skip("the temp folder itself lies in a repository")
    assert ignored_by_us(tmp_path, ["a"]) == set()


def test_a_workspace_below_the_repository_obeys_the_files_above_it(tmp_path):
    tree(tmp_path, ["sub/a.log", "sub/b", "sub/in/c", "sub/.gitignore"])
    (tmp_path / ".gitignore").write_text("*.log\n/sub/b\n")
    (tmp_path / "sub" / ".gitignore").write_text("in/\n")
    paths = ["a.log", "b", "in", "in/c"]
    assert ignored_by_us(tmp_path / "sub", paths) == set(paths)


def test_our_files_override_git_in_the_promised_order(tmp_path):
    tree(tmp_path, ["a", "b", "c", "d/e"])
    (tmp_path / ".gitignore").write_text("a\nb\nc\nd/\n")
    (tmp_path / ".geminiignore").write_text("!a\n!b\nx\n!d/\n")
    (tmp_path / "first").write_text("b\n")
    (tmp_path / "second").write_text("!b\n!c\n")
    paths = ["a", "b", "c", "d", "d/e"]
    custom = [Path("first"), Path("second"), Path("missing")]
    assert ignored_by_us(tmp_path, paths) == {"c"}
    assert ignored_by_us(tmp_path, paths, custom=custom) == {"b"}
    assert ignored_by_us(tmp_path, paths, gemini=False) == set(paths)
    assert ignored_by_us(tmp_path, paths, git=False, gemini=False) == set()


def test_git_internals_stay_ignored_whatever_the_files_say(tmp_path):
    (tmp_path / ".geminiignore").write_text("!.git\n!.git/**\n")
    rules = IgnoreRules(tree(tmp_path, []))
    assert rules.ignores(tmp_path / ".git", is_dir=True)
    assert rules.ignores(tmp_path / "sub" / ".git" / "config", is_dir=False)


def test_links_count_as_what_they_lead_to(tmp_path):
    root = tree(tmp_path / "repo", ["secret/key", "open/file"])
    (root / ".gitignore").write_text("secret/\n")
    for name, target in {
        "bad": "secret", "bad2": "secret/key", "good": "open", "out": "/etc", "gone": "nowhere",
        "loop": "loop",
    }.items():  # fmt: skip
        (root / name).symlink_to(target)
    rules = IgnoreRules(root)
    names = ["bad", "bad2", "good", "out", "gone", "loop", "open", "secret"]
    assert [n for n in names if not rules.ignores_entry(root / n)] == ["good", "open"]


def test_a_linked_worktree_uses_the_shared_exclude_file(tmp_path):
    root = tree(tmp_path / "main", ["a"])
    commit = ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m", "--allow-empty"]
    git(root, *commit)
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    (root / ".git" / "info" / "exclude").write_text("hidden\n")
    assert IgnoreRules(tmp_path / "tree").ignores(tmp_path / "tree" / "hidden", is_dir=False)


def test_odd_ignore_files_are_empty_and_do_not_hang(tmp_path):
    root = tree(tmp_path, ["a", "dir/b"])
    os.mkfifo(root / ".gitignore")
    os.mkfifo(root / ".geminiignore")
    (root / "list").write_text("b\n")
    (root / "dir" / ".gitignore").symlink_to("../list")
    assert ignored_by_us(root, ["a", "dir/b"]) == set()


def test_a_folder_in_the_place_of_an_ignore_file_is_no_trouble(tmp_path):
    root = tree(tmp_path, ["a", ".geminiignore/x"])
    rules = IgnoreRules(root, custom=[Path(), Path("a\0b")])
    assert not rules.ignores(root / "a", is_dir=False)


def test_a_hostile_pattern_cannot_make_matching_slow():
    stars = PatternList(b"*a" * 40 + b"*b\n" + b"/" + b"**/a*a/" * 30 + b"z\n")
    assert stars.decide(b"a" * 250, is_dir=False) is None
    assert stars.decide(b"/".join([b"aaaa"] * 200), is_dir=False) is None


def test_matching_starts_without_a_third_party_import():
    code = "import sys, gemini_cli.ground.host.ignore; print('pathspec' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
@pytest.mark.parametrize("name", [".git/commondir", ".git/info/exclude", ".gitignore", ".git"])
def test_a_pipe_in_a_repository_does_not_make_us_wait(tmp_path: Path, name: str):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(tmp_path / name)
    assert not IgnoreRules(tmp_path).ignores(tmp_path / "a", is_dir=False)
