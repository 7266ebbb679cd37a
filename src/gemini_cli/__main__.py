"""`python -m gemini_cli` is the `gemini` command."""

from gemini_cli.cli.main import main

main()
