"""The loop of a conversation: prompts in, events out, tools run on the way.

It is built from ports alone and knows no vendor, no file format, no screen and no settings.
"""

from gemini_cli.engine.loop.children import AgentTool
from gemini_cli.engine.loop.limits import LoopLimits
from gemini_cli.engine.loop.session import Session

__all__ = ["AgentTool", "LoopLimits", "Session"]
