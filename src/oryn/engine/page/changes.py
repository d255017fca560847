"""The difference between two scans of a page (intent-language §6). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from oryn.core import text_safety
from oryn.core.records import Record
from oryn.engine.page.elements import Element, label, line, signature

_OPPOSITES = {
    "disabled": "enabled",
    "expanded": "collapsed",
    "selected": "not selected",
    "pressed": "not pressed",
    "invalid": "valid",
}

LineRenderer = Callable[[Element], str]

MAX_CHANGE_LINES = 40
"""Maximum number of element lines in a change report; further ones are only counted."""


class PageChange(Record):
    """One line of a report. `data` is its JSON form."""

    sign: Literal["+", "-", "~", "@"]
    text: str
    data: dict[str, Any]

    def render(self) -> str:
        return f"{self.sign} {self.text}"


def appeared(element: Element, line: LineRenderer = line) -> PageChange:
    return PageChange("+", line(element), {"change": "appeared", "element": dict(element)})


def disappeared(element: Element) -> PageChange:
    return PageChange("-", label(element), {"change": "gone", "element": dict(element)})


def changed(before: Element, element: Element, line: LineRenderer = line) -> PageChange:
    """Report a changed element. A removed modifier is reported by its opposite, because the line shows only what
    holds."""
    displayed = dict(element)
    now = list(element.get("modifiers") or ())
    ended = [_OPPOSITES[each] for each in before.get("modifiers") or () if each in _OPPOSITES and each not in now]
    if ended:
        displayed["modifiers"] = [*ended, *now]
    return PageChange("~", line(displayed), {"change": "changed", "element": displayed})


def page_changed(url: str, title: str) -> PageChange:
    return PageChange("@", page_line(url, title), {"change": "page", "url": url, "title": title})


def url_changed(before: str, after: str) -> PageChange:
    text = f"url: {text_safety.path(before)} → {text_safety.path(after)}"
    return PageChange("~", text, {"change": "url", "before": before, "after": after})


def title_changed(after: str) -> PageChange:
    return PageChange("~", f"title: {text_safety.quoted(after)}", {"change": "title", "title": after})


def diff_page(url: str, url_now: str, title: str, title_now: str) -> list[PageChange]:
    """Return the changes of URL and title within one document."""
    found = [url_changed(url, url_now)] if url != url_now else []
    return [*found, title_changed(title_now)] if title != title_now else found


def page_line(url: str, title: str) -> str:
    """Render URL and title: `github.com/login "Sign in to GitHub"`."""
    return f"{text_safety.location(url)} {text_safety.quoted(text_safety.shortened(title, 200))}"


def diff_elements(
    before: Mapping[int, Element],
    after: Mapping[int, Element],
    *,
    limit: int = MAX_CHANGE_LINES,
    line: LineRenderer = line,
) -> tuple[list[PageChange], int]:
    """Return changes of elements in a reader's order (appeared, gone, changed), and how many exceed `limit` (0: no
    limit). `line` renders appeared and changed elements."""
    came = [appeared(e, line) for number, e in after.items() if number not in before]
    went = [disappeared(e) for number, e in before.items() if number not in after]
    common = [(before[number], e) for number, e in after.items() if number in before]
    differ = [changed(was, e, line) for was, e in common if signature(was) != signature(e)]
    found = [*came, *went, *differ]
    if not limit:
        return found, 0
    return found[:limit], max(0, len(found) - limit)
