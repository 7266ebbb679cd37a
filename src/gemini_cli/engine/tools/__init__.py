"""The tools for files and commands, and the registry that offers them to a model.

Door of the room: the tools' classes and `Registry`. What a tool may do is decided by policy,
where it may do it by the workspace; neither is looked at here.
"""

from gemini_cli.engine.tools.edit.tool import Replace
from gemini_cli.engine.tools.names import wire_name
from gemini_cli.engine.tools.read_file import ReadFile
from gemini_cli.engine.tools.registry import Registry, renaming
from gemini_cli.engine.tools.shell.tool import Identity, Shell
from gemini_cli.engine.tools.untrusted import untrusted

__all__ = [
    "Identity",
    "ReadFile",
    "Registry",
    "Replace",
    "Shell",
    "renaming",
    "untrusted",
    "wire_name",
]
