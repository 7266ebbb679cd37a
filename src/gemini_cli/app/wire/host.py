"""Wires the machine: files, processes, the workspace and what children may see of it."""

from pathlib import Path

import msgspec

from gemini_cli.app.wire.basis import Basis
from gemini_cli.ground.host.environment import Redaction, for_shell, must_be_strict
from gemini_cli.ground.host.files import LocalFiles
from gemini_cli.ground.host.process import LocalProcesses
from gemini_cli.ground.host.workspace import LocalWorkspace, Special
from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.host import Files, Processes, Workspace


class Host(msgspec.Struct, frozen=True):
    """The machine as one session sees it."""

    files: Files
    processes: Processes
    workspace: Workspace
    child_env: dict[str, str]


def build_host(basis: Basis) -> Host:
    """A host for a new session. Raises `ConfigError` for a folder that is not there."""
    paths, settings = basis.paths, basis.settings
    special = Special(paths.project_tmp(basis.short_id), paths.global_dir / "GEMINI.md")
    redaction = settings.security.environment_variable_redaction
    return Host(
        LocalFiles(),
        LocalProcesses(),
        LocalWorkspace(paths.cwd, special, roots=_roots(basis)),
        for_shell(
            basis.env,
            Redaction(
                redaction.enabled,
                redaction.allowed,
                redaction.blocked,
                strict=must_be_strict(basis.env),
            ),
        ),
    )


def _roots(basis: Basis) -> list[Path]:
    found = []
    for text in (*basis.settings.context.include_directories, *basis.launch.roots):
        path = basis.paths.cwd / Path(text).expanduser()
        if not path.is_dir():
            raise ConfigError(
                f"--include-directories / context.includeDirectories: {text} is not a folder"
            )
        found.append(path)
    return found
