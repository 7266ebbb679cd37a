"""A door: imports what is heavy only when somebody goes through.

Every function here opens one room that a run may never need.
"""

from gemini_cli.ground.net.exchange import HttpClient, HttpOptions


def http_client(options: HttpOptions) -> HttpClient:
    """The network: an HTTP stack, TLS and certificates."""
    from gemini_cli.ground.net.http import Http

    return Http(options)
