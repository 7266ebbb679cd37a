"""How a turn is ended from deep inside: one exception that says how and why.

Only `turn` catches it.
"""

from gemini_cli.protocol.events import End, Problem


class Over(Exception):
    """The turn ends now, in this way."""

    def __init__(self, end: End, text: str = "", problem: Problem | None = None) -> None:
        super().__init__(text)
        self.end = end
        self.text = text
        self.problem = problem
