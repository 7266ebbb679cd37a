"""`gemini transcripts`: what people and programs get from it, and its exit codes."""

import io
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.cli.verbs.transcripts import main
from gemini_cli.cli.verbs.transcripts_text import cells
from transcripts_archive.stores import CLAUDE_1, CODEX_1, claude, everything, gemini


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return everything(tmp_path)


def run(
    env: dict[str, str], *argv: str, cwd: str | Path = "/", out: io.StringIO | None = None
) -> tuple[int, str, str]:
    output, errors = out or io.StringIO(), io.StringIO()
    code = main(list(argv), env=env, cwd=Path(cwd), out=output, err=errors)
    assert "Traceback" not in errors.getvalue()
    return code, output.getvalue(), errors.getvalue()


def done(env: dict[str, str], *argv: str, **where: str | Path) -> str:
    code, out, err = run(env, *argv, **where)  # type: ignore[arg-type]
    assert (code, err) == (0, "")
    return out


def test_the_list_is_newest_first_and_fits_80_columns(tmp_path: Path, env: dict[str, str]) -> None:
    gemini(tmp_path, "gem-wide", "日本語" * 60, day="2025-11-20", project="/home/ada/ワイド" * 3)
    lines = done(env, "list").splitlines()
    assert [line.split(":")[0] for line in lines[1:]] == ["gemini", "codex", "claude", "gemini"]
    assert all(cells(line) <= 80 for line in lines)
    assert lines[2].startswith("codex:01999999")
    assert lines[2].endswith("gamma           Explain the zeppelin module")


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_no_row_is_wider_than_a_narrow_screen(
    tmp_path: Path, env: dict[str, str], columns: int
) -> None:
    gemini(tmp_path, "gem-wide", "日本語" * 60, day="2025-11-20", project="/home/ada/ワイド" * 3)
    narrow = {**env, "COLUMNS": str(columns)}
    tables = [["list"], ["stats"], ["stats", "--by", "project,model"], ["stats", "--by", "day"]]
    for argv in tables:
        rows = done(narrow, *argv).split("\n\nCost by")[0].splitlines()
        assert max(map(cells, rows)) <= columns, argv
        assert ("TITLE" if argv == ["list"] else "COST") in rows[0]
    assert "gem-wide" in done(narrow, "list")


def test_the_list_can_be_narrowed(tmp_path: Path, env: dict[str, str]) -> None:
    assert len(done(env, "list", "--limit", "1").splitlines()) == 2
    assert done(env, "list", "--tool", "claude", "--tool", "codex").count("\n") == 3
    assert "beta" in done(env, "list", "--project", "beta", cwd="/home/ada")
    assert done(env, "list", "--project", ".", cwd="/nowhere") == "No sessions found.\n"
    assert done(env, "list", "--limit", "0").count("\n") == 4


def test_a_cut_list_says_so_to_people_only(env: dict[str, str]) -> None:
    told = "There are more; --limit 0 shows all."
    for more in ([], ["--project", "/home/ada/alpha"]):
        assert told not in run(env, "list", *more, out=Terminal())[1]
    assert told in run(env, "list", "--limit", "2", out=Terminal())[1]
    assert told not in done(env, "list", "--limit", "2")


def test_without_a_command_all_of_them_are_told(env: dict[str, str]) -> None:
    code, out, err = run(env)
    assert (code, out) == (1, "") and all(name in err for name in ("list", "search", "export"))


def test_ids_that_begin_alike_are_shown_longer(tmp_path: Path, env: dict[str, str]) -> None:
    gemini(tmp_path, "gem-0001-abcx", day="2025-10-31")
    out = done(env, "list", "--tool", "gemini")
    assert "gemini:gem-0001-abcd" in out
    assert "gemini:gem-0001-abcx" in out


def test_programs_get_json(env: dict[str, str]) -> None:
    listed = json.loads(done(env, "list", "--json"))
    assert [one["id"] for one in listed] == [CODEX_1, CLAUDE_1, "gem-0001-abcd"]
    hits = json.loads(done(env, "search", "umlauts", "--json"))["hits"]
    assert (hits[0]["session_id"], hits[0]["snippet"]) == (
        "gem-0001-abcd",
        "The lexer drops umlauts.",
    )
    sums = json.loads(done(env, "stats", "--json"))
    assert sums["total"]["sessions"] == 3
    assert sums["by"] == ["tool", "model"]
    shown = [json.loads(line) for line in done(env, "show", "gem-0001", "--json").splitlines()]
    assert [one["role"] for one in shown] == ["user", "assistant"]
    assert shown[0]["_original"]["id"] == "u1"


