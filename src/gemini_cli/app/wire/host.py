"""Wires the machine: files, processes, the workspace and what children may see of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from gemini_cli.app.wire.basis import Basis
from gemini_cli.ground.host.environment import Redaction, for_shell, must_be_strict
from gemini_cli.ground.host.files import LocalFiles
from gemini_cli.ground.host.ignore import IgnoreRules
from gemini_cli.ground.host.workspace import LocalWorkspace, Special
from gemini_cli.protocol.host import Files, Processes, Workspace


class Host(msgspec.Struct, frozen=True):
    """The machine as one session sees it."""

    files: Files
    processes: Processes
    workspace: Workspace
    child_env: dict[str, str]
    ignored: Callable[[Path, bool], bool]
    """Whether ignore rules hide a path (a folder, if True)."""


def build_host(basis: Basis, processes: Processes) -> Host:
    """A host for a new session. Further folders that are not there are left out."""
    paths, settings = basis.paths, basis.settings
    special = Special(paths.project_tmp(basis.short_id), paths.global_dir / "GEMINI.md")
    redaction = settings.security.environment_variable_redaction
    workspace = LocalWorkspace(paths.cwd, special, roots=_roots(basis))
    return Host(
        LocalFiles(private=workspace.temp),
        processes,
        workspace,
        for_shell(
            basis.env,
            Redaction(
                redaction.enabled,
                redaction.allowed,
                redaction.blocked,
                strict=must_be_strict(basis.env),
            ),
        ),
        _ignored(basis, workspace),
    )


def _ignored(basis: Basis, workspace: Workspace) -> Callable[[Path, bool], bool]:
    """The rules of a root are read when a path in it is first asked about."""
    filtering = basis.settings.context.file_filtering
    rules: dict[Path, IgnoreRules] = {}

    def ignored(path: Path, is_dir: bool) -> bool:
        root = next((root for root in workspace.roots if path.is_relative_to(root)), None)
        if root is None:
            return False
        if root not in rules:
            rules[root] = IgnoreRules(
                root,
                git=filtering.respect_git_ignore,
                gemini=filtering.respect_gemini_ignore,
                custom=[Path(p) for p in filtering.custom_ignore_file_paths],
            )
        return rules[root].ignores(path, is_dir=is_dir)

    return ignored


def missing_roots(basis: Basis) -> Iterator[str]:
    """A warning for each further folder that is not there; the run goes on without it."""
    for text in _named_roots(basis):
        if not _is_folder(basis.paths.at_home(text)):
            yield (
                f"--include-directories / context.includeDirectories: {_plain(text)} is not a "
                "folder and is left out"
            )


def _roots(basis: Basis) -> list[Path]:
    found = [basis.paths.at_home(text) for text in _named_roots(basis)]
    return [path for path in found if _is_folder(path)]


def _named_roots(basis: Basis) -> tuple[str, ...]:
    return (*basis.settings.context.include_directories, *basis.launch.roots)


def _is_folder(path: Path) -> bool:
    """Names too long for the disk are no folders either."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _plain(text: str) -> str:
    """The name as one short line, whatever a settings file put into it."""
    short = text if len(text) <= 200 else text[:200] + "…"
    return short if short.isprintable() else repr(short)
