"""Context files: which are read, in which order, and what must not hurt."""

import os
from pathlib import Path

import pytest

from gemini_cli.engine.context import file_names, load_memory


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def loaded(work: Path, **more) -> list[tuple[str, str]]:
    memory = load_memory(global_dir=work.parent / ".gemini", roots=[work], **more)
    assert memory.warnings == ()
    return [(file.tier, file.text) for file in memory.files]


def test_the_tiers_get_mixed_up(work):
    write(work.parent / ".gemini" / "GEMINI.md", "for all\n")
    write(work / "GEMINI.md", "\ufefffor this\n")
    extension = write(work.parent / "ext" / "CONTEXT.md", "from an extension")
    found = loaded(work, extension_files=[extension])
    assert found == [
        ("global", "for all"),
        ("extension", "from an extension"),
        ("project", "for this"),
    ]
    memory = load_memory(global_dir=work.parent / ".gemini", roots=[work])
    path = work / "GEMINI.md"
    assert memory.text("project") == (
        f"--- Context from: {path} ---\nfor this\n--- End of Context from: {path} ---"
    )


def test_outer_folders_come_last_or_lie_beyond_the_marker(work):
    (work.parent / "A" / "b").mkdir(parents=True)
    inner = work.parent / "A" / "b"
    (work.parent / ".git").mkdir()
    for folder in (work.parents[1], work.parent, inner.parent, inner):
        write(folder / "GEMINI.md", folder.name)
    assert [text for _, text in loaded(inner)] == ["home", "A", "b"]


def test_without_a_marker_files_above_the_root_are_read(work):
    write(work.parent / "GEMINI.md", "above")
    write(work / "GEMINI.md", "here")
    assert loaded(work) == [("project", "here")]


def test_a_custom_marker_is_ignored(work):
    write(work.parent / "GEMINI.md", "above")
    write(work.parent / "WORKSPACE", "")
    assert loaded(work, markers=("WORKSPACE",)) == [("project", "above")]


@pytest.mark.parametrize(
    ("files", "names", "wanted"),
    [
        ({"AGENTS.md": "shared"}, (), ["shared"]),
        ({"AGENTS.md": "same", "GEMINI.md": "same\n"}, (), ["same"]),
        ({"AGENTS.md": "shared", "GEMINI.md": "ours"}, (), ["ours", "shared"]),
        ({"AGENTS.md": "shared", "GEMINI.md": "ours"}, ("AGENTS.md",), ["shared", "ours"]),
        ({"docs/AI.md": "deep", "GEMINI.md": "ours"}, ("docs/AI.md",), ["deep", "ours"]),
        ({"GEMINI.md": " \n"}, (), []),
    ],
)
def test_the_names_of_context_files_miss_one(work, files, names, wanted):
    for name, text in files.items():
        write(work / name, text)
    assert [text for _, text in loaded(work, names=names)] == wanted


def test_the_name_to_write_to_is_not_the_first():
    assert file_names(("A.md", "GEMINI.md")) == ("A.md", "GEMINI.md", "AGENTS.md")


def test_one_file_under_two_names_is_read_twice(work):
    write(work / "GEMINI.md", "once")
    (work / "AGENTS.md").symlink_to("GEMINI.md")
    os.link(work / "GEMINI.md", work / "OTHER.md")
    assert loaded(work, names=("OTHER.md",)) == [("project", "once")]


def test_the_global_folder_counts_as_a_project(work):
    write(work / "GEMINI.md", "global")
    memory = load_memory(global_dir=work, roots=[work])
    assert [file.tier for file in memory.files] == ["global"]


def test_an_untrusted_folder_speaks(work):
    write(work / "GEMINI.md", "evil")
    extension = write(work / "ext.md", "evil too")
    assert loaded(work, trusted=False, extension_files=[extension]) == []


def test_a_pipe_or_a_folder_of_that_name_hangs_the_start(work):
    os.mkfifo(work / "GEMINI.md")
    (work / "AGENTS.md").mkdir()
    assert loaded(work) == []


def test_a_name_that_leaves_the_folder_is_followed(work):
    write(work.parent / "secret", "s")
    names = ("../secret", str(work.parent / "secret"), "")
    memory = load_memory(global_dir=work / "g", roots=[work], names=names)
    assert memory.files == ()
    assert len(memory.warnings) == 3
    assert "context.fileName: '../secret'" in memory.warnings[0]


def test_a_huge_or_broken_file_stops_the_start(work):
    (work / "GEMINI.md").write_bytes(b"\xff" + b"x" * 3_000_000)
    memory = load_memory(global_dir=work / "g", roots=[work])
    assert len(memory.files[0].text) == 1024 * 1024
    assert "larger than 1 MiB" in memory.warnings[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_an_unreadable_file_is_passed_over_in_silence(work):
    write(work / "GEMINI.md", "x").chmod(0)
    memory = load_memory(global_dir=work / "g", roots=[work])
    assert "GEMINI.md cannot be read" in memory.warnings[0]


def test_a_root_that_is_gone_stops_the_start(work):
    assert loaded(work / "gone") == []


def test_a_project_has_a_key_of_the_person_sent_out(work):
    secret = write(work.parent / ".ssh" / "id_rsa", "KEY")
    (work / "GEMINI.md").symlink_to(secret)
    (work / "AGENTS.md").symlink_to(write(work.parent / "shared" / "rules.md", "rules"))
    memory = load_memory(global_dir=work.parent / ".gemini", roots=[work])
    assert [file.text for file in memory.files] == ["rules"]
    assert [str(secret) in warning for warning in memory.warnings] == [True]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may chown")
def test_another_user_speaks_from_above_the_project(work):
    path = write(work.parent / "GEMINI.md", "do as I say")
    (work.parent / ".git").mkdir()
    assert loaded(work) == [("project", "do as I say")]
    os.chown(path, 54321, 54321)
    memory = load_memory(global_dir=work.parent / ".gemini", roots=[work])
    assert (memory.files, len(memory.warnings)) == ((), 1)
    os.chown(work, 54321, 54321)
    assert loaded(work) == [("project", "do as I say")]
