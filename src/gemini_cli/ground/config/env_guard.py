"""What a `.env` that came with a project may not say, and what the person is told about it.

A trusted folder may choose models, keys and addresses. It may not put code into programs that
others start, nor name a file of the person for us to write. Pure functions and tables, except
for one look at who owns a file.
"""

import os
import re
from collections.abc import Collection
from pathlib import Path

from gemini_cli.ground.config.paths import Paths

# Read by the loader, by bash or by git before they do what they were asked for.
_HARMFUL = re.compile(
    r"LD_.*|DYLD_.*|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|GIT_CONFIG.*|GIT_EXEC_PATH|GIT_TEMPLATE_DIR"
    r"|GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|ASKPASS|PROXY_COMMAND)"
    r"|GEMINI_WRITE_SYSTEM_MD"
)
_REDIRECTING = (
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
    "CODE_ASSIST_ENDPOINT",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
)
_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")


def is_own(path: Path, paths: Paths) -> bool:
    """Whether this is the person's own file, which may say anything."""
    return path in (paths.user_env, paths.home_env)


def is_harmful(name: str) -> bool:
    """Whether a project's file may not set this variable, trusted or not."""
    return _HARMFUL.fullmatch(name) is not None


def barred_warning(path: Path, names: Collection[str]) -> str | None:
    """What to say where a project's file wanted too much."""
    wanted = [name for name in names if is_harmful(name)]
    if not wanted:
        return None
    return (
        f"{path} may not set {', '.join(wanted)}: a project could run or overwrite something "
        "with it. Set it in your shell, if you want it."
    )


def redirect_warning(path: Path, added: Collection[str]) -> str | None:
    """What to say where a project's file chooses who gets requests made with another's key."""
    wanted = [name for name in _REDIRECTING if name in added]
    if not wanted or any(name in added for name in _KEYS):
        return None
    return (
        f"{path} decides where your requests and your key go ({', '.join(wanted)}). "
        "If that is not your wish, take it out or set the variable yourself."
    )


def is_strangers(path: Path, paths: Paths) -> bool:
    """Whether a file above the working directory belongs to somebody else, as in `/tmp`."""
    if os.name != "posix" or is_own(path, paths) or path.is_relative_to(paths.cwd):
        return False
    try:
        owner, here = path.stat().st_uid, paths.cwd.stat().st_uid
    except OSError:
        return False
    return owner not in (0, os.geteuid(), here)
