"""Settings of what is still being tried out; they may change or go."""

from typing import Annotated, Literal

from msgspec import field

from gemini_cli.ground.config.tables.setting import Setting, Table


class AgentSessions(Table, frozen=True):
    agent_session_noninteractive_enabled: Annotated[
        bool, Setting("Accepted for compatibility; has no effect.", restart=True)
    ] = False
    agent_session_interactive_enabled: Annotated[
        bool, Setting("Accepted for compatibility; has no effect.", restart=True)
    ] = False
    agent_session_subagent_enabled: Annotated[
        bool, Setting("Accepted for compatibility; has no effect.", restart=True)
    ] = False


class Voice(Table, frozen=True):
    activation_mode: Annotated[
        Literal["push-to-talk", "toggle"], Setting("How speaking starts.", shown=True)
    ] = "push-to-talk"
    backend: Annotated[
        Literal["gemini-live", "whisper"], Setting("What turns speech into text.", shown=True)
    ] = "gemini-live"
    whisper_model: Annotated[
        Literal[
            "ggml-tiny.en.bin",
            "ggml-base.en.bin",
            "ggml-large-v3-turbo-q5_0.bin",
            "ggml-large-v3-turbo-q8_0.bin",
        ],
        Setting("Model for whisper.", shown=True),
    ] = "ggml-base.en.bin"
    stop_grace_period_ms: Annotated[
        int, Setting("Milliseconds of silence that end speaking.", shown=True)
    ] = 4000


class RouterClassifier(Table, frozen=True):
    host: Annotated[str, Setting("Address of the local router.", restart=True)] = (
        "http://localhost:9379"
    )
    model: Annotated[str, Setting("Model of the local router.", restart=True)] = (
        "gemma3-1b-gpu-custom"
    )


class ModelRouter(Table, frozen=True):
    enabled: Annotated[
        bool, Setting("Let a local model choose between models.", shown=True, restart=True)
    ] = False
    auto_start_server: Annotated[
        bool, Setting("Start the local router.", shown=True, restart=True, user_only=True)
    ] = False
    binary_path: Annotated[
        str, Setting("Program of the local router.", restart=True, user_only=True)
    ] = ""
    classifier: RouterClassifier = RouterClassifier()


class Experimental(Table, frozen=True):
    """`experimental`"""

    gemma: Annotated[bool, Setting("Offer Gemma models.", shown=True, restart=True)] = True
    enable_agents: Annotated[bool, Setting("Offer subagents.", restart=True)] = True
    extension_management: Annotated[bool, Setting("Offer /extensions.", restart=True)] = True
    extension_config: Annotated[bool, Setting("Ask for settings of extensions.", restart=True)] = (
        True
    )
    worktrees: Annotated[bool, Setting("Offer --worktree.", shown=True, restart=True)] = False
    direct_web_fetch: Annotated[
        bool, Setting("Fetch pages ourselves, without a model.", shown=True, restart=True)
    ] = False
    auto_memory: Annotated[
        bool, Setting("Find lasting facts in past sessions.", shown=True, restart=True)
    ] = False
    generalist_profile: Annotated[
        bool, Setting("Manage context for long, broad work.", shown=True, restart=True)
    ] = False
    context_management: Annotated[
        bool, Setting("Keep history small as contextManagement says.", shown=True, restart=True)
    ] = False
    extension_registry: Annotated[bool, Setting("Browse the extension gallery.", restart=True)] = (
        False
    )
    extension_registry_uri: Annotated[
        str, Setting("Address or file of the extension gallery.", restart=True)
    ] = field(default="https://geminicli.com/extensions.json", name="extensionRegistryURI")
    extension_reloading: Annotated[
        bool, Setting("Load and unload extensions while running.", restart=True)
    ] = False
    task_tracker: Annotated[bool, Setting("Offer the task tracker tools.", restart=True)] = False
    dynamic_model_configuration: Annotated[
        bool, Setting("Take models from modelConfigs only.", restart=True)
    ] = False
    stress_test_profile: Annotated[
        bool, Setting("Manage context very early, to try it out.", restart=True)
    ] = False
    power_user_profile: Annotated[
        bool, Setting("Manage context late, for large windows.", restart=True)
    ] = False
    adk: AgentSessions = AgentSessions()
    use_osc52_paste: Annotated[bool, Setting("Paste through the terminal.", shown=True)] = field(
        default=False, name="useOSC52Paste"
    )
    use_osc52_copy: Annotated[bool, Setting("Copy through the terminal.", shown=True)] = field(
        default=False, name="useOSC52Copy"
    )
    model_steering: Annotated[
        bool, Setting("Give typed input to the model while it works.", shown=True)
    ] = False
    voice_mode: Annotated[
        bool, Setting("Accepted for compatibility; has no effect.", shown=True)
    ] = False
    topic_update_narration: Annotated[
        bool, Setting("Narrate by topics.", deprecated="general.topicUpdateNarration")
    ] = False
    voice: Voice = Voice()
    gemma_model_router: ModelRouter = ModelRouter()
