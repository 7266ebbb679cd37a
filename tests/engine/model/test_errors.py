from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from gemini_cli.engine.model.errors import error_from_answer, error_in_stream
from gemini_cli.protocol import errors

MODEL = "gemini-2.5-pro"


def read(status: int, body, **headers: str) -> errors.ModelError:
    data = body if isinstance(body, bytes) else msgspec.json.encode(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return error_from_answer(status, data, named, MODEL)


def body(message: str = "m", *details: dict, code: int = 429) -> dict:
    return {"error": {"code": code, "message": message, "status": "S", "details": list(details)}}


def info(reason: str, domain: str = "googleapis.com", **metadata: str) -> dict:
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    return {"@type": kind, "reason": reason, "domain": domain, "metadata": metadata}


def delay(text: str) -> dict:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": text}


def quota(name: str) -> dict:
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [{"quotaId": name}]}


CLOUDCODE = "cloudcode-pa.googleapis.com"


@pytest.mark.parametrize(
    "found",
    [
        body("Quota exceeded, limit: 0, model"),
        body("m", quota("RequestsPerDay"), delay("3s")),
        body("m", quota("DailyRequests")),
        body("m", delay("301s")),
        body("Please retry in 400s"),
        body("m", info("INSUFFICIENT_G1_CREDITS_BALANCE", CLOUDCODE)),
        body("m", info("QUOTA_EXHAUSTED", CLOUDCODE)),
        body("m", info("RATE_LIMIT_EXCEEDED", CLOUDCODE)),
        body("m", info("RATE_LIMIT_EXCEEDED", CLOUDCODE), delay("600s")),
        body("m", info("MODEL_CAPACITY_EXHAUSTED", CLOUDCODE), delay("4000s")),
        body("You have exhausted your capacity", delay("301s")),
    ],
)
def test_a_quota_that_waiting_does_not_mend_is_final(found):
    assert isinstance(read(429, found), errors.QuotaExhausted)


@pytest.mark.parametrize(
    ("found", "seconds"),
    [
        (body("m"), None),
        (body("Please retry in 2.5s"), 2.5),
        (body("Please retry in 900ms."), 0.9),
        (body("m", delay("34.074824224s")), 34.074824224),
        (body("m", delay("900ms")), 0.9),
        (body("m", delay("soon")), None),
        (body("m", quota("RequestsPerMinutePerModel")), 60),
        (body("m", info("X", quota_limit="RequestsPerMinute")), 60),
        (body("m", quota("RequestsPerMinute"), delay("5s")), 5),
        (body("m", info("RATE_LIMIT_EXCEEDED", CLOUDCODE), delay("5s")), 5),
        (body("m", info("MODEL_CAPACITY_EXHAUSTED", CLOUDCODE)), None),
        (body("You have exhausted your capacity on this model"), None),
    ],
)
def test_a_passing_limit_tells_how_long_it_lasts(found, seconds):
    limited = read(429, found)
    assert isinstance(limited, errors.RateLimited)
    assert limited.retry_after == seconds
    assert str(limited).startswith(f"Rate limit exceeded for {MODEL} (429)")


