"""Who pays for the requests: the kind of sign-in and the credential that goes with it."""

from gemini_cli.engine.model.account.choice import (
    ENFORCED,
    SETTING,
    AuthKind,
    AuthSettings,
    choose_kind,
)
from gemini_cli.engine.model.account.credential import Account, open_account

__all__ = [
    "ENFORCED",
    "SETTING",
    "Account",
    "AuthKind",
    "AuthSettings",
    "choose_kind",
    "open_account",
]
