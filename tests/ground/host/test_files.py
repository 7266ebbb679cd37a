"""Files are replaced whole, keep their mode, and are never reached through a swapped link."""

import asyncio
import codecs
import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from gemini_cli.ground.host.anchor import anchored
from gemini_cli.ground.host.encoding import decode, encode, unix_newlines
from gemini_cli.ground.host.files import LocalFiles, write_file
from gemini_cli.ground.host.problems import problem_of
from gemini_cli.ground.host.workspace import LocalWorkspace, Special
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import FileStat

FILES = LocalFiles()


async def kind_of(awaitable) -> str:
    with pytest.raises(ToolProblem) as caught:
        await awaitable
    return caught.value.kind


async def test_a_written_file_is_read_back_and_folders_are_made(tmp_path):
    path = tmp_path / "a" / "b" / "c.txt"
    await FILES.write(path, b"hello")
    assert await FILES.read(path) == b"hello"
    assert await FILES.read(path, limit=2) == b"he"
    assert await FILES.read(path, limit=0) == b""
    assert os.listdir(path.parent) == ["c.txt"]


async def test_mode_bits_survive_but_not_the_set_user_id_bit(tmp_path):
    path = tmp_path / "run.sh"
    path.write_text("old")
    path.chmod(0o4751)
    await FILES.write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


async def test_a_new_file_gets_what_the_umask_leaves(tmp_path):
    await FILES.write(tmp_path / "x", b"")
    (tmp_path / "y").write_bytes(b"")
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "y").stat().st_mode


async def test_a_private_file_is_private_from_the_start(tmp_path):
    write_file(tmp_path / "key", b"k", mode=0o600)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


async def test_readers_never_see_half_a_file(tmp_path):
    path = tmp_path / "big"
    one, two = b"1" * 3_000_000, b"2" * 2_000_000
    await FILES.write(path, one)
    seen = set()

    async def look() -> None:
        for _ in range(30):
            seen.add(await FILES.read(path))

    async def change() -> None:
        for data in (two, one) * 10:
            await FILES.write(path, data)

    await asyncio.gather(look(), change())
    assert seen <= {one, two}


async def test_a_link_put_in_the_way_is_not_followed(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("secret")
    (tmp_path / "dir").symlink_to("outside")
    (tmp_path / "f").symlink_to("outside/f")
    for path in (tmp_path / "dir" / "f", tmp_path / "f"):
        assert await kind_of(FILES.read(path)) == "path_not_in_workspace"
        assert await kind_of(FILES.write(path, b"gone")) == "path_not_in_workspace"
    assert await kind_of(FILES.delete(tmp_path / "dir" / "f")) == "path_not_in_workspace"
    assert (tmp_path / "outside" / "f").read_text() == "secret"


async def test_a_folder_swapped_for_a_link_during_the_write_does_not_redirect_it(tmp_path):
    (tmp_path / "dir").mkdir()
    (tmp_path / "outside").mkdir()
    with anchored(tmp_path / "dir" / "f") as at:
        (tmp_path / "dir").rename(tmp_path / "moved")
        (tmp_path / "dir").symlink_to("outside")
        os.close(at.open(os.O_WRONLY | os.O_CREAT))
    assert os.listdir(tmp_path / "outside") == []
    assert os.listdir(tmp_path / "moved") == ["f"]


async def test_our_own_files_may_be_links_into_a_dotfile_folder(tmp_path):
    (tmp_path / "real").write_text("1")
    (tmp_path / "settings.json").symlink_to("real")
    await LocalFiles(links="follow").write(tmp_path / "settings.json", b"2")
    assert (tmp_path / "settings.json").is_symlink()
    assert (tmp_path / "real").read_text() == "2"


async def test_deleting_a_link_leaves_its_target(tmp_path):
    (tmp_path / "t").write_text("1")
    (tmp_path / "l").symlink_to("t")
    await FILES.delete(tmp_path / "l")
    assert os.listdir(tmp_path) == ["t"]


async def test_errors_say_what_is_wrong(tmp_path):
    (tmp_path / "f").write_text("")
    assert await kind_of(FILES.read(tmp_path / "none")) == "file_not_found"
    assert await kind_of(FILES.read(tmp_path)) == "target_is_directory"
    assert await kind_of(FILES.write(tmp_path, b"")) == "target_is_directory"
    assert await kind_of(FILES.delete(tmp_path)) == "target_is_directory"
    assert await kind_of(FILES.delete(tmp_path / "none")) == "file_not_found"
    assert await kind_of(FILES.list(tmp_path / "f")) == "path_is_not_a_directory"
    assert await kind_of(FILES.write(tmp_path / "f" / "g", b"")) == "path_is_not_a_directory"
    assert await kind_of(FILES.read(tmp_path / ("x" * 300))) == "read_content_failure"
    assert await kind_of(FILES.read(Path("relative"))) == "read_content_failure"
    assert await kind_of(FILES.read(tmp_path / ".." / "x")) == "read_content_failure"
    assert await kind_of(FILES.write(tmp_path / "nul\0", b"")) == "file_write_failure"


async def test_pipes_and_devices_do_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert await kind_of(FILES.read(tmp_path / "pipe")) == "read_content_failure"
    assert await kind_of(FILES.write(tmp_path / "pipe", b"x")) == "file_write_failure"
    assert await kind_of(FILES.read(Path("/dev/zero"))) == "read_content_failure"


async def test_a_file_one_may_not_change_is_reported_as_such(tmp_path):
    path = Path("/proc/sys/kernel/ostype")
    if os.geteuid() != 0:
        path = tmp_path / "closed" / "f"
        path.parent.mkdir()
        path.write_text("")
        path.chmod(0o400)
        path.parent.chmod(0o500)
    assert await kind_of(FILES.write(path, b"x")) == "permission_denied"


PROTECTED = """
import os, sys
from pathlib import Path
from gemini_cli.ground.host.files import write_file
if os.geteuid() == 0:
    os.seteuid(65534)
path = Path(sys.argv[1]) / "f"
path.write_text("kept")
path.chmod(0o444)
try:
    write_file(path, b"x")
except PermissionError:
    print(path.read_text(), os.listdir(path.parent))
"""


def test_a_write_protected_file_is_not_replaced_behind_its_owners_back():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        command = [sys.executable, "-c", PROTECTED, folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "kept ['f']\n", done.stderr


FILL = """
import asyncio, os, sys
from pathlib import Path
from gemini_cli.ground.host.files import LocalFiles
from gemini_cli.protocol.errors import ToolProblem
folder = Path(sys.argv[1])
asyncio.run(LocalFiles().write(folder / "f", b"old"))
try:
    asyncio.run(LocalFiles().write(folder / "f", b"x" * 1_000_000))
except ToolProblem as problem:
    print(problem.kind, (folder / "f").read_text(), os.listdir(folder))
"""


def test_a_full_disk_is_told_apart_and_the_old_file_stays(tmp_path):
    script = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" -c "$3" "$1"'
    unshare = shutil.which("unshare")
    if not unshare:
        pytest.skip("a full disk can only be made with `unshare`, which is not here")
    command = [unshare, "-rm", "sh", "-c", script, "sh", str(tmp_path), sys.executable, FILL]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if "mount" in ran.stderr or "unshare" in ran.stderr:
        pytest.skip(f"no private mounts here: {ran.stderr.strip()}")
    assert ran.stdout.strip() == "no_space_left old ['f']", ran.stderr


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOSPC, "no_space_left"), (errno.EROFS, "permission_denied"), (errno.EIO, "other")],
)
def test_system_errors_keep_their_meaning(number, kind):
    problem = problem_of(OSError(number, "said the disk"), "write", Path("/x/y"), "other")
    assert problem.kind == kind
    assert "/x/y" in str(problem)


