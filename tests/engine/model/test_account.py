import pytest

from engine.model.fakes import FakeClock, answer, collect, models
from gemini_cli.engine.model import (
    AuthKind,
    AuthSettings,
    Identity,
    ModelSettings,
    choose_kind,
    open_models,
    surface_of,
)
from gemini_cli.engine.model.account import open_account
from gemini_cli.engine.model.headers import custom_headers, user_agent
from gemini_cli.protocol.errors import AuthError, ConfigError
from ground.net.loopback import Loopback

URL = "https://gateway.example"


@pytest.mark.parametrize(
    ("env", "kind"),
    [
        ({"GEMINI_API_KEY": "k"}, AuthKind.API_KEY),
        ({"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": URL}, AuthKind.API_KEY),
        ({"GOOGLE_GEMINI_BASE_URL": URL}, AuthKind.GATEWAY),
        ({"GEMINI_API_KEY": "k", "GOOGLE_GENAI_USE_VERTEXAI": "true"}, AuthKind.VERTEX),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "1", "GEMINI_API_KEY": "k"}, AuthKind.API_KEY),
        ({"GOOGLE_GENAI_USE_GCA": "true", "GOOGLE_GENAI_USE_VERTEXAI": "true"}, AuthKind.OAUTH),
        ({"CLOUD_SHELL": "true"}, AuthKind.COMPUTE),
        ({"GEMINI_CLI_USE_COMPUTE_ADC": "true"}, AuthKind.COMPUTE),
    ],
)
def test_the_environment_chooses_in_the_documented_order(env, kind):
    assert choose_kind(AuthSettings(), env) is kind


def test_the_setting_wins_over_the_environment():
    env = {"GEMINI_API_KEY": "k"}
    assert choose_kind(AuthSettings("gateway"), env) is AuthKind.GATEWAY
    assert choose_kind(AuthSettings("cloud-shell"), env) is AuthKind.COMPUTE


@pytest.mark.parametrize(
    ("settings", "env", "says"),
    [
        (AuthSettings(), {}, "GEMINI_API_KEY"),
        (AuthSettings(), {"GEMINI_API_KEY": "  "}, "GEMINI_API_KEY"),
        (AuthSettings("magic"), {}, "gemini-api-key"),
        (AuthSettings(enforced="vertex-ai"), {"GEMINI_API_KEY": "k"}, "enforcedType"),
        (AuthSettings(enforced="vertex-ai"), {}, "enforcedType"),
    ],
)
def test_no_usable_sign_in_exits_41_and_says_what_to_set(settings, env, says):
    with pytest.raises(AuthError, match=says) as caught:
        choose_kind(settings, env)
    assert caught.value.exit_code == 41


@pytest.mark.parametrize("kind", [AuthKind.VERTEX, AuthKind.OAUTH, AuthKind.COMPUTE])
def test_a_sign_in_not_built_yet_says_so_instead_of_failing_later(kind):
    with pytest.raises(AuthError, match="is not in this version"):
        open_account(kind, {}, lambda: None)


def test_a_missing_key_is_looked_for_in_the_store_only_when_no_variable_has_it():
    asked = []

    def stored() -> str:
        asked.append(1)
        return "from-store\n"

    assert open_account(AuthKind.API_KEY, {"GEMINI_API_KEY": " k\n"}, stored).headers == {
        "x-goog-api-key": "k"
    }
    assert asked == []
    assert open_account(AuthKind.API_KEY, {}, stored).headers == {"x-goog-api-key": "from-store"}
    with pytest.raises(AuthError, match="GEMINI_API_KEY"):
        open_account(AuthKind.API_KEY, {}, lambda: None)


def test_a_gateway_needs_an_address_and_no_key():
    account = open_account(AuthKind.GATEWAY, {"GOOGLE_GEMINI_BASE_URL": URL}, lambda: None)
    assert (account.endpoint.base, account.headers) == (URL, {"x-goog-api-key": ""})
    with pytest.raises(AuthError, match="GOOGLE_GEMINI_BASE_URL"):
        open_account(AuthKind.GATEWAY, {}, lambda: None)


def test_bearer_is_sent_beside_the_key():
    env = {"GEMINI_API_KEY": "k", "GEMINI_API_KEY_AUTH_MECHANISM": "bearer"}
    headers = open_account(AuthKind.API_KEY, env, lambda: None).headers
    assert headers == {"x-goog-api-key": "k", "Authorization": "Bearer k"}
    with pytest.raises(ConfigError, match="GEMINI_API_KEY_AUTH_MECHANISM"):
        open_account(
            AuthKind.API_KEY, env | {"GEMINI_API_KEY_AUTH_MECHANISM": "basic"}, lambda: None
        )


@pytest.mark.parametrize("key", ["a\r\nX: 1", "schlüssel", "a\x00b"])
def test_a_damaged_key_is_refused_without_being_shown(key):
    with pytest.raises(AuthError, match="GEMINI_API_KEY") as caught:
        open_account(AuthKind.API_KEY, {"GEMINI_API_KEY": key}, lambda: None)
    assert key not in str(caught.value)


def test_an_account_never_shows_its_key():
    account = open_account(AuthKind.API_KEY, {"GEMINI_API_KEY": "secret"}, lambda: None)
    assert "secret" not in repr(account) and "secret" not in f"{account}"


