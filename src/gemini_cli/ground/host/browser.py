"""Opens a web page in the person's browser, if there is one.

Only http and https addresses are opened, never through a shell. Where no browser can be
expected it says so, and the caller shows the address instead.
"""

import asyncio
import contextlib
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from gemini_cli.ground.host.spawn import find_program, spawn
from gemini_cli.protocol.errors import ToolProblem

LAUNCH_SECONDS = 3.0
# What an address may consist of; quotes, spaces and control characters are percent-encoded.
ADDRESS = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
TEXT_BROWSERS = frozenset({"www-browser", "lynx", "links", "w3m", "elinks"})
LINUX_OPENERS = ("xdg-open", "gnome-open", "kde-open", "wslview", "firefox", "chromium")


def may_open(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a browser window can be expected to appear before a person."""
    if environ.get("NO_BROWSER") or environ.get("CI"):
        return False
    if environ.get("DEBIAN_FRONTEND") == "noninteractive":
        return False
    if _first_word(environ.get("BROWSER", "")) in TEXT_BROWSERS:
        return False
    if platform in ("darwin", "win32"):
        return not environ.get("SSH_CONNECTION")
    return any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"))


def is_web_address(url: str) -> bool:
    """Whether this is a complete http or https address and nothing besides."""
    try:
        parts = urlsplit(url)
        return (
            ADDRESS.fullmatch(url) is not None
            and parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
        )
    except ValueError:
        return False


def command_for(
    url: str, environ: Mapping[str, str], platform: str = sys.platform
) -> tuple[str, ...] | None:
    """The command that opens `url`; None if no opener is installed."""
    if not is_web_address(url):
        raise ToolProblem(
            f"{url!r} is not opened: only complete http and https addresses are.",
            "invalid_tool_params",
        )
    if platform == "darwin":
        return ("/usr/bin/open", url)
    if platform == "win32":
        return ("rundll32", "url.dll,FileProtocolHandler", url)
    with contextlib.suppress(ValueError):
        chosen = shlex.split(environ.get("BROWSER", "").split(":")[0])
        if chosen and (program := find_program(chosen[0], environ)):
            rest = [word.replace("%s", url) for word in chosen[1:]]
            return (program, *rest) if url in rest else (program, *rest, url)
    for opener in LINUX_OPENERS:
        if program := find_program(opener, environ):
            return (program, url)
    return None


async def open_page(url: str, environ: Mapping[str, str], *, cwd: Path) -> bool:
    """Opens `url` and says whether that seems to have worked. The browser is left running."""
    command = command_for(url, environ)
    if command is None or not may_open(environ):
        return False
    try:
        child = await spawn(command, cwd, environ)
    except ToolProblem:
        return False
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LAUNCH_SECONDS):
            return await child.wait() == 0
    return True


def _first_word(text: str) -> str:
    return Path(text.split(" ", 1)[0]).name
