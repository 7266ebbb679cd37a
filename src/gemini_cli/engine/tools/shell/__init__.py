"""The tool `run_shell_command`: reads the command, runs it, tells what came out.

`reading` understands command lines without running anything; `running` owns a process while
it lasts; `tool` puts both together.
"""
