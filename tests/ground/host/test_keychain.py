"""Secrets are kept privately, survive trouble, and never make anybody wait for ever."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gemini_cli.ground.host.keychain import Keychain, KeychainProblem, SecretFile, token_in

RINGS = """
import os, pathlib, threading
from keyring.backend import KeyringBackend
class Works(KeyringBackend):
    priority = 5
    def _at(self, s, a): return pathlib.Path(os.environ["RING"], f"{s}-{a}")
    def get_password(self, s, a): p = self._at(s, a); return p.read_text() if p.exists() else None
    def set_password(self, s, a, secret): self._at(s, a).write_text(secret)
    def delete_password(self, s, a): self._at(s, a).unlink()
class Hangs(Works):
    def get_password(self, s, a): threading.Event().wait()
    set_password = get_password
class Breaks(Works):
    def get_password(self, s, a): raise KeyError("no session bus")
    set_password = get_password
class Weak(Works):
    priority = 0.5
"""

SCRIPT = """
import asyncio, sys
from pathlib import Path
from gemini_cli.ground.host.keychain import Keychain
async def main():
    k = Keychain(Path(sys.argv[1]), patience=float(sys.argv[2]))
    print(await k.get("s", "a"), await k.set("s", "a", "geheim"), await k.get("s", "a"))
    print(await k.delete("s", "a"), await k.get("s", "a"), await k.delete("s", "a"))
asyncio.run(main())
"""


def run_with(backend: str, folder: Path) -> str:
    (folder / "rings.py").write_text(RINGS)
    (folder / "ring").mkdir()
    patience = "0.5" if backend == "rings.Hangs" else "30"
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder / "secrets.json"), patience],
        env={
            "PATH": os.environ["PATH"], "PYTHONPATH": str(folder), "HOME": str(folder),
            "PYTHON_KEYRING_BACKEND": backend, "RING": str(folder / "ring"),
        },
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_working_keychain_is_used_and_no_file_is_made(tmp_path):
    said = run_with("rings.Works", tmp_path)
    assert said == "None keychain geheim\nTrue None False\n"
    assert not (tmp_path / "secrets.json").exists()


def test_a_damaged_file_does_not_bother_those_whose_keychain_works(tmp_path):
    (tmp_path / "secrets.json").write_text("damaged")
    assert run_with("rings.Works", tmp_path) == "None keychain geheim\nTrue None False\n"
    assert (tmp_path / "secrets.json").read_text() == "damaged"


@pytest.mark.parametrize(
    "backend",
    ["rings.Hangs", "rings.Breaks", "rings.Weak", "keyring.backends.fail.Keyring",
     "keyring.backends.null.Keyring", "no.such.Backend"],
)  # fmt: skip
def test_a_keychain_that_is_of_no_use_is_replaced_by_the_file(tmp_path, backend):
    assert run_with(backend, tmp_path) == "None file geheim\nTrue None False\n"
    assert os.listdir(tmp_path / "ring") == []


async def test_the_file_is_private_and_does_not_show_the_secret(tmp_path):
    path = tmp_path / "new" / "secrets.json"
    keychain = Keychain(path, force_file=True)
    assert await keychain.set("service", "account", "geheim ä") == "file"
    assert await Keychain(path, force_file=True).get("service", "account") == "geheim ä"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert b"geheim" not in path.read_bytes()
    assert b"service" not in path.read_bytes()


async def test_a_file_once_open_to_all_is_closed_on_the_next_write(tmp_path):
    path = tmp_path / "secrets.json"
    keychain = Keychain(path, force_file=True)
    await keychain.set("s", "a", "1")
    path.chmod(0o666)
    await keychain.set("s", "b", "2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert await keychain.get("s", "a") == "1"


@pytest.mark.parametrize("data", [b"", b"{}", b"00:11:22", b"zz:zz:zz", b"\xff" * 40, b"a:b"])
async def test_a_damaged_file_is_named_and_kept(tmp_path, data):
    path = tmp_path / "secrets.json"
    path.write_bytes(data)
    keychain = Keychain(path, force_file=True)
    for trial in (keychain.get("s", "a"), keychain.set("s", "a", "x"), keychain.delete("s", "a")):
        with pytest.raises(KeychainProblem, match=r"secrets\.json"):
            await trial
    assert path.read_bytes() == data


async def test_one_changed_byte_is_noticed(tmp_path):
    path = tmp_path / "secrets.json"
    keychain = Keychain(path, force_file=True)
    await keychain.set("s", "a", "geheim")
    data = path.read_bytes()
    path.write_bytes(data[:-1] + (b"0" if data[-1:] != b"0" else b"1"))
    with pytest.raises(KeychainProblem):
        await keychain.get("s", "a")


async def test_writers_at_the_same_time_do_not_lose_each_other(tmp_path):
    path = tmp_path / "secrets.json"
    keychains = [Keychain(path, force_file=True) for _ in range(6)]
    await asyncio.gather(*(k.set("s", str(n), str(n)) for n, k in enumerate(keychains)))
    assert [await keychains[0].get("s", str(n)) for n in range(6)] == list("012345")


async def test_a_pipe_in_the_place_of_the_file_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "secrets.json")
    with pytest.raises(KeychainProblem, match="regular"):
        await Keychain(tmp_path / "secrets.json", force_file=True).get("s", "a")


def test_a_place_that_cannot_be_written_is_named():
    with pytest.raises(KeychainProblem, match="/proc/none"):
        SecretFile(Path("/proc/none/secrets.json")).set("s", "a", "x")


NODE = """
const c = require('node:crypto'), os = require('node:os'), fs = require('node:fs');
const salt = `${os.hostname()}-${os.userInfo().username}-gemini-cli`;
const key = c.scryptSync('gemini-cli-oauth', salt, 32), iv = Buffer.alloc(12, 7);
const box = c.createCipheriv('aes-256-gcm', key, iv);
const body = box.update(JSON.stringify({s: {a: 'from node'}}), 'utf8', 'hex') + box.final('hex');
const parts = [iv.toString('hex'), box.getAuthTag().toString('hex'), body];
fs.writeFileSync(process.argv[1], parts.join(':'));
"""


async def test_a_file_of_the_original_product_is_understood(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, so no file in the original's way can be made")
    path = tmp_path / "gemini-credentials.json"
    await asyncio.to_thread(subprocess.run, [node, "-e", NODE, str(path)], check=True)
    assert await Keychain(path, force_file=True).get("s", "a") == "from node"


def test_importing_it_costs_neither_keyring_nor_cryptography():
    code = textwrap.dedent("""
        import sys, gemini_cli.ground.host.keychain
        print({"keyring", "cryptography"} & set(sys.modules))
    """)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


@pytest.mark.parametrize(
    ("secret", "key"),
    [
        ("AIza-bare", "AIza-bare"),
        ('{"serverName": "a", "token": {"accessToken": "k", "tokenType": "ApiKey"}}', "k"),
        ('{"token": {"accessToken": 3}}', '{"token": {"accessToken": 3}}'),
        ('{"token": null}', '{"token": null}'),
        ("17", "17"),
        ('"quoted"', '"quoted"'),
    ],
)
def test_a_key_kept_by_the_original_product_is_not_sent_with_its_wrapping(secret, key):
    assert token_in(secret) == key
