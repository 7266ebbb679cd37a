"""A walk finds what should be found, stops when told, and trusts no planted program."""

import asyncio
import os
from pathlib import Path

import pytest

from gemini_cli.ground.host.ignore import IgnoreRules
from gemini_cli.ground.host.search import Limits, find_files, find_rg


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("b.txt", "a.py", ".hidden", "src/z.py", "src/deep/y.py", "out.log", "build/o",
                 "node_modules/m/i.js", ".git/config"):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "loop").symlink_to(".")
    (root / "linked.py").symlink_to("a.py")
    (root / "outside").symlink_to("/etc/hostname")
    (root / "broken").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    return root


def names(root: Path, files: tuple[Path, ...]) -> list[str]:
    return [str(file.relative_to(root)) for file in files]


async def test_ignored_linked_and_foreign_things_are_left_out(tree):
    found = await find_files(tree, IgnoreRules(tree))
    assert names(tree, found.files) == [
        ".gitignore", ".hidden", "a.py", "b.txt", "linked.py", "src/z.py", "src/deep/y.py",
    ]  # fmt: skip
    assert (found.ignored, found.cut) == (4, None)


async def test_without_rules_only_the_fixed_folders_are_left_out(tree):
    found = names(tree, (await find_files(tree, None)).files)
    assert {"out.log", "build/o"} <= set(found)
    assert not any(name.startswith((".git/", "node_modules/", "loop/")) for name in found)


async def test_limits_are_kept_and_reported(tree):
    few = await find_files(tree, None, limits=Limits(files=3))
    assert (len(few.files), few.cut) == (3, "files")
    none = await find_files(tree, None, limits=Limits(seconds=-1))
    assert (none.files, none.cut) == ((), "seconds")


async def test_a_folder_that_is_not_there_is_empty(tmp_path):
    assert (await find_files(tmp_path / "none", None)).files == ()


async def test_cancelling_stops_the_walking_thread(tree):
    task = asyncio.create_task(find_files(Path("/proc"), None, limits=Limits(files=10**9)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(5):
        await asyncio.get_running_loop().shutdown_default_executor()


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_an_rg_installed_beside_our_interpreter_is_taken(tmp_path):
    ours = program(tmp_path / "venv" / "bin" / "rg")
    beside = ours.with_name("python")
    (tmp_path / "work").mkdir()
    assert find_rg(tmp_path / "work", "", beside=beside) == ours
    assert find_rg(tmp_path, "", beside=beside) is None
    ours.chmod(0o757)
    assert find_rg(tmp_path / "work", "", beside=beside) is None


def test_an_rg_planted_in_the_search_path_is_not_taken(tmp_path):
    program(tmp_path / "evil" / "rg")
    nobody = tmp_path / "none" / "python"
    path = os.pathsep.join([".", "", "evil", str(tmp_path / "evil"), str(tmp_path / "none")])
    assert find_rg(tmp_path / "work", path, beside=nobody) is None


def test_a_system_program_is_taken_by_its_real_path(tmp_path):
    nobody = tmp_path / "none" / "python"
    system = find_rg(tmp_path, "/usr/bin", beside=nobody)
    assert system == (Path("/usr/bin/rg").resolve() if Path("/usr/bin/rg").exists() else None)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").symlink_to("/usr/bin/env")
    assert find_rg(tmp_path, str(tmp_path / "bin"), beside=nobody) == Path("/usr/bin/env").resolve()
