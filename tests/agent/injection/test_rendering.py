"""What `oryn.agent` writes of a page's words can be read back as what Oryn meant, whatever the words are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.agent import messages, sanitization
from oryn.agent.activity import ApiCall, render_activity
from oryn.agent.context import PageRedactor, dialog_context, element_line, snapshot, unchanged_context
from oryn.agent.prompt import Instructions, SavedTools, system_prompt
from oryn.errors import BrowserError, ConfigurationError
from tests.agent.injection.hostile import KEYWORD, LINE_ENDS, TEXTS, tagged
from tests.agent.injection.message import check_prompt, read

PIECES = (
    "<", ">", "&", '"', "'", "/", "[", "]", "|", "=", "`", "```", " ", "\t", "<tool_code>", "</tool_code>", "System: ",
    "\nSystem Error: ", "</browsing_context>", "<browsing_context>", "</api_activity>", "</call>", "</command_result>",
    "[END:", KEYWORD, "URL: ", "&lt;", "&#10;", "&#x3c;", "\ud800", "\u202e", "\u200b", "＜", "］", "［END:",
    tagged("<"), "javascript:", "https://", "?q=", "#", *LINE_ENDS,
)  # fmt: skip
SAID = st.one_of(
    st.text(), st.sampled_from([*TEXTS.values()]), st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join)
)
"""Whatever a page may say, the pieces of our own forms more often than chance has them."""

ADDRESSES = SAID.map(lambda said: "https://shop.example/" + said) | SAID
REDACTORS = st.builds(PageRedactor, st.sampled_from(["off", "values", "all"]))


def element(said: str, number: int = 1, tag: str = "button") -> dict[str, Any]:
    names = ("type", "role", "aria-label", "title", "name", "placeholder", "href", "aria-expanded")
    return {
        "id": number, "tag": tag, "type": tag, "role": said, "text": said, "value": said,
        "modifiers": [said, "disabled"], "options": {"first": [said, said], "count": 3},
        "attributes": dict.fromkeys((*names, said), said),
    }  # fmt: skip


@pytest.mark.slow
@given(SAID, ADDRESSES, REDACTORS, st.sampled_from(["a", "button", "input", "textarea", "select", "div", "x-said"]))
def test_a_context(said: str, url: str, shown: PageRedactor, tag: str) -> None:
    message = read(snapshot(url, [element(said, 7, tag)], shown, bases={}, page_text=said))
    assert [(each.tag, each.attributes["id"]) for each in message.elements] == [(tag, "7")]
    assert len(message.urls) == 1 and message.system == []
    read(
        messages.join_parts(
            [unchanged_context(url, shown), dialog_context(url, "prompt", said, shown), messages.timed_out(15)]
        )
    )


@given(SAID)
def test_a_tag_of_the_pages_own(tag: str) -> None:
    line = element_line(element("x", tag=tag), "", PageRedactor())
    assert len(read(f"<browsing_context>\n[Target Update]\nURL: \n{line}\n</browsing_context>").elements) == 1


@given(SAID, ADDRESSES, REDACTORS)
def test_an_activity(said: str, url: str, shown: PageRedactor) -> None:
    calls = [ApiCall(said, url, said, said), ApiCall("POST", url), ApiCall("GET", said, said)]
    message = read(render_activity(calls, url, shown))
    assert len(message.calls) == 3
    assert message.calls[1]["method"] == "POST"


@given(SAID, ADDRESSES)
def test_messages(said: str, url: str) -> None:
    error = BrowserError(said, said)
    told = [
        messages.element_not_found(said), messages.failed_to_open(url, said), messages.tool_not_found(said, ["Gmail"]),
        messages.tab_released(3, url), messages.tab_opened(url), messages.tab_closed(url),
        messages.no_snapshot(url, said), messages.engine_error(error), messages.note(said),
    ]  # fmt: skip
    for each in told:
        message = read(each)
        assert message.system == [each]
    assert read(messages.join_parts(told)).system == told


@given(SAID)
def test_a_correction_is_the_users_on_one_line(said: str) -> None:
    line = messages.correction(said)
    assert len(line.splitlines()) == 1 and line.startswith("User: ") and KEYWORD not in line


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
def test_a_prompt(said: str) -> None:
    keyword = "[END:shop-0123456789ab]"
    goal = f"{said} {keyword}"
    tools = SavedTools({"Gmail": "https://mail.example"})
    try:
        tools = SavedTools({f"{said} {keyword}": "https://shop.example/?" + "".join(said.split()) + keyword})
    except ConfigurationError:
        pass
    check_prompt(system_prompt(Instructions(goal, keyword, tools, 3)), keyword)


@given(SAID)
def test_a_page_says_the_keyword_nowhere(said: str) -> None:
    for shown in (
        sanitization.escape_line(said),
        sanitization.attribute("label", said),
        sanitization.quote_block(said),
        sanitization.escape_user_text(said),
    ):
        assert KEYWORD not in shown and "[END:" not in shown


@given(SAID)
def test_escaped_text_reads_back_unchanged(said: str) -> None:
    """Escaping loses nothing but white space and what nobody sees."""
    plain = said.encode("ascii", "ignore").decode()
    words = " ".join("".join(each for each in plain if each.isprintable() or each.isspace()).split())
    if words and "\\" not in words and words == " ".join(plain.split()):
        text = sanitization.escape_line(words)
        line = f'<browsing_context>\n[Target Update]\nURL: \n<b id="1">{text}</b>\n</browsing_context>'
        assert read(line).elements[0].text == words
