"""Entry point of `python -m gemini_cli.sdk.testing.demo`. It only hands over the arguments."""

import sys

from gemini_cli.sdk.testing.demo.run import main

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
