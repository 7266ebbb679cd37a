"""The product's messages and the service's JSON, in both directions. Pure; it sends nothing."""

from gemini_cli.engine.model.wire.contents import NO_SIGNATURE, contents_to_wire
from gemini_cli.engine.model.wire.parts import MEDIA, part_from_wire
from gemini_cli.engine.model.wire.request import encode, request_body
from gemini_cli.engine.model.wire.response import AnswerReader, name_calls

__all__ = [
    "MEDIA",
    "NO_SIGNATURE",
    "AnswerReader",
    "contents_to_wire",
    "encode",
    "name_calls",
    "part_from_wire",
    "request_body",
]
