"""Settings of how the program as a whole behaves: editor, modes, updates, kept sessions."""

from typing import Annotated, Literal

from gemini_cli.ground.config.tables.setting import Setting, Table

EditorName = Literal[
    "vscode",
    "vscodium",
    "windsurf",
    "cursor",
    "zed",
    "antigravity",
    "sublimetext",
    "lapce",
    "nova",
    "bbedit",
    "vim",
    "neovim",
    "emacs",
    "hx",
    "emacsclient",
    "micro",
]


class Checkpointing(Table, frozen=True):
    enabled: Annotated[
        bool,
        Setting("Keep a shadow git copy before each edit, so that /restore works.", restart=True),
    ] = False


class Plan(Table, frozen=True):
    enabled: Annotated[bool, Setting("Offer plan mode.", shown=True, restart=True)] = True
    directory: Annotated[
        str | None,
        Setting("Folder for plans; must lie inside the project.", shown=True, restart=True),
    ] = None
    model_routing: Annotated[
        bool, Setting("Use a Pro model to plan and a Flash model to build.", shown=True)
    ] = True


class SessionRetention(Table, frozen=True):
    enabled: Annotated[bool, Setting("Delete old sessions at start-up.", shown=True)] = True
    max_age: Annotated[
        str,
        Setting("Delete sessions older than this: a number and h, d, w or m.", shown=True),
    ] = "30d"
    max_count: Annotated[int | None, Setting("Keep at most this many sessions.")] = None
    min_retention: Annotated[str, Setting("Never delete a session younger than this.")] = "1d"


class General(Table, frozen=True):
    """`general`"""

    preferred_editor: Annotated[
        EditorName | None,
        Setting("Editor to open files in; unset means $VISUAL, then $EDITOR."),
    ] = None
    open_editor_in_new_window: Annotated[
        bool, Setting("Open a new window in editors of the VS Code family.")
    ] = False
    vim_mode: Annotated[bool, Setting("Vim keys in the input line.", shown=True)] = False
    default_approval_mode: Annotated[
        Literal["default", "auto_edit", "plan"],
        Setting("Approval mode a session starts in.", shown=True),
    ] = "default"
    devtools: Annotated[bool, Setting("F12 opens the web inspector.")] = False
    enable_auto_update: Annotated[bool, Setting("Install new versions by itself.", shown=True)] = (
        True
    )
    enable_auto_update_notification: Annotated[bool, Setting("Say when there is an update.")] = True
    enable_notifications: Annotated[
        bool, Setting("Send terminal notifications when attention is needed.", shown=True)
    ] = False
    notification_method: Annotated[
        Literal["auto", "osc9", "osc777", "bell"],
        Setting("How terminal notifications are sent.", shown=True),
    ] = "auto"
    checkpointing: Checkpointing = Checkpointing()
    plan: Plan = Plan()
    retry_fetch_errors: Annotated[
        bool, Setting("Repeat model calls that failed on the network.", shown=True)
    ] = True
    max_attempts: Annotated[int, Setting("Tries for each model call, at most 10.", shown=True)] = 10
    debug_keystroke_logging: Annotated[
        bool, Setting("Write every key press to the debug console.", shown=True)
    ] = False
    session_retention: SessionRetention = SessionRetention()
    topic_update_narration: Annotated[
        bool, Setting("Let the model narrate by short topics.", shown=True)
    ] = True
    log_rag_snippets: Annotated[
        bool, Setting("Write retrieved snippets to the log.", shown=True)
    ] = False


class Output(Table, frozen=True):
    """`output`"""

    format: Annotated[
        Literal["text", "json"], Setting("Format of headless output.", shown=True)
    ] = "text"


class Ide(Table, frozen=True):
    """`ide`"""

    enabled: Annotated[
        bool, Setting("Link to the editor's companion.", shown=True, restart=True)
    ] = False
    has_seen_nudge: Annotated[bool, Setting("The offer to link an editor was answered.")] = False


class Privacy(Table, frozen=True):
    """`privacy`"""

    usage_statistics_enabled: Annotated[
        bool, Setting("Accepted for compatibility; nothing is collected.", restart=True)
    ] = True


class VertexAi(Table, frozen=True):
    request_type: Annotated[
        Literal["dedicated", "shared"] | None,
        Setting("Capacity that Vertex AI requests ask for.", restart=True),
    ] = None
    shared_request_type: Annotated[
        Literal["priority", "flex"] | None,
        Setting("Class of shared Vertex AI capacity.", restart=True),
    ] = None


class Billing(Table, frozen=True):
    """`billing`"""

    overage_strategy: Annotated[
        Literal["ask", "always", "never"],
        Setting("Whether paid credits are used when the quota is spent.", shown=True),
    ] = "ask"
    vertex_ai: VertexAi = VertexAi()
