"""The HTTP library, imported without a look at its installed package data.

httpx2 asks `importlib.metadata` for its own version while it is imported, which costs about a
tenth of our whole start and is used for nothing we send. Its version module is put in place
first; everything else of the library is as installed. Nothing else may live here.
"""

import sys
from types import ModuleType

_NAME = "httpx2.__version__"

if _NAME not in sys.modules:
    _version = ModuleType(_NAME)
    _version.__dict__.update(__title__="httpx2", __description__="HTTP client", __version__="2")
    sys.modules[_NAME] = _version

import httpx2  # noqa: E402

__all__ = ["httpx2"]
