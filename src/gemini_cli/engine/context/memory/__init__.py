"""Context files of people and projects, read from disk into plain data.

`load_memory` is the whole of it; placing the text in a prompt happens elsewhere.
"""

from gemini_cli.engine.context.memory.load import (
    SHARED_NAME,
    USUAL_NAME,
    ContextFile,
    Memory,
    Tier,
    file_names,
    load_memory,
)

__all__ = [
    "SHARED_NAME",
    "USUAL_NAME",
    "ContextFile",
    "Memory",
    "Tier",
    "file_names",
    "load_memory",
]
