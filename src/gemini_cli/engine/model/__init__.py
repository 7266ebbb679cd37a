"""Language models behind the `Models` port: requests, answers, retries, accounts, names.

`open_models` builds it all from settings and values; the HTTP client is handed in. This
room knows the Gemini API and nothing of conversations, tools or screens.
"""

from gemini_cli.engine.model.account import (
    ENFORCED,
    SETTING,
    Account,
    AuthKind,
    AuthSettings,
    choose_kind,
)
from gemini_cli.engine.model.assemble import ModelSettings, Recordings, open_models
from gemini_cli.engine.model.catalog import (
    Access,
    is_auto,
    is_gemini_2,
    is_gemini_3,
    is_modern,
    limits_of,
    resolve_name,
)
from gemini_cli.engine.model.configs import ConfigKey, ModelConfigs, ResolvedConfig
from gemini_cli.engine.model.gemini import Answered, GeminiModels
from gemini_cli.engine.model.headers import Identity, surface_of
from gemini_cli.engine.model.retry import RetryPolicy
from gemini_cli.engine.model.tokens import estimate_messages, estimate_text, estimate_tokens
from gemini_cli.engine.model.transport import ModelCall, Transport

__all__ = [
    "ENFORCED",
    "SETTING",
    "Access",
    "Account",
    "Answered",
    "AuthKind",
    "AuthSettings",
    "ConfigKey",
    "GeminiModels",
    "Identity",
    "ModelCall",
    "ModelConfigs",
    "ModelSettings",
    "Recordings",
    "ResolvedConfig",
    "RetryPolicy",
    "Transport",
    "choose_kind",
    "estimate_messages",
    "estimate_text",
    "estimate_tokens",
    "is_auto",
    "is_gemini_2",
    "is_gemini_3",
    "is_modern",
    "limits_of",
    "open_models",
    "resolve_name",
    "surface_of",
]
