"""Secrets do not reach children when they must not, and git cannot be turned against us."""

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.ground.host.environment import (
    Redaction,
    for_shell,
    must_be_strict,
    visible,
    with_git_settings,
    without_code_loading,
)

ON = Redaction(enabled=True)


def kept(name: str, value: str = "plain", redaction: Redaction = ON) -> bool:
    return name in visible({name: value}, redaction)


def test_nothing_is_hidden_unless_asked_for():
    environ = {"GEMINI_API_KEY": "k", "X": "AIzaSy" + "a" * 33}
    assert visible(environ, Redaction()) == environ


@pytest.mark.parametrize(
    "name",
    ["GITHUB_TOKEN", "my_secret", "Password", "PGPASSWD", "GEMINI_API_KEY", "AUTHORIZATION",
     "X_CREDENTIAL", "AWS_CREDS", "PRIVATE", "CERTIFICATE", "CLIENT_ID", "DATABASE_URL",
     "GOOGLE_CLOUD_PROJECT", "SSH_AUTH_SOCK"],
)  # fmt: skip
def test_names_of_secrets_are_hidden(name):
    assert not kept(name)


@pytest.mark.parametrize(
    "value",
    [
        "-----BEGIN RSA PRIVATE KEY-----\nabc", "-----BEGIN CERTIFICATE-----",
        "postgres://user:pw@host/db", "https://:token@host", "ghp_" + "a" * 36,
        "github_pat_" + "b" * 40, "AIzaSy" + "c_-" * 11, "AKIAABCDEFGHIJKLMNOP",
        "Bearer eyJhbGci.eyJzdWIi.c2ln", "sk_live_" + "d" * 24, "rk_test_" + "e" * 24,
        "xoxb-1234567890-abc",
    ],
)  # fmt: skip
def test_values_that_look_like_secrets_are_hidden_whatever_their_name(value):
    assert not kept("INNOCENT", value)
    assert not kept("PATH", value)
    assert not kept("INNOCENT", value, Redaction(enabled=True, allowed=("INNOCENT",)))
    assert kept("GEMINI_CLI_X", value)


@pytest.mark.parametrize(
    "value", ["/usr/bin:/bin", "https://host/path?a=b:c@d", "eyJ", "a@b:c", "AKIA", "user:pw@host"]
)
def test_ordinary_values_are_not_taken_for_secrets(value):
    assert kept("INNOCENT", value)


def test_lists_of_the_user_are_obeyed_in_order():
    lists = Redaction(
        enabled=True, allowed=("my_token", "client_id"), blocked=("shell", "my_token")
    )
    assert kept("MY_TOKEN", redaction=lists)
    assert kept("CLIENT_ID", redaction=lists)
    assert not kept("SHELL", redaction=lists)
    firm = Redaction(enabled=True, allowed=("my_token", "client_id", "harmless"), firm=True)
    assert not kept("MY_TOKEN", redaction=firm)
    assert not kept("CLIENT_ID", redaction=firm)
    assert kept("HARMLESS", redaction=firm)


def test_a_github_action_keeps_only_known_names():
    strict = Redaction(strict=True)
    environ = {"PATH": "/bin", "ISSUE_TITLE": "t", "EDITOR": "vi", "GEMINI_CLI_A": "1",
               "GIT_CONFIG_COUNT": "0", "MINE": "1"}  # fmt: skip
    assert set(visible(environ, strict)) == {"PATH", "ISSUE_TITLE", "GEMINI_CLI_A",
                                             "GIT_CONFIG_COUNT"}  # fmt: skip
    assert must_be_strict({"GITHUB_SHA": "abc"})
    assert must_be_strict({"SURFACE": "Github"})
    assert not must_be_strict({"GITHUB_SHA": "", "SURFACE": "vscode"})


@given(st.text(alphabet="eyJ.-:/@a=\n", max_size=2000))
def test_looking_for_secrets_never_hangs(value):
    assert set(visible({"A": value * 40}, ON)) <= {"A"}


@pytest.mark.parametrize("piece", ["a://", "a:", "eyJ-", "eyJ.", "-----BEGIN ", "a", "://:"])
def test_a_value_made_to_be_slow_is_read_in_a_moment(piece):
    value = piece * (100_000 // len(piece))
    assert kept("A", value) or piece in ("eyJ.", "-----BEGIN ")


def test_the_shell_gets_no_pager_no_prompt_and_harmless_git_settings(tmp_path):
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b",
               "GIT_CONFIG_VALUE_0": "c", "PAGER": "less"}  # fmt: skip
    seen = for_shell(environ, Redaction(), settings={"user.name": "Ann"})
    assert (seen["GEMINI_CLI"], seen["PAGER"], seen["GIT_PAGER"]) == ("1", "cat", "cat")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, env=seen, check=True)
    with (tmp_path / ".git" / "config").open("a") as config:
        config.write("[core]\n\tfsmonitor = touch hacked\n\tsshCommand = touch hacked\n")
    said = subprocess.run(
        ["git", "config", "--list"], cwd=tmp_path, env=seen, check=True, capture_output=True
    ).stdout.decode()
    last = dict(line.split("=", 1) for line in said.splitlines())
    assert (last["a.b"], last["user.name"]) == ("c", "Ann")
    assert (last["core.fsmonitor"], last["core.sshcommand"]) == ("", "ssh")
    assert last["core.pager"] == "cat"
    (tmp_path / "f").write_text("1\n")
    for command in ("add f", "status", "diff --cached"):
        ran = ["git", *command.split()]
        subprocess.run(ran, cwd=tmp_path, env=seen, check=True, capture_output=True)
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize("count", ["", "x", "-1", "1e3", "99999999"])
def test_a_broken_count_of_git_settings_is_started_again(count):
    made = with_git_settings({"GIT_CONFIG_COUNT": count}, [("a.b", "c")])
    assert made["GIT_CONFIG_COUNT"] == "1"
    assert made["GIT_CONFIG_KEY_0"] == "a.b"


def test_servers_cannot_smuggle_code_into_their_children():
    given_env = {"LD_PRELOAD": "x", "node_options": "x", "PATH": "/bin", "PERL5LIB": "x",
                 "ENVIRONMENT": "prod", "ENV": "x"}  # fmt: skip
    left, dropped = without_code_loading(given_env)
    assert left == {"PATH": "/bin", "ENVIRONMENT": "prod"}
    assert dropped == ("LD_PRELOAD", "node_options", "PERL5LIB", "ENV")


def test_the_given_environment_is_not_changed():
    environ = {"A": "1"}
    for_shell(environ, ON)
    assert environ == {"A": "1"}
