"""A picture costs what the service says it costs, asked exactly when the original asks."""

import base64
from collections.abc import Callable

import pytest
from runner import Cli

from gemini_cli.sdk.testing import (
    Step,
    ThreadedServer,
    answer,
    call,
    error,
    on,
    text,
    tokens,
    usage,
)

Serve = Callable[..., ThreadedServer]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def methods(cli: Cli, serve: Serve, model: str, *script: Step) -> tuple[list[str | None], str]:
    (cli.workspace / "a.png").write_bytes(PIXEL)
    server = serve(*script)
    result = cli.run("-m", model, "-p", "look")
    assert result.code == 0, result.err
    return [request.method for request in server.requests], result.out


READ = call("read_file", {"file_path": "a.png"})


def test_a_picture_behind_a_reply_is_counted_before_it_is_sent(cli: Cli, serve: Serve):
    asked, _ = methods(cli, serve, "gemini-2.5-flash", READ, tokens(258), text("a dot"))
    assert asked == ["streamGenerateContent", "countTokens", "streamGenerateContent"]


def test_a_picture_inside_a_reply_is_not_counted(cli: Cli, serve: Serve):
    asked, _ = methods(cli, serve, "gemini-3-flash-preview", READ, text("a dot"))
    assert asked == ["streamGenerateContent"] * 2


@pytest.mark.parametrize("code", [400, 503])
def test_a_count_that_fails_does_not_stop_the_turn(cli: Cli, serve: Serve, code: int):
    script = READ, on("countTokens", error(code)), text("a dot")
    asked, out = methods(cli, serve, "gemini-2.5-flash", *script)
    assert (len(asked), out) == (3, "a dot\n")


def test_a_picture_too_large_for_the_window_is_not_sent(cli: Cli, serve: Serve):
    (cli.workspace / "a.png").write_bytes(PIXEL)
    first = answer(READ, usage(prompt=1_000_000))
    server = serve(first, tokens(100_000))
    result = cli.run("-m", "gemini-2.5-flash", "-p", "look")
    assert result.code == 1 and "window" in result.err
    assert len(server.requests) == 2
