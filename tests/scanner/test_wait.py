"""wait_for and settle: event-driven, bounded."""

from __future__ import annotations

from typing import Any

import pytest

LATER = "requestAnimationFrame(() => requestAnimationFrame(() => { %s }))"


@pytest.mark.parametrize(
    ("condition", "change"),
    [
        ({"condition": "exists", "selector": "#new"}, "document.body.insertAdjacentHTML('beforeend', '<p id=new>')"),
        ({"condition": "gone", "selector": "#old"}, "old.remove()"),
        ({"condition": "visible", "selector": "#none"}, "none.style.display = 'block'"),
        ({"condition": "hidden", "selector": "#old"}, "old.hidden = true"),
        ({"condition": "enabled", "selector": "#off"}, "off.disabled = false"),
        ({"condition": "disabled", "selector": "#on"}, "on.disabled = true"),
        ({"condition": "count", "selector": "li", "count": 3}, "list.innerHTML = '<li>a<li>b<li>c'"),
        ({"condition": "visible", "text": "Done"}, "old.textContent = 'Done'"),
        # Again and again: the first may come before the wait has begun.
        ({"condition": "navigation"}, "setInterval(() => history.pushState(0, '', '/next'), 50)"),
        ({"condition": "navigation"}, "setInterval(() => { location.hash += 'x' }, 50)"),
        ({"condition": "exists", "selector": ".deep"}, "old.attachShadow({mode: 'open'}).innerHTML = '<p class=deep>'"),
    ],
)
def test_conditions(show: Any, condition: dict[str, Any], change: str) -> None:
    page = show(
        "<p id=old>x</p><p id=none style='display:none'>y</p><button id=off disabled>a</button><button id=on>b</button><ul id=list></ul>"
    )
    page.run(LATER % change)
    data = page.do("wait_for", timeout=5000, **condition)
    assert data["met"] is True


def test_already_met(show: Any) -> None:
    """At once: there is no time for a second look."""
    assert show("<p>x</p>").do("wait_for", condition="exists", selector="p", timeout=0)["met"] is True


def test_navigation_tells_both_urls(show: Any) -> None:
    page = show("")
    # Again and again: the first may come before the wait has begun.
    page.run("setInterval(() => { location.hash += 'x' }, 50)")
    data = page.do("wait_for", condition="navigation")
    assert data["previous_url"].startswith(page.base + "/")
    assert data["url"].rstrip("x") in (page.base + "/#", page.base + "/")
    assert len(data["url"]) > len(data["previous_url"])


def test_times_out(show: Any) -> None:
    page = show("<p>x</p>")
    assert (
        page.refusal("wait_for", condition="gone", selector="p", timeout=60) == "TIMEOUT gone did not come within 60 ms"
    )


def test_custom(show: Any) -> None:
    page = show("<p>x</p>")
    page.run(LATER % "document.querySelector('p').dataset.ready = 'yes'")
    ready = '{"cmd": "wait_for", "condition": "custom", "expression": "document.querySelector(\'p\').dataset.ready"}'
    assert page.raw(ready)["data"]["result"] == "yes"
    assert page.raw('{"cmd": "wait_for", "condition": "custom", "expression": "("}')["code"] == "SCRIPT_ERROR"


def test_change(show: Any) -> None:
    page = show("<p id=p>x</p>")
    page.run("globalThis.timer = setInterval(() => { p.textContent = Math.random() }, 20)")
    assert page.do("wait_for", condition="change")["met"] is True
    page.run("clearInterval(timer)")
    assert page.refusal("wait_for", condition="change", timeout=30) == "TIMEOUT nothing changed"


def test_an_element_by_number_that_goes(show: Any) -> None:
    page = show("<button id=b>a</button>")
    number = page.number("a")
    page.run(LATER % "b.remove()")
    assert page.do("wait_for", condition="gone", id=number)["met"] is True
    assert page.do("wait_for", condition="hidden", id=number)["met"] is True
    assert page.refusal("wait_for", condition="gone", id=99) == "ELEMENT_NOT_FOUND element 99 not found"


def test_bad_requests(show: Any) -> None:
    page = show("")
    assert page.refusal("wait_for", condition="magic") == "INVALID_REQUEST no such condition: magic"
    assert page.refusal("wait_for", condition="visible") == "INVALID_REQUEST id, selector or text is required"
    assert page.refusal("wait_for", condition="count", selector="p") == "INVALID_REQUEST count must be an integer"
    assert page.refusal("wait_for", condition="exists", selector="[").startswith("SELECTOR_INVALID")


def test_settle(show: Any) -> None:
    page = show("<p id=p>x</p>")
    assert page.do("settle") == {"mutated": False, "quiet": True, "busy": None, "pending": None, "closed": False}
    page.run(LATER % "p.textContent = 'y'")
    assert page.do("settle")["quiet"] is True
    page.run("setInterval(() => { p.textContent = Math.random() }, 1)")
    restless = page.do("settle", timeout=80)
    assert restless == {"mutated": True, "quiet": False, "busy": None, "pending": None, "closed": False}
