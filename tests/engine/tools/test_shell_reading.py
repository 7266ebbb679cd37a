"""Command lines are read as bash would: no quote, comment or here-document hides anything."""

import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gemini_cli.engine.tools.shell.reading import programs, substitutes, unwrapped


@pytest.mark.parametrize(
    "command",
    [
        "echo $(id)",
        "echo `id`",
        'echo "$(id)"',
        'echo "`id`"',
        "diff <(ls) x",
        "tee >(cat)",
        "echo $((1+1))",
        "echo 'a'$(id)",
        'echo "it\'s" $(id)',
        "# it's a comment\necho $(id)",
        "ls # it's\n$(id)",
        "echo $'it\\'s' $(id)",
        "cat <<EOF\nit's\n$(id)\nEOF",
        "cat <<-EOF\n\tit's `id`\n\tEOF",
        "cat <<'A' <<B\n'\nA\n$(id)\nB",
        "cat <<A\nA\necho $(id)",
        "cat <<'A'\n'\nA\necho $(id)",
        "cat <<<x$(id)",
        'echo "<(" \'x\' "$(id)"',
        "echo a#'b' $(id)",
        "((1<<'E'\n$(id)))",
        "((#$(id)))",
        "a\\;# $(id)",
        "a\\ # $(id)",
        "((1<<E$(id)))",
        "echo ${x:1<<'E'}\n$(id)",
        "echo $\\\n(id)",
        'echo "$\\\n(id)"',
        "cat <\\\n(id)",
        "cat <<E\n$\\\n(id)\nE",
        "cat <<E\nE\\\n\ncat <(id)\nE",
        "(\\\n( 1 # $(id)\n))",
        "echo $\\\n'\\' '$(id)'",
        "\\\n# <<\\E\n$(id)",
    ],
)
def test_substitution_is_seen(command: str):
    assert substitutes(command)


@pytest.mark.parametrize(
    "command",
    [
        "echo '$(id)'",
        "echo \\$(id\\)",
        "echo \\`id\\`",
        'echo "\\$(id)"',
        'echo "a <(b)"',
        "ls # $(id)",
        "cat <<'EOF'\n$(id)\nEOF",
        "cat <<\\EOF\n`id`\nEOF",
        "cat <<EOF\n\\$(id)\nEOF",
        "echo $'$(id)'",
        "echo ${x} $y a < b > c",
        "grep 'it''s' x",
        "cat <<'EOF'\na $(id) \\\nb\nEOF",
        "make -j \\\n  'x=$(y)'",
    ],
)
def test_plain_text_is_not_taken_for_substitution(command: str):
    assert not substitutes(command)


@settings(max_examples=60, deadline=None)
@example("cat <<'A\n'$(touch hit)\n", "$(")
@given(st.text(alphabet="a '\"\\#$<\n;E", max_size=10), st.sampled_from(["$(", "$\\\n("]))
def test_bash_never_substitutes_where_we_saw_nothing(tmp_path_factory, before: str, mark: str):
    folder = tmp_path_factory.mktemp("run")
    command = f"{before}{mark}touch hit)"
    if substitutes(command):
        return
    subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
    )
    assert not (folder / "hit").exists()


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("bash -c 'ls -l'", "ls -l"),
        ('  /bin/sh -c "ls && pwd" ', "ls && pwd"),
        ("zsh -c 'echo \"a\"'", 'echo "a"'),
        ('bash -c "a" && echo "b"', 'bash -c "a" && echo "b"'),
        ("bash -c 'a' x", "bash -c 'a' x"),
        ('bash -c "echo $HOME"', 'bash -c "echo $HOME"'),
        ("bash -c ls", "bash -c ls"),
        ("bash -lc 'ls'", "bash -lc 'ls'"),
        ("mybash -c 'ls'", "mybash -c 'ls'"),
        ("bash -c ''", "bash -c ''"),
    ],
)
def test_a_wrapper_goes_only_where_that_is_certain(command: str, inner: str):
    assert unwrapped(command) == inner


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("git status", ("git",)),
        ("A=1 make -j && git push | tee log; git log", ("make", "git", "tee")),
        ("if test -f x; then rm x; fi", ("test", "rm")),
        ("echo 'a; rm b' && ls", ("echo", "ls")),
        ("(cd x; ls) > out", ("cd", "ls")),
        ("", ()),
    ],
)
def test_a_person_sees_which_programs_would_run(command: str, names: tuple[str, ...]):
    assert programs(command) == names
