"""Files are opened only where they are files, at once, and closed again."""

import os
import socket
from pathlib import Path

import pytest

from gemini_cli.ground.host.ordinary import NotOrdinary, ordinary


def open_handles() -> int:
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0


def test_the_bytes_of_a_file_come_through(tmp_path: Path):
    file = tmp_path / "f"
    file.write_bytes(b"abc")
    (tmp_path / "link").symlink_to(file)
    for path in (file, tmp_path / "link"):
        with ordinary(path) as stream:
            assert stream.read(2) == b"ab"


def test_a_link_is_no_file_where_links_are_not_followed(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "f")
    with pytest.raises(OSError), ordinary(tmp_path / "link", follow=False):
        raise AssertionError("opened")


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "device"])
def test_nothing_else_is_read_or_waited_for_or_left_open(tmp_path: Path, kind: str):
    path = tmp_path / kind
    with socket.socket(socket.AF_UNIX) as listener:
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "socket":
            listener.bind(str(path))
        else:
            path = Path("/dev/zero")
        before = open_handles()
        with pytest.raises(OSError) as refused, ordinary(path):
            raise AssertionError("opened")
        assert kind == "socket" or refused.type is NotOrdinary
        assert open_handles() == before


def test_what_is_not_there_is_told_apart(tmp_path: Path):
    with pytest.raises(FileNotFoundError), ordinary(tmp_path / "none"):
        raise AssertionError("opened")
