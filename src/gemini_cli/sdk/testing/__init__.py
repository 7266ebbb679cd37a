"""Test aids for people who build on the product: a scripted Gemini service and a tour.

Nothing here replaces a part of the product; tests run the real thing against a server whose
answers they wrote down.
"""

from gemini_cli.sdk.testing.request import Method, Request
from gemini_cli.sdk.testing.script import (
    Script,
    Step,
    always,
    answer,
    blocked,
    call,
    cut,
    embedding,
    empty,
    error,
    finish,
    json_text,
    malformed,
    on,
    raw,
    stall,
    text,
    thought,
    tokens,
    usage,
)
from gemini_cli.sdk.testing.script_file import ScriptProblem, read_script
from gemini_cli.sdk.testing.stage import Exchange, ScriptedServer
from gemini_cli.sdk.testing.thread import ThreadedServer, scripted_server

__all__ = [
    "Exchange",
    "Method",
    "Request",
    "Script",
    "ScriptProblem",
    "ScriptedServer",
    "Step",
    "ThreadedServer",
    "always",
    "answer",
    "blocked",
    "call",
    "cut",
    "embedding",
    "empty",
    "error",
    "finish",
    "json_text",
    "malformed",
    "on",
    "raw",
    "read_script",
    "scripted_server",
    "stall",
    "text",
    "thought",
    "tokens",
    "usage",
]
