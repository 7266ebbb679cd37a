"""The main job with nothing set up: a real agent turn on a small project, without key or network.

Run it with `python -m gemini_cli.sdk.testing.demo`. The model's words come from a script; the
program, its tools, the edit and the test run are real. It leaves nothing behind.
"""