def test_show_tells_the_conversation(env: dict[str, str]) -> None:
    out = done(env, "show", "gemini:gem-0001-abcd")
    lines = out.splitlines()
    assert lines[0] == "Please fix the Größe parser"
    assert "You  2025-10-29" in out
    assert "  ~ Plan: bisect it" in lines
    assert "  • Bash  make target1" in lines
    assert "  ✗ Bash  make target2" in lines
    assert "      missing separator" in lines
    assert "The lexer drops umlauts." in lines


def test_the_latest_session_needs_no_id(tmp_path: Path, env: dict[str, str]) -> None:
    assert done(env, "show", "latest").startswith("Explain the zeppelin module\ncodex:")
    assert done(env, "show", "gemini:latest").startswith("Please fix the Größe parser\n")
    code, _, err = run({"HOME": str(tmp_path / "empty")}, "show", "latest")
    assert (code, "No session 'latest'" in err) == (42, True)


def test_long_results_are_shortened_unless_wanted_in_full(
    tmp_path: Path, env: dict[str, str]
) -> None:
    path = gemini(tmp_path)
    path.write_text(path.read_text().replace("all green", "\\n".join(map(str, range(1, 41)))))
    short = done(env, "show", "gem-0001")
    assert "… 34 more lines" in short
    assert "40" not in short.split("Bash")[1]
    assert "      40" in done(env, "show", "gem-0001", "--full").splitlines()


def test_search_shows_where_and_marks_the_words_on_a_terminal(env: dict[str, str]) -> None:
    out = done(env, "search", "rename", "widget")
    assert f"claude:{CLAUDE_1}  /home/ada/beta" in out
    assert "Rename the widget" in out
    assert "\x1b" not in out
    shown = done(env, "search", "rename", "widget", out=Terminal())
    assert "\x1b[1mRename\x1b[0m the \x1b[1mwidget\x1b[0m" in shown
    plain = done({**env, "NO_COLOR": "1"}, "search", "rename", "widget", out=Terminal())
    assert "\x1b" not in plain
    assert done(env, "search", "nosuchword") == "Nothing found.\n"
    assert done(env, "search", "it", "--role", "user", "--since", "2030-01-01") == (
        "Nothing found.\n"
    )


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (["umlauts", "-lexer"], False),
        (["-lexer", "umlauts"], False),
        (["umlauts", "--limit", "3", "-hammer"], True),
        (["umlauts", "--newest", "lexer"], True),
        (["umlauts", "--newest", "hammer"], False),
        (["--newest", "hammer", "OR", "umlauts"], True),
        (["--", "umlauts", "-lexer"], False),
    ],
)
def test_words_may_stand_anywhere_and_be_excluded(
    env: dict[str, str], argv: list[str], found: bool
) -> None:
    assert ("Nothing found." not in done(env, "search", *argv)) is found


def test_no_line_of_a_search_is_wider_than_the_screen(tmp_path: Path, env: dict[str, str]) -> None:
    gemini(tmp_path, "gem-long", "needle " + "wordy " * 60, project="/p/long")
    for columns in ("60", "80", "120"):
        out = done({**env, "COLUMNS": columns}, "search", "needle", "--newest")
        assert all(cells(line) <= int(columns) for line in out.splitlines())


def test_a_session_cannot_send_codes_to_the_terminal(tmp_path: Path, env: dict[str, str]) -> None:
    evil = "\x1b]0;title\x07\x1b[31mred\u202e needle \x9b2J\x08"
    gemini(tmp_path, "gem-evil", evil, project="/home/\x1b[2J")
    for argv in (["list"], ["show", "gem-evil"], ["search", "needle"]):
        out = done(env, *argv)
        assert not set("\x1b\x07\x9b\x08\u202e") & set(out)
    for argv in (["list", "--json"], ["show", "gem-evil", "--json"]):
        out = done(env, *argv)
        assert not set("\x1b\x07\x9b\x08") & set(out)
    for argv in (["show", "gem-evil", "--json"], ["export", "gem-evil", "--format", "json"]):
        assert "\\u009b2J" in done(env, *argv)


