"""Decides which environment variables children may see. Pure functions, mapping in, mapping out.

Redaction drops what is named or looks like a secret; the shell gets git settings that cannot
start programs or ask questions. It never reads the environment itself.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

OURS = "GEMINI_CLI_"
GIT_SETTINGS = "GIT_CONFIG_"

ALWAYS_KEPT = frozenset(
    """PATH HOME LANG SHELL TMPDIR USER LOGNAME TERM COLORTERM
    SYSTEMROOT COMSPEC PATHEXT WINDIR TEMP TMP USERPROFILE SYSTEMDRIVE
    ADDITIONAL_CONTEXT AVAILABLE_LABELS BRANCH_NAME DESCRIPTION EVENT_NAME GITHUB_ENV
    IS_PULL_REQUEST ISSUES_TO_TRIAGE ISSUE_BODY ISSUE_NUMBER ISSUE_TITLE PULL_REQUEST_NUMBER
    REPOSITORY TITLE TRIGGERING_ACTOR""".split()
)
ALWAYS_DROPPED = frozenset(
    """CLIENT_ID DB_URI CONNECTION_STRING AWS_DEFAULT_REGION AZURE_CLIENT_ID AZURE_TENANT_ID
    SLACK_WEBHOOK_URL TWILIO_ACCOUNT_SID DATABASE_URL GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_ACCOUNT
    FIREBASE_PROJECT_ID""".split()
)
SECRET_NAME = re.compile("TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT")
SECRET_VALUE = re.compile(
    r"""-----BEGIN\ [A-Z0-9 ]*(?:PRIVATE\ KEY|CERTIFICATE)
    | \b[a-z][a-z0-9+.-]{0,30}://[^\s/?\#@:]*:[^\s/?\#@]+@       # user:password@ in a URL
    | \bgh[opsur]_[a-z0-9]{20,} | \bgithub_pat_[a-z0-9_]{20,}
    | \bAIzaSy[a-z0-9_-]{33} | \bAKIA[a-z0-9]{16}\b
    | (?<![a-z0-9_-])eyJ[a-z0-9_-]+\.[a-z0-9_-]+\.[a-z0-9_-]+
    | \b[sr]k_(?:live|test)_[a-z0-9]{10,} | \bxox[abpr]-[a-z0-9-]{10,}
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Variables that make an interpreter or the loader run foreign code in whatever starts next.
CODE_LOADING = re.compile(
    r"NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|RUBYOPT|RUBYLIB|PERL5.*|LD_.*"
    r"|DYLD_.*|BASH_ENV|ENV|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS"
    r"|CORECLR_.*|ELECTRON_RUN_AS_NODE"
)

# What a repository's own settings may not start. `diff.external` is not among them: git takes
# an empty one for a program called "" and every `git diff` would fail.
GIT_HARMLESS = (
    ("credential.helper", ""),
    ("core.fsmonitor", ""),
    ("core.hooksPath", "/dev/null"),
    ("core.sshCommand", "ssh"),
    ("core.editor", ""),
    ("sequence.editor", ""),
    ("core.pager", "cat"),
)
SHELL_FIXED = {
    "GEMINI_CLI": "1",
    "TERM": "xterm-256color",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GH_PROMPT_DISABLED": "1",
    "GCM_INTERACTIVE": "never",
    "DISPLAY": "",
    "DBUS_SESSION_BUS_ADDRESS": "",
}


class Redaction(msgspec.Struct, frozen=True):
    """What to hide. `strict` keeps only known names; with `firm`, `allowed` frees no secrets."""

    enabled: bool = False
    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    strict: bool = False
    firm: bool = False


def must_be_strict(environ: Mapping[str, str]) -> bool:
    """Whether we run inside a GitHub action, where strangers write the prompts."""
    return bool(environ.get("GITHUB_SHA")) or environ.get("SURFACE") == "Github"


def visible(environ: Mapping[str, str], redaction: Redaction) -> dict[str, str]:
    """What a child may see of `environ`."""
    if not (redaction.enabled or redaction.strict):
        return dict(environ)
    allowed = frozenset(name.upper() for name in redaction.allowed)
    if redaction.firm:
        allowed = frozenset(name for name in allowed if not _is_secret_name(name))
    blocked = frozenset(name.upper() for name in redaction.blocked)
    return {
        name: value
        for name, value in environ.items()
        if _is_kept(name.upper(), value, allowed, blocked, redaction.strict)
    }


def _is_kept(
    name: str, value: str, allowed: frozenset[str], blocked: frozenset[str], strict: bool
) -> bool:
    """The rules in order; the first that fits decides."""
    if name.startswith(OURS):
        return True
    if SECRET_VALUE.search(value):
        return False
    if name.startswith(GIT_SETTINGS) or name in allowed:
        return True
    if name in blocked:
        return False
    if name in ALWAYS_KEPT:
        return True
    return not (strict or _is_secret_name(name))


def _is_secret_name(name: str) -> bool:
    return name in ALWAYS_DROPPED or SECRET_NAME.search(name) is not None


def for_shell(
    environ: Mapping[str, str], redaction: Redaction, *, settings: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of a shell command: redacted, no pager, no prompts, git kept harmless.

    `settings` are git settings on top, such as `user.name` and `user.email`, because the
    person's own git configuration is hidden.
    """
    seen = visible(environ, redaction) | SHELL_FIXED
    return with_git_settings(seen, [*GIT_HARMLESS, *(settings or {}).items()])


def with_git_settings(
    environ: Mapping[str, str], settings: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """Appends git settings to those the environment already carries."""
    given = environ.get("GIT_CONFIG_COUNT", "")
    start = int(given) if re.fullmatch("[0-9]{1,4}", given) else 0
    added = dict(environ)
    for number, (key, value) in enumerate(settings, start):
        added[f"GIT_CONFIG_KEY_{number}"] = key
        added[f"GIT_CONFIG_VALUE_{number}"] = value
    added["GIT_CONFIG_COUNT"] = str(start + len(settings))
    return added


def without_code_loading(given: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Variables a server or extension may set for its child, and the names it may not."""
    dropped = tuple(name for name in given if CODE_LOADING.fullmatch(name.upper()))
    return {name: value for name, value in given.items() if name not in dropped}, dropped
