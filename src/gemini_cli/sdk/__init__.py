"""The public library: what programs import to drive a session or to test against one.

Import the part you need (`gemini_cli.sdk.testing`); the door itself loads nothing.
"""
