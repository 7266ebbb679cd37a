"""What is sent to a model about each tool, to the letter, so that no change goes unnoticed."""

import json
import textwrap

from inline_snapshot import snapshot

from gemini_cli.engine.tools import ReadFile, Replace, Shell
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


def test_replace():
    assert spelled(Replace()) == snapshot("""\
{
 "name": "replace",
 "description": "Replaces a piece of text in a file, or makes a new file when old_string \n\
is empty. Exactly one place is changed unless allow_multiple is true.\\n\\nRead the file \n\
first. Quote old_string as it stands in the file, with its white space and indentation, \n\
and with enough lines around it that it occurs only once. Write new_string out in full: a \n\
remark such as \\"rest of code ...\\" in place of code is refused. Small differences in \n\
white space are forgiven, but do not rely on it.",
 "parametersJsonSchema": {
  "type": "object",
  "properties": {
   "file_path": {
    "type": "string",
    "description": "Path of the file, absolute or relative to the working directory."
   },
   "instruction": {
    "type": "string",
    "description": "What the change is for and what it should achieve, in a sentence or \n\
two that somebody could follow without seeing the rest of the conversation."
   },
   "old_string": {
    "type": "string",
    "description": "The text to replace, literally as it stands in the file. Empty to \n\
create the file."
   },
   "new_string": {
    "type": "string",
    "description": "The text to put in its place, literally."
   },
   "allow_multiple": {
    "type": "boolean",
    "description": "True to replace every occurrence of old_string; otherwise there has to
 be exactly one."
   }
  },
  "required": [
   "file_path",
   "instruction",
   "old_string",
   "new_string"
  ]
 }
}\
""")


def test_replace_says_what_plan_mode_allows():
    usual, planning = Replace(), Replace().for_plans()
    description = planning.declaration("gemini-3")["description"]
    assert description.startswith("You are in plan mode: this tool only writes plans")
    assert description.endswith(usual.declaration("gemini-3")["description"])


def test_run_shell_command():
    assert spelled(Shell()) == snapshot("""\
{
 "name": "run_shell_command",
 "description": "Runs a command with bash and gives back what it wrote and how it \n\
ended.\\n\\nThe answer consists of these lines, as far as they apply:\\n- Output: standard \n\
output and error, in the order they came, or (empty)\\n- Exit Code: when it was not 0\\n- \n\
Signal: the number of the signal that ended it\\n- Background PIDs: processes the command \n\
left running with &\\n- Process Group PGID: the group of the command, to signal all of \n\
it\\n\\nThere is no terminal and no input: choose options that ask no questions and use no \n\
pager. Command substitution is refused: run the inner command first, then use what it \n\
printed. Give every path in full or relative to the directory of the command; cd does not \n\
carry over to the next call. Say in a sentence what a command that changes something will \n\
do before you run it.",
 "parametersJsonSchema": {
  "type": "object",
  "properties": {
   "command": {
    "type": "string",
    "description": "The command line, exactly as bash should run it."
   },
   "description": {
    "type": "string",
    "description": "What it does and why, in a few words for the person who is asked to \n\
approve it."
   },
   "dir_path": {
    "type": "string",
    "description": "Directory to run in, inside the workspace. Leave it out for the \n\
working directory."
   }
  },
  "required": [
   "command"
  ]
 }
}\
""")


def test_both_families_read_the_same_where_nothing_differs():
    for tool in (ReadFile(), Replace(), Shell()):
        assert tool.declaration("gemini-3") == tool.declaration("default-legacy")
