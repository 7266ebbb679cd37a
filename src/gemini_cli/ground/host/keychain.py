"""Keeps secrets: in the system's keychain, or in an encrypted file where there is none.

A keychain that does not answer in time is given up for the rest of the session. A file that
cannot be read is never overwritten. The file has the form the original product uses; its key
comes from names of machine and user, so its real protection is that only its owner may read it.
"""

import asyncio
import contextlib
import functools
import hashlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from gemini_cli.ground.host.files import write_file
from gemini_cli.protocol.errors import GeminiError, ToolProblem

if sys.platform != "win32":
    import fcntl
    import pwd

T = TypeVar("T")
Secrets = dict[str, dict[str, str]]

# A person may have to confirm access on macOS; elsewhere silence means there is nobody.
PATIENCE = 60.0 if sys.platform == "darwin" else 5.0
LOCK_SECONDS = 5.0
MAX_BYTES = 4 << 20
NONCE_SIZES = (12, 16)
TAG_BYTES = 16
# Backends that keep nothing, or keep it in the open.
UNFIT = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")


class _Token(msgspec.Struct, rename="camel", frozen=True):
    access_token: str


class _Record(msgspec.Struct, frozen=True):
    """How the original product keeps a key: as the token of a sign-in."""

    token: _Token


def token_in(secret: str) -> str:
    """The key itself, whether it was kept bare or inside a record of the original product."""
    try:
        return msgspec.json.decode(secret, type=_Record).token.access_token
    except msgspec.DecodeError:
        return secret


class KeychainProblem(GeminiError):
    """Secrets cannot be read or kept; the message names the file and the way out."""


class Unavailable(Exception):
    """There is no fit keychain here; internal to this module."""


class Keychain:
    """Secrets by service and account. `force_file` leaves the system's keychain alone."""

    def __init__(self, file: Path, *, force_file: bool = False, patience: float = PATIENCE) -> None:
        self._file = SecretFile(file)
        self._patience = patience
        self._usable = not force_file

    async def get(self, service: str, account: str) -> str | None:
        """The secret, or None if nobody keeps one."""
        with contextlib.suppress(Unavailable):
            found = await self._ask(lambda ring: ring.get_password(service, account))
            if found is not None:
                return str(found)
        return await self._from_file(self._file.get, service, account, otherwise=None)

    async def set(self, service: str, account: str, secret: str) -> Literal["keychain", "file"]:
        """Keeps the secret and says where."""
        try:
            await self._ask(lambda ring: ring.set_password(service, account, secret))
        except Unavailable:
            await asyncio.to_thread(self._file.set, service, account, secret)
            return "file"
        # An older copy must not come back when the keychain is away.
        await self._from_file(self._file.delete, service, account, otherwise=False)
        return "keychain"

    async def delete(self, service: str, account: str) -> bool:
        """Forgets the secret wherever it is; whether there was one."""
        there = False
        with contextlib.suppress(Unavailable):
            there = await self._ask(lambda ring: _delete(ring, service, account))
        return await self._from_file(self._file.delete, service, account, otherwise=False) or there

    async def _from_file(
        self, work: Callable[[str, str], T], service: str, account: str, *, otherwise: T
    ) -> T:
        """A broken file is no trouble for those whose keychain works."""
        try:
            return await asyncio.to_thread(work, service, account)
        except KeychainProblem:
            if not self._usable:
                raise
            return otherwise

    async def _ask(self, work: Callable[[Any], T]) -> T:
        if not self._usable:
            raise Unavailable
        try:
            return await _patiently(lambda: work(_ring()), self._patience)
        except Exception as error:
            # Backends raise what they like; any trouble means the file is used from now on.
            self._usable = False
            raise Unavailable from error


def _ring() -> Any:
    import keyring  # a door: it costs 95 ms and may talk to the desktop

    ring = keyring.get_keyring()
    for candidate in getattr(ring, "backends", (ring,)):
        module = type(candidate).__module__
        if not module.startswith(UNFIT) and candidate.priority >= 1:
            return candidate
    raise Unavailable


