"""The command line: flags, verbs and exit codes. Everything else lies behind a door."""
