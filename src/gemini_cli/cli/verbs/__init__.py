"""The verbs of the command line, one file each, imported only when called."""
