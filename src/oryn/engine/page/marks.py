"""Marks of a person on a page: what is at the point that they press, and where it is later.

A mark follows its element as a number does (docs/spec/intent-language.md#numbers): the page may render itself anew.
In another document of the same URL, after a reload or a restart, the element is found by what it is called."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Frame, Page, Rect
from oryn.core.text_safety import shortened
from oryn.core.urls import without_credentials
from oryn.engine.output.elements import Element, kind, quoted_name, without_repetition
from oryn.engine.page.annotation import boxes_of
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.engine.person_notes import (
    MAX_NAME_CHARACTERS,
    MAX_PICTURE_BYTES,
    MAX_URL_CHARACTERS,
    Mark,
    essential_element,
    new_mark_id,
)
from oryn.errors import ElementNotFound, ElementStale, OrynError, Timeout

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.language import TargetData
    from oryn.scanner.protocol import (
        AnnotateRequest,
        AnnotateResponse,
        FindRequest,
        FindResponse,
        PageResponse,
        ScanRequest,
        ScanResponse,
    )

QUERY_SECONDS = 5.0
"""Timeout in seconds of one request to a page, and of waiting for a command before it."""

MIN_REGION_PIXELS = 5.0
"""A drag over less than this, in both directions, is a press."""
MAX_REGION_ELEMENTS = 5
"""The elements in a region that its mark names."""
MAX_FRAME_LEVELS = 8

_MARGIN_PIXELS = 12.0
_PICTURE_WIDTH, _PICTURE_HEIGHT = 640.0, 400.0


async def take_mark(context: PageContext, area: Rect, lock: asyncio.Lock) -> Mark:
    """Return the mark of what is in `area` of the current page's viewport: of a point, an area without size, its
    element. It does not wait for commands, which hold `lock`, except on pages with frames of other sites, whose numbers
    it would disturb.

    Raises `OrynError`, such as `DialogOpen`, `ElementNotFound` for a point outside of the page, and `Timeout` if a
    command on a page with such frames does not end."""
    require_no_dialog(context)
    page = context.page
    about: PageResponse = await query_scanner(page, {"cmd": "page"}, None, QUERY_SECONDS)
    view = Rect(0, 0, about["viewport"]["width"], about["viewport"]["height"])
    mark = Mark(
        new_mark_id(),
        shortened(without_credentials(page.url), MAX_URL_CHARACTERS),
        shortened(about["title"], MAX_NAME_CHARACTERS),
        page.document,
        None,
        None,
        None,
        tab=_current_tab(context),
    )
    async with _numbering(page, lock):
        if max(area.width, area.height) < MIN_REGION_PIXELS:
            point = area.x + area.width / 2, area.y + area.height / 2
            element, mark.frame = await _element_at(context, page, *point)
            mark.element = essential_element({**element, **await _context(context, page, element, mark.frame)})
            boxes = await boxes_of(page, [element["id"]], {element["id"]: mark.frame}, timeout=QUERY_SECONDS)
            seen = boxes.get(element["id"])
            focus = Rect(*point, 0, 0)
        else:
            seen = focus = area.intersection(view)
            if min(seen.width, seen.height) <= 0:
                raise ElementNotFound("the region is outside of the page")
            mark.elements = await _elements_in(context, page, seen)
    scroll = about["scroll"]
    mark.box = seen and seen.translated(scroll["x"], scroll["y"])
    mark.picture = await _picture(page, _cut(seen or focus, focus, view), view)
    if page.document != mark.document:
        raise ElementNotFound("the page has changed meanwhile", "Mark the element again.")
    return mark


def _current_tab(context: PageContext) -> int | None:
    with suppress(OrynError):
        return next((tab.number for tab in context.browser.open_tabs() if tab.current), None)
    return None


@asynccontextmanager
async def _numbering(page: Page, lock: asyncio.Lock) -> AsyncIterator[None]:
    """Hold what keeps numbers unique: one scanner counts by itself; several are told by the engine, a command at a
    time."""
    if len(page.roots()) == 1:
        yield
        return
    try:
        async with asyncio.timeout(QUERY_SECONDS):
            await lock.acquire()
    except TimeoutError:
        raise Timeout("a command of the agent runs", "Mark the element again when it has ended.") from None
    try:
        yield
    finally:
        lock.release()


async def _context(context: PageContext, page: Page, element: Element, frame: Frame | None) -> dict[str, str]:
    """What tells an element from others that are called alike: the member `context`, if there are such."""
    if not element["text"]:
        return {}
    alike = await _find(context, page, {"text": element["text"]}, frame, any=True, follow=False)
    found = next((each.get("context") for each in alike if each["id"] == element["id"]), None)
    return {"context": found} if found else {}


async def _find(
    context: PageContext, page: Page, target: TargetData, frame: Frame | None, *, any: bool = False, follow: bool = True
) -> Sequence[Element]:
    """The elements that the scanner of `frame` finds, numbered; they are followed from now on, if `follow` is set."""
    index = context.element_index
    request: FindRequest = {"cmd": "find", "target": target, "any": any, "follow": follow, "next_id": index.next_id}
    data: FindResponse = await query_scanner(page, request, frame, QUERY_SECONDS)
    index.next_id = data["next_id"]
    return data["matches"]


async def _element_at(context: PageContext, page: Page, x: float, y: float) -> tuple[Element, Frame | None]:
    """The element at a point of the viewport, and its frame if that needs a scanner of its own."""
    frame, point = None, (x, y)
    for _ in range(MAX_FRAME_LEVELS):
        found = await _find(context, page, {"point": list(point)}, frame)
        if not found:
            break
        inner = await _frame_in(page, found[0], frame)
        inside = None
        if inner is not None:
            area, _ = await page.frame_area(inner, timeout=QUERY_SECONDS)
            inside = area.point_within(x, y)
        if inner is None or inside is None:
            return found[0], frame
        frame, point = inner, inside
    raise ElementNotFound("nothing is at this point of the page")


async def _frame_in(page: Page, element: Element, frame: Frame | None) -> Frame | None:
    """The frame in an element that needs a scanner of its own; None for any other element."""
    if element.get("tag") not in ("iframe", "frame"):
        return None
    with suppress(*FRAME_GONE):
        inner = await page.frame_of(element["id"], frame)
        if any(inner.id == root.id for root in page.roots()):
            return inner
    return None


async def _elements_in(context: PageContext, page: Page, region: Rect) -> list[dict[str, Any]]:
    """The first interactive elements of the top document whose middle is in a region of the viewport."""
    index = context.element_index
    request: ScanRequest = {
        "cmd": "scan",
        "fields": ["rect"],
        "max_elements": 0,
        "keep_ids": True,
        "viewport_only": True,
        "next_id": index.next_id,
    }
    data: ScanResponse = await query_scanner(page, request, None, QUERY_SECONDS)
    index.next_id = data["next_id"]
    numbers = [element["id"] for element in data["elements"]]
    boxes = await boxes_of(page, numbers, {}, timeout=QUERY_SECONDS)
    inside = [each for each in data["elements"] if (box := boxes.get(each["id"])) and _has_middle(region, box)]
    return [essential_element(each) for each in inside[:MAX_REGION_ELEMENTS]]


def _has_middle(region: Rect, box: Rect) -> bool:
    x, y = box.x + box.width / 2 - region.x, box.y + box.height / 2 - region.y
    return 0 <= x <= region.width and 0 <= y <= region.height


def _cut(box: Rect, focus: Rect, view: Rect) -> Rect:
    """The part of the viewport that a mark's picture has: `box` with a margin, around the middle of `focus` if it is
    too large. Pure."""
    x, y = focus.x + focus.width / 2, focus.y + focus.height / 2
    around = Rect(x - _PICTURE_WIDTH / 2, y - _PICTURE_HEIGHT / 2, _PICTURE_WIDTH, _PICTURE_HEIGHT)
    margin = 2 * _MARGIN_PIXELS
    wide = Rect(box.x - _MARGIN_PIXELS, box.y - _MARGIN_PIXELS, box.width + margin, box.height + margin)
    return wide.intersection(around).intersection(view)


async def _picture(page: Page, clip: Rect, view: Rect) -> bytes | None:
    """A picture of a part of the viewport; None if the browser takes none. It is cut out of one of the whole viewport,
    because Chromium tells a page of another by a `resize`."""
    if min(clip.width, clip.height) < 1:
        return None
    try:
        whole = await page.screenshot(format="png", timeout=QUERY_SECONDS)
        request: AnnotateRequest = {
            "cmd": "annotate",
            "image": base64.b64encode(whole).decode("ascii"),
            "format": "jpeg",
            "width": view.width,
            "boxes": [],
            "clip": {"x": clip.x, "y": clip.y, "width": clip.width, "height": clip.height},
        }
        data: AnnotateResponse = await query_scanner(page, request, None, QUERY_SECONDS)
    except OrynError:
        return None
    image = base64.b64decode(data["image"])
    return image if len(image) <= MAX_PICTURE_BYTES else None


# --- where a mark's element is later ---


async def find_again(context: PageContext, mark: Mark) -> None:
    """Update a mark: whether its element is on the current page, by which number, and how it is called now. The numbers
    of elements in its region are those of its own document alone.

    Raises `OrynError` if the page can't be asked: the mark stays as it was."""
    mark.present = await _is_present(context, mark)


