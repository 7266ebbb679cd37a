"""Names a model makes up are met with those there are."""

from gemini_cli.engine.tools.names import nearest


def test_a_name_of_megabytes_does_not_hold_up_the_session():
    assert nearest("read_file" + "x" * 5_000_000, ["replace", "read_file"])[0] == "read_file"
