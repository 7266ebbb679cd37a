"""A terminal AI agent: the `gemini` command and the library underneath it.

This package root holds the version and nothing else; the public doors are
`gemini_cli.sdk`, `gemini_cli.transcripts` and `gemini_cli.claude_plugins`.
"""

__version__ = "0.1.0"
