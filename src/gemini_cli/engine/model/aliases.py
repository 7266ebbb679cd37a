"""The built-in model settings: names of configurations, what they inherit and what they set.

Data only, in the shape a person writes under `modelConfigs.customAliases`; `configs`
resolves it. Model names change every few releases and belong here and in `catalog`.
"""

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


def _alias(
    extends: str | None = None, model: str | None = None, **generation: JsonValue
) -> JsonObject:
    config: JsonObject = {"model": model} if model else {}
    if generation:
        config["generateContentConfig"] = generation
    return ({"extends": extends} if extends else {}) | {"modelConfig": config}


def _chat(family: str, *models: str) -> dict[str, JsonObject]:
    return {model: _alias(f"chat-base-{family}", model) for model in models}


def _thinking(**values: JsonValue) -> JsonObject:
    return {"thinkingConfig": values}


_BASES = {
    "base": _alias(temperature=0, topP=1),
    "chat-base": _alias(
        "base", temperature=1, topP=0.95, topK=64, thinkingConfig={"includeThoughts": True}
    ),
    "chat-base-2.5": _alias("chat-base", **_thinking(thinkingBudget=8192)),
    "chat-base-3": _alias("chat-base", **_thinking(thinkingLevel="HIGH")),
    "gemini-2.5-flash-base": _alias("base", "gemini-2.5-flash"),
    "gemini-3-flash-base": _alias("base", "gemini-3-flash-preview"),
    "gemini-3.5-flash-base": _alias("base", "gemini-3.5-flash"),
}

_CHAT = {
    **_chat("2.5", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"),
    **_chat(
        "3",
        "gemini-3-pro-preview",
        "gemini-3-flash-preview",
        "gemini-3.1-pro-preview",
        "gemini-3.1-pro-preview-customtools",
        "gemini-3.1-flash-lite-preview",
        "gemini-3.1-flash-lite",
        "gemini-3.5-flash-lite",
        "gemini-3.5-flash",
        "gemini-3.8-flash",
        "gemma-4-31b-it",
        "gemma-4-26b-a4b-it",
    ),
}

_UTILITIES = {
    "classifier": _alias(
        "base", "flash-lite", maxOutputTokens=1024, thinkingConfig={"thinkingBudget": 512}
    ),
    "prompt-completion": _alias(
        "base",
        "flash-lite",
        temperature=0.3,
        maxOutputTokens=16000,
        thinkingConfig={"thinkingBudget": 0},
    ),
    "fast-ack-helper": _alias(
        "base",
        "flash-lite",
        temperature=0.2,
        maxOutputTokens=120,
        thinkingConfig={"thinkingBudget": 0},
    ),
    "edit-corrector": _alias("base", "flash-lite", **_thinking(thinkingBudget=0)),
    "summarizer-default": _alias("base", "flash-lite", maxOutputTokens=2000),
    "summarizer-shell": _alias("base", "flash-lite", maxOutputTokens=2000),
    "web-search": _alias("gemini-3-flash-base", tools=[{"googleSearch": {}}]),
    "web-fetch": _alias("gemini-3-flash-base", tools=[{"urlContext": {}}]),
    "web-fetch-fallback": _alias("gemini-3-flash-base"),
    "loop-detection": _alias("gemini-3-flash-base"),
    "loop-detection-double-check": _alias("base", "gemini-3-pro-preview"),
    "llm-edit-fixer": _alias("gemini-3-flash-base"),
    "next-speaker-checker": _alias("gemini-3-flash-base"),
    "context-snapshotter": _alias(
        "gemini-3-flash-base",
        temperature=1,
        topP=0.95,
        topK=64,
        thinkingConfig={"thinkingLevel": "HIGH"},
    ),
    "chat-compression-3-pro": _alias(None, "gemini-3-pro-preview"),
    "chat-compression-3-flash": _alias(None, "gemini-3-flash-preview"),
    "chat-compression-3.1-flash-lite": _alias(None, "gemini-3.1-flash-lite"),
    "chat-compression-2.5-pro": _alias(None, "gemini-2.5-pro"),
    "chat-compression-2.5-flash": _alias(None, "gemini-2.5-flash"),
    "chat-compression-2.5-flash-lite": _alias(None, "gemini-2.5-flash-lite"),
    "chat-compression-default": _alias(None, "gemini-3-pro-preview"),
    "agent-history-provider-summarizer": _alias(None, "gemini-3-flash-preview"),
}

ALIASES: dict[str, JsonObject] = {**_BASES, **_CHAT, **_UTILITIES}
"""Every built-in configuration by name."""

OVERRIDES: tuple[JsonObject, ...] = (
    {
        "match": {"model": "chat-base", "isRetry": True},
        "modelConfig": {"generateContentConfig": {"temperature": 1}},
    },
)
"""Built-in adjustments, applied before a person's own."""
