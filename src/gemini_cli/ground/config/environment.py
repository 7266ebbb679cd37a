"""The variables that stand for a setting: each wins over the files, and flags win over it.

Only variables that mean exactly what one key means are here. Others, such as those of the
sandbox, have rules of their own in the rooms that use them.
"""

from gemini_cli.ground.config.env import Env, as_text
from gemini_cli.protocol.jsonvalue import JsonValue

_TEXTS = {
    "GEMINI_MODEL": "model.name",
    "GEMINI_CLI_EXTENSION_REGISTRY_URI": "experimental.extensionRegistryURI",
    "GEMINI_TELEMETRY_TARGET": "telemetry.target",
    "GEMINI_TELEMETRY_OTLP_PROTOCOL": "telemetry.otlpProtocol",
    "GEMINI_TELEMETRY_OUTFILE": "telemetry.outfile",
}
_SWITCHES = {
    "GEMINI_TELEMETRY_ENABLED": "telemetry.enabled",
    "GEMINI_TELEMETRY_TRACES_ENABLED": "telemetry.traces",
    "GEMINI_TELEMETRY_LOG_PROMPTS": "telemetry.logPrompts",
    "GEMINI_TELEMETRY_USE_COLLECTOR": "telemetry.useCollector",
    "GEMINI_TELEMETRY_USE_CLI_AUTH": "telemetry.useCliAuth",
}
_ENDPOINTS = ("GEMINI_TELEMETRY_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def settings_of(env: Env) -> dict[str, tuple[str, JsonValue]]:
    """Key → (variable, value) for every variable that is set. Switches are on for true and 1."""
    found: dict[str, tuple[str, JsonValue]] = {}
    for name, key in _TEXTS.items():
        if text := env.text(name):
            found[key] = (name, as_text(text))
    for name, key in _SWITCHES.items():
        if name in env:
            found[key] = (name, env.flag(name))
    endpoint = next((name for name in _ENDPOINTS if name in env), None)
    if endpoint is not None:
        found["telemetry.otlpEndpoint"] = (endpoint, env[endpoint])
    return found
