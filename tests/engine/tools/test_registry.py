"""A model is offered what it may use, in one order, and a near miss is met with names."""

from gemini_cli.engine.tools import ReadFile, Registry, renaming
from gemini_cli.protocol.errors import InvalidArgs
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.session import SessionView


class Named(ReadFile):
    """A real tool under another name."""

    def __init__(self, name: str, server: str | None = None) -> None:
        super().__init__()
        self.name = name
        self.server = server


def view(mode: Mode = Mode.DEFAULT) -> SessionView:
    return SessionView("s", "/w", mode, "m")


def names(registry: Registry, mode: Mode = Mode.DEFAULT) -> list[str]:
    return [tool.name for tool in registry.declared(view(mode))]


def test_the_order_does_not_depend_on_who_was_first():
    tools = [
        Named("mcp_b_x", "b"),
        Named("run_shell_command"),
        Named("mcp_a_z", "a"),
        Named("mcp_a_y", "a"),
        Named("discovered_tool_x"),
        Named("read_file"),
        Named("invoke_agent"),
    ]
    wanted = [
        "read_file",
        "run_shell_command",
        "invoke_agent",
        "discovered_tool_x",
        "mcp_a_z",
        "mcp_a_y",
        "mcp_b_x",
    ]
    assert names(Registry(tools)) == wanted


def test_a_tool_hidden_by_the_rules_cannot_be_called_either():
    registry = Registry(
        [Named("read_file"), Named("replace")],
        hides=lambda tool, mode, interactive: tool.name == "replace" and mode is Mode.PLAN,
    )
    assert names(registry) == ["read_file", "replace"]
    assert names(registry, Mode.PLAN) == ["read_file"]
    assert registry.find("replace", view(Mode.PLAN)) is None
    assert registry.find("replace", view()) is not None


def test_both_names_of_the_search_tool_find_it():
    registry = Registry([Named("grep_search")])
    tool = registry.find("search_file_content", view())
    assert tool is not None and tool.name == "grep_search"


def test_settings_may_exclude_by_wire_name_alias_or_class_name():
    tools = [Named("grep_search"), Named("run_shell_command"), Named("read_file")]
    registry = Registry(tools, exclude=["search_file_content", "ShellTool"])
    assert names(registry) == ["read_file"]


def test_an_allow_list_keeps_only_what_it_names_and_everything_of_servers():
    tools = [Named("glob"), Named("run_shell_command"), Named("mcp_s_t", "s")]
    registry = Registry(tools, core=["run_shell_command(git)", "ReadFileTool"])
    assert names(registry) == ["run_shell_command", "mcp_s_t"]


def test_plan_mode_is_entered_from_outside_and_left_from_inside():
    registry = Registry([Named("enter_plan_mode"), Named("exit_plan_mode")])
    assert names(registry) == ["enter_plan_mode"]
    assert names(registry, Mode.PLAN) == ["exit_plan_mode"]


def test_a_server_that_goes_takes_its_tools_along():
    registry = Registry([Named("read_file")])
    assert registry.add(Named("mcp_s_t", "s"), group="s")
    assert not registry.add(Named("mcp_s_t", "s"), group="s")
    registry.drop("s")
    assert names(registry) == ["read_file"]


def test_a_misspelled_tool_is_answered_with_the_nearest_names():
    registry = Registry([Named(n) for n in ("read_file", "write_file", "glob", "replace")])
    assert registry.near("readfile", view()) == ["read_file", "replace", "write_file"]


class Grep(Named):
    """Takes `query` for `pattern`, as it once was."""

    def canonical(self, args):
        if "query" not in args:
            raise InvalidArgs("params must have required property 'pattern'")
        return {"pattern": args["query"]}


def test_an_old_name_of_a_tool_or_argument_is_no_way_round_a_rule():
    canonical = renaming([Named("read_file"), Grep("grep_search")])
    assert canonical("grep_search", {"query": "x"}) == {"pattern": "x"}
    assert canonical("search_file_content", {"query": "x"}) == {"pattern": "x"}
    assert canonical("grep_search", {"junk": 1}) == {"junk": 1}
    assert canonical("glob", {"query": "x"}) == {"query": "x"}
