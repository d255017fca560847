"""news: what an agent has not seen yet of a page, and `wait_for` it. What changes again and again by itself is no news."""

from __future__ import annotations

from typing import Any

EVERY = (
    "new Promise((done) => {{ let n = 0; const step = () => {{ {0}; ++n < {1} ? setTimeout(step, 120) : done() }};"
    "step() }})"
)


def texts(news: dict[str, Any]) -> list[str]:
    return [f"{row['change']} {row['kind']} {row['text']}" for row in news["texts"]]


def test_the_first_answer_is_fresh_and_later_ones_have_what_is_new(show: Any) -> None:
    page = show("<p id=out>old</p>")
    assert page.do("news") == {
        "fresh": True, "touched": False, "texts": [], "feeds": [], "feeding": False,
    }  # fmt: skip
    page.run("out.textContent = 'new'")
    news = page.do("news")
    assert (news["fresh"], news["touched"], texts(news)) == (False, True, ["changed text new"])
    assert page.do("news")["touched"] is False


def test_an_attribute_touches_a_page_without_text(show: Any) -> None:
    page = show("<p id=out>old</p>")
    page.do("news")
    page.run("out.className = 'on'")
    news = page.do("news")
    assert news["touched"] is True and news["texts"] == []


def test_an_address_without_another_document(show: Any) -> None:
    page = show("<p>old</p>")
    page.do("news")
    page.run("history.pushState(0, '', '#next')")
    assert page.do("news")["touched"] is True


def test_actions_and_their_reports_do_not_take_the_news(show: Any) -> None:
    page = show("<p id=out>old</p>")
    page.do("news")
    page.do("watch")
    page.run("out.textContent = 'new'")
    page.do("scan")
    assert page.do("changed_texts")["texts"]
    assert texts(page.do("news")) == ["changed text new"]


def test_a_feed_counts_once_it_has_stopped(show: Any) -> None:
    page = show("<p id=out>old</p><ul id=list></ul>")
    page.do("scan")
    page.do("news")
    page.run(EVERY.format("out.textContent = n; list.innerHTML = `<li><a href=/${n}>${n}</a>`", 6))
    scan = page.do("scan", keep_ids=True)
    [link] = [each["id"] for each in scan["elements"]]
    news = page.do("news", elements=[link, 999])
    assert news == {"fresh": False, "touched": False, "texts": [], "feeds": [link], "feeding": True}
    assert page.do("wait_for", condition="news", timeout=10_000)["waited"] > 1000
    news = page.do("news", elements=[link])
    assert (news["touched"], texts(news), news["feeds"]) == (True, ["changed text 5", "new text 5"], [])


def test_what_an_action_changes_again_and_again_is_no_feed(show: Any) -> None:
    page = show("<p id=out>old</p>")
    page.do("news")
    page.do("watch")
    page.run(EVERY.format("out.textContent = n", 6))
    assert texts(page.do("news")) == ["changed text 5"]


def test_a_box_that_blinks_keeps_no_text_back(show: Any) -> None:
    page = show("<div id=box><p id=out>old</p></div>")
    page.do("news")
    page.run(EVERY.format("box.style.opacity = n % 2", 6))
    assert page.do("news")["touched"] is False
    page.run("out.textContent = 'new'")
    assert texts(page.do("news")) == ["changed text new"]


def test_a_clock_is_never_news(show: Any) -> None:
    page = show("<div role=timer><button id=left>9</button></div><p aria-live=off id=out>9</p>")
    page.do("scan")
    page.do("news")
    page.run("left.textContent = out.textContent = 8")
    assert page.do("news", elements=[1])["feeds"] == [1]
    assert page.do("news")["texts"] == []


def test_it_waits_until_the_page_is_quiet(show: Any) -> None:
    page = show("<p id=a></p><p id=b></p><p id=c></p>")
    page.do("news")
    page.run("setTimeout(() => a.textContent = 1, 50); setTimeout(() => b.textContent = 2, 250)")
    page.do("wait_for", condition="news", quiet=400, timeout=5000)
    assert texts(page.do("news")) == ["new text 1", "new text 2"]


def test_it_waits_no_longer_than_it_may_collect(show: Any) -> None:
    """Every change is in another place, so there is no feed."""
    page = show("<div id=log></div>")
    page.do("news")
    page.run("let n = 0; setInterval(() => { log.insertAdjacentHTML('afterend', `<p>${++n}`) }, 150)")
    assert page.do("wait_for", condition="news", quiet=60_000, collect=200, timeout=20_000)["met"] is True


def test_nothing_to_wait_for(show: Any) -> None:
    page = show("<p>page</p>")
    page.do("news")
    assert page.refusal("wait_for", condition="news", timeout=100).startswith("TIMEOUT ")


def test_very_many_changes(show: Any) -> None:
    page = show("<div id=all></div>")
    page.do("news")
    page.run("all.innerHTML = '<p>x</p>'.repeat(3000); for (const each of all.children) each.textContent += '!'")
    news = page.do("news")
    assert news["touched"] is True and len(news["texts"]) == 60
    assert page.do("news")["touched"] is False
