"""A door: imports what is heavy only when somebody goes through.

Every function here opens one room that a run may never need.
"""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

from gemini_cli.ground.net.exchange import HttpClient, HttpOptions

KEY_SERVICE = "gemini-cli-api-key"
KEY_ACCOUNT = "default-api-key"


def http_client(options: HttpOptions, tell: Callable[[str], None]) -> HttpClient:
    """The network: an HTTP stack, TLS and certificates. `tell` hears what it had to leave out."""
    from gemini_cli.ground.net.http import Http

    return Http(options, tell)


def stored_key(file: Path, *, force_file: bool) -> str | None:
    """The API key a person has stored: the system's keychain, or an encrypted file.

    Works whether or not an event loop is running here, so it asks in a thread of its own.
    """
    from gemini_cli.ground.host.keychain import Keychain, token_in

    keychain = Keychain(file, force_file=force_file)
    found: list[str | None] = []

    def ask() -> None:
        found.append(asyncio.run(keychain.get(KEY_SERVICE, KEY_ACCOUNT)))

    asking = threading.Thread(target=ask, name="keychain")
    asking.start()
    asking.join()
    secret = found[0] if found else None
    return token_in(secret) if secret else None
