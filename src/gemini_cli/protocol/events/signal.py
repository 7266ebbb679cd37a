"""Facts for telemetry only; no face shows them."""

from typing import ClassVar

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject


class Signal(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A named fact with its attributes."""

    durable: ClassVar[bool] = False
    name: str
    attrs: JsonObject = {}
