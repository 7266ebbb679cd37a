"""The `Prompts` port: system instruction, opening message and news, built from given sources.

It keeps the loaded context files and the last system text; both stay the same until
`reload`. It reads no settings and no environment.
"""

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from gemini_cli.engine.context.memory import Memory, file_names, load_memory
from gemini_cli.engine.context.opening import Surroundings, session_context
from gemini_cli.engine.context.prompt import (
    AgentLine,
    PromptFacts,
    SandboxKind,
    SkillLine,
    base_prompt,
    finished,
    substituted,
)
from gemini_cli.engine.context.switches import WRITE, PromptSwitches
from gemini_cli.engine.context.tree import Ignored, nothing_ignored
from gemini_cli.protocol.host import Clock
from gemini_cli.protocol.messages import Message, Part, Text
from gemini_cli.protocol.session import SessionView


class ContextSettings(Struct, frozen=True):
    """The choices a session is opened with."""

    global_dir: Path
    scratch: Path
    platform: str
    switches: PromptSwitches = PromptSwitches()
    names: tuple[str, ...] = ()
    """`context.fileName`; the usual names are added to it."""
    markers: tuple[str, ...] = (".git",)
    """`context.memoryBoundaryMarkers`."""
    include_tree: bool = True
    trusted: bool = True
    sandbox: SandboxKind = "none"
    plans_dir: str = ""
    project_memory_file: str = ""
    extension_files: tuple[Path, ...] = ()


def _no_tools(view: SessionView) -> Sequence[str]:
    return ()


class ContextSources(Struct, frozen=True):
    """What may change while a session runs, asked anew each time."""

    tools: Callable[[SessionView], Sequence[str]] = _no_tools
    """Names of the tools declared now."""
    skills: Callable[[], Sequence[SkillLine]] = tuple
    agents: Callable[[], Sequence[AgentLine]] = tuple
    approved_plan: Callable[[], str] = str
    server_notes: Callable[[], str] = str
    """Instructions of MCP servers; they join the project's context."""
    instructions: Callable[[SessionView], str] | None = None
    """A program's own words; they take the place of the global memory."""
    news: tuple[Callable[[SessionView], tuple[Part, ...]], ...] = ()
    ignored: Ignored = nothing_ignored


class ContextPrompts:
    """What the model is told besides the conversation."""

    def __init__(
        self, settings: ContextSettings, clock: Clock, sources: ContextSources | None = None
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._sources = sources or ContextSources()
        self._memory: tuple[tuple[str, ...], Memory] | None = None
        self._base: tuple[PromptFacts, str] | None = None
        self._git: dict[str, bool] = {}
        self._written = ""
        self._write_problem = ""

    def system(self, view: SessionView) -> str:
        """The system instruction; equal facts give equal text."""
        facts = self._facts(view)
        if self._base is None or self._base[0] != facts:
            self._base = (facts, self._make(facts))
        own = self._sources.instructions
        memory = self._global(view) if own is None else own(view)
        text = finished(self._base[1], memory, view.topic)
        self._write(text)
        return text

    def opening(self, view: SessionView) -> tuple[Message, ...]:
        """The message about surroundings and loaded context."""
        memory = self.memory(view)
        project = "\n\n".join(
            text for text in (memory.text("project"), self._sources.server_notes().strip()) if text
        )
        now = self._clock.now()
        about = Surroundings(
            today=datetime.fromisoformat(now.replace("Z", "+00:00")).astimezone().date(),
            platform=self._settings.platform,
            scratch=str(self._settings.scratch),
            roots=_roots(view),
            extension_text=memory.text("extension"),
            project_text=project,
        )
        text = session_context(
            about, tree=self._settings.include_tree, ignored=self._sources.ignored
        )
        message = Message(self._clock.new_id(), "user", (Text(text),), now, origin="context")
        return (message,)

    def delta(self, view: SessionView) -> tuple[Part, ...]:
        """News from every source, in order."""
        return tuple(part for source in self._sources.news for part in source(view))

    def memory(self, view: SessionView) -> Memory:
        """The context files in force for these roots."""
        roots = _roots(view)
        if self._memory is None or self._memory[0] != roots:
            loaded = load_memory(
                global_dir=self._settings.global_dir,
                roots=[Path(root) for root in roots],
                names=self._settings.names,
                markers=self._settings.markers,
                extension_files=self._settings.extension_files,
                trusted=self._settings.trusted,
            )
            self._memory = (roots, loaded)
        return self._memory[1]

    def reload(self) -> None:
        """Forgets what was read, so that the next question reads it again."""
        self._memory = None
        self._base = None
        self._git = {}

    def warnings(self, view: SessionView) -> tuple[str, ...]:
        """What went wrong without stopping anything, as sentences for a person."""
        written = (self._write_problem,) if self._write_problem else ()
        return (*self.memory(view).warnings, *written)

    def _global(self, view: SessionView) -> str:
        text = self.memory(view).text("global")
        return f"<loaded_context>\n{text}\n</loaded_context>" if text else ""

    def _facts(self, view: SessionView) -> PromptFacts:
        settings, sources = self._settings, self._sources
        names = file_names(settings.names)
        return PromptFacts(
            interactive=view.interactive,
            mode=view.mode,
            model=view.model,
            tools=tuple(sources.tools(view)),
            git=self._in_git(view.cwd),
            sandbox=settings.sandbox,
            skills=tuple(sources.skills()),
            agents=tuple(sources.agents()),
            context_names=names,
            global_memory_file=str(settings.global_dir / names[0]),
            project_memory_file=settings.project_memory_file,
            plans_dir=settings.plans_dir,
            approved_plan=sources.approved_plan(),
        )

    def _make(self, facts: PromptFacts) -> str:
        switches = self._settings.switches
        if switches.template is not None:
            return substituted(switches.template, facts)
        return base_prompt(facts, switches.off)

    def _in_git(self, cwd: str) -> bool:
        if cwd not in self._git:
            folders = (Path(cwd), *Path(cwd).parents)
            self._git[cwd] = any(os.path.lexists(folder / ".git") for folder in folders)
        return self._git[cwd]

    def _write(self, text: str) -> None:
        target = self._settings.switches.write_to
        if target is None or text == self._written:
            return
        self._written = text
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            self._write_problem = f"{WRITE}: {target} cannot be written: {error.strerror or error}."


def _roots(view: SessionView) -> tuple[str, ...]:
    return view.roots or (view.cwd,)
