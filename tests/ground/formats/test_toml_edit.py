"""TOML files survive being written, and their mistakes are pointed at."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.ground.formats import toml_edit
from gemini_cli.protocol.errors import ConfigError

TABLES = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=10),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
        max_leaves=8,
    ),
    max_size=4,
)


@given(TABLES)
def test_what_is_written_is_read_back(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("toml") / "new" / "x.toml"
    toml_edit.write(path, table)
    assert toml_edit.read(path) == table
    assert os.listdir(path.parent) == ["x.toml"]


def test_a_missing_file_is_an_empty_table(tmp_path):
    assert toml_edit.read(tmp_path / "none.toml") == {}


def test_mode_and_links_are_kept(tmp_path):
    (tmp_path / "real.toml").write_text("")
    (tmp_path / "real.toml").chmod(0o640)
    (tmp_path / "link.toml").symlink_to("real.toml")
    toml_edit.write(tmp_path / "link.toml", {"a": 1, "gone": None})
    assert (tmp_path / "link.toml").is_symlink()
    assert (tmp_path / "real.toml").read_text() == "a = 1\n"
    assert stat.S_IMODE((tmp_path / "real.toml").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a = 1\nb = = 2\n", "line 2, column 5"),
        (b"a = [1,", "its end"),
        (b"a = '\xff'", "UTF-8"),
        (b"a = " + b"[" * 50_000, "deep"),
        (b"#" * (5 << 20), "larger"),
    ],
)
def test_a_broken_file_is_named_with_the_place(tmp_path, data, words):
    (tmp_path / "bad.toml").write_bytes(data)
    with pytest.raises(ConfigError, match=words) as caught:
        toml_edit.read(tmp_path / "bad.toml")
    assert str(tmp_path / "bad.toml") in str(caught.value)
    assert (tmp_path / "bad.toml").read_bytes() == data


def test_a_value_toml_cannot_hold_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("old = 1\n")
    with pytest.raises(ConfigError, match=r"x\.toml"):
        toml_edit.write(path, {"a": object()})
    assert path.read_text() == "old = 1\n"


def test_a_folder_in_the_way_is_an_error_naming_it():
    with pytest.raises(ConfigError, match="/dev"):
        toml_edit.read(Path("/dev"))
    with pytest.raises(ConfigError, match="/proc"):
        toml_edit.write(Path("/proc/none/x.toml"), {})


@pytest.mark.parametrize("text", ["x." * 50_000 + "x=1", "[" + '"x" . ' * 50_000 + "x]"])
def test_a_key_of_endless_parts_is_refused_before_it_costs_time(text: str):
    with pytest.raises(ConfigError, match="parts"):
        toml_edit.parse(text, Path("rules.toml"))


def test_prose_with_many_dots_is_no_key():
    text = 'a = "' + "so. " * 90 + "." * 5000 + '"'
    assert len(str(toml_edit.parse(text, Path("x.toml"))["a"])) == 5360


def test_a_number_of_thousands_of_digits_is_named():
    with pytest.raises(ConfigError, match=r"rules\.toml .*digits"):
        toml_edit.parse("a = " + "9" * 5000, Path("rules.toml"))
