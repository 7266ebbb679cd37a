"""Names for JSON as Python sees it, for the seams where a value has no fixed shape.

Everything with a known shape is a Struct elsewhere; these aliases are for what people,
servers and models put into free-form objects.
"""

from typing import Any, TypeAlias

JsonValue: TypeAlias = Any
"""Null, bool, number, string, list or object, as `json.loads` would give it."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object; insertion order is kept and is part of what we send."""
