"""Each output format says what its readers rely on."""

import io
import json

from gemini_cli.engine.sessions.stats import Stats
from gemini_cli.faces.headless import fatal, outcome
from gemini_cli.faces.headless.out import Out
from gemini_cli.faces.headless.render import Ending
from gemini_cli.protocol.display import DiffStat, FileDiff
from gemini_cli.protocol.events import (
    End,
    Envelope,
    Event,
    ModelReplied,
    Notice,
    Problem,
    Retrying,
    SessionOpened,
    TextDelta,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from gemini_cli.protocol.messages import Call, Message, Reply, Text, Usage
from gemini_cli.protocol.mode import Mode

AT = "2026-01-02T03:04:05.678Z"
CALL = Call("replace__c1", "replace", {"file_path": "a"})
DIFF = FileDiff("/w/a", "a", "-x\n+y\n", "x", "y", DiffStat(1, 1, 1, 1))
TURN: list[Event] = [
    SessionOpened("s1", "/w", "auto", Mode.DEFAULT),
    TurnStarted(Message("m1", "user", (Text("expanded"),), AT, display="typed @a")),
    TextDelta("hm", thought=True),
    TextDelta("I will \x1b[31medit"),
    UsageReported("m", Usage(100, 10, 40, 5, 0, 115), latency_ms=7),
    ModelReplied(Message("m2", "model", (Text("I will edit"), CALL), AT)),
    ToolFinished(CALL, Reply(CALL.id, "replace", (Text("ok"),)), "success", DIFF, duration_ms=3,
                 decision="accept"),
    Notice("warning", "mind the gap"),
    UsageReported("m", error_kind="overloaded", latency_ms=1),
    TextDelta("done"),
    TurnEnded(End.COMPLETED, "done"),
]  # fmt: skip


def run(form: str, events: list[Event], agent: tuple[str, ...] = ()) -> tuple[str, str]:
    out_bytes, err_bytes = io.BytesIO(), io.BytesIO()
    out, err = Out(out_bytes), Out(err_bytes)
    printer, stats = fatal.make_format(form, out, err), Stats()
    for seq, event in enumerate(events, 1):
        envelope = Envelope(seq, AT, "s1", "t1", agent, event)
        stats.saw(envelope)
        printer.saw(envelope)
    last = events[-1]
    assert isinstance(last, TurnEnded)
    problem = outcome.of_turn(last, None)
    printer.end(Ending(AT, "s1", last.text, stats, 42, problem))
    out.close()
    err.close()
    return out_bytes.getvalue().decode(), err_bytes.getvalue().decode()


def test_text_is_the_words_of_the_model_and_nothing_else():
    assert run("text", TURN) == ("I will edit\ndone\n", "[WARNING] mind the gap\n")


def test_stream_json_tells_the_turn_in_order_and_ends_with_the_result():
    lines = [json.loads(line) for line in run("stream-json", TURN)[0].splitlines()]
    assert [line["type"] for line in lines] == [
        "init", "message", "message", "tool_use", "tool_result", "error", "message", "result",
    ]  # fmt: skip
    assert all(line["timestamp"] == AT for line in lines)
    assert lines[1] == {"type": "message", "timestamp": AT, "role": "user", "content": "typed @a"}
    assert lines[3]["tool_id"] == lines[4]["tool_id"] == "replace__c1"
    assert lines[4]["output"] == "-x\n+y\n"
    assert lines[-1]["stats"] == {
        "total_tokens": 115, "input_tokens": 100, "output_tokens": 10, "cached": 40, "input": 60,
        "duration_ms": 42, "tool_calls": 1,
        "models": {"m": {"total_tokens": 115, "input_tokens": 100, "output_tokens": 10,
                         "cached": 40, "input": 60}},
    }  # fmt: skip


def test_json_is_one_object_with_the_figures_of_the_run():
    out, err = run("json", TURN)
    body = json.loads(out)
    assert not out.endswith("\n") and out.startswith('{\n  "session_id": "s1"')
    assert (body["response"], body["warnings"]) == ("done", ["mind the gap"])
    model = body["stats"]["models"]["m"]
    assert model["api"] == {
        "totalRequests": 2, "totalErrors": 1, "totalLatencyMs": 8, "errorsByType": {"overloaded": 1}
    }  # fmt: skip
    assert model["tokens"]["input"] == 60 and model["roles"]["main"]["totalRequests"] == 2
    assert body["stats"]["tools"]["byName"]["replace"]["decisions"]["accept"] == 1
    assert body["stats"]["files"] == {"totalLinesAdded": 1, "totalLinesRemoved": 1}
    assert "error" not in body and err == "[WARNING] mind the gap\n"


def test_every_tool_result_has_an_output_also_without_a_display():
    def last(status: str, **more: str) -> object:
        finished = ToolFinished(CALL, Reply(CALL.id, "replace", ()), status, None, **more)
        out, _ = run("stream-json", [finished, TurnEnded(End.COMPLETED)])
        line = json.loads(out.splitlines()[0])
        return line["status"], line["output"], line.get("error")

    assert last("success") == ("success", "", None)
    gone = {"type": "file_not_found", "message": "There is no a."}
    assert last("error", error="There is no a.", error_type="file_not_found") == (
        "error", "There is no a.", gone,
    )  # fmt: skip
    cancelled = {"type": "cancelled", "message": "cancelled"}
    assert last("cancelled") == ("error", "cancelled", cancelled)


REPEATED: list[Event] = [
    TextDelta("Hel"),
    Retrying(1, 4, 5400, "It broke off.", "m", "stream"),
    TextDelta("Hello"),
    TurnEnded(End.COMPLETED, "Hello"),
]


def test_a_wait_is_told_and_a_new_answer_begins_on_a_line_of_its_own():
    told = "[WARNING] It broke off. Asking again in 5 s (attempt 2 of 4).\n"
    assert run("text", REPEATED) == ("Hel\nHello\n", told)
    assert run("json", REPEATED)[1] == run("stream-json", REPEATED)[1] == told
    assert run("text", REPEATED, ("helper",))[1] == told


def test_the_reason_of_a_wait_is_not_told_twice():
    waits: list[Event] = [
        Retrying(n, 9, 5400, why, "m") for n, why in ((1, "Dead."), (2, "Dead."), (3, "Lost."))
    ]
    lines = run("text", [*waits, TURN[-1]])[1].splitlines()
    assert [line.partition(" Asking")[0] for line in lines] == [
        "[WARNING] Dead.", "[WARNING] The same again.", "[WARNING] Lost.",
    ]  # fmt: skip


def test_a_model_that_takes_over_is_told_without_a_wait():
    switched = Retrying(3, 3, 0, "m is busy. n takes over.", "m")
    assert run("text", [switched, TURN[-1]])[1] == "[WARNING] m is busy. n takes over.\n"


FAILED: list[Event] = [
    TURN[0],
    TurnEnded(End.FAILED, problem=Problem("bad_request", "No such field", 400)),
]


def test_an_error_is_one_object_on_stdout_and_one_on_stderr():
    out, err = run("json", FAILED)
    error = {"type": "bad_request", "message": "[API Error: No such field (Status: 400)]"}
    assert json.loads(out)["error"] == {**error, "code": 400}
    assert json.loads(err) == {"session_id": "s1", "error": {**error, "code": 400}}


def test_an_error_in_text_is_one_line_on_stderr():
    assert run("text", FAILED) == ("", "[API Error: No such field (Status: 400)]\n")


def test_an_error_in_stream_json_still_ends_with_a_result():
    last = json.loads(run("stream-json", FAILED)[0].splitlines()[-1])
    assert (last["type"], last["status"], last["error"]["code"]) == ("result", "error", 400)
    assert last["stats"]["duration_ms"] == 42


def test_subagents_do_not_speak_in_the_main_stream():
    lines = map(json.loads, run("stream-json", TURN, ("helper",))[0].splitlines())
    assert {line["type"] for line in lines} <= {"error", "result"}
    assert "edit" not in run("text", TURN, ("helper",))[0]


def test_each_end_has_its_exit_code():
    codes = {end: outcome.of_turn(TurnEnded(end), None) for end in End}
    assert {end.value: p.exit_code if p else 0 for end, p in codes.items()} == {
        "completed": 0, "cancelled": 130, "failed": 1, "max_steps": 53, "stopped": 0,
        "blocked": 0, "loop": 0, "overflow": 1, "invalid_stream": 1, "refused": 1, "declined": 0,
    }  # fmt: skip
    assert [outcome.of_signal(n).exit_code for n in (2, 15, 1)] == [130, 143, 129]


def test_no_form_of_json_lets_a_control_sequence_through():
    said = "a\x1b[2J\x9b2J\x7f\x85é"
    for form in ("json", "stream-json"):
        out, _ = run(form, [*TURN[:2], TextDelta(said), TurnEnded(End.COMPLETED, said)])
        assert not any((ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 for c in out)
        held = out if form == "json" else out.splitlines()[2]
        assert said in json.loads(held).values()


def test_a_made_up_tool_name_cannot_pass_for_a_line_of_ours():
    call = Call("c", "x\n[API Error: log in at evil.example]" + "y" * 9000, {})
    failed = ToolFinished(call, Reply("c", "x", (Text("no"),)), "error", error="unknown")
    for form in ("text", "json", "stream-json"):
        _, err = run(form, [*TURN[:2], failed, TurnEnded(End.COMPLETED, "")])
        assert (err.count("\n"), len(err) < 300) == (1, True)
