"""No path a model can write leads out of the workspace."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gemini_cli.ground.host.guarded import is_guarded
from gemini_cli.ground.host.realpath import real_path
from gemini_cli.ground.host.workspace import LocalWorkspace, Special
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "work" / "src").mkdir(parents=True)
    (tmp_path / "work" / "src" / "a.py").write_text("x")
    (tmp_path / "work2").mkdir()
    (tmp_path / "work2" / "secret").write_text("s")
    (tmp_path / "temp" / "memory" / ".inbox").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return tmp_path


def workspace(place: Path, **more) -> LocalWorkspace:
    special = Special(place / "temp", place / "home" / "GEMINI.md")
    return LocalWorkspace(place / "work", special, **more)


def refusal(place: Path, text: str, **how) -> str:
    with pytest.raises(ToolProblem) as caught:
        workspace(place, **how.pop("made", {})).resolve(text, **how)
    return caught.value.kind


def test_a_relative_path_is_taken_from_the_target(place):
    assert workspace(place).resolve("src/./x/../a.py") == place / "work" / "src" / "a.py"


def test_a_refusal_names_path_roots_and_temp_folder(place):
    with pytest.raises(ToolProblem) as caught:
        workspace(place).resolve("/etc/passwd")
    text = str(caught.value)
    assert "/etc/passwd" in text
    assert str(place / "work") in text
    assert str(place / "temp") in text
    assert caught.value.kind == "path_not_in_workspace"


@pytest.mark.parametrize(
    "text",
    [
        "../work2/secret",
        "src/../../work2/secret",
        "/proc/self/root/etc/passwd",
        "/proc/self/root",
        "%2e%2e/work2/secret",
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "@../work2/secret",
        "..\0/work2/secret",
        "/",
        "..",
        "../work2",
    ],
)
def test_ways_out_are_closed(place, text):
    assert refusal(place, text) == "path_not_in_workspace"


@pytest.mark.parametrize("target", ["/etc", "../work2", "/proc/self/root", "../work2/new-file"])
def test_symbolic_links_do_not_lead_out(place, target):
    (place / "work" / "link").symlink_to(target)
    assert refusal(place, "link") == "path_not_in_workspace"
    assert refusal(place, "link/deeper/file", for_write=True) == "path_not_in_workspace"


def test_a_circle_of_links_is_an_error_and_not_a_path(place):
    (place / "work" / "a").symlink_to("b")
    (place / "work" / "b").symlink_to("a")
    with pytest.raises(ToolProblem, match="circle"):
        workspace(place).resolve("a/x")
    with pytest.raises(ToolProblem, match="circle"):
        workspace(place).resolve("missing/../a")


def test_a_dangling_link_inside_is_followed_to_where_the_file_would_be(place):
    (place / "work" / "link").symlink_to("src/new.py")
    assert workspace(place).resolve("link") == place / "work" / "src" / "new.py"


def test_a_link_to_the_whole_workspace_still_works(place):
    (place / "alias").symlink_to(place / "work")
    special = Special(place / "temp")
    found = LocalWorkspace(place / "alias", special).resolve(str(place / "alias" / "src"))
    assert found == place / "work" / "src"


def test_a_root_swapped_for_a_link_later_gives_nothing_away(place):
    ws = workspace(place)
    (place / "work").rename(place / "moved")
    (place / "work").symlink_to(place / "work2")
    with pytest.raises(ToolProblem):
        ws.resolve("secret")


@pytest.mark.parametrize(
    "segment",
    [
        ".git", ".GIT", ".git.", ".git .. ", ".git::$INDEX_ALLOCATION", ".g\u200cit", "git~1",
        "GIT~12", "GI7EB5~1", ".env", ".ENV", ".env:stream", ".env ", "ENV~1", "node_modules",
        "Node_Modules", "node_module\u017f", "NODE_M~1", "gha-creds-1234.json",
        "GHA-CREDS-.JSON", "GHA-CR~1.JSO", ".\u2060env",
    ],
)  # fmt: skip
def test_guarded_names_are_refused_in_every_disguise(place, segment):
    assert is_guarded(segment)
    assert refusal(place, f"src/{segment}/x") == "path_not_in_workspace"
    assert refusal(place, segment) == "path_not_in_workspace"


@pytest.mark.parametrize(
    "segment",
    [".env.local", ".gitignore", "git", "env", ".github", "node_modules2", "gha-creds.json", "a~1"],
)
def test_harmless_names_are_not_refused(place, segment):
    assert workspace(place).resolve(segment) == place / "work" / segment


def test_a_guarded_name_above_the_root_does_not_close_the_root(tmp_path):
    root = tmp_path / "node_modules" / "lib"
    root.mkdir(parents=True)
    ws = LocalWorkspace(root, Special(tmp_path / "t"))
    assert ws.resolve("a.js") == root / "a.js"


def test_a_link_with_a_harmless_name_does_not_open_a_guarded_folder(place):
    (place / "work" / ".git").mkdir()
    (place / "work" / "notes").symlink_to(".git")
    assert refusal(place, "notes/config") == "path_not_in_workspace"


def test_temp_folder_and_memory_file_are_allowed_but_the_inbox_is_not(place):
    ws = workspace(place)
    assert ws.resolve(str(place / "temp" / "x")) == place / "temp" / "x"
    assert ws.resolve(str(place / "home" / "GEMINI.md")) == place / "home" / "GEMINI.md"
    assert refusal(place, str(place / "home" / "other.md")) == "path_not_in_workspace"
    assert refusal(place, str(place / "temp/memory/.inbox/x")) == "path_not_in_workspace"
    everything = {"made": {"roots": [place]}}
    assert refusal(place, str(place / "temp/memory/.inbox"), **everything) == (
        "path_not_in_workspace"
    )


def test_read_only_places_cannot_be_written(place):
    made = {"readable": [place / "work2"]}
    text = str(place / "work2" / "secret")
    assert workspace(place, **made).resolve(text) == place / "work2" / "secret"
    assert refusal(place, text, made=made, for_write=True) == "path_not_in_workspace"


def test_an_added_root_opens_itself_and_not_its_neighbours(place):
    ws = workspace(place)
    ws.add(place / "work2")
    assert ws.resolve("../work2/secret") == place / "work2" / "secret"
    assert ws.roots == (place / "work", place / "work2")
    with pytest.raises(ToolProblem, match="no such folder"):
        ws.add(place / "nowhere")
    with pytest.raises(ToolProblem, match="no such folder"):
        ws.add(place / "work2" / "secret")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_letter_case_does_not_matter_where_the_disk_ignores_it(place, platform):
    ws = workspace(place, platform=platform)
    shouted = str(place / "WORK" / "Src")
    assert ws.resolve(shouted) == Path(shouted)
    with pytest.raises(ToolProblem):
        ws.resolve(str(place / "temp" / "Memory" / ".INBOX" / "x"))
    with pytest.raises(ToolProblem):
        ws.resolve(str(place / "WORK" / ".Git" / "x"))
    with pytest.raises(ToolProblem):
        workspace(place).resolve(shouted)


def test_a_relative_target_begins_wherever_the_process_stands(tmp_path):
    with pytest.raises(ValueError, match="work does not say where it begins"):
        LocalWorkspace(Path("work"), Special(tmp_path / "t"))


def test_private_prefix_is_the_same_place_on_macos(tmp_path):
    ws = LocalWorkspace(Path("/tmp"), Special(tmp_path / "t"), platform="darwin")
    assert ws.resolve("/private/tmp/x") == Path("/private/tmp/x")


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "a\nb", "a\x1bb", "x/AssertionError: expected 3", "FAIL src/a.test.ts",
        "src/✓ works", "× broken", 'print("hello world, friend")', "src/one/two/and so on...",
        "a" * 256, "ä" * 128, "/".join(["abc"] * 1100), "file://host/share/x", "\ud800",
        "%0aname",
    ],
)  # fmt: skip
def test_text_that_is_no_path_is_refused_with_a_reason(place, text):
    with pytest.raises(InvalidArgs):
        workspace(place).resolve(text)


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("app/blog/posts/[...slug]/page.tsx", "app/blog/posts/[...slug]/page.tsx"),
        ("@src/a.py", "src/a.py"),
        ("@scope/pkg", "@scope/pkg"),
        ("my%20file", "my file"),
        ("100%", "100%"),
        ("odd%20name", "odd%20name"),
        ("a\0b", "ab"),
    ],
)
def test_what_people_mean_is_understood(place, text, real):
    (place / "work" / "@scope").mkdir()
    (place / "work" / "odd%20name").write_text("")
    assert workspace(place).resolve(text) == place / "work" / real


def test_a_file_url_inside_the_workspace_is_understood(place):
    assert workspace(place).resolve((place / "work/src/a.py").as_uri()) == place / "work/src/a.py"


def test_listings_name_short_paths(place):
    ws = workspace(place)
    assert ws.shown(place / "work" / "src" / "a.py") == "src/a.py"
    assert ws.shown(place / "work2") == str(place / "work2")


NAMES = ["a", "b", "c", "A", ".git", "out", "..", ".", "", "x y", "é", "e\u0301"]
LINK_TARGETS = [
    "a", "b", "..", "../..", ".", "../outside", "../outside/file", "a/b", "c/../..",
    "/proc/self/root", "/proc/self/cwd", "/", "b/c", "nowhere", "nowhere/../..",
]  # fmt: skip
STEPS = [
    *NAMES, "l1", "l2", "l3", "%2e%2e", "%2F", "..%2f..", "file:", "/", "//", "..\\", "@",
    "outside", "file", "proc", "self", "root", "etc", "\0", "\u2024\u2024", "~",
]  # fmt: skip
LINKS = st.lists(
    st.tuples(
        st.sampled_from(["l1", "l2", "l3", "a/l1", "a/l2", "a/b/l3"]),
        st.sampled_from(LINK_TARGETS),
    ),
    max_size=6,
)
WORDS = st.lists(st.sampled_from(STEPS), min_size=1, max_size=8).map("/".join)


def grow(base: Path, links: list[tuple[str, str]]) -> Path:
    root = base / "root"
    for folder in ("a/b", "c", ".git"):
        (root / folder).mkdir(parents=True)
    (base / "outside").mkdir()
    for file in ("outside/file", "root/a/file", "root/.git/config"):
        (base / file).write_text(file)
    for name, target in links:
        where = root / name
        if where.parent.is_dir() and not os.path.lexists(where):
            where.symlink_to(target)
    return root


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(LINKS, WORDS, st.booleans(), st.booleans())
@example([("l1", "/proc/self/root")], "l1/etc/passwd", False, False)
@example([("l1", "a"), ("a/l1", "../..")], "l1/l1/outside/file", False, False)
def test_whatever_is_let_through_is_inside(tmp_path_factory, links, text, absolute, write):
    base = tmp_path_factory.mktemp("fuzz")
    root = grow(base, links)
    ws = LocalWorkspace(root, Special(base / "temp"))
    try:
        found = ws.resolve(f"{root}/{text}" if absolute else text, for_write=write)
    except ToolProblem:
        return
    real = os.path.realpath(found)
    assert real == str(found), "a path that still holds links was given back"
    inside = Path(real).relative_to(root if Path(real).is_relative_to(root) else base / "temp")
    assert not any(is_guarded(part) for part in inside.parts)
    if found.is_file():
        assert found.read_text() == "root/a/file"


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(LINKS, WORDS)
def test_real_paths_agree_with_the_system(tmp_path_factory, links, text):
    base = tmp_path_factory.mktemp("real")
    path = f"{grow(base, links)}/{text}".replace("\0", "")
    try:
        found = real_path(path)
    except OSError:
        with pytest.raises(OSError):
            os.stat(path)
        return
    try:
        expected = os.path.realpath(path, strict=True)
    except OSError:
        expected = os.path.realpath(found)
    assert str(found) == expected