def test_retry_after_is_understood_as_a_number_or_a_date():
    assert read(429, body(), retry_after=" 7 ").retry_after == 7
    assert read(503, body(), retry_after="7").retry_after == 7
    soon = (datetime.now(UTC) + timedelta(seconds=100)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert 90 < read(429, body(), retry_after=soon).retry_after <= 100
    assert read(429, body(), retry_after="Wed, 21 Oct 2015 07:28:00 GMT").retry_after == 0
    for odd in ("-1", "soon", "Wed, 99 Foo 2015 07:28:00 GMT", "²"):
        assert read(429, body(), retry_after=odd).retry_after is None
    assert isinstance(read(429, body(), retry_after="9999"), errors.QuotaExhausted)


def test_every_busy_answer_may_say_how_long_it_lasts():
    assert read(500, body("m", delay("40s"))).retry_after == 40
    assert read(502, body(), retry_after="40").retry_after == 40


def test_a_service_closed_for_long_is_not_called_a_used_up_quota():
    closed = read(503, body("maintenance"), retry_after="7200")
    assert isinstance(closed, errors.QuotaExhausted)
    assert "quota" not in str(closed) and "for 2 hours" in str(closed)


@pytest.mark.parametrize(
    ("said", "shown"),
    [("301s", "for 5 minutes"), ("90000s", "for 25 hours"), ("9" * 400 + "s", "for 11574 days")],
)
def test_a_long_wait_is_told_in_units_people_use(said, shown):
    assert shown in str(read(429, body("m", delay(said))))


@pytest.mark.parametrize("status", [429, 503])
def test_a_daily_quota_is_not_said_to_last_for_the_seconds_beside_it(status):
    spent = str(read(status, body("m", quota("RequestsPerDay"), delay("3s"))))
    assert "The quota for" in spent and "until it is renewed" in spent


def test_the_style_of_an_error_page_is_no_part_of_what_it_says():
    page = b"<html><head><style>p{color:red}</style><!-- x --></head><p>Down</p></html>"
    assert "(502): Down." in str(read(502, page))


def test_a_nested_error_is_dug_out_and_its_details_count():
    inner = msgspec.json.encode(body("the real reason", quota("PerDay"))).decode()
    outer = msgspec.json.encode({"error": {"message": inner, "code": 429}}).decode()
    found = read(429, [{"error": {"message": outer, "code": 429}}])
    assert isinstance(found, errors.QuotaExhausted)
    assert "the real reason" in str(found) and "{" not in str(found)


def test_endless_nesting_ends():
    value: object = "deepest"
    for _ in range(13):
        value = msgspec.json.encode({"error": {"message": value, "code": 400}}).decode()
    assert isinstance(read(400, value.encode()), errors.BadRequest)


def test_stray_commas_and_padded_keys_are_forgiven():
    details = b'[{" @type ":" x.RetryInfo ",, "retryDelay":"4s"}]'
    raw = b'{"error":{"message":"m","code":429,,"details":' + details + b"}}"
    assert read(429, raw).retry_after == 4


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"null", b"[]", b'"x"', b'{"error":null}', b'{"error":{"message":3}}',
     b'{"error":{"details":[3,{"@type":4}],"message":"m"}}', b'{"error":"plain"}'],
)  # fmt: skip
def test_no_body_however_odd_breaks_the_reader(data):
    assert isinstance(read(429, data), errors.RateLimited)
    assert isinstance(read(500, data), errors.Overloaded)
    assert isinstance(read(400, data), errors.BadRequest)


def test_a_message_is_one_short_line_without_markup_or_keys():
    found = str(read(400, body("API call with AIzaSyA1234567890abcdef failed\n\n" + "x" * 999)))
    assert "\n" not in found and "AIza" not in found and len(found) < 450
    page = str(read(502, b"<html><h1>Bad gateway</h1>\n<p>nginx</p></html>"))
    assert "Bad gateway nginx" in page and "<" not in page
    assert "{" not in str(read(500, b'{"unknown": "shape"}'))


@pytest.mark.parametrize(
    ("status", "found", "kind", "says"),
    [
        (401, body(), errors.Unauthorized, "GEMINI_API_KEY"),
        (400, body("m", info("API_KEY_INVALID")), errors.Unauthorized, "GEMINI_API_KEY"),
        (403, body("m", info("SERVICE_DISABLED")), errors.Forbidden, "Gemini API enabled"),
        (
            403,
            body("m", info("VALIDATION_REQUIRED", CLOUDCODE, validation_link="https://v")),
            errors.Forbidden,
            "https://v",
        ),
        (
            403,
            body("m", info("TOS_VIOLATION", CLOUDCODE, appeal_url="https://a")),
            errors.Forbidden,
            "https://a",
        ),
        (404, body(), errors.ModelNotFound, "--model"),
        (413, body(), errors.ContextTooLong, "/compress"),
        (499, body(), errors.Overloaded, "--model"),
        (503, body("m", quota("PerDay")), errors.QuotaExhausted, "--model"),
        (504, body(), errors.Overloaded, "Try again"),
    ],
)
def test_each_failure_says_what_to_do(status, found, kind, says):
    error = read(status, found)
    assert type(error) is kind
    assert (says in str(error), error.status, error.model) == (True, status, MODEL)


def test_only_a_piece_that_is_an_error_and_nothing_else_is_one():
    assert error_in_stream({"error": {"code": 429}}, MODEL).status == 429
    assert error_in_stream({"error": {"code": 7, "message": "x"}}, MODEL).status == 500
    assert error_in_stream({"error": "x"}, MODEL) is None
    assert error_in_stream({"error": {"code": 429}, "candidates": []}, MODEL) is None


def test_a_status_outside_a_nested_error_is_lost():
    inner = msgspec.json.encode({"error": {"message": "token count 9 exceeds 8"}}).decode()
    found = {"error": {"code": 429, "message": inner, "details": [quota("RequestsPerDay")]}}
    assert isinstance(read(429, found), errors.QuotaExhausted)


def test_a_wait_of_just_five_minutes_counts_as_a_refusal():
    error = read(429, body("m", delay("300s")))
    assert isinstance(error, errors.RateLimited) and error.retry_after == 300
