"""Reading a piped prompt and writing to a reader that is slow or gone."""

import os
import threading

import pytest

from gemini_cli.faces.headless.out import Out
from gemini_cli.faces.headless.stdin import PipedInput


def piped(data: bytes, **options: float) -> PipedInput:
    read, write = os.pipe()

    def feed() -> None:
        with os.fdopen(write, "wb") as end:
            end.write(data)

    threading.Thread(target=feed, daemon=True).start()
    return PipedInput(read, **options)  # type: ignore[arg-type]


def test_piped_text_arrives_whole_with_its_last_newline():
    assert piped("grüße\n".encode()).text() == "grüße\n"


@pytest.mark.parametrize("limit", range(3, 12))
def test_too_much_input_is_cut_between_characters(limit: int):
    data = "ab漢🎉é".encode()
    source = piped(data, limit=limit)
    text = source.text()
    assert "\ufffd" not in text and "ab漢🎉é".startswith(text)
    assert source.cut is (limit < len(data))
    assert limit - len(text.encode()) < 4 or not source.cut


def test_a_pipe_nobody_writes_to_does_not_hang():
    read, write = os.pipe()
    assert PipedInput(read, first_byte=0.01).text() == ""
    os.close(write)


def test_a_closed_input_is_no_input():
    read, write = os.pipe()
    os.close(write)
    os.close(read)
    assert PipedInput(read).text() == ""


def test_a_full_pipe_does_not_hold_up_the_writer():
    read, write = os.pipe()
    with os.fdopen(write, "wb", buffering=0) as stream:
        out = Out(stream)
        for _ in range(1000):
            out.write(b"x" * 1000)
        assert out.close(timeout=0.05) is False
        got = 0
        while got < 1_000_000:
            got += len(os.read(read, 65536))
        assert out.close(timeout=5) is True
    os.close(read)


def test_a_reader_that_went_away_is_told_once_and_never_raises():
    read, write = os.pipe()
    os.close(read)
    told: list[bool] = []
    with os.fdopen(write, "wb", buffering=0) as stream:
        out = Out(stream, lambda: told.append(True))
        out.write(b"x")
        assert out.close(timeout=5)
        out.write(b"y")
        assert out.failure and told == [True]