async def _is_present(context: PageContext, mark: Mark) -> bool:
    page = context.page
    if page.document == mark.document:
        return mark.element is None or await _has_element(context, page, mark, mark.element)
    if not _is_same_page(page.url, mark.url):
        return False
    if mark.element is None:
        return mark.box is not None
    for root in page.roots():
        frame = root if root.level else None
        with suppress(*FRAME_GONE):
            if (found := await _like(context, page, mark.element, frame)) is not None:
                mark.document, mark.frame, mark.element = (
                    page.document,
                    frame,
                    essential_element({**mark.element, **found}),
                )
                return True
    return False


async def _has_element(context: PageContext, page: Page, mark: Mark, element: Mapping[str, Any]) -> bool:
    try:
        found = await _find(context, page, {"id": element["id"]}, mark.frame)
    except (ElementStale, ElementNotFound, *FRAME_GONE):
        return False
    mark.element = essential_element({**element, **found[0]})
    return True


def _is_same_page(one: str, other: str) -> bool:
    """Whether two URLs differ only in their fragment, or in nothing. Pure."""
    return without_credentials(one).partition("#")[0] == other.partition("#")[0]


async def _like(context: PageContext, page: Page, element: Mapping[str, Any], frame: Frame | None) -> Element | None:
    """The one element that is called as `element` was, in another document; None if there is none, or if several can't
    be told apart."""
    alike: list[Element] = []
    if element["text"]:
        named = await _find(context, page, {"text": element["text"]}, frame, any=True, follow=False)
        alike = [each for each in named if _is_alike(each, element) and each["text"] == element["text"]]
    if element.get("context"):
        alike = [each for each in alike if each.get("context") == element["context"]]
    if len(alike) == 1:
        return (await _find(context, page, {"id": alike[0]["id"]}, frame))[0]
    placed = await _find(context, page, {"css": element["selector"]}, frame) if element.get("selector") else ()
    if len(placed) != 1 or not _is_alike(placed[0], element):
        return None
    if alike:  # of several, the one at the place of the former
        return next((each for each in alike if each["id"] == placed[0]["id"]), None)
    # Called otherwise now: only an author's own name tells that it is the same.
    return placed[0] if element["selector"].startswith("#") and " " not in element["selector"] else None


