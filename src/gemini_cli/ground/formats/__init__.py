"""Text formats that people and other programs edit, read without losing what they wrote.

Import the modules by name (`gemini_cli.ground.formats.jsonc`): each has its own cost, so the
door exports nothing.
"""
