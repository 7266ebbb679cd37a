"""Wires the rules: the built-in ones, and those that flags and settings stand for."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from gemini_cli.app.wire.basis import Basis
from gemini_cli.app.wire.host import Host
from gemini_cli.engine.policy import SHELL, Rule, RuleBook, builtin_rules, edits_of_settings
from gemini_cli.engine.tools import wire_name
from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import Verdict

_TIER = 4
_NO_PLAN = frozenset(Mode) - {Mode.PLAN}


def build_policy(
    basis: Basis, host: Host, canonical: Callable[[str, JsonObject], JsonObject]
) -> RuleBook:
    """The rule book of one session; its grants end with it."""
    trusted = basis.config.trust.trusted
    forbidden = basis.settings.security.disable_always_allow
    return RuleBook(
        [*_settings_rules(basis), *builtin_rules()],
        canonical=canonical,
        remember=trusted and not forbidden,
        objection=edits_of_settings(host.workspace, basis.paths.project_tmp(basis.short_id)),
    )


def require_readable_rules(basis: Basis, mode: Mode) -> None:
    """Refuses to run freely past rule files that this version cannot read yet."""
    if mode in (Mode.DEFAULT, Mode.PLAN):
        return
    found = _rule_files(basis)
    if found:
        raise ConfigError(
            f"Policy files are not read by this version, so {mode.flag} would ignore "
            f"{', '.join(found)}. Run in default mode, or move the files away"
        )


def _rule_files(basis: Basis) -> Sequence[str]:
    settings, paths = basis.settings, basis.paths
    named = [*settings.policy_paths, *settings.admin_policy_paths]
    for folder in (paths.user_policies, paths.admin_policies):
        if folder.is_dir() and any(folder.glob("*.toml")):
            named.append(str(folder))
    return named


def _settings_rules(basis: Basis) -> Iterator[Rule]:
    """`tools.exclude`, `confirmationRequired`, `allowed`, `core`, and `--allowed-tools`."""
    tools = basis.settings.tools
    for entry in tools.exclude or ():
        yield _rule(entry, Verdict.DENY, 0.4, "tools.exclude")
    for entry in tools.confirmation_required or ():
        yield _rule(entry, Verdict.ASK, 0.35, "tools.confirmationRequired")
    allowed = (*(tools.allowed or ()), *basis.launch.allowed_tools)
    for entry in allowed:
        yield _rule(entry, Verdict.ALLOW, 0.3, "tools.allowed")
    if any(_parts(entry)[1] for entry in allowed):
        others = "Only the commands of tools.allowed may run."
        yield Rule(
            SHELL, Verdict.DENY, _TIER + 0.29, interactive=False,
            deny_message=others, source="tools.allowed",
        )  # fmt: skip
    core = [_rule(entry, Verdict.ALLOW, 0.25, "tools.core") for entry in tools.core or ()]
    yield from (msgspec.structs.replace(rule, modes=_NO_PLAN) for rule in core)
    if any(rule.tool == SHELL and rule.prefix for rule in core):
        others = "Only the commands of tools.core may run."
        yield Rule(
            SHELL, Verdict.DENY, _TIER + 0.24, modes=_NO_PLAN,
            deny_message=others, source="tools.core",
        )  # fmt: skip


def _rule(entry: str, verdict: Verdict, fraction: float, source: str) -> Rule:
    tool, prefix = _parts(entry)
    why = f"{entry} is listed in {source}." if verdict is Verdict.DENY else ""
    return Rule(tool, verdict, _TIER + fraction, prefix=prefix, deny_message=why, source=source)


def _parts(entry: str) -> tuple[str, str | None]:
    """`run_shell_command(git status)` speaks of commands that begin so."""
    name, paren, rest = entry.partition("(")
    return wire_name(name.strip()), rest.rstrip().removesuffix(
        ")"
    ).strip() or None if paren else None
