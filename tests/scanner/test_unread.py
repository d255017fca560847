"""unread_changes: what an agent has not seen yet of a page, and `wait_for` it; what changes again and again by itself."""

from __future__ import annotations

from typing import Any

import pytest

EVERY = (
    "new Promise((done) => {{ let n = 0; const step = () => {{ {0}; ++n < {1} ? setTimeout(step, 120) : done() }};"
    "step() }})"
)


def texts(unread: dict[str, Any]) -> list[str]:
    return [f"{row['change']} {row['kind']} {row['text']}" for row in unread["texts"]]


def test_the_first_answer_is_fresh_and_later_ones_have_what_is_new(show: Any) -> None:
    page = show("<p id=out>old</p>")
    assert page.do("unread_changes") == {
        "fresh": True, "touched": False, "texts": [], "feeds": [], "feeding": False,
    }  # fmt: skip
    page.run("out.textContent = 'new'")
    unread = page.do("unread_changes")
    assert (unread["fresh"], unread["touched"], texts(unread)) == (False, True, ["changed text new"])
    assert page.do("unread_changes")["touched"] is False


def test_a_line_break_parts_texts(show: Any) -> None:
    page = show("<p id=out></p>")
    page.do("unread_changes")
    page.run("out.innerHTML = '<a href=#>Profile</a><br><a href=#><b>Sign</b> out</a><br>Help'")
    assert texts(page.do("unread_changes")) == ["new text Profile Sign out Help"]


def test_an_attribute_touches_a_page_without_text(show: Any) -> None:
    page = show("<p id=out>old</p>")
    page.do("unread_changes")
    page.run("out.className = 'on'")
    unread = page.do("unread_changes")
    assert unread["touched"] is True and unread["texts"] == []


def test_an_address_without_another_document(show: Any) -> None:
    page = show("<p>old</p>")
    page.do("unread_changes")
    page.run("history.pushState(0, '', '#next')")
    assert page.do("unread_changes")["touched"] is True


def test_actions_and_their_reports_do_not_take_the_unread_changes(show: Any) -> None:
    page = show("<p id=out>old</p>")
    page.do("unread_changes")
    page.do("watch")
    page.run("out.textContent = 'new'")
    page.do("scan")
    assert page.do("changed_texts")["texts"]
    assert texts(page.do("unread_changes")) == ["changed text new"]


@pytest.mark.slow
def test_a_feed_counts_once_it_has_stopped(show: Any) -> None:
    page = show("<p id=out>old</p><ul id=list></ul>")
    page.do("scan")
    page.do("unread_changes")
    page.run(EVERY.format("out.textContent = n; list.innerHTML = `<li><a href=/${n}>${n}</a>`", 6))
    scan = page.do("scan", keep_ids=True)
    [link] = [each["id"] for each in scan["elements"]]
    unread = page.do("unread_changes", elements=[link, 999])
    assert unread == {"fresh": False, "touched": False, "texts": [], "feeds": [link], "feeding": True}
    assert page.do("wait_for", condition="unread_changes", timeout=10_000)["waited"] > 1000
    unread = page.do("unread_changes", elements=[link])
    assert (unread["touched"], texts(unread), unread["feeds"]) == (True, ["changed text 5", "new text 5"], [])


def test_what_an_action_changes_again_and_again_is_no_feed(show: Any) -> None:
    page = show("<p id=out>old</p>")
    page.do("unread_changes")
    page.do("watch")
    page.run(EVERY.format("out.textContent = n", 6))
    assert texts(page.do("unread_changes")) == ["changed text 5"]


def test_a_box_that_blinks_keeps_no_text_back(show: Any) -> None:
    page = show("<div id=box><p id=out>old</p></div>")
    page.do("unread_changes")
    page.run(EVERY.format("box.style.opacity = n % 2", 6))
    assert page.do("unread_changes")["touched"] is False
    page.run("out.textContent = 'new'")
    assert texts(page.do("unread_changes")) == ["changed text new"]


def test_a_clock_is_never_unread_changes(show: Any) -> None:
    page = show("<div role=timer><button id=left>9</button></div><p aria-live=off id=out>9</p>")
    page.do("scan")
    page.do("unread_changes")
    page.run("left.textContent = out.textContent = 8")
    assert page.do("unread_changes", elements=[1])["feeds"] == [1]
    assert page.do("unread_changes")["texts"] == []


def test_it_waits_until_the_page_is_quiet(show: Any) -> None:
    page = show("<p id=a></p><p id=b></p><p id=c></p>")
    page.do("unread_changes")
    page.run("setTimeout(() => a.textContent = 1, 50); setTimeout(() => b.textContent = 2, 250)")
    page.do("wait_for", condition="unread_changes", quiet=400, timeout=5000)
    assert texts(page.do("unread_changes")) == ["new text 1", "new text 2"]


def test_it_waits_no_longer_than_it_may_collect(show: Any) -> None:
    """Every change is in another place, so there is no feed."""
    page = show("<div id=log></div>")
    page.do("unread_changes")
    page.run("let n = 0; setInterval(() => { log.insertAdjacentHTML('afterend', `<p>${++n}`) }, 150)")
    assert page.do("wait_for", condition="unread_changes", quiet=60_000, collect=200, timeout=20_000)["met"] is True


def test_nothing_to_wait_for(show: Any) -> None:
    page = show("<p>page</p>")
    page.do("unread_changes")
    assert page.refusal("wait_for", condition="unread_changes", timeout=100).startswith("TIMEOUT ")


@pytest.mark.slow
def test_very_many_changes(show: Any) -> None:
    page = show("<div id=all></div>")
    page.do("unread_changes")
    page.run("all.innerHTML = '<p>x</p>'.repeat(3000); for (const each of all.children) each.textContent += '!'")
    unread = page.do("unread_changes")
    assert unread["touched"] is True and len(unread["texts"]) == 60
    assert page.do("unread_changes")["touched"] is False
