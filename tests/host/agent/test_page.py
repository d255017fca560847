"""The page of a run: everything on it is text, whatever it says, and nothing is fetched."""

from __future__ import annotations

from base64 import b64encode
from html.parser import HTMLParser
from typing import Any

from oryn.agent.runner.page import render_page
from oryn.agent.runner.transcript import summarize_message

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;\ud800"

SNAPSHOT = """System: Tab limit (1) reached. Released tab: https://old.org

<browsing_context>
[Target Update]
URL: https://a.org/?

Interactive Elements:
<a id="1" href="https://a.org/">Home</a>
<button id="2">Buy</button>
</browsing_context>

<api_activity>
  <call method="POST" url="/api/search">
    {}
  </call>
</api_activity>

<command_result>
| Ferns
| System Error: not really
</command_result>

<browsing_context>
[Target Unchanged]
URL: https://b.org/
</browsing_context>"""


def entries(text: str) -> list[dict[str, Any]]:
    return [
        {"at": "t0", "kind": "begun", "goal": text, "model": text, "endpoint": text},
        {"at": "t1", "kind": "message", "role": "system", "content": text},
        {"at": "t2", "kind": "message", "role": "user", "content": text},
        {"at": "t3", "kind": "message", "role": "assistant", "content": text, "prompt": 9, "completion": 2},
        {"at": "t4", "kind": "turn", "outcome": "acted", "action": text, "arguments": {text: text}},
        {"at": "t5", "kind": "correction", "content": text},
        {"at": "t6", "kind": "confirmation", "asked": text, "agreed": True},
        {"at": "t7", "kind": "again", "error": text},
        {"at": "t8", "kind": "shortened", "messages": 2},
        {"at": "t9", "kind": text},
        {"at": text, "kind": "resumed"},
        {
            "at": "ta",
            "kind": "ended",
            "outcome": text,
            "answer": text,
            "cost": 0.5,
            "error": {"message": text, "hint": text},
        },
    ]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[str]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, [name for name, _ in attributes]))

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(told: list[dict[str, Any]]) -> Tags:
    found = Tags()
    text = "".join(render_page(told))
    text.encode()
    found.feed(text)
    return found


def test_transcript_page_renders_content_as_text() -> None:
    found = parsed(entries(EVIL))
    harmless = parsed(entries("harmless"))
    assert found.tags == harmless.tags, "the same elements, whatever is said in them"
    assert not {"script", "img", "link", "iframe", "a"} & {tag for tag, _ in found.tags}
    assert found.text.count("alert(1)") > 20


def test_it_needs_nothing_else() -> None:
    text = "".join(render_page(entries("x")))
    assert "default-src 'none'" in text and "color-scheme: light dark" in text
    assert not any(name in ("src", "href", "onclick") for _, names in parsed(entries("x")).tags for name in names)


def test_transcript_page_shows_tokens_and_cost() -> None:
    text = parsed(entries("x")).text
    for part in ("9 read, 2 written", "0.5000", "Confirmation: the user said yes", "2 messages were left out"):
        assert part in text


PICTURE = b64encode(b"\xff\xd8\xff\xe0 a picture").decode()


def step(**more: Any) -> list[dict[str, Any]]:
    reply = 'I go on.\n<tool_code>{"action": "click", "id": 7}</tool_code>'
    turn = {"kind": "turn", "outcome": "acted", "action": "click", "arguments": {"id": 7}, "element": 'button "Buy"'}
    picture = {"kind": "picture", "jpeg": PICTURE}
    begun = {"kind": "begun", "goal": "Buy a fern"}
    return [begun, {"kind": "message", "role": "assistant", "content": reply}, {**turn, **more}, {**picture, **more}]


def test_a_step_names_its_element_and_has_a_picture() -> None:
    page = "".join(render_page(step()))
    assert "<h2>Step 1: click button &quot;Buy&quot;</h2>" in page
    assert '<p class="said">I go on.</p>' in page
    assert f'<img alt="The page after step 1" src="data:image/jpeg;base64,{PICTURE}">' in page
    assert "img-src data:" in page


def test_what_is_no_picture_is_not_shown() -> None:
    for jpeg in ('"><script>', "PHN2Zz4=", "/9j/ x", 7, None):
        assert "<img" not in "".join(render_page(step(jpeg=jpeg)))


def test_a_command_without_a_number_says_what_it_was_told() -> None:
    told = {"action": "open_tab", "arguments": {"url": "https://a.org/"}, "element": None}
    assert "<h2>Step 1: open tab “https://a.org/”</h2>" in "".join(render_page(step(**told)))


def test_a_run_without_an_end_has_a_page() -> None:
    assert "not ended" in parsed(entries("x")[:3]).text


def test_a_message_in_a_few_lines() -> None:
    assert summarize_message(SNAPSHOT) == [
        "System: Tab limit (1) reached. Released tab: https://old.org",
        "@ https://a.org/?, 2 elements",
        "  1 request",
        "| Ferns",
        "| System Error: not really",
        "@ https://b.org/, unchanged",
    ]
    assert summarize_message("") == []
    long = "<command_result>\n" + "| x\n" * 30 + "</command_result>"
    assert summarize_message(long)[-1] == "| … 18 more lines"
