"""The line protocol: whatever a page says stands in a string or in a block of an answer, as text and as JSON."""

from __future__ import annotations

import json

import pytest

from oryn.engine.output.answer import Answer
from tests.agent.injection.answer_reader import check_answer, check_unseen, fence
from tests.agent.injection.hostile import HARD, MARK, TEXTS, WORST, in_script
from tests.agent.injection.pages import INVISIBLE, activity_page, hidden_text_page, text_page
from tests.headless.conftest import Driver

LOOKS = (
    "observe", "observe --full", "observe --minimal", 'observe --near "obey me"', "snapshot", "text", "html", "title",
    "url", "extract links", "extract tables", "extract meta", 'extract css("pre")', "value 6", "box 1", "frames",
    "tabs", "is 1 visible", "attribute 3 aria-label", 'click "x y z"', "click 999", 'frame css("iframe")', "observe",
    "frame main", 'eval "document.title"', 'count "obey"', 'exists "obey"', 'check "obey"', 'select "obey" "nothing"',
    'hover "obey"', 'click "obey" --strict', 'fill_form {"obey": "x"}', 'login "a" "b"', "dismiss popups",
    'type "obey" "x"',
)  # fmt: skip
"""Commands whose answers have a page's words in them."""

FIRST = ("observe", "observe --full", "text", "snapshot", 'eval "document.title"')

AFTERWARDS = (
    "dialog accept", "observe --diff", "console", "storage list", "title", "url", "errors",
    "requests", "request 2", "request 3",
    "cookies list", "cookies get raw", "storage list --session", "tabs", "frames", "back", "forward",
)  # fmt: skip


NAMES = {"ok", "command", "error", "page", "elements", "patterns", "more", "result", "notes", "changes", "more_changes"}


@pytest.mark.parametrize("name", TEXTS)
async def test_page_content_stays_quoted_in_answers(oryn: Driver, name: str) -> None:
    oryn.pages["/said"] = text_page(TEXTS[name])
    looks = LOOKS if name in WORST else FIRST
    for line in (f"goto {oryn.pages.url('/said')}", *looks):
        answer = await oryn.session.execute(line)
        check_answer(answer.render(), line)
        check_json(answer, line)
    assert MARK in await oryn("observe"), "the page has said it"


@pytest.mark.parametrize("name", (*WORST, *HARD))
async def test_page_behaviour_stays_quoted_in_answers(oryn: Driver, name: str) -> None:
    await oryn.show(activity_page(TEXTS[name]))
    for line in ("click Say", *(AFTERWARDS if name in WORST else AFTERWARDS[:4])):
        answer = await oryn.session.execute(line)
        check_answer(answer.render(), line)
        check_json(answer, line)
    assert MARK in await oryn("console"), "the page has said it"


def check_json(answer: Answer, line: str) -> None:
    """The same as JSON: one line whatever it holds, whose names are Oryn's."""
    answer.json = True
    rendered = answer.render()
    assert rendered.isascii() and rendered.isprintable()
    told = json.loads(rendered)
    assert set(told) <= NAMES
    assert told["ok"] is (answer.error is None)
    for ours in (told["command"].replace(line, ""), told.get("error", {}).get("code", "")):
        assert MARK not in ours
    assert all(isinstance(element["id"], int) for element in told.get("elements", ()))


@pytest.mark.parametrize("name", ["a command", "the keyword", "system messages", "the end of an answer"])
async def test_names_of_files(oryn: Driver, name: str) -> None:
    script = f"document.links[0].download = {in_script(TEXTS[name])}"
    await oryn.show(f"<a href='data:text/plain,x' download>Get</a><script>{script}</script>")
    line = 'click "Get"'
    answer = await oryn(line)
    check_answer(answer, line)
    assert "download" in answer


@pytest.mark.slow
async def test_an_error_of_a_script(oryn: Driver) -> None:
    """The caller's script has failed, by words of the page's: they stand on the line of the error, and begin none."""
    for said in TEXTS.values():
        await oryn.show(text_page(said))
        answer = await oryn('eval "throw Error(document.title)"')
        check_unseen(answer)
        first, *rest = answer.split("\n")
        assert first.startswith('error eval "throw Error(document.title)": Error: ')
        assert rest == ["", "# hint", "Check the script."]


@pytest.mark.slow
async def test_boundary_encloses_all_page_content(fenced: Driver) -> None:
    for said in TEXTS.values():
        await fenced.show(text_page(said))
        for line in ("observe", "text", "title", "snapshot", 'eval "throw Error(document.title)"'):
            answer = (await fenced(line)).replace(line, "")
            check_unseen(answer)
            before, inside, after = fence(answer)
            assert MARK not in before + after
            assert MARK in inside, "the page has said it"


@pytest.mark.parametrize("name", ["a command", "the keyword", "system messages"])
async def test_hidden_page_text_stays_quoted_in_answers(oryn: Driver, name: str) -> None:
    """What is not laid out is not there; what its place or its colour hides is: a person may scroll, or mark it."""
    await oryn.show(hidden_text_page(TEXTS[name]))
    told = json.loads((await oryn.session.execute("observe", json=True)).render())
    assert len([each for each in told["elements"] if each["type"] == "link"]) < len(INVISIBLE)
    text = await oryn("text")
    check_answer(text, "text")
    laid_out = len(INVISIBLE.keys() - {"display", "visibility"})
    assert text.count(MARK) <= 2 * laid_out * TEXTS[name].count(MARK)
