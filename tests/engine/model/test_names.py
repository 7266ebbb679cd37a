import pytest

from engine.model.fakes import models
from gemini_cli.engine.model import (
    Access,
    ModelSettings,
    is_auto,
    is_gemini_2,
    is_gemini_3,
    is_modern,
    resolve_name,
)
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import ModelChoice
from gemini_cli.protocol.session import SessionView


@pytest.mark.parametrize(
    ("name", "full", "not_latest", "no_previews"),
    [
        ("auto", "gemini-3.1-pro-preview", "gemini-3-pro-preview", "gemini-2.5-pro"),
        ("pro", "gemini-3.1-pro-preview", "gemini-3-pro-preview", "gemini-2.5-pro"),
        ("flash", "gemini-3.8-flash", "gemini-3-flash-preview", "gemini-3.5-flash"),
        ("flash-lite", "gemini-3.5-flash-lite", "gemini-3.1-flash-lite", "gemini-3.5-flash-lite"),
        ("gemini-3.5-flash", "gemini-3.8-flash", "gemini-3.5-flash", "gemini-3.8-flash"),
        ("auto-gemini-2.5", "gemini-2.5-pro", "gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini-2.5-flash", "gemini-2.5-flash", "gemini-2.5-flash", "gemini-2.5-flash"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro", "gemini-2.5-pro", "gemini-2.5-pro"),
        ("llama-4", "llama-4", "llama-4", "llama-4"),
    ],
)
def test_a_name_stands_for_the_documented_model(name, full, not_latest, no_previews):
    assert resolve_name(name) == full
    assert resolve_name(name, Access(latest=False)) == not_latest
    assert resolve_name(name, Access(previews=False)) == no_previews


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("gemini-3-pro-preview", (True, False, True)),
        ("gemini-3.8-flash", (True, False, True)),
        ("gemini-30-x", (False, False, False)),
        ("models/gemini-2.5-pro", (False, True, False)),
        ("gemma-4-31b-it", (False, False, True)),
    ],
)
def test_families_are_told_by_name(name, facts):
    assert (is_gemini_3(name), is_gemini_2(name), is_modern(name)) == facts


def test_only_auto_names_leave_the_choice_to_us():
    assert [is_auto(n) for n in ("auto", "auto-gemini-2.5", "autopilot", "pro")] == [1, 1, 0, 0]


CUSTOM = ModelSettings(
    custom_aliases={"fast": {"extends": "base", "modelConfig": {"model": "gemini-2.5-flash"}}}
)


@pytest.mark.parametrize(
    ("name", "model", "source"),
    [
        ("gemini-2.5-pro", "gemini-2.5-pro", "agent-router/override"),
        ("models/x", "x", "agent-router/override"),
        ("flash", "gemini-3.8-flash", "agent-router/override"),
        ("fast", "fast", "agent-router/override"),
        ("auto", "gemini-3.1-pro-preview", "agent-router/default"),
    ],
)
async def test_a_named_model_is_taken_at_its_word_without_a_request(name, model, source):
    made = models("http://127.0.0.1:1", settings=CUSTOM)
    view = SessionView(session_id="s", cwd="/", mode=Mode.DEFAULT, model=name)
    choice = await made.choose(view)
    assert isinstance(choice, ModelChoice)
    assert (choice.model, choice.source) == (model, source)
