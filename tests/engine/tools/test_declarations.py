"""What is sent to a model about each tool, to the letter, so that no change goes unnoticed."""

import json
import textwrap

from inline_snapshot import snapshot

from gemini_cli.engine.tools import ReadFile
from gemini_cli.protocol.tools import Tool


def spelled(tool: Tool) -> str:
    """The declaration as JSON with its texts wrapped, for reading."""
    lines = json.dumps(tool.declaration("gemini-3"), indent=1).splitlines()
    return "\n".join("\n".join(textwrap.wrap(line, 90, drop_whitespace=False)) for line in lines)


def test_read_file():
    assert spelled(ReadFile()) == snapshot("""\
{
 "name": "read_file",
 "description": "Reads one file and gives back its content. Text comes without line \n\
numbers; pictures, PDF documents, sound and film come as data you can look at or listen \n\
to.\\n\\nAt most 2000 lines are returned in one go, and a line is cut after 2000 characters.
 When something was left out, the answer begins with a header that says which lines you \n\
see and how to ask for the next ones. Read several small files with parallel calls; of a \n\
large file ask only for the lines you need.",
 "parametersJsonSchema": {
  "type": "object",
  "properties": {
   "file_path": {
    "type": "string",
    "description": "Path of the file, absolute or relative to the working directory."
   },
   "start_line": {
    "type": "integer",
    "description": "First line to return, counting from 1. Leave it out to begin at the \n\
top.",
    "minimum": 1
   },
   "end_line": {
    "type": "integer",
    "description": "Last line to return, itself included. Needs to be at least start_line.
 Leave it out to get up to 2000 lines.",
    "minimum": 1
   }
  },
  "required": [
   "file_path"
  ]
 }
}\
""")


def test_both_families_read_the_same_where_nothing_differs():
    for tool in (ReadFile(),):
        assert tool.declaration("gemini-3") == tool.declaration("default-legacy")
