"""What stands between an executable's name and the program: npm's shims, and a hidden node.

On Windows the script behind a `.cmd` file is started directly: `cmd.exe` reads arguments a second
time, so a prompt could become a command. A shim in which no script can be recognised is refused.
"""

import os
import re
import shutil
from pathlib import Path

from gemini_cli.ground.config.env import Env
from gemini_cli.protocol.errors import InputError

_SCRIPT = re.compile(r'"%(?:~dp0|dp0%)\\?([^"%]+\.(?:js|cjs|mjs))"', re.IGNORECASE)
_SHIMS = (".cmd", ".bat", ".ps1")


def program(cli_path: str, search: str = os.defpath) -> tuple[str, ...]:
    """What to start for an executable: itself, or `node <script>` for a shim.

    `search` is the `PATH` in which node is looked for.
    """
    shim = Path(cli_path)
    if shim.suffix.lower() not in _SHIMS:
        return (cli_path,)
    try:
        text = shim.with_suffix(".cmd").read_text("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{cli_path} cannot be read: {error.strerror or error}.") from error
    found = _SCRIPT.search(text)
    node = shutil.which("node", path=search)
    if found is None or node is None:
        raise InputError(
            f"{cli_path} is a command shim, which would read the prompt a second time. Give the "
            "path of the native executable or of the script's node program in cli_path."
        )
    return (node, str(shim.parent.joinpath(*found.group(1).split("\\"))))


def with_node(cli_path: str, env: Env) -> Env:
    """A CLI that was found beside a node nobody else knows (nvm, mise) is run by that one."""
    folder = str(Path(cli_path).parent)
    path = env.get("PATH", os.defpath)
    if folder == "." or shutil.which("node", path=path) or not shutil.which("node", path=folder):
        return env
    return env.with_values({"PATH": os.pathsep.join(filter(None, (path, folder)))})