def _is_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in ("type", "role", "tag"))


# --- words ---


def place_words(mark: Mark, document: str | None) -> str:
    """What a note is about, without a word of the page: `[12]` if the element has its number in `document`, `region
    200x80 at 40,300`, else empty."""
    if mark.element is not None:
        return f"[{mark.element['id']}]" if mark.present and document and mark.document == document else ""
    if mark.box is None:
        return ""
    return f"region {mark.box.width:.0f}x{mark.box.height:.0f} at {mark.box.x:.0f},{mark.box.y:.0f}"


def page_words(mark: Mark, document: str | None) -> str:
    """What the page calls a note's element, quoted: `button "Save" in "Order 3"`; of a region, the elements in it."""
    if mark.element is not None:
        return _named(mark.element)
    numbered = document is not None and mark.document == document
    names = [f"[{each['id']}] {_named(each)}" if numbered else _named(each) for each in mark.elements]
    return f"with {', '.join(names)}" if names else ""


def mark_label(mark: Mark) -> str:
    """What a mark is about, for the person who has made it: `[12] button "Save"`."""
    return " ".join(filter(None, (place_words(mark, mark.document), page_words(mark, mark.document)))) or "the page"


def _named(element: Mapping[str, Any]) -> str:
    word = kind(element)
    if word == "generic" and element.get("tag"):
        word = element["tag"]
    text = f"{word} {quoted_name(without_repetition(element['text']))}"
    context = element.get("context")
    return f"{text} in {quoted_name(context)}" if context else text


def numbers_of(mark: Mark, document: str | None) -> list[int]:
    """The numbers that an answer about a mark shows, which are valid in `document`."""
    if document is None or mark.document != document or not mark.present:
        return []
    return [each["id"] for each in ((mark.element,) if mark.element is not None else mark.elements)]
