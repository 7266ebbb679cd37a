"""Words of scripts that put no spaces between them, for an index that knows words only.

An invisible separator stands between Chinese and Japanese characters in the index, so that each
is a word and any part of a sentence a phrase. What is shown never holds these separators.
"""

import re

_GAP = "\u200b"
_BETWEEN = re.compile("(?<=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])(?=\\w)")
_AFTER = re.compile("(?<=\\w)(?=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


def apart(text: str) -> str:
    """The text with a separator around each such character."""
    if text.isascii():
        return text
    return _AFTER.sub(_GAP, _BETWEEN.sub(_GAP, text.replace(_GAP, "")))


def together(text: str) -> str:
    """The text as it was written."""
    return text.replace(_GAP, "")
