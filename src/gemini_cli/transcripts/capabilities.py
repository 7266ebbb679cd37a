"""What each coding CLI can do, as a table, and whether it is installed here.

Model lists are data for a menu: a caller may give others, and an id that is not listed is never
refused. Nothing is started to find out.
"""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from gemini_cli.transcripts.detect import Prefer, detect_cli
from gemini_cli.transcripts.launch.modes import modes_of
from gemini_cli.transcripts.registry import check_tool


class ModelInfo(Struct, frozen=True):
    """A model as a menu shows it."""

    id: str
    name: str


class AgentCapabilities(Struct, frozen=True, kw_only=True):
    """One CLI. `session_format` names how its sessions are stored."""

    tool: str
    supports_slash_commands: bool = False
    supports_models: bool = True
    models: tuple[ModelInfo, ...] = ()
    supports_web_search: bool = False
    supports_thinking: bool = True
    supports_resume: bool = True
    supports_images: bool = False
    supports_plan_mode: bool = True
    permission_modes: tuple[str, ...] = ()
    session_format: str = "jsonl"
    installed: bool = False
    cli_path: str | None = None


_TABLE: Mapping[str, AgentCapabilities] = {
    "gemini": AgentCapabilities(
        tool="gemini",
        # Headless it expands a person's own commands only; the built-in ones need its screen.
        supports_slash_commands=False,
        models=(
            ModelInfo("gemini-2.5-pro", "Gemini 2.5 Pro"),
            ModelInfo("gemini-2.5-flash", "Gemini 2.5 Flash"),
            ModelInfo("auto", "Auto"),
            ModelInfo("pro", "Gemini Pro, newest"),
            ModelInfo("flash", "Gemini Flash, newest"),
            ModelInfo("flash-lite", "Gemini Flash-Lite, newest"),
        ),
        supports_web_search=True,
        supports_images=True,
    ),
    "claude": AgentCapabilities(
        tool="claude",
        supports_slash_commands=True,
        models=(
            ModelInfo("claude-opus-4-5", "Claude Opus 4.5"),
            ModelInfo("claude-sonnet-4-5-20250929", "Claude Sonnet 4.5"),
            ModelInfo("haiku", "Claude Haiku, newest"),
        ),
        supports_web_search=True,
        supports_images=True,
    ),
    "codex": AgentCapabilities(
        tool="codex",
        models=(ModelInfo("gpt-5-codex", "GPT-5 Codex"), ModelInfo("gpt-5", "GPT-5")),
        supports_web_search=True,
        supports_images=True,
    ),
    "cursor": AgentCapabilities(tool="cursor", supports_models=False),
    "qwen": AgentCapabilities(
        tool="qwen", supports_slash_commands=True, supports_web_search=True, supports_images=True
    ),
    "opencode": AgentCapabilities(
        tool="opencode", supports_web_search=True, session_format="sqlite"
    ),
    "copilot": AgentCapabilities(tool="copilot"),
}


async def get_capabilities(
    tool: str,
    *,
    env: Mapping[str, str] | None = None,
    models: Sequence[ModelInfo] | None = None,
    prefer: Prefer = "path",
) -> AgentCapabilities:
    """The capabilities of `tool` on this machine; `models` replaces the list of models."""
    known = _TABLE.get(check_tool(tool)) or AgentCapabilities(
        tool=tool, supports_resume=False, supports_plan_mode=False, session_format="unknown"
    )
    path = await asyncio.to_thread(detect_cli, tool, env=env, prefer=prefer)
    return structs.replace(
        known,
        models=known.models if models is None else tuple(models),
        permission_modes=modes_of(tool),
        installed=path is not None,
        cli_path=path,
    )
