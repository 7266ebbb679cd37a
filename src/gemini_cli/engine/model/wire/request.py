"""The body of a request: contents, instruction, tools and configuration in their places.

A model configuration is flat; the keys the service wants at the top level are lifted out
of it and the rest becomes `generationConfig`. Keys of the other Google service are refused
with their name rather than sent to fail.
"""

import msgspec

from gemini_cli.engine.model.reading import whole_characters
from gemini_cli.protocol.errors import BadRequest
from gemini_cli.protocol.jsonvalue import JsonObject

_LIFTED = ("systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent")
_VERTEX_ONLY = ("labels", "routingConfig", "modelSelectionConfig", "audioTimestamp")


def request_body(
    contents: list[JsonObject],
    config: JsonObject,
    *,
    system: str = "",
    tools: tuple[JsonObject, ...] = (),
    tool_config: JsonObject | None = None,
    model: str | None = None,
) -> JsonObject:
    """The JSON to post. `system`, `tools` and `tool_config` win over the configuration."""
    config = _without_nulls(config)
    _refuse_vertex_keys(config, model)
    lifted = {key: config.pop(key) for key in _LIFTED if key in config}
    if system:
        lifted["systemInstruction"] = system
    if tools:
        lifted["tools"] = [{"functionDeclarations": list(tools)}]
    if tool_config is not None:
        lifted["toolConfig"] = tool_config
    if isinstance(lifted.get("systemInstruction"), str):
        text = lifted["systemInstruction"]
        lifted["systemInstruction"] = {"role": "user", "parts": [{"text": text}]}
    body: JsonObject = {"contents": contents}
    body |= {key: lifted[key] for key in _LIFTED if key in lifted}
    body["generationConfig"] = config
    return body


def encode(body: JsonObject) -> bytes:
    """Compact UTF-8 in insertion order; half characters become the replacement mark."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(whole_characters(body))


def _refuse_vertex_keys(config: JsonObject, model: str | None) -> None:
    for key in _VERTEX_ONLY:
        if key in config:
            raise BadRequest(
                f"modelConfigs: {key} is understood by Vertex AI only. Take it out of the "
                f"configuration of {model or 'this model'}, or sign in with Vertex AI.",
                model=model,
            )


def _without_nulls(value: JsonObject) -> JsonObject:
    """Free of nulls down to the schemas, where null is a meaningful word."""
    return {
        key: _without_nulls(item) if isinstance(item, dict) and "Schema" not in key else item
        for key, item in value.items()
        if item is not None
    }