@pytest.mark.parametrize(
    ("base", "version", "url"),
    [
        ("", "", "https://generativelanguage.googleapis.com/v1beta/models/m:countTokens"),
        (URL + "/", "", URL + "/v1beta/models/m:countTokens"),
        (" http://localhost:8/g/ ", "v1", "http://localhost:8/g/v1/models/m:countTokens"),
        ("http://[::1]:80", "/v2/", "http://[::1]:80/v2/models/m:countTokens"),
    ],
)
def test_the_address_is_put_together_from_its_values(base, version, url):
    env = {
        "GEMINI_API_KEY": "k",
        "GOOGLE_GEMINI_BASE_URL": base,
        "GOOGLE_GENAI_API_VERSION": version,
    }
    account = open_account(AuthKind.API_KEY, env, lambda: None)
    assert account.endpoint.url("models/m", "countTokens") == url


def test_a_tuned_model_keeps_its_folder():
    account = open_account(AuthKind.API_KEY, {"GEMINI_API_KEY": "k"}, lambda: None)
    url = account.endpoint.url("tunedModels/mine", "generateContent")
    assert url.endswith("/v1beta/tunedModels/mine:generateContent")


@pytest.mark.parametrize(
    "base",
    ["nonsense", "ftp://x", "http://", "https://a b", "http://x:0", "http://x:123456", "http://[x",
     "http://x\udcff", "http://x/\udcff", "https://user:pw@x", "https://x?a=1", "https://x#y"],
)  # fmt: skip
def test_an_address_that_cannot_be_meant_names_its_variable(base):
    env = {"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": base}
    with pytest.raises(ConfigError, match="GOOGLE_GEMINI_BASE_URL") as caught:
        open_account(AuthKind.API_KEY, env, lambda: None)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("version", ["../x", "..", "v\udcff", "v1?x"])
def test_a_version_cannot_reach_another_path(version):
    env = {"GEMINI_API_KEY": "k", "GOOGLE_GENAI_API_VERSION": version}
    with pytest.raises(ConfigError, match="GOOGLE_GENAI_API_VERSION"):
        open_account(AuthKind.API_KEY, env, lambda: None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, {}),
        ("", {}),
        ("A:1,B:two", {"A": "1", "B": "two"}),
        ("A: 1, 2, 3, B: x:y,z", {"A": "1, 2, 3", "B": "x:y,z"}),
        (" X-Date : Mon, 01 Jan ", {"X-Date": "Mon, 01 Jan"}),
        ("A:,", {"A": ","}),
    ],
)
def test_a_comma_splits_custom_headers_only_before_a_name(text, expected):
    assert custom_headers(text, pytest.fail) == expected


def test_a_custom_header_without_a_name_is_left_out_told_and_not_shown():
    told: list[str] = []
    assert custom_headers("A: 1, B: 2,: secret", told.append) == {"A": "1", "B": "2,: secret"}
    assert custom_headers("secret,A: 1", told.append) == {"A": "1"}
    assert len(told) == 1 and "entry 1" in told[0] and "secret" not in told[0]


async def send(env=None, **more):
    async with Loopback(lambda seen, wire: wire.events(answer())) as server:
        await collect(models(server.url, env=env, **more))
        return server.seen[0].headers


async def test_custom_headers_are_sent_and_replace_ours():
    seen = await send({"GEMINI_CLI_CUSTOM_HEADERS": "X-Team:a, b,user-agent:mine,x-goog-api-key:z"})
    assert (seen["x-team"], seen["user-agent"], seen["x-goog-api-key"]) == ("a, b", "mine", "key")


async def test_a_custom_header_cannot_break_the_wire():
    for text in ("content-length:1", "A: secret\udcff", "A: secret\x00"):
        with pytest.raises(ConfigError, match="GEMINI_CLI_CUSTOM_HEADERS") as caught:
            await send({"GEMINI_CLI_CUSTOM_HEADERS": text})
        assert "secret" not in str(caught.value)


async def test_no_installation_id_is_sent_unless_statistics_are_allowed():
    assert "x-gemini-api-privileged-user-id" not in await send()


@pytest.mark.parametrize(
    ("env", "editor", "surface"),
    [
        ({}, None, "terminal"),
        ({"GITHUB_SHA": "1"}, None, "GitHub"),
        ({"GITHUB_SHA": "1"}, "zed", "zed"),
        ({"TERM_PROGRAM": "vscode"}, None, "vscode"),
        ({"SURFACE": "b", "GEMINI_CLI_SURFACE": "a"}, "zed", "a"),
        ({"SURFACE": "b"}, "zed", "b"),
    ],
)
def test_the_surface_is_told_in_the_documented_order(env, editor, surface):
    assert surface_of(env, editor) == surface


def test_the_user_agent_has_the_documented_form():
    plain = user_agent(Identity(client="acp-zed"), "m")
    assert plain.startswith("GeminiCLI-acp-zed/") and plain.endswith("; terminal)")
    assert user_agent(Identity(client=""), "m\n").startswith("GeminiCLI/")
    assert "\n" not in user_agent(Identity(), "m\n")
    assert user_agent(Identity(surface="my\nci"), "m").endswith("; my?ci)")
    editor = user_agent(Identity(surface="vscode", editor_version="1.99.0"), "m")
    assert editor.startswith("CloudCodeVSCode/") and "host_path=VSCode/1.99.0;" in editor


def test_no_client_is_made_when_there_is_no_way_to_sign_in():
    def http():
        raise AssertionError("made a client")

    with pytest.raises(AuthError):
        open_models(ModelSettings(), {}, http=http, clock=FakeClock())
