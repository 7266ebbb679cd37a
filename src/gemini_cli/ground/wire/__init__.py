"""The two wires of a session: events out to everybody, questions out and answers back in.

It knows neither sessions nor faces; it carries what the one publishes to the other.
"""

from gemini_cli.ground.wire.bus import LocalBus
from gemini_cli.ground.wire.people import LocalPeople

__all__ = ["LocalBus", "LocalPeople"]