def test_a_folder_cannot_write_lines_of_its_own(tmp_path: Path, env: dict[str, str]) -> None:
    gemini(tmp_path, "gem-lines", "a needle", project="/home/x\nclaude:00000000  faked")
    out = done(env, "show", "gem-lines")
    assert not re.search("^claude:00000000", out, re.MULTILINE)


def test_stats_are_a_table_with_a_date_for_its_prices(tmp_path: Path, env: dict[str, str]) -> None:
    out = done(env, "stats")
    lines = out.splitlines()
    assert lines[0].split() == ["TOOL", "MODEL", "SESSIONS", "INPUT", "CACHED", "OUTPUT", "COST"]
    assert any(line.startswith("codex") and line.endswith("unknown") for line in lines)
    assert lines[4].startswith("total")
    assert lines[4].endswith("$0.01+")
    assert "Bash" in out
    assert "list prices of 20" in out
    assert all(cells(line) <= 80 for line in lines)
    by_day = done(env, "stats", "--by", "day,project,tool,model")
    assert "2025-10-29" in by_day
    empty = {"HOME": str(tmp_path / "empty")}
    assert done(empty, "stats").startswith("No sessions found.")


def test_export_writes_one_file_and_never_over_another(tmp_path: Path, env: dict[str, str]) -> None:
    out = done(env, "export", CLAUDE_1, "-o", "page.html", cwd=tmp_path)
    assert out == f"page.html: 3 messages of claude:{CLAUDE_1}\n"
    html = (tmp_path / "page.html").read_text()
    assert "<title>Rename the widget</title>" in html
    code, _, err = run(env, "export", CLAUDE_1, "-o", "page.html", cwd=tmp_path)
    assert (code, "exists; give --force" in err) == (1, True)
    (tmp_path / "page.html").write_text("old")
    done(env, "export", CLAUDE_1, "-o", "page.html", "--force", cwd=tmp_path)
    assert (tmp_path / "page.html").read_text() == html
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_export_replaces_a_file_where_it_lies_with_its_rights(
    tmp_path: Path, env: dict[str, str]
) -> None:
    kept, link = tmp_path / "kept.html", tmp_path / "link.html"
    kept.write_text("old")
    kept.chmod(0o600)
    link.symlink_to(kept)
    done(env, "export", CLAUDE_1, "-o", "link.html", "--force", cwd=tmp_path)
    assert link.is_symlink()
    assert kept.read_text().startswith("<!DOCTYPE html>")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform != "linux", reason="/proc names open files on Linux")
def test_export_writes_to_a_pipe_that_has_no_name(env: dict[str, str]) -> None:
    reading, writing = os.pipe()
    try:
        done(env, "export", CLAUDE_1, "-o", f"/proc/self/fd/{writing}", "--format", "md")
        assert os.read(reading, 20) == b"# Rename the widget\n"
    finally:
        os.close(reading)
        os.close(writing)


def test_export_writes_to_a_pipe_instead_of_replacing_it(
    tmp_path: Path, env: dict[str, str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        done(env, "export", CLAUDE_1, "-o", "pipe", "--format", "md", cwd=tmp_path)
        assert reader.stdout is not None
        assert reader.stdout.read().startswith(b"# Rename the widget")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("argv", "begin"),
    [
        (["-o", "a.md"], "# Rename the widget"),
        (["-o", "a.json"], "{"),
        (["-o", "a.HTM"], "<!DOCTYPE html>"),
        (["-o", "a"], "<!DOCTYPE html>"),
        (["-o", "a.html", "--format", "md"], "# Rename the widget"),
    ],
)
def test_the_format_follows_the_name_unless_it_is_given(
    tmp_path: Path, env: dict[str, str], argv: list[str], begin: str
) -> None:
    done(env, "export", CLAUDE_1[:8], *argv, cwd=tmp_path)
    assert (tmp_path / argv[1]).read_text().startswith(begin)


def test_export_without_a_file_goes_to_standard_output(env: dict[str, str]) -> None:
    assert done(env, "export", CLAUDE_1, "--format", "md").startswith("# Rename the widget")
    assert done(env, "export", CLAUDE_1, "-o", "-").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("argv", "code", "told"),
    [
        ([], 1, "COMMAND"),
        (["dance"], 1, "dance"),
        (["list", "--tool", "vim"], 1, "vim"),
        (["list", "--limit", "-1"], 1, "not a number"),
        (["list", "--limit", "x"], 1, "not a number"),
        (["search"], 1, "no word"),
        (["search", "x", "--limit", "0"], 1, "from 1 up"),
        (["search", '""'], 1, "no word"),
        (["search", "x", "--since", "soon"], 1, "--since 'soon' is no moment"),
        (["search", "x", "--until", "99999999w"], 1, "--until"),
        (["stats", "--by", "week"], 1, "'week' is no dimension"),
        (["show", "nope"], 42, "No session 'nope'. `gemini transcripts list`"),
        (["show", "gemini:"], 42, "No session"),
        (["show", "../../etc/passwd"], 42, "No session"),
        (["show", "vim:x"], 1, "'vim' is no tool"),
        (["export", "nope"], 42, "No session"),
        (["export", "gem-0001", "-o", "/proc/no/x.html"], 1, "/proc/no/x.html"),
        (["export", "gem-0001", "-o", "/", "--force"], 1, "folder"),
        (["export", "gem-0001", "-o", ""], 1, "folder"),
        (["export", "gem-0001", "-o", "a.pdf"], 1, "'.pdf'; name it .html, .md or .json"),
        (["search", "x", "--since", "2d", "--until", "3d"], 1, "is not before --until 3d"),
        (["search", "x", "--wat", "y"], 1, "--wat y"),
        (["search", "-lexer"], 1, "no word"),
        (["list", "x"], 1, "unrecognized arguments: x\n\nusage: gemini transcripts list [-h]"),
    ],
)
def test_mistakes_are_explained_with_the_right_code(
    env: dict[str, str], argv: list[str], code: int, told: str
) -> None:
    found, out, err = run(env, *argv)
    assert (found, out) == (code, "")
    assert told in err
    assert err.startswith("gemini transcripts: ")


