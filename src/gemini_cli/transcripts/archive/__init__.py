"""All sessions of all tools at once: full-text search and statistics over a kept index.

The door of the archive; names are imported on first use. The index only repeats what the session
files say and can be deleted at any time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gemini_cli.transcripts.archive.index import Index, Update, default_folder, open_index
    from gemini_cli.transcripts.archive.prices import PRICES, Price, cost_of, price_of
    from gemini_cli.transcripts.archive.recent import matching_sessions, recent_sessions
    from gemini_cli.transcripts.archive.search import (
        Filters,
        Hit,
        SearchResult,
        find,
        search_sessions,
    )
    from gemini_cli.transcripts.archive.stats import (
        Numbers,
        Row,
        Stats,
        ToolRow,
        collect,
        session_stats,
    )

__all__ = [
    "PRICES",
    "Filters",
    "Hit",
    "Index",
    "Numbers",
    "Price",
    "Row",
    "SearchResult",
    "Stats",
    "ToolRow",
    "Update",
    "collect",
    "cost_of",
    "default_folder",
    "find",
    "matching_sessions",
    "open_index",
    "price_of",
    "recent_sessions",
    "search_sessions",
    "session_stats",
]
_MODULES = {
    "index": ("Index", "Update", "default_folder", "open_index"),
    "prices": ("PRICES", "Price", "cost_of", "price_of"),
    "recent": ("matching_sessions", "recent_sessions"),
    "search": ("Filters", "Hit", "SearchResult", "find", "search_sessions"),
    "stats": ("Numbers", "Row", "Stats", "ToolRow", "collect", "session_stats"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
