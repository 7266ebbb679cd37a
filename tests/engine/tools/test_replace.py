"""replace changes what was asked, keeps every other byte, and says why when it cannot."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from gemini_cli.engine.tools import Replace
from gemini_cli.protocol.display import DiffStat, EditPreview, FileDiff
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import Answer


def edit(path: str, old: str, new: str, **more):
    args = {"file_path": path, "instruction": "x", "old_string": old, "new_string": new}
    return Replace().prepare(args | more)


async def problem(ctx, *args, **more) -> ToolProblem:
    with pytest.raises(ToolProblem) as caught:
        await edit(*args, **more).run(ctx)
    return caught.value


async def test_one_place_is_replaced_and_shown(ctx, root: Path):
    (root / "a.py").write_text("one\ntwo\nthree\n")
    result = await edit("a.py", "two", "2").run(ctx)
    assert (root / "a.py").read_text() == "one\n2\nthree\n"
    assert result.for_model[0].text.replace(str(root), "<root>") == snapshot("""\
Changed <root>/a.py: 1 replacement.
The changed part reads now:
one
2
three
""")
    assert isinstance(result.display, FileDiff)
    assert result.display.patch == snapshot("""\
Index: a.py
===================================================================
--- a.py	Original
+++ a.py	Written
@@ -1,3 +1,3 @@
 one
-two
+2
 three
