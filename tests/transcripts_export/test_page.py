"""Exported documents: complete, readable, and harmless whatever a session says."""

import base64
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from gemini_cli.transcripts.codec import from_dict
from gemini_cli.transcripts.export import json_document, markdown_document, page
from gemini_cli.transcripts.export.clean import plain, safe_image
from gemini_cli.transcripts.export.markdown import fence
from gemini_cli.transcripts.model import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    RefSource,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    UnknownBlock,
    UrlSource,
    Usage,
)

PNG = "iVBORw0KGgo="
TAGS = set(
    "html head meta title style body header h1 h2 h3 h4 h5 h6 dl dt dd div button nav details "
    "summary ol ul li a main article span time p pre code strong em s blockquote hr br table thead "
    "tbody tr th td figure img script b".split()
)
ATTRIBUTES = set(
    "lang charset http-equiv content name class id href rel aria-label aria-pressed datetime open "
    "type hidden title dir src alt start".split()
)


class Reader(HTMLParser):
    """What a browser would make of the page, as far as safety is concerned."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.skipping = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.skipping = tag if tag in ("style", "script") else self.skipping

    def handle_endtag(self, tag: str) -> None:
        self.skipping = "" if tag == self.skipping else self.skipping

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            self.texts.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    for tag, attributes in reader.elements:
        assert tag in TAGS, tag
        assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        link = attributes.get("href")
        assert link is None or re.match(r"#m\d+$|https?://|mailto:", link), link
        source = attributes.get("src")
        assert source is None or re.match(r"data:image/(png|jpeg|gif|webp|avif);base64,", source)
    assert sum(tag == "script" for tag, _ in reader.elements) == 1
    assert sum(tag == "style" for tag, _ in reader.elements) == 1
    return reader


def message(role: Any, *blocks: UnifiedContent, **fields: Any) -> UnifiedMessage:
    return UnifiedMessage(
        **{"id": "x", "timestamp": 1761733800000, "tool": "gemini"}
        | {"role": role, "content": list(blocks)}
        | fields
    )


ATTACKS = [
    "<script>alert(1)</script>",
    "</pre></code></style></script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "<svg/onload=alert(1)>",
    "<!--><script>alert(1)</script>-->",
    "[x](javascript:alert(1))",
    "[x](  JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x) [y](file:///etc/passwd)",
    '[x](https://e.org/"onclick=alert(1))',
    "![x](http://evil.example/track.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    '```"><script>alert(1)</script>\nx\n```',
    "| a |\n|:-:|\n| <img src=x onerror=alert(1)> |",
    "<iframe src=https://evil.example></iframe>",
    '<a href="https://e.org" onclick="x">a</a>',
    "&lt;script&gt;&#x3C;script&#x3E;",
    "\u202egnp.exe \ud800 \x00\x1b[31mred\x1b[0m\x1b]8;;http://evil\x07link\x1b]8;;\x07",
    "<base href='https://evil.example/'><form action=//evil><input>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_any_field_becomes_markup(attack: str) -> None:
    everywhere: dict[str, Any] = {
        "a": attack,
        attack: [attack, {attack: attack}],
        "file_path": attack,
        "old_string": attack,
        "new_string": attack + "\n" + attack,
        "content": attack,
        "command": attack,
        "description": attack,
        "url": attack,
        "plan": attack,
        "prompt": attack,
        "todos": [{"content": attack, "status": attack}],
        "questions": [{"question": attack, "options": [{"label": attack, "description": attack}]}],
        "edits": [{"old_string": attack, "new_string": attack}, attack],
    }
    names = ["Bash", "Read", "Write", "Edit", "MultiEdit", "TodoWrite", "AskUserQuestion", attack]
    names += ["ExitPlanMode", "Task", "WebFetch", "Grep", f"mcp__{attack}__{attack}"]
    calls = [ToolUseBlock(f"{n}{attack}", name, everywhere) for n, name in enumerate(names)]
    rich: list[UnifiedContent] = [
        TextBlock(attack),
        ImageBlock(Base64Source(attack, "image/png")),
        ImageBlock(Base64Source(PNG, attack)),
        ImageBlock(UrlSource(attack)),
        UnknownBlock(attack, attack),
    ]
    results = [
        ToolResultBlock(call.id, attack if n % 2 else rich, n % 3 == 0)
        for n, call in enumerate(calls)
    ]
    blocks: list[UnifiedContent] = [
        TextBlock(attack),
        ThinkingBlock(attack),
        SlashCommandBlock(attack, attack, attack),
        DocumentBlock(RefSource(attack, 3, attack)),
        *rich,
        *calls,
        *results,
        ToolResultBlock("orphan" + attack, attack),
    ]
    messages = [
        message(role, *blocks, model=attack, tool=attack, id=attack)
        for role in ("user", "assistant", "system")
    ]
    html = page(messages, attack, {attack: attack})
    html.encode("utf-8")
    read(html)
    for document in (
        markdown_document(messages, attack, {attack: attack}),
        json_document(messages, attack, {attack: attack}),
    ):
        document.encode("utf-8")


def test_only_the_page_s_own_style_and_script_may_run() -> None:
    html = page([message("user", TextBlock("x"))], "t", {})
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert (rules["base-uri"], rules["form-action"]) == ("'none'", "'none'")
    assert "unsafe" not in policy[1]
    for name in ("style", "script"):
        found = re.search(rf"<{name}>(.*?)</{name}>", html, re.DOTALL)
        assert found is not None
        import hashlib

        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        assert rules[f"{name}-src"] == f"'sha256-{digest}'"
        assert "http" not in found[1]


def conversation() -> list[UnifiedMessage]:
    usage = Usage(1000, 100, 1150, None, 400, 50, 0, "gemini")
    edit = {"file_path": "a.py", "old_string": "one\ntwo\nthree", "new_string": "one\n2\nthree"}
    return [
        message("user", TextBlock("Fix *it*"), ImageBlock(Base64Source(PNG))),
        message(
            "assistant",
            ThinkingBlock("Looking: where is it?"),
            ToolUseBlock("e", "Edit", edit),
            ToolUseBlock("b", "Bash", {"command": "make", "description": "Build", "timeout": 5}),
            TextBlock("Done, *really*.\n\n```diff\n-a\n+b\n```"),
            model="gemini-2.5-pro",
            usage=usage,
        ),
        message("user", ToolResultBlock("e", "ok"), ToolResultBlock("b", "no rule", True)),
        message("assistant", TextBlock("Again."), model="gemini-2.5-pro", usage=usage),
        message("system", TextBlock("Loop detected")),
        message("user", SlashCommandBlock("/clear", None, "now")),
        message("assistant", ToolUseBlock("o", "Grep", {"pattern": "x"}), is_sidechain=True),
    ]


def test_a_page_tells_the_conversation() -> None:
    html = page(conversation(), "Fixing", {"Project": "/p", "Branch": ""})
    reader = read(html)
    text = " ".join(" ".join(reader.texts).split())
    assert "Fixing" in text
    assert "Project /p" in text
    assert "Branch" not in text
    assert "Tokens 2,000 in (800 cached) · 300 out" in text
    assert "Cost $0.0046" in text
    assert "no rule" in text
    assert "Prompts Fix *it* /clear now" in text
    assert "<em>really</em>" in html
    assert "Fix *it*" in text
    assert html.count('<details class="tool failed"') == 1
    assert html.count('<details class="tool open-end"') == 1
    assert '<span class="del">-two\n</span><span class="ins">+2\n</span>' in html
    assert '<span class="del">-a\n</span><span class="ins">+b\n</span>' in html
    assert '<details class="thinking">' in html
    anchors = re.findall(r'<article id="(m\d+)"', html)
    assert anchors == ["m1", "m2", "m3", "m4", "m5", "m6"]
    assert html.count('class="assistant goes-on"') == 1
    assert f'src="data:image/png;base64,{PNG}"' in html


def test_a_page_says_when_and_how_much_was_done() -> None:
    minute = 60_000
    later = [message("user", TextBlock("x"), timestamp=1761733800000 + 90 * minute)]
    text = " ".join(" ".join(read(page(conversation() + later, "t")).texts).split())
    assert "When 2025-10-29 10:30 – 12:00 UTC" in text
    assert "Tool calls 3, 1 failed" in text
    tomorrow = [message("user", TextBlock("x"), timestamp=1761733800000 + 1440 * minute)]
    assert "10:30 – 2025-10-30 10:30 UTC" in page(conversation() + tomorrow, "t")
    assert "<dt>When" not in page([message("user", TextBlock("x"), timestamp=0)], "t")


def test_headings_tell_the_speakers_and_a_text_s_own_stand_below_them() -> None:
    html = page([message("assistant", TextBlock("# One\n\n###### Six\n\nTwo\n===\n"))], "t")
    read(html)
    assert re.findall(r"<h(\d)[^>]*>(\w+)", html) == [
        ("1", "t"),
        ("2", "Gemini"),
        ("3", "One"),
        ("6", "Six"),
        ("3", "Two"),
    ]


def test_a_small_change_is_open_and_a_large_one_is_folded() -> None:
    def edit(lines: int) -> str:
        new = "".join(f"{number}\n" for number in range(lines))
        call = ToolUseBlock("1", "Edit", {"old_string": "x\n", "new_string": new})
        return page([message("assistant", call, ToolResultBlock("1", "ok"))], "t")

    assert '<details class="tool ok" open>' in edit(5)
    assert '<details class="tool ok">' in edit(50)


def test_a_diff_that_a_tool_printed_is_coloured() -> None:
    call = ToolUseBlock("1", "Bash", {"command": "git diff"})
    for head in ("diff --git a/x b/x\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n"):
        html = page([message("assistant", call, ToolResultBlock("1", f"{head}-<a>\n+b\n"))], "t")
        assert '<span class="del">-&lt;a&gt;\n</span><span class="ins">+b\n</span>' in html
        read(html)
    listing = "--- not a diff\n+1 point\n"
    assert 'class="ins"' not in page([message("user", ToolResultBlock("1", listing))], "t")


def test_a_model_without_a_price_is_said_to_be_so() -> None:
    one = message("assistant", TextBlock("x"), model="odd-1", usage=Usage(1, 1, 2))
    assert "unknown: no price for this model" in page([one], "t")


def test_a_response_written_as_two_messages_is_counted_once() -> None:
    usage = Usage(10, 5, 15)
    original = {"requestId": "r", "message": {"id": "m1"}}
    both = [
        message("assistant", TextBlock(text), usage=usage, tool="claude", original=original)
        for text in ("a", "b")
    ]
    assert "10 in · 5 out" in " ".join(read(page(both, "t")).texts)


def test_what_is_too_long_is_cut_with_a_note_and_in_time() -> None:
    call = ToolUseBlock("1", "Bash", {"command": "x"})
    result = ToolResultBlock("1", "y" * 300_000)
    html = page([message("assistant", call, result, TextBlock("[" * 500_000))], "t")
    assert "37,856 more characters are not shown." in html
    big = {"old_string": "a\n" * 50_000, "new_string": "b\n" * 50_000}
    assert len(page([message("assistant", ToolUseBlock("2", "Edit", big))], "t")) > 100_000


def test_what_nobody_typed_is_not_listed_as_a_prompt() -> None:
    messages = [
        message("user", TextBlock("typed one")),
        message("user", TextBlock("injected"), is_meta=True),
        message("user", TextBlock("typed two")),
    ]
    nav = page(messages, "t").split("<nav")[1].split("</nav>")[0]
    assert ("typed one" in nav, "typed two" in nav, "injected" in nav) == (True, True, False)


def test_a_long_path_keeps_its_end() -> None:
    path = "/very/long" * 20 + "/name.py"
    html = page([message("assistant", ToolUseBlock("1", "Read", {"file_path": path}))], "t")
    about = html.split('<span class="about">')[1].split("</span>")[0]
    assert about.startswith("…")
    assert about.endswith("/name.py")


def test_an_empty_session_is_a_page_too() -> None:
    assert "holds no messages" in page([], "")
    assert markdown_document([], "") == "# Conversation\n"


def test_impossible_times_do_not_stop_the_page() -> None:
    for moment in (0, -5, 10**18, 2**62):
        read(page([message("user", TextBlock("x"), timestamp=moment)], "t"))
        markdown_document([message("user", TextBlock("x"), timestamp=moment)], "t")


def test_markdown_tells_the_conversation() -> None:
    text = markdown_document(conversation(), "Fixing\nit", {"Project": "/p"})
    assert text.startswith("# Fixing it\n\n- **Project**: /p\n- **Tokens**: 2,000 in, 300 out\n")
    assert "## User · 2025-10-29 10:30 UTC\n\n> Fix *it*" in text
    assert "[image: image/png, 9 bytes]" in text
    assert "```diff\n one\n-two\n+2\n three\n```" in text
    assert "**Bash** `make`\n\n```sh\nmake\n```\n\nFailed:\n\n```\nno rule\n```" in text
    assert "<summary>Thinking</summary>\n\n> Looking: where is it?" in text
    assert "> `/clear now`" in text


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("```py\nx = 1", "x = 1\n```\n"),
        ("~~~\n```\nx", "x\n~~~\n"),
        ("````\n```\nx", "x\n````\n"),
        ("```\nx\n```", "x\n```\n"),
        ("```one line```", "```one line```\n"),
    ],
)
def test_an_answer_cut_off_in_a_code_block_does_not_swallow_the_rest(text: str, end: str) -> None:
    assert markdown_document([message("assistant", TextBlock(text))], "t").endswith(end)


@pytest.mark.parametrize("text", ["```", "a\n````\nb", "~~~", "`"])
def test_no_output_closes_its_own_fence(text: str) -> None:
    first, *_, last = fence(text).splitlines()
    assert first == last
    assert first not in text


def test_json_gives_back_every_message() -> None:
    original = conversation()
    document = json.loads(json_document(original, "Fixing", {"a": "b"}))
    assert [from_dict(item) for item in document["messages"]] == original
    assert document["totals"]["cost_usd"] == pytest.approx(0.0046)
    odd = json_document([message("user", TextBlock("\ud800"))], "t")
    assert json.loads(odd)["messages"][0]["content"][0]["text"] == "\ud800"


@pytest.mark.parametrize("piece", ["\x1b]", "\x1bP", "\x1b[0", "\x1bP" + "a" * 4000])
def test_unfinished_terminal_codes_by_the_thousand_take_no_minutes(piece: str) -> None:
    assert "\x1b" not in plain(piece * (2_000_000 // len(piece)))


def test_a_picture_of_blanks_takes_no_minutes() -> None:
    assert safe_image("A" + " " * 1_000_000 + "!", "image/png") is None
