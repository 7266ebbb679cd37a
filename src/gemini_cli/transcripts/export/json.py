"""A conversation as one JSON document: its facts, and every message with its original record.

Nothing is left out and nothing is changed; what no UTF-8 text can hold is written as an escape.
"""

import json as stdlib_json
from collections.abc import Mapping, Sequence

from gemini_cli.transcripts.codec import Style, to_dict
from gemini_cli.transcripts.export.thread import arrange, sums
from gemini_cli.transcripts.model import UnifiedMessage


def json_document(
    messages: Sequence[UnifiedMessage],
    title: str,
    meta: Mapping[str, str] | None = None,
    style: Style = "snake",
) -> str:
    """The document, indented. `messages` are what `from_dict` of the codec reads back."""
    total = sums(arrange(messages))
    head = {
        "title": title,
        "meta": dict(meta or {}),
        "totals": {
            "input_tokens": total.input,
            "cached_tokens": total.cached,
            "output_tokens": total.output,
            "cost_usd": total.cost,
            "requests_without_price": total.unpriced,
        },
    }
    # One message at a time: a long session as plain objects is many times its text.
    parts = [_indented(head, "")[:-2], ',\n  "messages": [']
    for place, message in enumerate(messages):
        parts += [",\n    " if place else "\n    ", _indented(to_dict(message, style), "    ")]
    parts.append("\n  ]\n}\n" if messages else "]\n}\n")
    return "".join(parts)


def _indented(value: object, margin: str) -> str:
    text = stdlib_json.dumps(value, indent=2, ensure_ascii=False, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = stdlib_json.dumps(value, indent=2, default=str)
    return text.replace("\n", "\n" + margin)
