"""The state of a session's current page, for the live page: what the agent has seen of it, and where its elements are
in the picture.

Read-only: no element gets or loses a number, or counts as seen, and no command waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.core.urls import without_credentials
from oryn.engine.output.elements import kind
from oryn.engine.page.annotation import boxes_of
from oryn.engine.page.scanner import query_scanner
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Page, Rect
    from oryn.engine import Session
    from oryn.engine.output.elements import Element
    from oryn.engine.page.element_index import ElementIndex
    from oryn.scanner.protocol import PageResponse

_QUERY_SECONDS = 1.0
"""Timeout in seconds for asking a page where its elements are."""

PageState = dict[str, Any]
"""The fields of a page's state:

* `url` and `title` of the page, null if there is no page
* `busy`: whether a command is running
* `generation` of the numbers
* `observed`: whether the agent has observed this page
* `references`: how many (`@e1` …) the page's snapshot assigned
* `reference_boxes`: those of them that are visible, each with `number` and `box`, as for `elements`; empty if elements
  have numbers
* `elements`, each with `number`, `kind`, `name`, `state`, `told` (whether the agent has seen its number) and `box`:
  `[x, y, width, height]` in CSS pixels of the `viewport`, null if the element is not visible
* `notes` of a person that are not done, each with `number` and `box`: where in the picture they belong
* `viewport`: `[width, height]`, null if the page can't be queried; all boxes are then null"""


EMPTY_STATE: PageState = {
    "url": None,
    "title": None,
    "viewport": None,
    "busy": False,
    "generation": None,
    "observed": False,
    "references": 0,
    "reference_boxes": [],
    "elements": [],
    "notes": [],
}
"""The state of a session that is not open, or whose browser has no page yet."""


def url_and_title(session: Session) -> tuple[str | None, str | None]:
    """URL and title of a session's current page, without a request to the page. The title is that of the last
    observation."""
    if session.displayed_page is not None:
        return session.displayed_page
    index = session.element_index
    try:
        page = session.page
        title = index.title if numbered_elements(index, page.document) is not None else ""
        return session.mask_text(without_credentials(page.url)), _replace_surrogates(session.mask_text(title)) or None
    except OrynError:  # the browser does not run
        return None, None


def numbered_elements(index: ElementIndex, document: str | None) -> Mapping[int, Element] | None:
    """The numbered elements of a document: all of them after a scan of the whole page, else those that the agent has
    seen.

    None if the document was not observed."""
    if document is None or index.document != document:
        return None
    if index.elements is not None:
        return index.elements
    return index.knowledge.elements if index.knowledge is not None else None


async def page_state_of(session: Session) -> PageState:
    """The state of the session's page, as of the last observation. Never raises because of the page."""
    index, page, document = session.element_index, None, None
    state = dict(EMPTY_STATE)
    boxes: dict[int, Rect] = {}
    try:
        page = session.page
        document = page.document
        state["url"], state["title"] = url_and_title(session)
        if not session.is_busy and page.dialog is None:
            boxes = await _query_page(session, page, document, state)
    except OrynError:
        pass  # no browser, or a page that does not answer: use the last observation
    elements = numbered_elements(index, document)
    references = len(index.references) if document is not None and index.document == document else 0
    state |= {
        "busy": session.is_busy,
        "generation": index.generation,
        "observed": elements is not None or references > 0,
        "references": references,
        "elements": [
            _element_row(session, element, number in index.reported_ids, boxes.get(number))
            for number, element in (elements or {}).items()
        ],
    }
    return state


async def _query_page(session: Session, page: Page, document: str, state: PageState) -> dict[int, Rect]:
    """Query the page for its elements' boxes; write its title and viewport size into `state`."""
    index = session.element_index
    about: PageResponse = await query_scanner(page, {"cmd": "page"}, None, _QUERY_SECONDS)
    numbers = list(numbered_elements(index, document) or ())
    boxes = await boxes_of(page, numbers, dict(index.frames), timeout=_QUERY_SECONDS)
    found: dict[int, Rect] = {}
    if not numbers and index.references and index.document == document:
        references = dict(index.references)
        found = await boxes_of(page, references, references, timeout=_QUERY_SECONDS, references=True)
    if page.document == document:
        state["reference_boxes"] = [{"number": number, "box": _box_row(box)} for number, box in found.items()]
        state["title"] = _replace_surrogates(session.mask_text(about["title"]))
        state["notes"] = await _note_rows(session, page, about) if session.has_person_notes else []
        state["viewport"] = [about["viewport"]["width"], about["viewport"]["height"]]
        return boxes
    return {}


async def _note_rows(session: Session, page: Page, about: PageResponse) -> list[dict[str, Any]]:
    """Where the open notes of a person belong in the picture of the page."""
    here = [note for note in session.person_notes.open if note.mark.document == page.document]
    marked = {note.number: note.mark for note in here}
    scroll = about["scroll"]
    boxes: dict[int, Rect] = {}
    elements = {mark.element["id"]: mark.frame for mark in marked.values() if mark.element is not None}
    seen = await boxes_of(page, elements, elements, timeout=_QUERY_SECONDS)
    for number, mark in marked.items():
        if mark.element is not None:
            box = seen.get(mark.element["id"])
        else:
            box = mark.box and mark.box.translated(-scroll["x"], -scroll["y"])
        if box is not None:
            boxes[number] = box
    return [{"number": number, "box": _box_row(box)} for number, box in boxes.items()]


def _element_row(session: Session, element: Element, observed: bool, box: Rect | None) -> dict[str, Any]:
    return {
        "number": element["id"],
        "kind": kind(element),
        "name": _replace_surrogates(session.mask_text(element["text"])),
        "state": list(element.get("modifiers") or ()),
        "told": observed,
        "box": _box_row(box) if box else None,
    }


def _box_row(box: Rect) -> list[float]:
    return [box.x, box.y, box.width, box.height]


def _replace_surrogates(text: str) -> str:
    """Replace unpaired surrogates: a page may contain them, but a request or response may not."""
    return text.encode("utf-8", "replace").decode()
