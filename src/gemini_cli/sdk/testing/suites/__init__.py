"""What every implementation of a port owes its callers, as checks that anyone can run.

A check is an async function over a stage: the few things only the author of an
implementation can set up. It needs no test framework and knows no implementation.
"""

from gemini_cli.sdk.testing.suites.models import MODELS_CHECKS, ModelsStage
from gemini_cli.sdk.testing.suites.store import STORE_CHECKS, StoreStage
from gemini_cli.sdk.testing.suites.tool import TOOL_CHECKS, ToolStage

__all__ = [
    "MODELS_CHECKS",
    "STORE_CHECKS",
    "TOOL_CHECKS",
    "ModelsStage",
    "StoreStage",
    "ToolStage",
]
