import pytest

from gemini_cli.engine.model.retry import Backoff, RetryPolicy, passes
from gemini_cli.protocol import errors


def delays(jitter: float, *asked: float | None) -> list[float]:
    backoff = Backoff(RetryPolicy(), "m", lambda: jitter)
    found = [backoff.after(errors.RateLimited("busy", retry_after=a), 0.0) for a in asked]
    return [item.delay_ms / 1000 for item in found if item]


@pytest.mark.parametrize(("jitter", "factor"), [(0.0, 0.7), (0.5, 1.0), (1.0, 1.3)])
def test_waits_double_to_a_cap_and_are_spread_by_three_tenths(jitter, factor):
    expected = [5, 10, 20, 30, 30, 30, 30, 30, 30]
    assert delays(jitter, *[None] * 10) == pytest.approx([d * factor for d in expected])


@pytest.mark.parametrize(("jitter", "factor"), [(0.0, 1.0), (1.0, 1.2)])
def test_a_wait_the_service_asks_for_is_never_shortened(jitter, factor):
    found = delays(jitter, 1.0, 60.0, None, 300.0)
    later = 30 * (0.7 + 0.6 * jitter)
    assert found == pytest.approx([5 * factor, 60 * factor, later, 300 * factor])


@pytest.mark.parametrize("attempts", [-3, 0, 1])
def test_there_is_always_one_attempt_and_no_repetition_where_none_is_wanted(attempts):
    backoff = Backoff(RetryPolicy(max_attempts=attempts), "m", lambda: 0.5)
    assert backoff.after(errors.Overloaded("busy"), 0.0) is None


@pytest.mark.parametrize(
    ("error", "always", "network"),
    [
        (errors.RateLimited("x"), True, True),
        (errors.Overloaded("x"), True, True),
        (errors.Offline("x"), False, True),
        (errors.Stalled("x"), False, True),
        (errors.Unavailable("x"), False, True),
        (errors.QuotaExhausted("x"), False, False),
        (errors.BadRequest("x"), False, False),
        (errors.Unauthorized("x"), False, False),
        (errors.Blocked("x", reason="SAFETY"), False, False),
        (errors.ContextTooLong("x"), False, False),
    ],
)
def test_only_what_passes_by_itself_is_repeated(error, always, network):
    assert passes(error, RetryPolicy(network=False)) is always
    assert passes(error, RetryPolicy(network=True)) is network
