"""The vocabulary every room shares: data, ports and errors, and nothing that acts.

It imports nothing of ours. Import the modules by name (`gemini_cli.protocol.messages`):
the door stays empty so that `--version` and small tools do not pay for the whole of it.
"""
