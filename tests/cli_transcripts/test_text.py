"""How short ids, moments and texts of some width are read and written."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from gemini_cli.cli.verbs.transcripts_text import amount, fit, short_ids
from gemini_cli.cli.verbs.transcripts_time import moment
from gemini_cli.protocol.errors import UsageError
from gemini_cli.transcripts.model import SessionInfo


def test_very_many_sessions_are_named_at_once() -> None:
    """Comparing each id with all others would take hours here."""
    base = SessionInfo(tool="codex", id="x", path="/x", title="")
    many = [replace(base, id=f"{number:032x}") for number in range(100_000)]
    names = short_ids(many)
    assert len(set(names.values())) == 100_000


NOW = datetime(2025, 10, 29, 15, 30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-10-01", datetime(2025, 10, 1)),
        ("2025-10-01T14:00", datetime(2025, 10, 1, 14)),
        ("today", datetime(2025, 10, 29)),
        ("yesterday", datetime(2025, 10, 28)),
        ("2h", datetime(2025, 10, 29, 13, 30)),
        ("30m", datetime(2025, 10, 29, 15, 0)),
    ],
)
def test_moments_mean_local_time(text: str, expected: datetime) -> None:
    assert moment(text, "--since", NOW) == round(expected.timestamp() * 1000)


def test_a_moment_with_a_zone_means_that_zone() -> None:
    assert moment("1970-01-01T01:00:00+01:00", "--since") == 0
    assert moment(None, "--since") is None
    with pytest.raises(UsageError, match="--since 'x' is no moment"):
        moment("x", "--since")


def test_texts_are_fitted_by_columns_not_characters() -> None:
    assert fit("日本語", 5) == "日本…"
    assert fit("日本語", 4) == "日… "
    assert fit("/home/ada/project", 8, keep_end=True) == "…project"
    assert fit("a\nb\x1b[31m", 6) == "a b   "
    assert [amount(n) for n in (0, 999, 9_999, 10_000, 2_500_000, 7_000_000_000)] == [
        "0",
        "999",
        "9,999",
        "10.0k",
        "2.5M",
        "7.0G",
    ]
