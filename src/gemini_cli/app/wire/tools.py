"""Wires the built-in tools, and the catalog that offers what rules and settings allow."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gemini_cli.app.wire.basis import Basis
from gemini_cli.app.wire.part import Opening, Part
from gemini_cli.engine.tools import Identity, ReadFile, Registry, Replace, Shell
from gemini_cli.ground.host.git import Git
from gemini_cli.protocol.errors import GeminiError
from gemini_cli.protocol.policy import Policy
from gemini_cli.protocol.tools import Tool


def part(opening: Opening) -> Part:
    """The built-in tools of one session."""
    host = opening.host
    silence = float(opening.basis.settings.tools.shell.inactivity_timeout)

    def ignored(path: Path) -> str | None:
        return "ignore rules (.gitignore, .geminiignore)" if host.ignored(path, False) else None

    shell = Shell(silence=silence, identity=_identity(opening.basis))
    plans = opening.basis.paths.project_tmp(opening.basis.short_id) / opening.session_id / "plans"
    return Part(tools=(ReadFile(ignored), Replace(plans), shell))


def _identity(basis: Basis) -> Identity:
    """Whose commits they are: asked once per folder, and nobody's where git does not say."""
    known: dict[Path, Mapping[str, str]] = {}
    git = Git(basis.env)

    async def identity(folder: Path) -> Mapping[str, str]:
        if folder not in known:
            try:
                known[folder] = await git.identity(cwd=folder)
            except GeminiError:
                known[folder] = {}
        return known[folder]

    return identity


def build_catalog(basis: Basis, tools: Sequence[Tool], policy: Policy) -> Registry:
    """What a model is offered of them."""
    settings = basis.settings.tools
    return Registry(
        tools,
        hides=policy.hides,
        exclude=[name for name in settings.exclude or () if "(" not in name],
        core=settings.core,
    )
