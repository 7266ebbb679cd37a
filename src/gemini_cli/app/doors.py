"""A door: imports what is heavy only when somebody goes through.

Every function here opens one room that a run may never need.
"""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

from gemini_cli.ground.net.exchange import HttpClient, HttpOptions
from gemini_cli.protocol.errors import AuthError, GeminiError

KEY_SERVICE = "gemini-cli-api-key"
KEY_ACCOUNT = "default-api-key"


def http_client(options: HttpOptions, tell: Callable[[str], None]) -> HttpClient:
    """The network: an HTTP stack, TLS and certificates. `tell` hears what it had to leave out."""
    from gemini_cli.ground.net.http import Http

    return Http(options, tell)


def stored_key(file: Path, *, force_file: bool) -> str | None:
    """The API key a person has stored: the system's keychain, or an encrypted file.

    Works whether or not an event loop is running here, so it asks in a thread of its own.
    Raises `AuthError` for a store that cannot be read.
    """
    from gemini_cli.ground.host.keychain import Keychain, token_in

    keychain = Keychain(file, force_file=force_file)
    found: list[str | None] = []
    failed: list[Exception] = []

    def ask() -> None:
        try:
            found.append(asyncio.run(keychain.get(KEY_SERVICE, KEY_ACCOUNT)))
        except Exception as error:
            failed.append(error)

    # A daemon, so that a keychain that keeps us waiting cannot keep a Ctrl+C waiting.
    asking = threading.Thread(target=ask, name="keychain", daemon=True)
    asking.start()
    asking.join()
    for error in failed:
        if isinstance(error, GeminiError):
            raise AuthError(f"{error} Or set GEMINI_API_KEY, which is looked at first") from error
        raise error
    secret = found[0] if found else None
    return token_in(secret) if secret else None
