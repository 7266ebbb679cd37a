"""Settings of what the screen shows: themes, footer, messages, accessibility."""

from typing import Annotated, Literal

from msgspec import field

from gemini_cli.ground.config.tables.setting import ClosedTable, Setting, Table


class ThemeText(ClosedTable, frozen=True):
    primary: str | None = None
    secondary: str | None = None
    link: str | None = None
    accent: str | None = None
    response: str | None = None


class ThemeDiff(ClosedTable, frozen=True):
    added: str | None = None
    removed: str | None = None


class ThemeBackground(ClosedTable, frozen=True):
    primary: str | None = None
    diff: ThemeDiff = ThemeDiff()


class ThemeBorder(ClosedTable, frozen=True):
    default: str | None = None
    focused: str | None = None


class ThemeUi(ClosedTable, frozen=True):
    comment: str | None = None
    symbol: str | None = None
    active: str | None = None
    focus: str | None = None
    gradient: tuple[str, ...] = ()


class ThemeStatus(ClosedTable, frozen=True):
    success: str | None = None
    warning: str | None = None
    error: str | None = None


class CustomTheme(ClosedTable, frozen=True):
    """One entry of `ui.customThemes`: nested colours, or the older flat ones."""

    type: Literal["custom"] = "custom"
    name: str | None = None
    text: ThemeText = ThemeText()
    background: ThemeBackground = ThemeBackground()
    border: ThemeBorder = ThemeBorder()
    ui: ThemeUi = ThemeUi()
    status: ThemeStatus = ThemeStatus()
    flat_background: str | None = field(default=None, name="Background")
    flat_foreground: str | None = field(default=None, name="Foreground")
    light_blue: str | None = field(default=None, name="LightBlue")
    accent_blue: str | None = field(default=None, name="AccentBlue")
    accent_purple: str | None = field(default=None, name="AccentPurple")
    accent_cyan: str | None = field(default=None, name="AccentCyan")
    accent_green: str | None = field(default=None, name="AccentGreen")
    accent_yellow: str | None = field(default=None, name="AccentYellow")
    accent_red: str | None = field(default=None, name="AccentRed")
    diff_added: str | None = field(default=None, name="DiffAdded")
    diff_removed: str | None = field(default=None, name="DiffRemoved")
    comment: str | None = field(default=None, name="Comment")
    gray: str | None = field(default=None, name="Gray")
    dark_gray: str | None = field(default=None, name="DarkGray")
    gradient_colors: tuple[str, ...] = field(default=(), name="GradientColors")


class Footer(Table, frozen=True):
    items: Annotated[
        tuple[str, ...] | None, Setting("Footer items in order; unset means the usual ones.")
    ] = None
    show_labels: Annotated[bool, Setting("Show a header row above the footer's values.")] = True
    hide_cwd: Annotated[bool, Setting("Leave the directory out of the footer.", shown=True)] = (
        field(default=False, name="hideCWD")
    )
    hide_sandbox_status: Annotated[
        bool, Setting("Leave the sandbox out of the footer.", shown=True)
    ] = False
    hide_model_info: Annotated[bool, Setting("Leave the model out of the footer.", shown=True)] = (
        False
    )
    hide_context_percentage: Annotated[
        bool, Setting("Leave the used part of the window out of the footer.", shown=True)
    ] = True


class Accessibility(Table, frozen=True):
    enable_loading_phrases: Annotated[
        bool,
        Setting("Show phrases while waiting.", restart=True, deprecated="ui.loadingPhrases"),
    ] = True
    screen_reader: Annotated[
        bool, Setting("Plain output that reads well aloud.", shown=True, restart=True)
    ] = False


