"""Settings of what the model is told of the project, and of how history is kept small."""

from typing import Annotated

from gemini_cli.ground.config.tables.setting import Merge, Setting, Table


class FileFiltering(Table, frozen=True):
    respect_git_ignore: Annotated[
        bool, Setting("Leave out what .gitignore names.", shown=True, restart=True)
    ] = True
    respect_gemini_ignore: Annotated[
        bool, Setting("Leave out what .geminiignore names.", shown=True, restart=True)
    ] = True
    enable_file_watcher: Annotated[
        bool, Setting("Keep the list for @ fresh while files change.", restart=True)
    ] = False
    enable_recursive_file_search: Annotated[
        bool, Setting("Search all folders when completing @.", shown=True, restart=True)
    ] = True
    enable_fuzzy_search: Annotated[
        bool, Setting("Match names loosely when completing @.", shown=True, restart=True)
    ] = True
    custom_ignore_file_paths: Annotated[
        tuple[str, ...],
        Setting(
            "More files of ignore rules; an earlier one wins.",
            shown=True,
            restart=True,
            merge=Merge.UNION,
        ),
    ] = ()


class Context(Table, frozen=True):
    """`context`"""

    file_name: Annotated[
        str | tuple[str, ...] | None, Setting("Names of context files, beside the usual ones.")
    ] = None
    import_format: Annotated[str | None, Setting("How imports are laid out: tree or flat.")] = None
    include_directory_tree: Annotated[
        bool, Setting("Send the folder tree with the first message.")
    ] = True
    discovery_max_dirs: Annotated[
        int, Setting("Accepted for compatibility; nothing searches downwards.", shown=True)
    ] = 200
    memory_boundary_markers: Annotated[
        tuple[str, ...],
        Setting("Names that stop the search upwards; empty for no search.", restart=True),
    ] = (".git",)
    include_directories: Annotated[
        tuple[str, ...], Setting("More folders to work in.", merge=Merge.CONCAT)
    ] = ()
    load_memory_from_include_directories: Annotated[
        bool, Setting("Read context files of folders added later.", shown=True)
    ] = False
    file_filtering: FileFiltering = FileFiltering()


class HistoryWindow(Table, frozen=True):
    max_tokens: Annotated[int, Setting("History larger than this is cut.", restart=True)] = 150_000
    retained_tokens: Annotated[int, Setting("What stays after a cut.", restart=True)] = 40_000


class MessageLimits(Table, frozen=True):
    normal_max_tokens: Annotated[int, Setting("Size an old message is cut to.", restart=True)] = (
        2500
    )
    retained_max_tokens: Annotated[
        int, Setting("Size a recent message is cut to.", restart=True)
    ] = 12_000
    normalization_head_ratio: Annotated[
        float, Setting("Part of a cut message that is its beginning.", restart=True)
    ] = 0.25


class Distillation(Table, frozen=True):
    max_output_tokens: Annotated[
        int, Setting("Tool output larger than this is cut.", restart=True)
    ] = 10_000
    summarization_threshold_tokens: Annotated[
        int, Setting("Tool output larger than this is summarised.", restart=True)
    ] = 20_000


class OutputMasking(Table, frozen=True):
    protection_threshold_tokens: Annotated[
        int, Setting("The newest tool output up to this size is never masked.", restart=True)
    ] = 50_000
    min_prunable_threshold_tokens: Annotated[
        int, Setting("Masking waits until it saves this much.", restart=True)
    ] = 30_000
    protect_latest_turn: Annotated[
        bool, Setting("Never mask output of the latest turn.", restart=True)
    ] = True


class ManagedTools(Table, frozen=True):
    distillation: Distillation = Distillation()
    output_masking: OutputMasking = OutputMasking()


class ContextManagement(Table, frozen=True):
    """`contextManagement`"""

    history_window: HistoryWindow = HistoryWindow()
    message_limits: MessageLimits = MessageLimits()
    tools: ManagedTools = ManagedTools()
