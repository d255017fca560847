"""What the agent knows of the page that a session shows, and where it is in the picture, for a person who looks on.

Only looks: nothing gets a number, loses one, or is counted as seen, and no command waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.engine.annotation import boxes_of
from oryn.engine.elements import kind
from oryn.engine.view import ask
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Page, Rect
    from oryn.engine import Session
    from oryn.engine.elements import Element
    from oryn.engine.view import View

_LOOKING = 1.0
"""Seconds that a page gets to say where its elements are."""

Sight = dict[str, Any]
"""`url`, `title` of the page, null where there is none; `busy`: a command is being done; `generation` of the
numbers; `observed`: the agent has looked at this page; `references`: how many (`@e1` …) its snapshot gave;
`elements`, each with `number`, `kind`, `name`, `state`, `told` (the agent has
seen its number) and `box`, `[x, y, width, height]` in CSS pixels of the `viewport` (`[width, height]`), null where it
is not seen. `viewport` is null while the page can't be asked: then the boxes are not known."""


NOTHING: Sight = {
    "url": None,
    "title": None,
    "viewport": None,
    "busy": False,
    "generation": None,
    "observed": False,
    "references": 0,
    "elements": [],
}
"""Of a session that is not open, or not yet again."""


def page_of(session: Session) -> tuple[str | None, str | None]:
    """URL and title of the page that a session shows, without asking it: the title is that of the last look."""
    from oryn.sessions.remote import RemoteSession

    if isinstance(session, RemoteSession):
        return session.shown
    view = session.view
    try:
        page = session.page
        title = view.title if known_of(view, page.document) is not None else ""
        return session.withheld(page.url), _whole(session.withheld(title)) or None
    except OrynError:  # no browser runs
        return None, None


def known_of(view: View, document: str | None) -> Mapping[int, Element] | None:
    """The elements of a document that have numbers: all, where the whole page was looked at, else those that the agent
    was shown of it. None where nothing was looked at."""
    if document is None or view.document != document:
        return None
    if view.elements is not None:
        return view.elements
    return view.seen.elements if view.seen is not None else None


async def sight_of(session: Session) -> Sight:
    """As the session's last look has it. Never raises for what the page does."""
    view, page, document = session.view, None, None
    sight = dict(NOTHING)
    boxes: dict[int, Rect] = {}
    try:
        page = session.page
        document = page.document
        sight["url"], sight["title"] = page_of(session)
        if not session.is_busy and page.dialog is None:
            boxes = await _asked(session, page, document, sight)
    except OrynError:
        pass  # no browser, or a page that does not answer: what is known has to do
    elements = known_of(view, document)
    references = len(view.references) if document is not None and view.document == document else 0
    sight |= {
        "busy": session.is_busy,
        "generation": view.generation,
        "observed": elements is not None or references > 0,
        "references": references,
        "elements": [
            _row(session, element, number in view.told, boxes.get(number))
            for number, element in (elements or {}).items()
        ],
    }
    return sight


async def _asked(session: Session, page: Page, document: str, sight: Sight) -> dict[int, Rect]:
    """Where the elements are; the page's title and size go into the sight."""
    view = session.view
    about = await ask(page, {"cmd": "page"}, None, _LOOKING)
    numbers = list(known_of(view, document) or ())
    boxes = await boxes_of(page, numbers, dict(view.frames), timeout=_LOOKING)
    if page.document == document:
        sight["title"] = _whole(session.withheld(about["title"]))
        sight["viewport"] = [about["viewport"]["width"], about["viewport"]["height"]]
        return boxes
    return {}


def _row(session: Session, element: Element, told: bool, box: Rect | None) -> dict[str, Any]:
    return {
        "number": element["id"],
        "kind": kind(element),
        "name": _whole(session.withheld(element["text"])),
        "state": list(element.get("modifiers") or ()),
        "told": told,
        "box": [box.x, box.y, box.width, box.height] if box else None,
    }


def _whole(text: str) -> str:
    """With a mark in the place of half a character, which a page may have, but no request or response."""
    return text.encode("utf-8", "replace").decode()
