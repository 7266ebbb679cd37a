"""Talking over the network: HTTP, server-sent events and the protocols on top of them.

The door is empty on purpose: import `gemini_cli.ground.net.http` and its neighbours by
name, so that a path which never opens a connection does not pay for an HTTP stack.
"""
