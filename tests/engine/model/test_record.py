import json
import os

import pytest

from engine.model.fakes import answer, collect, models, request, text_in, user
from gemini_cli.engine.model import Recordings
from gemini_cli.protocol.errors import BadRequest, InputError
from gemini_cli.protocol.messages import Blob, Call
from ground.net.loopback import Loopback


def write(path, *lines) -> Recordings:
    text = "\n\n".join(json.dumps(line) if isinstance(line, dict) else line for line in lines)
    path.write_text(text + "\n")
    return path


PICTURE = Blob("image/png", b"x")
STREAM = {"method": "generateContentStream", "response": [answer("a", None), answer("b")]}
GENERATE = {"method": "generateContent", "response": answer("g")}
COUNT = {"method": "countTokens", "response": {"totalTokens": 5}}


def fake(path, *, strict=True):
    files = Recordings(fake=path) if strict else Recordings(fake_loose=path)
    return models(env={"GEMINI_API_KEY": ""}, recordings=files)


async def test_line_n_answers_call_n_without_key_or_network(tmp_path):
    made = fake(write(tmp_path / "f", STREAM, GENERATE, COUNT, STREAM))
    assert text_in(await collect(made)) == "ab"
    assert await made.ask("classifier", [user("x")]) == "g"
    assert await made.count("m", [user(PICTURE)]) == 5
    assert text_in(await collect(made)) == "ab"


async def test_a_wrong_method_names_file_line_and_method_and_uses_the_line_up(tmp_path):
    path = write(tmp_path / "f", GENERATE, STREAM)
    made = fake(path)
    with pytest.raises(BadRequest) as caught:
        await collect(made)
    said = str(caught.value)
    assert f"{path}, line 1 answers generateContent" in said
    assert "generateContentStream was called" in said
    assert text_in(await collect(made)) == "ab"


async def test_an_exhausted_file_names_the_method_it_lacks(tmp_path):
    made = fake(write(tmp_path / "f", STREAM))
    await collect(made)
    with pytest.raises(BadRequest, match="no more answers for generateContentStream"):
        await collect(made)


async def test_the_loose_player_takes_the_first_line_of_the_method(tmp_path):
    made = fake(write(tmp_path / "f", STREAM, GENERATE), strict=False)
    assert await made.ask("classifier", [user("x")]) == "g"
    assert text_in(await collect(made)) == "ab"
    with pytest.raises(BadRequest, match="--fake-responses-non-strict"):
        await made.ask("classifier", [user("x")])


async def test_the_loose_file_wins_over_the_strict_one(tmp_path):
    files = Recordings(fake=tmp_path / "none", fake_loose=write(tmp_path / "f", STREAM))
    assert text_in(await collect(models(recordings=files))) == "ab"


async def test_ids_of_fake_calls_are_prefixed_once(tmp_path):
    call = {"functionCall": {"name": "ls", "id": "ls__1", "args": {}}}
    line = {
        "method": "generateContentStream",
        "response": [{"candidates": [{"content": {"parts": [call]}}]}],
    }
    items = await collect(fake(write(tmp_path / "f", line)))
    assert items[0].parts == (Call("ls__1", "ls", {}),)


async def test_an_error_in_a_fake_answer_is_the_error_it_stands_for(tmp_path):
    line = {
        "method": "generateContentStream",
        "response": [{"error": {"code": 429, "message": "m"}}],
    }
    items = await collect(fake(write(tmp_path / "f", line, STREAM)))
    assert items[0].error_kind == "rate_limited" and text_in(items[1:]) == "ab"


@pytest.mark.parametrize(
    ("line", "says"),
    [("{", "line 1 is not JSON"), ("[]", '"method"'), ('{"method":"x"}', '"response"')],
)
def test_a_damaged_file_is_named_with_its_line_before_anything_runs(tmp_path, line, says):
    path = write(tmp_path / "f", line)
    with pytest.raises(InputError, match=says) as caught:
        fake(path)
    assert str(path) in str(caught.value) and caught.value.exit_code == 42


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="--fake-responses"):
        fake(tmp_path / "nowhere")


async def test_a_piece_that_is_no_object_is_named(tmp_path):
    made = fake(write(tmp_path / "f", {"method": "generateContentStream", "response": [3]}))
    with pytest.raises(BadRequest, match="line 1"):
        await collect(made)


async def test_a_recording_holds_answers_only_and_plays_back(tmp_path):
    path = tmp_path / "out"
    call = {"functionCall": {"name": "ls", "args": {}}}
    piece = {"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]}
    usage = {"usageMetadata": {"totalTokenCount": 1}}
    script = [
        lambda seen, wire: wire.events(piece | usage | {"responseId": "r", "modelVersion": "v"}),
        lambda seen, wire: wire.json(200, answer("g") | {"responseId": "r"}),
        lambda seen, wire: wire.json(200, {"totalTokens": 3, "promptTokensDetails": []}),
    ]
    async with Loopback(script) as server:
        made = models(server.url, recordings=Recordings(record=path))
        recorded = [item async for item in made.stream(request())]
        await made.ask("classifier", [user("secret prompt")])
        await made.count("m", [user(PICTURE)])
        await made.aclose()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["method"] for line in lines] == [
        "generateContentStream",
        "generateContent",
        "countTokens",
    ]
    assert set(lines[0]["response"][0]) == {"candidates", "usageMetadata"}
    assert lines[2]["response"] == {"totalTokens": 3}
    assert "secret" not in path.read_text() and "key" not in path.read_text()
    assert os.name != "posix" or path.stat().st_mode & 0o077 == 0
    again = await collect(fake(path))
    assert again[0].parts == recorded[0].parts
    assert again[0].parts[0].id.startswith("ls__ls_")


async def test_an_answer_broken_off_is_not_recorded(tmp_path):
    async def script(seen, wire):
        await wire.start_stream()
        await wire.event(answer("a", None))
        wire.cut()

    async with Loopback(script) as server:
        made = models(server.url, recordings=Recordings(record=tmp_path / "out"))
        with pytest.raises(Exception, match="closed the connection"):
            await collect(made)
    assert not (tmp_path / "out").exists()


async def test_a_recording_that_cannot_be_written_is_named(tmp_path):
    async with Loopback(lambda seen, wire: wire.events(answer())) as server:
        made = models(server.url, recordings=Recordings(record=tmp_path / "no" / "out"))
        with pytest.raises(InputError, match="--record-responses"):
            await collect(made)


async def test_odd_line_breaks_inside_an_answer_do_not_end_its_line(tmp_path):
    said = "one\u2028two\x85three\x0b"
    line = {"method": "generateContentStream", "response": [answer(said)]}
    path = tmp_path / "f"
    path.write_bytes(json.dumps(line, ensure_ascii=False).encode() + b"\r\n")
    assert text_in(await collect(fake(path))) == said
