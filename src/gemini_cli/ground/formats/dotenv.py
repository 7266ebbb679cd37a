"""Reads the text of a `.env` file into names and values.

Quotes, `export`, values over several lines and `#` comments are understood. It never
raises: a line that means nothing is passed over. It opens no file and expands no `$NAME`.
"""

import re

_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z0-9_.-]+)(?:[ \t]*=[ \t]*|:[ \t]+)")
_END = r"[ \t]*(?:#[^\n]*)?(?=\n|\Z)"
# With escapes first; a path that ends in a backslash fits only without them.
_QUOTED = {
    quote: (
        re.compile(rf"{quote}([^{quote}\\]*(?:\\[\s\S][^{quote}\\]*)*){quote}{_END}"),
        re.compile(rf"{quote}([^{quote}\n]*){quote}{_END}"),
    )
    for quote in "\"'`"
}
_BARE = re.compile(r"[^#\n]*")
_ESCAPE = re.compile(r'\\([nr"])')
_ESCAPED = {"n": "\n", "r": "\r", '"': '"'}


def parse(text: str) -> dict[str, str]:
    """Names and values, the last of two equal names winning.

    Inside double quotes `\\n`, `\\r` and `\\"` are the characters they stand for; other
    quotes keep every backslash. A bare value ends at `#` and loses outer blanks.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    values: dict[str, str] = {}
    at = 0
    while at < len(text):
        name = _NAME.match(text, at)
        if name is not None:
            value, at = _value(text, name.end())
            if "\0" not in value:
                values[name.group(1)] = value
        at = text.find("\n", at) + 1 or len(text)
    return values


def _value(text: str, at: int) -> tuple[str, int]:
    quote = text[at : at + 1]
    fits = (pattern.match(text, at) for pattern in _QUOTED.get(quote, ()))
    quoted = next((fit for fit in fits if fit), None)
    if quoted is not None:
        inner = quoted.group(1)
        if quote == '"':
            inner = _ESCAPE.sub(lambda m: _ESCAPED[m.group(1)], inner)
        return inner, quoted.end()
    bare = _BARE.match(text, at)
    end = bare.end() if bare else at
    return text[at:end].strip(), end
