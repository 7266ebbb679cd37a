"""Short ids: stable, healed from markers, and safe when several processes start at once."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gemini_cli.ground.config import Paths, claim, lookup, project_hash
from gemini_cli.protocol.errors import ConfigError


def machine(tmp_path: Path) -> Paths:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return Paths.of({}, tmp_path, home)


def test_looking_up_writes_nothing(tmp_path: Path):
    paths = machine(tmp_path)
    assert lookup(paths, tmp_path / "p") is None
    assert list(paths.home.iterdir()) == []


def test_a_claimed_project_is_registered_and_marked(tmp_path: Path):
    paths = machine(tmp_path)
    root = tmp_path / "My  Project!"
    assert claim(paths, root) == "my-project"
    assert json.loads(paths.projects.read_text()) == {"projects": {str(root): "my-project"}}
    for folder in (paths.project_tmp("my-project"), paths.project_history("my-project")):
        assert (folder / ".project_root").read_text() == str(root)
    assert claim(paths, root) == lookup(paths, root) == "my-project"
    assert sorted(p.name for p in paths.global_dir.iterdir()) == ["history", "projects.json", "tmp"]


def test_two_projects_of_one_name_do_not_share_a_folder(tmp_path: Path):
    paths = machine(tmp_path)
    ids = [claim(paths, tmp_path / side / "app") for side in "abc"]
    assert ids == ["app", "app-1", "app-2"]


def test_a_name_without_letters_still_gets_a_folder(tmp_path: Path):
    assert claim(machine(tmp_path), tmp_path / "日本語") == "project"


def test_a_lost_registry_is_healed_from_the_markers(tmp_path: Path):
    paths = machine(tmp_path)
    first = claim(paths, tmp_path / "a" / "app")
    second = claim(paths, tmp_path / "b" / "app")
    paths.projects.write_text("{ broken")
    assert lookup(paths, tmp_path / "b" / "app") == second
    assert claim(paths, tmp_path / "b" / "app") == second
    assert claim(paths, tmp_path / "a" / "app") == first


def test_a_lost_or_empty_marker_is_written_again(tmp_path: Path):
    paths = machine(tmp_path)
    root = tmp_path / "app"
    claim(paths, root)
    (paths.project_tmp("app") / ".project_root").unlink()
    (paths.project_history("app") / ".project_root").write_text("")
    assert claim(paths, root) == "app"
    for folder in (paths.project_tmp("app"), paths.project_history("app")):
        assert (folder / ".project_root").read_text() == str(root)


def test_a_registry_that_points_into_another_project_is_not_believed(tmp_path: Path):
    paths = machine(tmp_path)
    claim(paths, tmp_path / "a" / "app")
    paths.projects.write_text(json.dumps({"projects": {str(tmp_path / "b"): "app"}}))
    assert lookup(paths, tmp_path / "b") is None
    assert claim(paths, tmp_path / "b") == "b"


def test_a_registry_cannot_lead_out_of_the_folder(tmp_path: Path):
    paths = machine(tmp_path)
    paths.global_dir.mkdir()
    paths.projects.write_text(json.dumps({"projects": {str(tmp_path / "app"): "../../evil"}}))
    assert claim(paths, tmp_path / "app") == "app"
    assert not (tmp_path / "evil").exists()


def test_folders_of_the_older_layout_are_copied_once(tmp_path: Path):
    paths = machine(tmp_path)
    root = tmp_path / "app"
    old = paths.tmp_dir / project_hash(root)
    (old / "chats").mkdir(parents=True)
    (old / "chats" / "s.json").write_text("{}")
    assert claim(paths, root) == "app"
    copied = paths.chats("app") / "s.json"
    assert copied.read_text() == "{}"
    assert old.is_dir()
    (old / "chats" / "later.json").write_text("{}")
    claim(paths, root)
    assert not copied.with_name("later.json").exists()


def test_names_that_are_not_utf8_do_not_break_the_registry(tmp_path: Path):
    paths = machine(tmp_path)
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    assert claim(paths, root) == claim(paths, root) == lookup(paths, root)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read and write everything"
)
def test_a_registry_that_may_not_be_read_is_not_replaced(tmp_path: Path):
    paths = machine(tmp_path)
    claim(paths, tmp_path / "app")
    paths.projects.chmod(0)
    with pytest.raises(ConfigError, match=r"projects\.json"):
        claim(paths, tmp_path / "other")


def test_a_registry_that_is_no_file_is_told_and_left(tmp_path: Path):
    paths = machine(tmp_path)
    paths.projects.mkdir(parents=True)
    for act in (claim, lookup):
        with pytest.raises(ConfigError, match=r"projects\.json is not an ordinary file"):
            act(paths, tmp_path / "app")


CLAIM = """
import sys
from pathlib import Path
from gemini_cli.ground.config import Paths, claim
home, *roots = map(Path, sys.argv[1:])
sys.stdin.readline()
print(*[claim(Paths.of({}, home, home), root) for root in roots])
"""


def test_processes_that_start_at_once_agree_and_never_share(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    same = str(tmp_path / "same" / "app")
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIM, str(home), str(tmp_path / str(n) / "app"), same],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(6)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    answers = [child.communicate(timeout=60)[0].split() for child in children]
    own, shared = [a for a, _ in answers], {b for _, b in answers}
    assert len(set(own)) == 6
    assert len(shared) == 1
    assert shared.isdisjoint(own)
    registry = json.loads((home / ".gemini" / "projects.json").read_text())["projects"]
    assert len(registry) == 7


def test_a_lock_left_by_a_dead_process_does_not_block_for_ever(tmp_path: Path):
    paths = machine(tmp_path)
    lock = paths.projects.with_name("projects.json.lock")
    lock.mkdir(parents=True)
    os.utime(lock, (1, 1))
    assert claim(paths, tmp_path / "app") == "app"
    assert not lock.exists()


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_is_no_lock_is_waited_for(tmp_path: Path, kind: str, old: bool):
    paths = machine(tmp_path)
    lock = paths.projects.with_name("projects.json.lock")
    lock.parent.mkdir()
    if kind == "file":
        lock.write_text("mine")
    else:
        lock.symlink_to(tmp_path)
    if old:
        os.utime(lock, (1, 1), follow_symlinks=False)
    begun = time.monotonic()
    with pytest.raises(ConfigError, match=r"projects\.json\.lock is in the way .* Move it away"):
        claim(paths, tmp_path / "app")
    assert time.monotonic() - begun < 5
    assert [entry.name for entry in lock.parent.iterdir()] == [lock.name]


def test_a_marker_that_leads_nowhere_is_named_itself(tmp_path: Path):
    paths = Paths.of({}, tmp_path / "work", tmp_path)
    marker = paths.project_tmp("work") / ".project_root"
    marker.parent.mkdir(parents=True)
    marker.symlink_to(tmp_path / "gone")
    with pytest.raises(ConfigError, match=r"\.project_root is a link"):
        claim(paths, tmp_path / "work")


def test_a_file_in_the_place_of_a_folder_is_to_be_moved_away(tmp_path: Path):
    paths = Paths.of({}, tmp_path / "work", tmp_path)
    paths.global_dir.mkdir()
    paths.tmp_dir.write_text("")
    with pytest.raises(ConfigError, match="Move it away"):
        claim(paths, tmp_path / "work")
