"""What models cost, as a dated table, and what a request cost by it.

List prices in US dollars for a million tokens. A model that is not in the table has no price:
its cost is None, never zero and never a guess from a similar name.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from gemini_cli.transcripts.model import Usage

AS_OF = "2026-06-15"
"""When the table was last compared with the vendors' price lists."""
_MILLION = 1_000_000


class Price(Struct, frozen=True):
    """Dollars for a million tokens. Above `threshold` input tokens the `long_*` prices hold."""

    input: float
    output: float
    cache_read: float
    cache_write: float = 0.0
    threshold: int | None = None
    long_input: float = 0.0
    long_output: float = 0.0
    long_cache_read: float = 0.0
    long_cache_write: float = 0.0


def _claude(input_price: float, output: float) -> Price:
    return Price(input_price, output, input_price * 0.1, input_price * 1.25)


_SONNET_LONG = Price(3, 15, 0.3, 3.75, 200_000, 6, 22.5, 0.6, 7.5)
_GEMINI_25_PRO = Price(1.25, 10, 0.125, 0, 200_000, 2.5, 15, 0.25)
_GEMINI_3_PRO = Price(2, 12, 0.2, 0, 200_000, 4, 18, 0.4)
_GPT_52 = Price(1.75, 14, 0.175)
_GPT_5 = Price(1.25, 10, 0.125)

PRICES: Mapping[str, Price] = {
    "gemini-3.5-flash": Price(1.5, 9, 0.15),
    "gemini-3.1-pro-preview": _GEMINI_3_PRO,
    "gemini-3.1-pro-preview-customtools": _GEMINI_3_PRO,
    "gemini-3.1-flash-lite": Price(0.25, 1.5, 0.025),
    "gemini-3.1-flash-lite-preview": Price(0.25, 1.5, 0.025),
    "gemini-3-pro-preview": _GEMINI_3_PRO,
    "gemini-3-flash-preview": Price(0.5, 3, 0.05),
    "gemini-2.5-pro": _GEMINI_25_PRO,
    "gemini-2.5-flash": Price(0.3, 2.5, 0.03),
    "gemini-2.5-flash-lite": Price(0.1, 0.4, 0.01),
    "gemini-2.0-flash": Price(0.1, 0.4, 0.025),
    "gemini-2.0-flash-lite": Price(0.075, 0.3, 0.075),
    "claude-opus-4-7": _claude(5, 25),
    "claude-opus-4-6": _claude(5, 25),
    "claude-opus-4-5": _claude(5, 25),
    "claude-sonnet-4-6": _claude(3, 15),
    "claude-opus-4-1": _claude(15, 75),
    "claude-opus-4": _claude(15, 75),
    "claude-sonnet-4-5": _SONNET_LONG,
    "claude-sonnet-4": _SONNET_LONG,
    "claude-3-7-sonnet": _claude(3, 15),
    "claude-3-5-sonnet": _claude(3, 15),
    "claude-haiku-4-5": _claude(1, 5),
    "claude-3-5-haiku": _claude(0.8, 4),
    "claude-3-haiku": Price(0.25, 1.25, 0.03, 0.3),
    "claude-3-opus": _claude(15, 75),
    "gpt-5.5": Price(5, 30, 0.5, 0, 272_000, 10, 45, 1),
    "gpt-5.4": Price(2.5, 15, 0.25, 0, 272_000, 5, 22.5, 0.5),
    "gpt-5.4-mini": Price(0.75, 4.5, 0.075),
    "gpt-5.4-nano": Price(0.2, 1.25, 0.02),
    "gpt-5.3-codex": _GPT_52,
    "gpt-5.2": _GPT_52,
    "gpt-5.2-codex": _GPT_52,
    "gpt-5.1": _GPT_5,
    "gpt-5.1-codex": _GPT_5,
    "gpt-5.1-codex-max": _GPT_5,
    "gpt-5.1-codex-mini": Price(0.25, 2, 0.025),
    "gpt-5": _GPT_5,
    "gpt-5-codex": _GPT_5,
    "gpt-5-mini": Price(0.25, 2, 0.025),
    "gpt-5-nano": Price(0.05, 0.4, 0.005),
    "gpt-4.1": Price(2, 8, 0.5),
    "gpt-4.1-mini": Price(0.4, 1.6, 0.1),
    "gpt-4.1-nano": Price(0.1, 0.4, 0.025),
    "gpt-4o": Price(2.5, 10, 1.25),
    "gpt-4o-mini": Price(0.15, 0.6, 0.075),
    "o3": Price(2, 8, 0.5),
    "o4-mini": Price(1.1, 4.4, 0.275),
    "codex-mini-latest": Price(1.5, 6, 0.375),
}

_DATED = re.compile(r"(?:-latest|[-@](?:20\d{6}|20\d\d-\d\d-\d\d|0)|-v\d+(?::\d+)?)+$")
_PREFIX = re.compile(r"^(?:models/|(?:[a-z]{2}\.)?anthropic[./]|openai/|google/|publishers/.*/)")


def price_of(model: str | None, prices: Mapping[str, Price] = PRICES) -> Price | None:
    """The price of a model; a release date at the end of its name does not matter."""
    if not model:
        return None
    name = _PREFIX.sub("", model.strip().lower()).removesuffix("[1m]")
    return prices.get(name) or prices.get(_DATED.sub("", name))


def cost_of(usage: Usage, model: str | None, prices: Mapping[str, Price] = PRICES) -> float | None:
    """What one request cost in dollars, or None when the model has no known price."""
    price = price_of(model, prices)
    if price is None:
        return None
    fresh, read, written, output, reasoning = usage.normalized()
    long = price.threshold is not None and fresh + read + written > price.threshold
    rates = (
        (price.long_input, price.long_cache_read, price.long_cache_write, price.long_output)
        if long
        else (price.input, price.cache_read, price.cache_write, price.output)
    )
    tokens = (fresh, read, written, output + reasoning)
    return sum(count * rate for count, rate in zip(tokens, rates, strict=True)) / _MILLION
