"""Wires what the model is told: switches, context files and the folder tree."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gemini_cli.app.wire.basis import Basis
from gemini_cli.engine.context import (
    ContextPrompts,
    ContextSettings,
    ContextSources,
    PromptSwitches,
)
from gemini_cli.ground.host.ignore import IgnoreRules
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import Catalog


def build_prompts(basis: Basis, catalog: Catalog) -> ContextPrompts:
    """The prompts of one session."""
    paths, context = basis.paths, basis.settings.context
    settings = ContextSettings(
        global_dir=paths.global_dir,
        scratch=paths.project_tmp(basis.short_id),
        platform=sys.platform,
        switches=PromptSwitches.of(basis.env, workspace=paths.cwd, home=paths.home),
        names=_names(context.file_name),
        markers=context.memory_boundary_markers,
        include_tree=context.include_directory_tree,
        trusted=basis.config.trust.trusted,
    )

    def tools(view: SessionView) -> Sequence[str]:
        return [tool.name for tool in catalog.declared(view)]

    return ContextPrompts(
        settings, basis.clock, ContextSources(tools=tools, ignored=_ignored(basis))
    )


def _names(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _ignored(basis: Basis) -> Callable[[str, bool], bool]:
    """Whether ignore rules hide a path; the rules of a root are read when first asked for."""
    filtering = basis.settings.context.file_filtering
    rules: dict[Path, IgnoreRules] = {}

    def ignored(path: str, is_dir: bool) -> bool:
        root = basis.paths.cwd
        if root not in rules:
            rules[root] = IgnoreRules(
                root,
                git=filtering.respect_git_ignore,
                gemini=filtering.respect_gemini_ignore,
                custom=[Path(p) for p in filtering.custom_ignore_file_paths],
            )
        return rules[root].ignores(Path(path), is_dir=is_dir)

    return ignored
