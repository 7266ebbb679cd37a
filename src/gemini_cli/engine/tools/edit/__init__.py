"""The tool `replace`: finds a text in a file, however sloppily it was quoted, and replaces it.

Pure parts (finding, diffs, excerpts) are modules of their own; only `tool` touches files.
"""
