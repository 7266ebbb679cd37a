"""Copilot CLI: its stored sessions and its live stream in the unified shape.

The door stays empty; `load`, `parse`, `names` and the rest are imported by name when this tool
is asked for, so that the other tools do not pay for it.
"""
