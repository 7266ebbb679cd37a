"""Wires what the model is told: switches, context files and the folder tree."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gemini_cli.app.wire.basis import Basis
from gemini_cli.app.wire.host import Host
from gemini_cli.engine.context import (
    ContextPrompts,
    ContextSettings,
    ContextSources,
    PromptSwitches,
)
from gemini_cli.protocol.messages import Message, Part
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import Catalog


class ToldPrompts:
    """Prompts that tell each trouble with a context file once, when it is met."""

    def __init__(self, inner: ContextPrompts, warn: Callable[[str], None]) -> None:
        self._inner = inner
        self._warn = warn
        self._told: set[str] = set()

    def system(self, view: SessionView) -> str:
        text = self._inner.system(view)
        self._tell(view)
        return text

    def opening(self, view: SessionView) -> tuple[Message, ...]:
        messages = self._inner.opening(view)
        self._tell(view)
        return messages

    def delta(self, view: SessionView) -> tuple[Part, ...]:
        return self._inner.delta(view)

    def _tell(self, view: SessionView) -> None:
        for text in self._inner.warnings(view):
            if text not in self._told:
                self._told.add(text)
                self._warn(text)


def build_prompts(
    basis: Basis, catalog: Catalog, host: Host, warn: Callable[[str], None]
) -> ToldPrompts:
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

    def ignored(path: str, is_dir: bool) -> bool:
        return host.ignored(Path(path), is_dir)

    sources = ContextSources(tools=tools, ignored=ignored)
    return ToldPrompts(ContextPrompts(settings, basis.clock, sources), warn)


def _names(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())
