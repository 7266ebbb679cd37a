import pytest

from gemini_cli.engine.model import ConfigKey, ModelConfigs
from gemini_cli.protocol.errors import ConfigError

CHAT = {"temperature": 1, "topP": 0.95, "topK": 64}
PLAIN = {"temperature": 0, "topP": 1}


def thinking(**values):
    return {"thinkingConfig": values}


def resolve(name: str, configs: ModelConfigs | None = None, **key):
    found = (configs or ModelConfigs()).resolve(ConfigKey(name, **key))
    return found.model, found.generation


@pytest.mark.parametrize(
    ("alias", "model", "generation"),
    [
        (
            "gemini-2.5-pro",
            "gemini-2.5-pro",
            CHAT | thinking(includeThoughts=True, thinkingBudget=8192),
        ),
        (
            "gemini-3.8-flash",
            "gemini-3.8-flash",
            CHAT | thinking(includeThoughts=True, thinkingLevel="HIGH"),
        ),
        (
            "classifier",
            "flash-lite",
            PLAIN | {"maxOutputTokens": 1024} | thinking(thinkingBudget=512),
        ),
        (
            "prompt-completion",
            "flash-lite",
            PLAIN | {"temperature": 0.3, "maxOutputTokens": 16000} | thinking(thinkingBudget=0),
        ),
        (
            "fast-ack-helper",
            "flash-lite",
            PLAIN | {"temperature": 0.2, "maxOutputTokens": 120} | thinking(thinkingBudget=0),
        ),
        ("edit-corrector", "flash-lite", PLAIN | thinking(thinkingBudget=0)),
        ("summarizer-shell", "flash-lite", PLAIN | {"maxOutputTokens": 2000}),
        ("web-search", "gemini-3-flash-preview", PLAIN | {"tools": [{"googleSearch": {}}]}),
        ("loop-detection-double-check", "gemini-3-pro-preview", PLAIN),
        ("context-snapshotter", "gemini-3-flash-preview", CHAT | thinking(thinkingLevel="HIGH")),
        ("chat-compression-2.5-flash", "gemini-2.5-flash", {}),
        ("agent-history-provider-summarizer", "gemini-3-flash-preview", {}),
    ],
)
def test_built_in_aliases_resolve_as_documented(alias, model, generation):
    assert resolve(alias) == (model, generation)


@pytest.mark.parametrize("is_retry", [False, True])
def test_every_built_in_alias_but_the_bases_can_be_asked(is_retry):
    configs = ModelConfigs()
    for name in (n for n in configs.names() if not n.split("-2")[0].endswith("base")):
        if not name.startswith(("base", "chat-base")):
            assert configs.resolve(ConfigKey(name, is_retry=is_retry)).model


def test_an_unknown_name_gets_the_chat_settings_in_a_chat_and_none_elsewhere():
    chat = CHAT | thinking(includeThoughts=True)
    assert resolve("llama", is_chat=True) == ("llama", chat)
    assert resolve("llama") == ("llama", {})


def test_a_custom_alias_inherits_merges_objects_and_replaces_lists():
    configs = ModelConfigs(
        custom_aliases={
            "mine": {
                "extends": "web-search",
                "modelConfig": {
                    "model": "m",
                    "generateContentConfig": {"tools": [], "thinkingConfig": {"a": 1}},
                },
            },
            "mine-too": {
                "extends": "mine",
                "modelConfig": {"generateContentConfig": {"thinkingConfig": {"b": 2}}},
            },
        }
    )
    assert resolve("mine-too", configs) == ("m", PLAIN | {"tools": []} | thinking(a=1, b=2))


def override(match: dict, **generation) -> dict:
    return {"match": match, "modelConfig": {"generateContentConfig": generation}}