""")
    assert result.display.stat == DiffStat(1, 1, 1, 3)
    assert (result.display.original, result.display.is_new) == ("one\ntwo\nthree\n", False)


async def test_a_person_sees_the_change_before_it_happens(ctx, root: Path):
    (root / "a.py").write_text("one\n")
    preview = await edit("a.py", "one", "2").preview(ctx)
    assert isinstance(preview, EditPreview)
    assert preview.diff.patch.splitlines()[2:4] == ["--- a.py\tCurrent", "+++ a.py\tProposed"]
    assert (root / "a.py").read_text() == "one\n"


async def test_a_new_file_and_its_folders_are_made(ctx, root: Path):
    result = await edit("src/new.py", "", "print(1)\n").run(ctx)
    assert (root / "src/new.py").read_text() == "print(1)\n"
    assert result.display.is_new and result.display.original is None
    assert result.for_model[0].text.startswith(f"Created {root}/src/new.py.")


@pytest.mark.parametrize(
    "before",
    [
        b"one\r\ntwo\r\n",
        b"one\r\ntwo",
        b"\xef\xbb\xbfone\ntwo\n",
        "one\r\ntwo\n".encode("utf-16"),
        b"one\ntwo \xff\xfe broken\n",
        b"one\r\ntwo\nthree\r\nfour\n",
        b"one\rstill\ntwo\n",
    ],
)
async def test_bytes_that_were_not_meant_stay(ctx, root: Path, before: bytes):
    (root / "a.txt").write_bytes(before)
    await edit("a.txt", "two", "2").run(ctx)
    encoding = "utf-16" if before.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"
    expected = before.decode(encoding).replace("two", "2").encode(encoding)
    assert (root / "a.txt").read_bytes() == expected


async def test_the_mode_of_a_script_stays(ctx, root: Path):
    (root / "run.sh").write_text("echo one\n")
    (root / "run.sh").chmod(0o755)
    await edit("run.sh", "one", "two").run(ctx)
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755


async def test_each_way_to_fail_has_its_own_kind_and_changes_nothing(ctx, root: Path):
    (root / "a.txt").write_text("x x\n")
    (root / "b.bin").write_bytes(b"x\0y")
    (root / "dir").mkdir()
    kinds = {
        "missing": (await problem(ctx, "b.txt", "x", "y")).kind,
        "there already": (await problem(ctx, "a.txt", "", "y")).kind,
        "not found": (await problem(ctx, "a.txt", "zzz", "y")).kind,
        "twice": (await problem(ctx, "a.txt", "x", "y")).kind,
        "same": (await problem(ctx, "a.txt", "x x", "x x")).kind,
        "binary": (await problem(ctx, "b.bin", "x", "y")).kind,
        "folder": (await problem(ctx, "dir", "x", "y")).kind,
        "outside": (await problem(ctx, "/etc/passwd", "root", "y")).kind,
        "guarded": (await problem(ctx, ".git/config", "", "y")).kind,
    }
    assert kinds == snapshot(
        {
            "missing": "file_not_found",
            "there already": "attempt_to_create_existing_file",
            "not found": "edit_no_occurrence_found",
            "twice": "edit_expected_occurrence_mismatch",
            "same": "edit_no_change",
            "binary": "edit_preparation_failure",
            "folder": "target_is_directory",
            "outside": "path_not_in_workspace",
            "guarded": "path_not_in_workspace",
        }
    )
    assert (root / "a.txt").read_text() == "x x\n"
    assert "found 2" in str(await problem(ctx, "a.txt", "x", "y"))


async def test_all_places_are_replaced_when_asked_under_any_name(ctx, root: Path):
    for more in ({"allow_multiple": True}, {"replace_all": True}, {"expected_replacements": 2}):
        (root / "a.txt").write_text("x x\n")
        result = await edit("a.txt", "x", "y", **more).run(ctx)
        assert (root / "a.txt").read_text() == "y y\n"
        assert "2 replacements" in result.for_model[0].text


async def test_an_instruction_may_be_missing(ctx, root: Path):
    args = {"file_path": "n.txt", "old_string": "", "new_string": "a"}
    await Replace().prepare(args).run(ctx)
    assert (root / "n.txt").read_text() == "a"


def test_code_left_out_is_refused_unless_it_was_there_before():
    with pytest.raises(InvalidArgs, match="leaves out code"):
        edit("a", "x", "y\n// rest of code ...\n")
    edit("a", "// rest of code ...", "y\n// rest of code ...\n")


async def test_what_a_person_wrote_wins_over_the_proposal(ctx, root: Path):
    (root / "a.txt").write_bytes(b"one\r\n")
    call = edit("a.txt", "one", "two")
    await call.preview(ctx)
    answer = Answer("id", "proceed_once", {"newContent": "three\nfour\n"})
    result = await call.run(ctx, answer)
    assert (root / "a.txt").read_bytes() == b"three\r\nfour\r\n"
    assert result.display.stat == DiffStat(1, 1, 3, 3, 2, 1, 9, 3)
    assert "three\nfour" in result.for_model[0].text
    assert "person changed the proposal" in result.for_model[0].text


async def test_a_file_changed_during_the_approval_is_not_overwritten(ctx, root: Path):
    (root / "a.txt").write_text("one\n")
    call = edit("a.txt", "one", "two")
    await call.preview(ctx)
    (root / "a.txt").write_text("one\nprecious\n")
    answer = Answer("id", "proceed_once", {"newContent": "three\n"})
    with pytest.raises(ToolProblem, match="changed on disk"):
        await call.run(ctx, answer)
    await call.run(ctx, Answer("id", "proceed_once"))
    assert (root / "a.txt").read_text() == "two\nprecious\n"


async def test_arguments_rewritten_by_hand_are_the_whole_file(ctx, root: Path):
    (root / "a.txt").write_text("one\nend\n")
    more = {"modified_by_user": True, "ai_proposed_content": "two\nend\n"}
    call = edit("a.txt", "one\nend\n", "three", **more)
    result = await call.run(ctx, Answer("id", "proceed_once", {"newContent": "three"}))
    assert (root / "a.txt").read_text() == "three"
    assert result.display.stat == DiffStat(1, 1, 3, 3, 1, 2, 5, 6)
    assert "person changed the proposal" in result.for_model[0].text
    assert (await problem(ctx, "a.txt", "one\nend\n", "x", **more)).kind == (
        "edit_preparation_failure"
    )


async def test_a_path_is_found_by_its_ending_if_there_is_only_one(ctx, root: Path):
    (root / "src/deep").mkdir(parents=True)
    (root / "src/deep/a.py").write_text("one\n")
    await edit("deep/a.py", "one", "two").run(ctx)
    assert (root / "src/deep/a.py").read_text() == "two\n"
    (root / "lib/deep").mkdir(parents=True)
    (root / "lib/deep/a.py").write_text("two\n")
    assert "several files" in str(await problem(ctx, "deep/a.py", "two", "x"))


async def test_in_plan_mode_nothing_but_plans_is_written(make_context, root: Path):
    ctx = make_context(Mode.PLAN)
    (root / "a.md").write_text("one\n")
    await edit("plan.md", "", "do it\n").run(ctx)
    assert (ctx.scratch / "plans/plan.md").read_text() == "do it\n"
    for path in (str(root / "a.md"), "../../a.md", str(ctx.scratch / "a.md")):
        assert (await problem(ctx, path, "", "x")).kind == "path_not_in_workspace"
    (ctx.scratch / "plans/link.md").symlink_to(root / "a.md")
    assert (await problem(ctx, "link.md", "one", "x")).kind == "path_not_in_workspace"
