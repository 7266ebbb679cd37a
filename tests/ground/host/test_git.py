"""git does what was asked and nothing the repository would like it to do."""

import os
from pathlib import Path

import pytest

from gemini_cli.ground.host.git import Git, GitProblem
from gemini_cli.ground.host.repository import common_folder, find_repository, git_folder

ENVIRON = {
    "PATH": os.environ["PATH"],
    "GIT_AUTHOR_NAME": "ignored",
    "GIT_DIR": "/nonexistent",
    "PAGER": "less",
    "GIT_CONFIG_COUNT": "garbage",
}
GIT = Git(ENVIRON)
COMMIT = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-qm", "one")


@pytest.fixture
async def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    await GIT.run("init", "-q", cwd=root)
    (root / "a.txt").write_text("1")
    (root / ".gitignore").write_text("*.log\n")
    await GIT.run("add", ".", cwd=root)
    await GIT.run(*COMMIT, cwd=root)
    return root


async def test_facts_about_files_and_commits(repo):
    assert await GIT.is_tracked(repo / "a.txt", cwd=repo)
    assert not await GIT.is_tracked(repo / "new.txt", cwd=repo)
    assert await GIT.is_ignored(repo / "x.log", cwd=repo)
    assert not await GIT.is_ignored(repo / "a.txt", cwd=repo)
    assert len(await GIT.head(cwd=repo) or "") == 40
    assert await GIT.is_clean(cwd=repo)
    (repo / "-dash *.txt").write_text("")
    assert not await GIT.is_tracked(repo / "-dash *.txt", cwd=repo)
    assert not await GIT.is_clean(cwd=repo)


async def test_a_repository_without_a_commit_has_no_head(tmp_path):
    await GIT.run("init", "-q", cwd=tmp_path)
    assert await GIT.head(cwd=tmp_path) is None


async def test_hooks_monitors_and_editors_of_a_repository_do_not_run(repo):
    trap = f"touch {repo}/hacked"
    hook = repo / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{trap}\n")
    hook.chmod(0o755)
    with (repo / ".git" / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = "{trap}; false"\n\tpager = "{trap}"\n\teditor = "{trap}"\n'
            f'[diff]\n\texternal = "{trap}"\n[alias]\n\tstatus = "!{trap}"\n'
        )
    (repo / "a.txt").write_text("2")
    await GIT.run("status", cwd=repo)
    await GIT.run("diff", cwd=repo)
    await GIT.run("add", ".", cwd=repo)
    await GIT.run(*COMMIT, cwd=repo)
    assert not (repo / "hacked").exists()


@pytest.mark.parametrize(
    "args",
    [
        ("diff",),
        ("-c", "core.abbrev=9", "diff", "HEAD"),
        ("show",),
        ("log", "-p"),
        ("blame", "a.txt"),
        ("status",),
        ("add", "-A"),
        ("commit", "-aqm", "two"),
        ("checkout", "-q", "--", "a.txt"),
        ("stash",),
    ],
    ids=" ".join,
)
async def test_converters_filters_and_signature_checks_of_a_repository_do_not_run(repo, args):
    trap = repo.parent / "trap"
    trap.write_text(f"#!/bin/sh\necho $0 >> {repo}/hacked\nexec cat\n")
    trap.chmod(0o755)
    (repo / ".gitattributes").write_text("*.txt diff=odd filter=odd\n")
    with (repo / ".git" / "config").open("a") as config:
        config.write(
            f'[diff "odd"]\n\ttextconv = "{trap}"\n\tcommand = "{trap}"\n'
            f'[filter "odd"]\n\tclean = "{trap}"\n\tsmudge = "{trap}"\n\trequired = true\n'
            f'[gpg]\n\tprogram = "{trap}"\n[log]\n\tshowSignature = true\n'
            "[user]\n\tname = Ann\n\temail = ann@example.com\n"
        )
    (repo / "a.txt").write_text("2")
    await GIT.run(*args, cwd=repo)
    assert not (repo / "hacked").exists()


async def test_an_object_missing_on_purpose_starts_no_program_of_the_repository(repo):
    head = await GIT.head(cwd=repo)
    assert head is not None
    with (repo / ".git" / "config").open("a") as config:
        config.write(
            "[extensions]\n\tpartialClone = origin\n[protocol]\n\tallow = always\n"
            '[protocol "file"]\n\tallow = always\n[remote "origin"]\n\tpromisor = true\n'
            f'\turl = {repo}\n\tuploadpack = "touch {repo}/hacked; false"\n'
        )
    (repo / ".git" / "objects" / head[:2] / head[2:]).unlink()
    for args in (("status",), ("show",), ("log",)):
        with pytest.raises(GitProblem):
            await GIT.run(*args, cwd=repo)
    assert not (repo / "hacked").exists()


async def test_filters_of_the_persons_own_settings_still_run_where_those_were_asked_for(
    repo, tmp_path
):
    (tmp_path / ".gitconfig").write_text('[filter "up"]\n\tclean = "tr a-z A-Z"\n')
    (repo / ".gitattributes").write_text("*.txt filter=up\n")
    (repo / "a.txt").write_text("abc")
    mine = Git(ENVIRON | {"HOME": str(tmp_path)}, own_settings=True)
    await mine.run("add", "a.txt", cwd=repo)
    assert await mine.run("show", ":a.txt", cwd=repo) == b"ABC"


async def test_a_failure_names_the_command_the_folder_and_what_git_said(repo):
    with pytest.raises(GitProblem) as caught:
        await GIT.run("checkout", "no-such-branch", cwd=repo)
    assert "`git checkout no-such-branch`" in str(caught.value)
    assert str(repo) in str(caught.value)
    assert "no-such-branch" in str(caught.value).split("git said", 1)[1]
    assert caught.value.code == 1


async def test_a_missing_git_is_explained(tmp_path):
    with pytest.raises(GitProblem, match="no such program"):
        await Git({"PATH": str(tmp_path)}).run("status", cwd=tmp_path)


async def test_git_that_hangs_is_stopped(repo):
    await GIT.run("config", "alias.wait", "!sleep 300", cwd=repo)
    with pytest.raises(GitProblem, match=r"longer than 0\.2 s"):
        await Git(ENVIRON, timeout=0.2).run("wait", cwd=repo)


async def test_who_the_person_is_comes_from_their_own_settings(repo, tmp_path):
    assert await GIT.identity(cwd=repo) == {}
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.com\n")
    mine = Git(ENVIRON | {"HOME": str(tmp_path)})
    assert await mine.identity(cwd=repo) == {"user.name": "Ann", "user.email": "ann@example.com"}


async def test_another_repository_can_be_named_on_purpose(repo, tmp_path):
    shadow = Git(ENVIRON, extra={"GIT_DIR": str(tmp_path / "shadow"), "GIT_WORK_TREE": str(repo)})
    await shadow.run("init", "-q", cwd=repo)
    assert await shadow.head(cwd=repo) is None
    assert await GIT.head(cwd=repo) is not None


async def test_worktrees_are_found_with_their_shared_folder(repo, tmp_path):
    await GIT.run("worktree", "add", "-q", str(tmp_path / "wt"), cwd=repo)
    (tmp_path / "wt" / "deep").mkdir()
    assert find_repository(tmp_path / "wt" / "deep") == tmp_path / "wt"
    assert common_folder(tmp_path / "wt").resolve() == repo / ".git"
    assert common_folder(repo) == repo / ".git"
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_text("gitdir: a\0b\n")
    assert git_folder(tmp_path / "odd") is None
