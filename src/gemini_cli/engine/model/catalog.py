"""What is known of models by name: what a symbolic name stands for, families and limits.

A name nobody knows is sent as it is; this page never refuses one. It asks no server.
"""

import re

import msgspec

from gemini_cli.protocol.model import Limits

AUTO = "auto"
_PRO, _FLASH, _FLASH_LITE = "gemini-3.1-pro-preview", "gemini-3.8-flash", "gemini-3.5-flash-lite"
_STABLE_PRO, _STABLE_FLASH = "gemini-2.5-pro", "gemini-3.5-flash"
_EARLIER = {
    _PRO: "gemini-3-pro-preview",
    _FLASH: "gemini-3-flash-preview",
    _FLASH_LITE: "gemini-3.1-flash-lite",
}

_NAMES = {
    AUTO: _PRO,
    "auto-gemini-3": _PRO,
    "pro": _PRO,
    "gemini-3-pro-preview": _PRO,
    "auto-gemini-2.5": _STABLE_PRO,
    "flash": _FLASH,
    "gemini-3-flash": _FLASH,
    "gemini-3.5-flash": _FLASH,
    "flash-lite": _FLASH_LITE,
    "gemini-3.1-flash-lite": _FLASH_LITE,
}
_WITHOUT_PREVIEW = {
    AUTO: _STABLE_PRO,
    "auto-gemini-3": _STABLE_PRO,
    "pro": _STABLE_PRO,
    "gemini-3-pro-preview": _STABLE_PRO,
    "gemini-3.1-pro-preview": _STABLE_PRO,
    "flash": _STABLE_FLASH,
    "gemini-3-flash-preview": _STABLE_FLASH,
}

_WINDOW = 1_048_576
_WINDOWS = {"gemma-4-31b-it": 256_000, "gemma-4-26b-a4b-it": 256_000}
_GEMINI_3 = re.compile(r"gemini-3(\.|-|$)")
_GEMINI_2 = re.compile(r"gemini-2(\.|$)")


class Access(msgspec.Struct, frozen=True):
    """Which models an account may use."""

    previews: bool = True
    latest: bool = True


def plain_name(model: str) -> str:
    """The name without blanks around it and without the service's `models/`."""
    return model.strip().removeprefix("models/")


def resolve_name(model: str, access: Access | None = None) -> str:
    """The concrete model behind a name; unknown names stand for themselves."""
    access = access or Access()
    name = plain_name(model)
    if not access.previews and name in _WITHOUT_PREVIEW:
        return _WITHOUT_PREVIEW[name]
    concrete = _NAMES.get(name, name)
    if access.latest or concrete == name:
        return concrete
    if name in ("gemini-3-flash", "gemini-3.5-flash", "gemini-3.1-flash-lite"):
        return name
    return _EARLIER.get(concrete, concrete)


def is_auto(model: str) -> bool:
    """Whether the product may choose the model for each prompt."""
    return plain_name(model).split("-", 1)[0] == AUTO


def nests_media(model: str) -> bool:
    """Whether this model takes images inside tool replies; the others want them behind."""
    return plain_name(model).startswith("gemini-3-")


def is_gemini_3(model: str) -> bool:
    """The present family."""
    return _GEMINI_3.match(plain_name(model)) is not None


def is_gemini_2(model: str) -> bool:
    """The family before."""
    return _GEMINI_2.match(plain_name(model)) is not None


def is_modern(model: str) -> bool:
    """Gemini 3, or a model that is not a Gemini at all."""
    return is_gemini_3(model) or not plain_name(model).startswith("gemini-")


def limits_of(model: str) -> Limits:
    """What fits into a model."""
    return Limits(input_tokens=_WINDOWS.get(plain_name(model), _WINDOW))
