"""The headers of a model request: who we are, and what a person added.

Values come in as arguments, the custom list as the text of its variable. No value is ever
quoted in a message, since it may be a credential.
"""

import platform
import re
import sys
from collections.abc import Callable, Mapping

import msgspec

from gemini_cli import __version__
from gemini_cli.ground.net.headers import checked_headers
from gemini_cli.ground.net.problem import HttpProblem
from gemini_cli.protocol.errors import ConfigError

VARIABLE = "GEMINI_CLI_CUSTOM_HEADERS"
_NODE_ARCH = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "i386": "ia32", "i686": "ia32"}
_NEXT_HEADER = re.compile(r",(?=\s*[^,:\s]+\s*:)")
_UNFIT = re.compile(r"[^\x21-\x7e]")
_UNSEEN = re.compile(r"[^\x20-\x7e]")
_EDITOR = "vscode"


class Identity(msgspec.Struct, frozen=True):
    """How this process introduces itself."""

    client: str = "tui"
    """`tui`, `cli-command`, `acp` or `acp-<editor>`; empty for no name."""
    surface: str = "terminal"
    editor_version: str = ""
    installation_id: str | None = None
    """Set only while usage statistics are allowed."""


def surface_of(env: Mapping[str, str], editor: str | None = None) -> str:
    """Where we run, for statistics: a named surface, an editor, GitHub or a terminal."""
    named = env.get("GEMINI_CLI_SURFACE") or env.get("SURFACE") or editor
    if named:
        return named
    if env.get("TERM_PROGRAM") == _EDITOR:
        return _EDITOR
    return "GitHub" if env.get("GITHUB_SHA") else "terminal"


def user_agent(identity: Identity, model: str) -> str:
    """The `User-Agent` for a request to this model."""
    if identity.surface == _EDITOR:
        return (
            f"CloudCodeVSCode/{__version__} (aidev_client; os_type={platform.system()}; "
            f"os_version={platform.release()}; arch={_arch()}; "
            f"host_path=VSCode/{identity.editor_version or 'unknown'}; proxy_client=geminicli)"
        )
    model, surface = _UNFIT.sub("?", model), _UNSEEN.sub("?", identity.surface)
    name = f"GeminiCLI-{identity.client}" if identity.client else "GeminiCLI"
    return f"{name}/{__version__}/{model} ({sys.platform}; {_arch()}; {surface})"


def custom_headers(text: str | None, warn: Callable[[str], None]) -> dict[str, str]:
    """Reads GEMINI_CLI_CUSTOM_HEADERS: `Name: value` pairs; a comma splits only before a name.

    What is no pair is left out; `warn` is told without its words, which may be a secret. A pair
    that cannot travel is a `ConfigError`: without it the service might do something else.
    """
    found: dict[str, str] = {}
    for number, piece in enumerate(_NEXT_HEADER.split(text or ""), 1):
        name, colon, value = piece.partition(":")
        if colon and name.strip():
            found[name.strip()] = value.strip()
        elif piece.strip():
            warn(
                f"{VARIABLE}: entry {number} is not of the form `Name: value` and "
                "is left out. Separate several with commas."
            )
    try:
        return checked_headers(found)
    except HttpProblem as problem:
        raise ConfigError(f"{VARIABLE}: {problem} Mend or remove that header.") from None


def request_headers(identity: Identity, model: str, custom: Mapping[str, str]) -> dict[str, str]:
    """Everything but the credential. A custom header replaces ours of the same name."""
    runtime = ".".join(str(part) for part in sys.version_info[:3])
    headers = {
        "Content-Type": "application/json",
        "User-Agent": user_agent(identity, model),
        "x-goog-api-client": f"gemini-cli-py/{__version__} gl-python/{runtime}",
    }
    if identity.installation_id:
        headers["x-gemini-api-privileged-user-id"] = identity.installation_id
    replaced = {name.lower() for name in custom}
    kept = {name: value for name, value in headers.items() if name.lower() not in replaced}
    return kept | dict(custom)


def _arch() -> str:
    machine = platform.machine().lower()
    return _NODE_ARCH.get(machine, machine)