def test_the_more_special_override_wins_and_order_decides_last():
    configs = ModelConfigs(
        custom_overrides=[
            override({"model": "gemini-2.5-pro"}, temperature=3),
            override({"model": "chat-base"}, temperature=1, topK=7),
            override({"model": "gemini-2.5-pro", "overrideScope": "core"}, topP=5),
            override({"model": "gemini-2.5-pro"}, topP=4, seed=1),
            override({"model": "gemini-2.5-pro"}, seed=2),
        ]
    )
    _, found = resolve("gemini-2.5-pro", configs)
    assert (found["temperature"], found["topK"], found["topP"], found["seed"]) == (3, 7, 5, 2)


@pytest.mark.parametrize(
    ("match", "key", "applies"),
    [
        ({}, {}, False),
        ({"model": "other"}, {}, False),
        ({"overrideScope": "core"}, {}, True),
        ({"overrideScope": "core"}, {"scope": "core"}, True),
        ({"overrideScope": "core"}, {"scope": "reviewer"}, False),
        ({"overrideScope": "reviewer"}, {"scope": "reviewer"}, True),
        ({"isRetry": True}, {"is_retry": True}, True),
        ({"isRetry": True}, {}, False),
        ({"model": "base", "isRetry": True}, {"is_retry": True}, True),
        ({"surprise": 1}, {}, False),
    ],
)
def test_an_override_applies_only_when_all_it_names_matches(match, key, applies):
    configs = ModelConfigs(custom_overrides=[override(match, seed=9)])
    assert ("seed" in resolve("gemini-2.5-pro", configs, **key)[1]) is applies


def test_a_retry_is_asked_warmer():
    configs = ModelConfigs(custom_overrides=[override({"model": "base"}, temperature=0.2)])
    assert resolve("x", configs, is_chat=True)[1]["temperature"] == 0.2
    assert resolve("x", configs, is_chat=True, is_retry=True)[1]["temperature"] == 1


def test_an_override_may_change_the_model():
    configs = ModelConfigs(
        custom_overrides=[{"match": {"model": "classifier"}, "modelConfig": {"model": "m"}}]
    )
    assert resolve("classifier", configs)[0] == "m"


def test_an_agent_may_bring_its_own_settings():
    configs = ModelConfigs()
    configs.register("agent-x", {"extends": "base", "modelConfig": {"model": "m"}})
    configs.register_override(override({"overrideScope": "x"}, seed=3))
    assert resolve("agent-x", configs, scope="x") == ("m", PLAIN | {"seed": 3})


@pytest.mark.parametrize(
    ("alias", "says"),
    [
        ({"extends": "nowhere", "modelConfig": {"model": "m"}}, "'nowhere'"),
        ({"extends": "a", "modelConfig": {"model": "m"}}, "extends itself"),
        ({"extends": 3, "modelConfig": {"model": "m"}}, "extends 3"),
        ({"extends": "base"}, "names no model"),
        ({"modelConfig": {"model": 3}}, "names no model"),
        ({"modelConfig": "m"}, "must be an object"),
        ("m", "must be an object"),
        ({"modelConfig": {"model": "m", "generateContentConfig": []}}, "must be an object"),
    ],
)
def test_a_wrong_alias_is_named_in_the_error(alias, says):
    with pytest.raises(ConfigError, match=says) as caught:
        resolve("a", ModelConfigs(custom_aliases={"a": alias}))
    assert "modelConfigs" in str(caught.value)


@pytest.mark.parametrize("override", [None, {"match": 3}, {"match": {"isRetry": False}}])
def test_a_wrong_override_is_an_error_and_no_crash(override):
    configs = ModelConfigs(custom_overrides=[{"match": {}}, override])
    with pytest.raises(ConfigError, match=r"customOverrides\[1\]"):
        resolve("gemini-2.5-pro", configs)


def test_an_empty_name_is_not_called_an_alias():
    with pytest.raises(ConfigError, match="--model"):
        resolve("", is_chat=True)


@pytest.mark.parametrize("match", [{"model": ["x"]}, {"model": {}}, {"model": None}])
def test_a_match_of_an_unexpected_type_matches_nothing(match):
    configs = ModelConfigs(custom_overrides=[override(match, seed=1)])
    assert "seed" not in resolve("gemini-2.5-pro", configs)[1]