@pytest.mark.parametrize(
    ("argv", "told"),
    [([], "a COMMAND is missing"), (["--bogus"], "unrecognized arguments: --bogus")]
    + [([word, "--json"], f"invalid choice: '{word}'") for word in ("lst", "")],
)
def test_a_wrong_or_missing_command_is_told_without_the_help(
    env: dict[str, str], argv: list[str], told: str
) -> None:
    code, out, err = run(env, *argv)
    assert (code, out) == (1, "")
    assert told in err
    for command in ("list", "show", "search", "stats", "export"):
        assert f"\n    {command} " in err


def test_an_id_that_may_mean_several_sessions_is_not_guessed(
    tmp_path: Path, env: dict[str, str]
) -> None:
    gemini(tmp_path, "gem-0002-abcd", day="2025-10-31")
    code, _, err = run(env, "show", "gem-0")
    assert code == 42
    assert "may mean 2 sessions" in err
    assert "gemini:gem-0002-abcd" in err


def test_help_is_no_error(env: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(env, "--help")[0] == 0
    assert run(env, "search", "--help")[0] == 0
    assert "a phrase" in " ".join(capsys.readouterr().out.split())  # however wide it is


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, env: dict[str, str]) -> None:
    path = claude(tmp_path)
    path.write_text(path.read_text().replace("Renaming now.", "long line " * 50_000))
    script = (
        "import os, sys; from pathlib import Path;"
        "from gemini_cli.cli.verbs.transcripts import main;"
        "sys.exit(main(sys.argv[1:], env=os.environ, cwd=Path('.')))"
    )
    argv = [sys.executable, "-c", script, "export", CLAUDE_1, "--format", "json"]
    child = subprocess.Popen(
        argv,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.read(10)
    child.stdout.close()
    errors = child.stderr.read()
    child.stderr.close()
    assert (child.wait(), errors) == (0, b"")


def test_a_terminal_without_unicode_still_shows_the_list(env: dict[str, str]) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    assert main(["list"], env=env, cwd=Path("/"), out=out, err=io.StringIO()) == 0
    assert b"Please fix the Gr??e parser" in raw.getvalue()


def test_a_long_first_search_says_what_it_is_doing(tmp_path: Path, env: dict[str, str]) -> None:
    for number in range(210):
        gemini(tmp_path, f"many-{number:04}", project=f"/p/{number}")
    errors = Terminal()
    code = main(["search", "lexer"], env=env, cwd=Path("/"), out=io.StringIO(), err=errors)
    assert code == 0
    assert "Reading gemini sessions: 200 of 211" in errors.getvalue()
    assert errors.getvalue().endswith("\r\x1b[K")
    again = Terminal()
    assert main(["stats"], env=env, cwd=Path("/"), out=io.StringIO(), err=again) == 0
    assert "Reading" not in again.getvalue()
