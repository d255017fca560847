"""Which part of a page a picture shows, and which pictures a session has taken."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from oryn.browsers.base import Page, Rect
from oryn.core.records import Record
from oryn.engine.page.context import query_element
from oryn.engine.page.scanner import query_scanner
from oryn.errors import ElementNotVisible, InvalidValue

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.engine.page.scanner import Resolved
    from oryn.language import Command
    from oryn.language.kinds import Region
    from oryn.scanner.protocol import GetBoundsResponse, PageResponse

MAX_SIDE_PIXELS = 16384
"""Maximum side of a picture in every engine; annotated, in CSS pixels. On a screen with three pixels each, a canvas
can't be larger."""

MAX_NOTED_PICTURES = 64
"""Pictures of a tab that are noted, the latest."""


class TakenPictures:
    """The digests of a session's last pictures in each tab. Two are alike if their files are."""

    def __init__(self) -> None:
        self._tabs: WeakKeyDictionary[Page, dict[Command, bytes]] = WeakKeyDictionary()

    def is_last(self, page: Page, command: Command, image: bytes) -> bool:
        """Whether the tab's last picture of this command was the same. `command` says place and options."""
        return self._tabs.get(page, {}).get(command) == _digest(image)

    def note(self, page: Page, command: Command, image: bytes) -> None:
        pictures = self._tabs.setdefault(page, {})
        pictures.pop(command, None)
        pictures[command] = _digest(image)
        if len(pictures) > MAX_NOTED_PICTURES:
            del pictures[next(iter(pictures))]


def _digest(image: bytes) -> bytes:
    import hashlib  # imported late, to speed up the start of a host

    return hashlib.sha256(image).digest()


class PageExtent(Record):
    """The size of a page, and which part of it is in view, in CSS pixels of the page."""

    visible: Rect
    whole: Rect


async def page_view(context: PageContext) -> PageExtent:
    page: PageResponse = await query_scanner(context.page, {"cmd": "page"}, None, context.deadline.remaining())
    size, scroll = page["viewport"], page["scroll"]
    return PageExtent(
        Rect(scroll["x"], scroll["y"], size["width"], size["height"]),
        Rect(0, 0, size["width"] + scroll["max_x"], size["height"] + scroll["max_y"]),
    )


async def rect_of_element(context: PageContext, target: Resolved) -> Rect:
    """Return the element's box in page coordinates. The page is scrolled to it first, so that lazy content is
    loaded. Raises `ElementNotVisible`."""
    await query_element(context, target, {"cmd": "scroll", "element": target.id})
    bounds: GetBoundsResponse = await query_element(context, target, {"cmd": "get_bounds"})
    if min(bounds["width"], bounds["height"]) < 1:
        raise ElementNotVisible("there is nothing to see of the element")
    x, y = bounds["x"], bounds["y"]
    if target.frame is not None:
        x, y = await context.page.to_viewport(x, y, target.frame)
    visible = (await page_view(context)).visible
    return Rect(x, y, bounds["width"], bounds["height"]).translated(visible.x, visible.y)


async def rect_of_region(context: PageContext, region: Region, *, of_page: bool) -> tuple[Rect, list[str]]:
    """Return the part of a region of the viewport, or of the page, that there is, in page coordinates; and a note if
    that is less. Raises `InvalidValue` if it is nothing."""
    view = await page_view(context)
    around = view.whole if of_page else view.visible
    chosen = Rect(*region).translated(around.x, around.y)
    found = chosen.intersection(around)
    what = f"the {'page' if of_page else 'viewport'}, which is {around.width:g}x{around.height:g}"
    if min(found.width, found.height) < 1:
        raise InvalidValue(f"the region is outside {what}", None if of_page else "'scroll' to it first, or --fullpage.")
    return found, [] if found == chosen else [f"the region is cut to {what}"]
