"""Builds the TLS context, once and only when a connection needs it.

Reading the certificate bundle costs some twenty milliseconds, so a session against a plain
`http://` address never does it. Verification cannot be switched off here.
"""

import re
import ssl
import sys
from pathlib import Path

from gemini_cli.ground.net.library import httpx2
from gemini_cli.ground.net.problem import HttpProblem

_HASHED = re.compile(r"[0-9a-f]{8}\.\d+")


def bare_context() -> ssl.SSLContext:
    """A context that trusts nobody: for transports that only ever speak plain HTTP."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def tls_context(ca_file: str | None, *, thorough: bool = False) -> ssl.SSLContext:
    """Trusts `ca_file` alone where given, else what the system trusts.

    `thorough` reads the system's whole bundle: some people add their authority to it by hand
    and leave the folder beside it as it was.
    """
    if ca_file:
        context = bare_context()
        _load(context, ca_file, "SSL_CERT_FILE")
    else:
        quick = None if thorough else _hashed_folder()
        context = quick or httpx2.create_ssl_context(trust_env=False)
    return context


def trust_also(context: ssl.SSLContext, extra_ca_file: str) -> None:
    """Adds the authorities of a file to those the context trusts."""
    _load(context, extra_ca_file, "NODE_EXTRA_CA_CERTS")


def _hashed_folder() -> ssl.SSLContext | None:
    """OpenSSL reads a folder of hashed certificates lazily, unlike a bundle."""
    if not sys.platform.startswith("linux"):
        return None
    folder = Path(ssl.get_default_verify_paths().openssl_capath)
    try:
        if not any(_HASHED.fullmatch(entry.name) for entry in folder.iterdir()):
            return None
    except OSError:
        return None
    context = bare_context()
    context.load_verify_locations(capath=str(folder))
    return context


def _load(context: ssl.SSLContext, file: str, variable: str) -> None:
    try:
        context.load_verify_locations(cafile=file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise HttpProblem(
            f"{variable}: {file} cannot be used as a list of PEM certificates ({reason}). "
            "Correct or unset the variable.",
            "tls",
        ) from error
