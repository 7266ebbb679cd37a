"""The machine: files, processes, the workspace check, git, the keychain, the terminal.

The door stays empty so that nobody pays for what they do not use: import the modules by name
(`gemini_cli.ground.host.files`). Only `ignore` and `search` cost a third-party import at the
top; `keychain` pays for its own when it is first asked. It knows nothing of agents.
"""