def _delete(ring: Any, service: str, account: str) -> bool:
    if ring.get_password(service, account) is None:
        return False
    ring.delete_password(service, account)
    return True


async def _patiently(work: Callable[[], T], seconds: float) -> T:
    """Runs `work` in a thread of its own that nobody waits for at the end of the program."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # T when there is no error

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as caught:
            error = caught
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver, result, error)

    threading.Thread(target=run, name="keychain", daemon=True).start()
    async with asyncio.timeout(seconds):
        return await done


class SecretFile:
    """All secrets in one encrypted file, readable by its owner only. Blocking."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, service: str, account: str) -> str | None:
        """The secret, or None."""
        return self._load().get(service, {}).get(account)

    def set(self, service: str, account: str, secret: str) -> None:
        """Adds or replaces the secret."""
        with self._locked():
            secrets = self._load()
            secrets.setdefault(service, {})[account] = secret
            self._save(secrets)

    def delete(self, service: str, account: str) -> bool:
        """Removes the secret; whether there was one."""
        if service not in self._load():
            return False
        with self._locked():
            secrets = self._load()
            if secrets.get(service, {}).pop(account, None) is None:
                return False
            if not secrets[service]:
                del secrets[service]
            self._save(secrets)
            return True

    def _load(self) -> Secrets:
        try:
            if self._path.exists() and not self._path.is_file():
                raise KeychainProblem(f"{self._path} is not a regular file. Move it away.")
            with self._path.open("rb") as file:
                data = file.read(MAX_BYTES)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise KeychainProblem(f"Cannot read {self._path}: {error.strerror}.") from error
        try:
            return msgspec.json.decode(_decrypt(data), type=Secrets)
        except Exception as error:
            raise KeychainProblem(
                f"Cannot decrypt {self._path}: it is damaged, or was written on another machine "
                "or by another user. It was left as it is; move it away and sign in again."
            ) from error

    def _save(self, secrets: Secrets) -> None:
        real = Path(os.path.realpath(self._path))
        try:
            write_file(real, _encrypt(msgspec.json.encode(secrets)), mode=0o600)
        except (OSError, ToolProblem) as error:
            raise KeychainProblem(f"Cannot write {self._path}: {error}") from error

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """One writer at a time, also among processes; the lock ends with its process."""
        lock = self._path.with_name(self._path.name + ".lock")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            fd = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise KeychainProblem(f"Cannot write {lock}: {error.strerror}.") from error
        try:
            _take(fd, lock)
            yield
        finally:
            os.close(fd)


def _take(fd: int, lock: Path) -> None:
    if sys.platform == "win32":
        return
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise KeychainProblem(
                    f"Another process has held {lock} for {LOCK_SECONDS:g} s. End it, try again."
                ) from None
        time.sleep(0.02)


def _encrypt(plain: bytes) -> bytes:
    nonce = os.urandom(NONCE_SIZES[0])
    sealed = _cipher().encrypt(nonce, plain, None)
    tag, body = sealed[-TAG_BYTES:], sealed[:-TAG_BYTES]
    return b":".join(part.hex().encode() for part in (nonce, tag, body))


def _decrypt(data: bytes) -> bytes:
    nonce, tag, body = (bytes.fromhex(part.decode()) for part in data.strip().split(b":"))
    if len(nonce) not in NONCE_SIZES or len(tag) != TAG_BYTES:
        raise ValueError("wrong sizes")
    plain: bytes = _cipher().decrypt(nonce, body + tag, None)
    return plain


@functools.cache
def _cipher() -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # a door: 27 ms

    salt = f"{socket.gethostname()}-{_user()}-gemini-cli".encode()
    return AESGCM(hashlib.scrypt(b"gemini-cli-oauth", salt=salt, n=16384, r=8, p=1, dklen=32))


def _user() -> str:
    if sys.platform == "win32":
        return os.getlogin()
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
