"""The machine: files, processes, the workspace check, git, the keychain, the terminal.

The door stays empty so that nobody pays for what they do not use: import the modules by name
(`gemini_cli.ground.host.files`). `keychain` imports its costly libraries when it is first
asked; nothing else needs any. It knows nothing of agents.
"""
