"""Settings of models: which one, limits of a session, presets, providers of other models."""

from typing import Annotated

from gemini_cli.ground.config.tables.setting import ClosedTable, Setting, Table
from gemini_cli.protocol.jsonvalue import JsonObject


class ToolSummary(ClosedTable, frozen=True):
    token_budget: int | None = None


class ModelProvider(ClosedTable, frozen=True):
    """One entry of `model.providers`: a server that speaks the OpenAI chat protocol."""

    base_url: str | None = None
    api_key_env: str | None = None
    models: tuple[str, ...] = ()


class Model(Table, frozen=True):
    """`model`"""

    name: Annotated[str | None, Setting("Model to use.", shown=True)] = None
    max_session_turns: Annotated[
        int, Setting("Model requests one session may make; -1 for no limit.", shown=True)
    ] = -1
    summarize_tool_output: Annotated[
        dict[str, ToolSummary] | None,
        Setting("Tools whose long output is summarised, each with its token budget."),
    ] = None
    compression_threshold: Annotated[
        float,
        Setting("Part of the window that may fill before compression.", shown=True, restart=True),
    ] = 0.5
    disable_loop_detection: Annotated[
        bool, Setting("Do not look for endless loops.", shown=True, restart=True)
    ] = False
    skip_next_speaker_check: Annotated[
        bool, Setting("Do not ask the model whether it has more to say.", shown=True)
    ] = True
    providers: Annotated[
        dict[str, ModelProvider],
        Setting("Servers with the OpenAI protocol; their models are named provider/model."),
    ] = {}


class ModelConfigs(Table, frozen=True):
    """`modelConfigs`. Empty here means the tables that come with the program."""

    aliases: Annotated[dict[str, JsonObject], Setting("Presets that replace built-in ones.")] = {}
    custom_aliases: Annotated[dict[str, JsonObject], Setting("Presets of your own.")] = {}
    custom_overrides: Annotated[
        tuple[JsonObject, ...], Setting("Changes of your own, each with what it applies to.")
    ] = ()
    overrides: Annotated[
        tuple[JsonObject, ...], Setting("Changes to presets, each with what it applies to.")
    ] = ()
    model_definitions: Annotated[
        dict[str, JsonObject], Setting("What is known of each model.", restart=True)
    ] = {}
    model_id_resolutions: Annotated[
        dict[str, JsonObject], Setting("How model names resolve.", restart=True)
    ] = {}
    classifier_id_resolutions: Annotated[
        dict[str, JsonObject], Setting("How the router's answers resolve.", restart=True)
    ] = {}
    model_chains: Annotated[
        dict[str, tuple[JsonObject, ...]],
        Setting("Models to fall back to, in order.", restart=True),
    ] = {}
