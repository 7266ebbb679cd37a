"""What keeps git from running or writing anything a repository's own configuration asks for.

Tables and pure functions; `git` applies them. Each entry stands for a way in which a folder
somebody else made can start a program: hooks, monitors, filters, converters, signatures,
prompts, pagers, and objects that are missing on purpose so that git fetches them.
"""

from collections.abc import Mapping, Sequence

# Variables that point git at another repository or make it run or write something.
HARMFUL = ("GIT_", "SSH_ASKPASS", "GPG_TTY", "PAGER", "EDITOR", "VISUAL")
FIXED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "LC_ALL": "C",
}
# A promised object that is missing is fetched with whatever program the repository names, in
# the middle of a plain `status`. Unlike settings, this variable cannot be overruled by it.
NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}
SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.attributesFile", "/dev/null"),
    ("core.quotePath", "false"),
    ("credential.helper", ""),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("protocol.ext.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
)

CONNECTING = frozenset({"clone", "fetch", "ls-remote", "pull", "push", "remote", "submodule"})
# Commands that never look into a file of the checkout, so that no filter can run.
UNFILTERED = frozenset({"check-ignore", "config", "init", "ls-remote", "rev-parse"})
# An empty `diff.external` or `textconv` is an error to git, so they are switched off by flag.
FLAGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("diff", "log", "reflog", "show", "whatchanged"), ("--no-ext-diff",)),
    **dict.fromkeys(("annotate", "blame"), ()),
}
WITH_VALUE = frozenset({"-c", "-C", "--config-env", "--git-dir", "--namespace", "--work-tree"})
LIST_FILTERS = ("config", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\.")
OWN_SCOPES = frozenset({"local", "worktree"})


def command_at(args: Sequence[str]) -> int:
    """Where git's own options end and the command stands."""
    at = 0
    while at < len(args) and args[at].startswith("-"):
        at += 2 if args[at] in WITH_VALUE else 1
    return min(at, len(args))


def guarded(args: Sequence[str]) -> tuple[str, ...]:
    """The arguments with the flags that keep converters of the repository from running."""
    at = command_at(args)
    flags = FLAGS.get(args[at]) if at < len(args) else None
    if flags is None:
        return tuple(args)
    return (*args[: at + 1], *flags, "--no-textconv", *args[at + 1 :])


def without_filters(listed: bytes) -> tuple[tuple[str, str], ...]:
    """Settings that empty the filters a repository defines, from what LIST_FILTERS printed."""
    fields = listed.decode(errors="surrogateescape").split("\0")
    off: dict[str, str] = {}
    for scope, key in zip(fields[::2], fields[1::2], strict=False):
        if scope in OWN_SCOPES:
            driver = key.rpartition(".")[0]
            off |= {f"{driver}.{part}": "" for part in ("clean", "smudge", "process")}
            off[f"{driver}.required"] = "false"
    return tuple(off.items())
