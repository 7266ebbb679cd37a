"""The model's Markdown as HTML that can do no harm.

Raw HTML stays text, only http, https and mailto addresses become links, and pictures from
elsewhere become links, so that opening a page never asks another machine for anything.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from gemini_cli.transcripts.export.clean import escape, plain, safe_link
from gemini_cli.transcripts.export.diff import diff_lines

_LIMIT = 64_000
"""Longer texts are shown as they are: rendering them would take too long."""


def prose(text: str) -> str:
    """Markdown as HTML."""
    if len(text) > _LIMIT:
        return f'<div class="plain">{escape(text)}</div>'
    rendered: str = _markdown().render(plain(text))
    return rendered


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": False})
    markdown.enable(["table", "strikethrough"])
    markdown.validateLink = lambda url: safe_link(url) is not None  # type: ignore[method-assign]
    markdown.add_render_rule("link_open", _link_open)
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("fence", _fence)
    markdown.add_render_rule("heading_open", _heading)
    markdown.add_render_rule("heading_close", _heading)
    markdown.add_render_rule("table_open", lambda *_: '<div class="wide"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    markdown.add_render_rule("th_open", _cell_open)
    markdown.add_render_rule("td_open", _cell_open)
    return markdown


def _link_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    url = safe_link(str(tokens[index].attrGet("href") or ""))
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">' if url else "<a>"


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    url = safe_link(str(token.attrGet("src") or ""))
    label = escape(token.content or "image")
    if url is None:
        return f"<span>[{label}]</span>"
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">[{label}]</a>'


def _heading(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    # The page's own headings are the title and the speakers: a text's stand below them.
    level = min(6, int(tokens[index].tag[1]) + 2)
    return f"<h{level}>" if tokens[index].nesting > 0 else f"</h{level}>\n"


def _cell_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    # The page's policy forbids style attributes, which the library uses for alignment.
    token = tokens[index]
    side = str(token.attrGet("style") or "").removeprefix("text-align:")
    return f'<{token.tag} class="{side}">' if side in ("right", "center") else f"<{token.tag}>"


def _fence(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    language = token.info.strip().split(" ", 1)[0]
    label = f'<span class="lang">{escape(language)}</span>' if language else ""
    body = diff_lines(token.content) if language in ("diff", "patch") else escape(token.content)
    return f'<div class="code">{label}<pre><code>{body}</code></pre></div>\n'
