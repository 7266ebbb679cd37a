"""A conversation as one HTML page that needs nothing else: no requests, no outside code.

A strict content policy backs that up: only the page's own style and script run, by their hash.
Everything from the session is escaped; what a reader rarely needs is folded.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from gemini_cli.transcripts.archive.prices import AS_OF, cost_of
from gemini_cli.transcripts.export.clean import escape
from gemini_cli.transcripts.export.media import media_html
from gemini_cli.transcripts.export.prose import prose
from gemini_cli.transcripts.export.thread import Entry, Exchange, Item, arrange, headline, sums
from gemini_cli.transcripts.export.tools import exchange_html, result_html
from gemini_cli.transcripts.model import (
    DocumentBlock,
    ImageBlock,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedMessage,
    UnknownBlock,
)

_NAMES = {
    "claude": "Claude",
    "codex": "Codex",
    "gemini": "Gemini",
    "cursor": "Cursor",
    "qwen": "Qwen",
    "opencode": "OpenCode",
    "copilot": "Copilot",
}
_CONTENTS_FROM = 2


def page(
    messages: Sequence[UnifiedMessage],
    title: str,
    meta: Mapping[str, str] | None = None,
) -> str:
    """The whole page. `meta` are facts for its head, such as project and model."""
    entries = arrange(messages)
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    shown = title.strip() or "Conversation"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(shown)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#m1">Skip to the conversation</a>\n'
        f"{_head(shown, meta or {}, entries)}"
        f'<div class="layout">{_contents(entries)}<main>\n'
        f"{''.join(_entry(entry) for entry in entries) or _EMPTY}"
        f"</main></div>\n<script>{script}</script>\n</body>\n</html>\n"
    )


_EMPTY = '<p class="note">This session holds no messages.</p>'


@cache
def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def _head(title: str, meta: Mapping[str, str], entries: Sequence[Entry]) -> str:
    facts = [(key, value) for key, value in meta.items() if value]
    facts += _figures(entries)
    rows = "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts)
    return (
        f'<header class="top"><h1 dir="auto">{escape(title)}</h1><dl class="facts">{rows}</dl>'
        '<div class="buttons"><button type="button" id="fold" hidden>Open all</button>'
        '<button type="button" id="talk" aria-pressed="false" hidden>Conversation only</button>'
        "</div></header>\n"
    )


def _figures(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    total = sums(entries)
    found = [("When", _span(entries)), ("Messages", f"{len(entries):,}")]
    if total.calls:
        failed = f", {total.failed:,} failed" if total.failed else ""
        found.append(("Tool calls", f"{total.calls:,}{failed}"))
    if total.input or total.output:
        cached = f" ({total.cached:,} cached)" if total.cached else ""
        found.append(("Tokens", f"{total.input:,} in{cached} · {total.output:,} out"))
    if total.cost is not None:
        more = f" + {total.unpriced} without a known price" if total.unpriced else ""
        found.append(("Cost", f"{money(total.cost)}{more} (list prices of {AS_OF})"))
    elif total.unpriced:
        found.append(("Cost", "unknown: no price for this model"))
    return [(key, value) for key, value in found if value]


def _span(entries: Sequence[Entry]) -> str:
    moments = [entry.message.timestamp for entry in entries if entry.message.timestamp > 0]
    first, last = (_moment(found(moments, default=0)) for found in (min, max))
    if not (first and last):
        return ""
    begin, end = f"{first[:10]} {first[11:16]}", f"{last[:10]} {last[11:16]}"
    if begin == end:
        return f"{begin} UTC"
    return f"{begin} – {last[11:16] if first[:10] == last[:10] else end} UTC"


def money(value: float) -> str:
    """Dollars, with more digits where the sum is small."""
    return f"${value:,.2f}" if value >= 1 else f"${value:.4f}"


def _contents(entries: Sequence[Entry]) -> str:
    asked = [entry for entry in entries if _is_prompt(entry.message)]
    if len(asked) < _CONTENTS_FROM:
        return ""
    rows = "".join(
        f'<li><a href="#m{entry.number}">{escape(headline(entry.message, 70))}</a></li>'
        for entry in asked
    )
    return (
        f'<nav aria-label="Prompts"><details id="prompts" open><summary>Prompts</summary><ol>{rows}'
        "</ol></details></nav>"
    )


def _is_prompt(message: UnifiedMessage) -> bool:
    hidden = message.is_meta or message.is_sidechain
    return message.role == "user" and not hidden and bool(headline(message))


def _entry(entry: Entry) -> str:
    message = entry.message
    kinds = [message.role, *(["goes-on"] if entry.follows else [])]
    kinds += ["aside"] if message.is_sidechain or message.is_meta else []
    body = "".join(_item(item, message.role) for item in entry.items)
    return (
        f'<article id="m{entry.number}" class="{" ".join(kinds)}">'
        f"{_heading(entry)}{body}{_foot(entry)}</article>\n"
    )


def _heading(entry: Entry) -> str:
    if entry.follows:
        return ""
    message = entry.message
    who = {"user": "You", "system": "Notice"}.get(message.role) or _NAMES.get(message.tool, "Model")
    extra = " · subagent" if message.is_sidechain else " · context" if message.is_meta else ""
    model = f'<span class="model">{escape(message.model)}</span>' if message.model else ""
    label = f"Link to message {entry.number}"
    anchor = f'<a class="anchor" href="#m{entry.number}" aria-label="{label}">#</a>'
    return (
        f'<div class="head"><h2 class="who">{escape(who)}{extra}</h2>'
        f"{model}{_time(message.timestamp)}{anchor}</div>"
    )


def _time(milliseconds: int, short: bool = False) -> str:
    moment = _moment(milliseconds)
    if not moment:
        return ""
    shown = moment[11:16] if short else moment[:16].replace("T", " ")
    return f'<time datetime="{moment}" title="{moment[:19].replace("T", " ")} UTC">{shown}</time>'


def _moment(milliseconds: int) -> str:
    if milliseconds <= 0:
        return ""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def _foot(entry: Entry) -> str:
    usage = entry.usage
    if usage is None:
        return ""
    fresh, read, written, output, reasoning = usage.normalized()
    parts = [f"{fresh + read + written:,} in"]
    parts += [f"{read:,} cached"] if read else []
    parts += [f"{output + reasoning:,} out"]
    parts += [f"{reasoning:,} thinking"] if reasoning else []
    cost = cost_of(usage, entry.message.model)
    parts += [money(cost)] if cost is not None else []
    moment = _time(entry.message.timestamp, short=True) if entry.follows else ""
    parts += [moment] if moment else []
    return f'<div class="foot">{" · ".join(parts)}</div>'


def _item(item: Item, role: str) -> str:
    match item:
        case Exchange():
            return exchange_html(item)
        case TextBlock():
            return _words(item.text, role)
        case ThinkingBlock():
            return _thinking(item)
        case SlashCommandBlock():
            args = f" {escape(item.args)}" if item.args else ""
            return f'<p class="slash"><code>{escape(item.command)}{args}</code></p>'
        case ImageBlock() | DocumentBlock():
            return media_html(item)
        case ToolResultBlock():
            head = '<summary><span class="name">Result</span></summary>'
            inside = f'<div class="inside">{result_html(item)}</div>'
            return f'<details class="tool">{head}{inside}</details>'
        case ToolUseBlock():
            return exchange_html(Exchange(item))
        case UnknownBlock():
            return f'<p class="note">[{escape(item.type)}]</p>'


def _words(text: str, role: str) -> str:
    if not text.strip():
        return ""
    if role == "assistant":
        return f'<div class="prose" dir="auto">{prose(text)}</div>'
    return f'<div class="plain" dir="auto">{escape(text.strip())}</div>'


def _gist(thinking: str) -> str:
    """The first words, without the marks of Markdown."""
    return " ".join(thinking.replace("**", "").replace("`", "").split())[:100]


def _thinking(block: ThinkingBlock) -> str:
    if not block.thinking.strip():
        return '<p class="note">Thinking that the service keeps to itself.</p>'
    return (
        '<details class="thinking"><summary><span class="name">Thinking</span>'
        f'<span class="about">{escape(_gist(block.thinking))}</span></summary>'
        f'<div class="inside prose">{prose(block.thinking)}</div></details>'
    )
