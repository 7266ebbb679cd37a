"""The seam between building requests and getting answers: one call in, raw JSON out.

`client` fulfils it over HTTP and `record` from a file, so fakes and recordings run through
every line above. Errors are `ModelError`s already.
"""

from collections.abc import AsyncGenerator
from typing import Protocol

import msgspec

from gemini_cli.engine.model.endpoints import Method
from gemini_cli.protocol.jsonvalue import JsonObject


class ModelCall(msgspec.Struct, frozen=True):
    """One request to one method of a model."""

    method: Method
    model: str
    body: JsonObject


class Transport(Protocol):
    """Gets answers."""

    async def open(self, call: ModelCall) -> AsyncGenerator[JsonObject, None]:
        """Sends; returns once the service has accepted, then yields the pieces."""
        ...

    async def once(self, call: ModelCall) -> JsonObject:
        """Sends and returns the whole answer."""
        ...

    async def aclose(self) -> None:
        """Lets connections and files go."""
        ...