async def test_a_listing_shows_links_by_what_they_lead_to(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_text("123")
    (tmp_path / "c").symlink_to("b")
    (tmp_path / "d").symlink_to("nowhere")
    (tmp_path / "e").symlink_to("e")
    listed = await FILES.list(tmp_path)
    kinds = ["file", "dir", "dir", "other", "other"]
    assert [(name, found.kind) for name, found in listed] == list(zip("abcde", kinds, strict=True))
    assert listed[0][1].size == 3


async def test_a_missing_file_has_no_facts(tmp_path):
    (tmp_path / "f").write_text("12")
    (tmp_path / "d").symlink_to("nowhere")
    found = await FILES.stat(tmp_path / "f")
    assert isinstance(found, FileStat)
    assert (found.kind, found.size) == ("file", 2)
    assert await FILES.stat(tmp_path / "none") is None
    assert await FILES.stat(tmp_path / "f" / "x") is None
    dangling = await FILES.stat(tmp_path / "d")
    assert dangling is not None
    assert dangling.kind == "other"


async def test_a_utf16_file_survives_an_edit(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(codecs.BOM_UTF16_LE + "alt\r\nzwei ß\r\n".encode("utf-16-le"))
    found = decode(await FILES.read(path))
    edited = unix_newlines(found.text).replace("alt\n", "neu\n")
    await FILES.write(path, encode(edited, found.form))
    assert path.read_bytes() == codecs.BOM_UTF16_LE + "neu\r\nzwei ß\r\n".encode("utf-16-le")


async def test_a_folder_flipped_between_check_and_use_never_leaks(tmp_path):
    """An attacker swaps a folder for a link outwards as fast as the disk allows."""
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / "real").mkdir(parents=True)
    outside.mkdir()
    (work / "real" / "f").write_text("inside")
    (outside / "f").write_text("secret")
    (work / "evil").symlink_to(outside)
    ws = LocalWorkspace(work, Special(tmp_path / "temp"))
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            for name in ("real", "evil"):
                try:
                    (work / name).rename(work / "dir")
                    (work / "dir").rename(work / name)
                except OSError:
                    # Our own write has made the folder anew while it was away.
                    shutil.rmtree(work / "dir", ignore_errors=True)

    attacker = threading.Thread(target=flip)
    attacker.start()
    seen = set()
    try:
        for number in range(400):
            try:
                path = ws.resolve("dir/f", for_write=number % 2 == 0)
                if number % 2:
                    seen.add(await FILES.read(path))
                else:
                    await FILES.write(path, b"inside")
            except ToolProblem as problem:
                seen.add(problem.kind.encode())
    finally:
        stop.set()
        attacker.join()
    assert b"secret" not in seen
    assert (outside / "f").read_text() == "secret"
    assert os.listdir(outside) == ["f"]


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
async def test_what_a_session_keeps_for_itself_is_not_for_others(tmp_path):
    umask = os.umask(0)
    try:
        files = LocalFiles(private=tmp_path / "own")
        await files.write(tmp_path / "own" / "a" / "b", b"x")
        await files.write(tmp_path / "shared" / "b", b"x")
    finally:
        os.umask(umask)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("own", "own/a", "own/a/b")]
    assert modes == [0o700, 0o700, 0o600]
    assert stat.S_IMODE((tmp_path / "shared" / "b").stat().st_mode) == 0o666
