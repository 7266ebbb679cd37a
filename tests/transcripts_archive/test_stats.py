"""Sums over all sessions: every response once, every price known or said to be unknown."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gemini_cli.protocol.errors import UsageError
from gemini_cli.transcripts.archive import (
    Filters,
    Numbers,
    cost_of,
    matching_sessions,
    price_of,
    recent_sessions,
    session_stats,
)
from gemini_cli.transcripts.model import Usage
from transcripts_archive.stores import (
    CLAUDE_1,
    CLAUDE_2,
    CODEX_1,
    claude,
    copilot,
    everything,
    gemini,
)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return everything(tmp_path)


GEMINI_COST = (600 * 1.25 + 400 * 0.125 + 150 * 10) / 1e6
CLAUDE_COST = (10 * 3 + 1000 * 0.3 + 200 * 15) / 1e6


def test_the_sums_per_model(env: dict[str, str]) -> None:
    found = session_stats(("model",), env=env)
    rows = {row.values[0]: row.numbers for row in found.rows}
    assert rows == {
        "gemini-2.5-pro": Numbers(1, 1, 600, 400, 0, 100, 50, pytest.approx(GEMINI_COST), 0, 2, 1),
        "claude-sonnet-4-5-20250929": Numbers(
            1, 1, 10, 1000, 0, 200, 0, pytest.approx(CLAUDE_COST), 0, 1, 0
        ),
        "gpt-99-secret": Numbers(1, 1, 50, 20, 0, 9, 0, None, 1, 0, 0),
    }
    assert found.total == Numbers(
        3, 3, 660, 1420, 0, 309, 50, pytest.approx(GEMINI_COST + CLAUDE_COST), 1, 3, 1
    )
    assert [(tool.name, tool.calls, tool.errors) for tool in found.tools] == [
        ("Bash", 2, 1),
        ("Edit", 1, 0),
    ]
    assert found.notices == ()


def test_the_other_dimensions(env: dict[str, str]) -> None:
    found = session_stats(("day", "tool", "project"), env=env)
    assert [row.values for row in found.rows] == [
        ("2025-10-29", "gemini", "/home/ada/alpha"),
        ("2025-10-30", "claude", "/home/ada/beta"),
        ("2025-11-01", "codex", "/home/ada/gamma"),
    ]
    assert session_stats((), env=env).rows[0].numbers.sessions == 3
    day = 1761782400000  # 2025-10-30T00:00Z
    later = session_stats(("tool",), Filters(since=day), env=env)
    assert {row.values[0] for row in later.rows} == {"claude", "codex"}
    earlier = session_stats(("tool",), Filters(until=day), env=env)
    assert {row.values[0] for row in earlier.rows} == {"gemini"}
    assert [tool.name for tool in earlier.tools] == ["Bash"]
    beta = session_stats(("tool",), Filters(project="/home/ada/beta"), env=env)
    assert [row.values[0] for row in beta.rows] == ["claude"]
    with pytest.raises(UsageError, match="'week' is no dimension"):
        session_stats(("week",), env=env)  # type: ignore[arg-type]


def test_a_response_repeated_in_a_branched_session_counts_once(
    tmp_path: Path, env: dict[str, str]
) -> None:
    before = session_stats((), env=env).total
    claude(tmp_path, CLAUDE_2, message_id="msg_1")
    after = session_stats((), env=env).total
    assert (after.requests, after.cost_usd) == (before.requests, before.cost_usd)
    claude(tmp_path, CLAUDE_2, message_id="msg_new")
    assert session_stats((), env=env).total.requests == before.requests + 1


def test_a_session_that_tells_no_tokens_is_counted(tmp_path: Path, env: dict[str, str]) -> None:
    before = session_stats(("tool",), env=env)
    copilot(tmp_path)
    after = session_stats(("tool",), env=env)
    assert after.total.sessions == before.total.sessions + 1
    assert (after.total.requests, after.total.tool_calls) == (
        before.total.requests,
        before.total.tool_calls,
    )
    (row,) = [row for row in after.rows if row.values == ("copilot",)]
    assert row.numbers == Numbers(sessions=1)
    until = session_stats((), Filters(tools=("copilot",), until=1_000_000), env=env)
    assert until.total == Numbers()


def test_no_sessions_are_no_error(tmp_path: Path) -> None:
    found = session_stats(env={"HOME": str(tmp_path)})
    assert (found.rows, found.tools, found.total) == ((), (), Numbers())


@pytest.mark.parametrize(
    ("model", "input_price"),
    [
        ("claude-sonnet-4-5-20250929", 3.0),
        ("claude-sonnet-4-5-20250929[1m]", 3.0),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", 5.0),
        ("anthropic/claude-haiku-4-5", 1.0),
        ("claude-3-5-haiku@20241022", 0.8),
        ("models/gemini-2.5-flash", 0.3),
        ("gpt-5-2025-08-07", 1.25),
        ("openai/gpt-5-codex", 1.25),
        ("gpt-5-chat-turbo", None),
        ("gemini-9-ultra", None),
        ("", None),
        (None, None),
    ],
)
def test_a_similar_name_is_not_a_price(model: str | None, input_price: float | None) -> None:
    price = price_of(model)
    assert (price.input if price else None) == input_price


def test_long_prompts_cost_more_where_the_vendor_says_so() -> None:
    short = Usage(input_tokens=200_000, output_tokens=0, total_tokens=200_000, basis="gemini")
    long = Usage(input_tokens=200_001, output_tokens=0, total_tokens=200_001, basis="gemini")
    assert cost_of(short, "gemini-2.5-pro") == pytest.approx(0.25)
    assert cost_of(long, "gemini-2.5-pro") == pytest.approx(0.5, rel=1e-4)
    assert cost_of(long, "no-such-model") is None


def test_the_newest_sessions_come_first(tmp_path: Path, env: dict[str, str]) -> None:
    found = recent_sessions(2, env=env)
    assert [info.tool for info in found] == ["codex", "claude"]
    assert [info.tool for info in recent_sessions(9, ("gemini",), env)] == ["gemini"]


def test_a_copied_home_without_file_times_is_still_sorted_by_its_sessions(tmp_path: Path) -> None:
    for number in range(60):  # the older the session, the newer its file
        path = gemini(tmp_path, f"copy-{number:04}", day=f"2025-{number % 12 + 1:02}-28")
        os.utime(path, (1, 2_000_000_000 - number % 12))
    (newest,) = recent_sessions(1, env={"HOME": str(tmp_path)})
    assert datetime.fromtimestamp(newest.updated_at / 1000, UTC).month == 12
    assert recent_sessions(0, env={"HOME": str(tmp_path)}) == []


def test_an_id_is_found_by_its_beginning(tmp_path: Path, env: dict[str, str]) -> None:
    gemini(tmp_path, "gem-0002-efgh", day="2025-10-31")
    assert [info.id for info in matching_sessions("gem-0", env=env)] == [
        "gem-0002-efgh",
        "gem-0001-abcd",
    ]
    assert [info.id for info in matching_sessions(CLAUDE_1.upper(), env=env)] == [CLAUDE_1]
    assert [info.id for info in matching_sessions(CODEX_1[:13], ("codex",), env)] == [CODEX_1]
    assert matching_sessions("nope", env=env) == []