class Ui(Table, frozen=True):
    """`ui`"""

    theme: Annotated[str | None, Setting("Name of a theme, or path of a theme file.")] = None
    auto_theme_switching: Annotated[
        bool, Setting("Follow the terminal's background with the default themes.", shown=True)
    ] = True
    terminal_background_polling_interval: Annotated[
        float, Setting("Seconds between looks at the terminal's background.", shown=True)
    ] = 60
    custom_themes: Annotated[dict[str, CustomTheme], Setting("Themes of your own, by name.")] = {}
    hide_window_title: Annotated[
        bool, Setting("Leave the window title alone.", shown=True, restart=True)
    ] = False
    inline_thinking_mode: Annotated[
        Literal["off", "full"], Setting("Show the model's thoughts in the chat.", shown=True)
    ] = "off"
    show_status_in_title: Annotated[
        bool, Setting("Put the current thought into the window title.", shown=True)
    ] = False
    dynamic_window_title: Annotated[
        bool, Setting("Put a status mark into the window title.", shown=True)
    ] = True
    show_home_directory_warning: Annotated[
        bool, Setting("Warn when started in the home directory.", shown=True, restart=True)
    ] = True
    show_compatibility_warnings: Annotated[
        bool, Setting("Warn about terminals with known trouble.", shown=True, restart=True)
    ] = True
    hide_tips: Annotated[bool, Setting("Leave out the tips at the start.", shown=True)] = False
    escape_pasted_at_symbols: Annotated[
        bool, Setting("Write a pasted @ as \\@, so that it names no file.", shown=True)
    ] = False
    show_shortcuts_hint: Annotated[
        bool, Setting("Show the hint for the list of shortcuts.", shown=True)
    ] = True
    compact_tool_output: Annotated[bool, Setting("Show tool results densely.", shown=True)] = True
    hide_banner: Annotated[bool, Setting("Leave out the banner.", shown=True)] = False
    hide_context_summary: Annotated[
        bool, Setting("Leave out the summary of context files and servers.", shown=True)
    ] = False
    footer: Footer = Footer()
    collapse_drawer_during_approval: Annotated[
        bool, Setting("Fold the lower area away while a question is open.")
    ] = True
    hide_footer: Annotated[bool, Setting("Leave out the footer.", shown=True)] = False
    show_memory_usage: Annotated[
        bool, Setting("Show the memory used in the footer.", shown=True)
    ] = False
    show_line_numbers: Annotated[bool, Setting("Number the lines of code blocks.", shown=True)] = (
        True
    )
    show_citations: Annotated[bool, Setting("Show the sources of an answer.", shown=True)] = False
    show_model_info_in_chat: Annotated[
        bool, Setting("Show the model's name with each answer.", shown=True)
    ] = False
    show_user_identity: Annotated[bool, Setting("Show the signed-in account.", shown=True)] = True
    use_alternate_buffer: Annotated[
        bool, Setting("Use the whole screen, with mouse.", shown=True, restart=True)
    ] = False
    render_process: Annotated[
        bool, Setting("Accepted for compatibility; has no effect.", shown=True, restart=True)
    ] = True
    terminal_buffer: Annotated[
        bool, Setting("Accepted for compatibility; has no effect.", shown=True, restart=True)
    ] = False
    use_background_color: Annotated[
        bool, Setting("Colour the background of messages and input.", shown=True)
    ] = True
    incremental_rendering: Annotated[
        bool,
        Setting("Redraw only what changed, in whole-screen mode.", shown=True, restart=True),
    ] = True
    show_spinner: Annotated[bool, Setting("Show a spinner while waiting.", shown=True)] = True
    loading_phrases: Annotated[
        Literal["tips", "witty", "all", "off"],
        Setting("Phrases to show while waiting.", shown=True),
    ] = "off"
    error_verbosity: Annotated[
        Literal["low", "full"],
        Setting("`low` hides errors that mend themselves.", shown=True),
    ] = "low"
    custom_witty_phrases: Annotated[
        tuple[str, ...], Setting("Phrases of your own to show while waiting.")
    ] = ()
    accessibility: Accessibility = Accessibility()
    debug_rainbow: Annotated[bool, Setting("Show each redraw in a new colour.", restart=True)] = (
        False
    )
