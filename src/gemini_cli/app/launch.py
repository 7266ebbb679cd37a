"""How a person wants this run to be, whatever the settings say.

A face or the SDK fills it in; the command line is one of several ways to do so.
"""

import msgspec


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """Wishes for one run. None means: as the settings say."""

    model: str | None = None
    mode: str | None = None
    """An approval mode as the command line spells it."""
    session_id: str | None = None
    interactive: bool = False
    """Whether a person can answer questions."""
    skip_trust: bool = False
    ignore_env: bool = False
    sandbox: bool | None = None
    roots: tuple[str, ...] = ()
    """Further folders to work in."""
    api_key: str | None = None
    fake_responses: str | None = None
    fake_responses_non_strict: str | None = None
    record_responses: str | None = None
    allowed_tools: tuple[str, ...] = ()
    debug: bool = False
    surface: str = "tui"
    """The name of the face in the User-Agent."""
    persist: bool = True
    """Whether sessions are written down."""
