"""What a session knows of its page: the numbered elements, in which frame each is, and which numbers it has told.

One numbering covers all frames of a page. `observe` numbers from 1; every later look keeps the numbers of elements that
are still there and continues (intent-language §6, Numbers). A new document clears all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oryn.browsers.base import Frame, Page
from oryn.engine.changes import Change
from oryn.engine.elements import Element, ranges
from oryn.engine.failures import to_error
from oryn.errors import ElementNotFound, FrameNotFound, NavigationError
from oryn.records import Record, field
from oryn.scanner.protocol import OBSERVE_FIELDS

FRAME_GONE = (FrameNotFound, NavigationError)
"""What asking a frame raises that is gone, or whose document is."""


class Scan(Record, frozen=False):
    """One look at all frames together."""

    url: str = ""
    title: str = ""
    page: dict[str, Any] = field(factory=dict)
    elements: list[Element] = field(factory=list)
    patterns: dict[str, Any] = field(factory=dict)
    total: int = 0


class Seen(Record, frozen=False):
    """What the agent knows of a page from the answers that it got: what `observe --diff` measures from."""

    elements: dict[int, Element]
    below: int
    """Numbers below this one were there when it last looked; it may have been shown only some of them."""
    url: str
    title: str

    def learn(self, told: Sequence[Change]) -> None:
        """Take in a report. What it had no room for stays unknown."""
        for change in told:
            match change.data:
                case {"change": "gone", "element": element}:
                    self.elements.pop(element["id"], None)
                case {"element": element}:
                    self.elements[element["id"]] = element
                case {"change": "url", "after": url}:
                    self.url = url
                case {"change": "title", "title": title}:
                    self.title = title


class View(Record, frozen=False):
    document: str | None = None
    elements: dict[int, Element] | None = None
    """The last look at the whole page by number, or None when this document was not looked at yet."""
    seen: Seen | None = None
    """What the agent has seen of this document, or None when it has not observed it."""
    told: set[int] = field(factory=set)
    """Numbers that the agent has seen in an answer. Others are not accepted: after a navigation an old number must not
    hit a new element that happens to have it."""
    frames: dict[int, Frame] = field(factory=dict)
    """The frame of each element outside the top document (or outside the chosen frame)."""
    references: dict[int, Frame | None] = field(factory=dict)
    """The frame of each `@eN` of the last snapshot."""
    next_id: int = 1
    url: str = ""
    title: str = ""
    generation: int = 0
    """Grows whenever numbers and references that were told become invalid (seed 004, Snapshot generations)."""
    counted: str | None = None
    """The document that `generation` has counted. Not `document`: a look at the generation alone forgets nothing that a
    command in hand still needs."""

    def count(self, page: Page) -> int:
        """The generation, which a new document in `page` has made grow."""
        token = page.document
        if token != self.counted:
            self.counted = token
            self.generation += 1
        return self.generation

    def enter(self, page: Page) -> None:
        """Forget everything when the document is another one."""
        self.count(page)
        token = page.document
        if token != self.document:
            self._clear()
            self.document = token

    def forget(self) -> None:
        """Whatever was told is invalid, in the same document too."""
        self._clear()
        self.generation += 1

    def _clear(self) -> None:
        self.document, self.elements, self.seen, self.next_id = None, None, None, self.first_id()
        self.told.clear()
        self.frames.clear()
        self.references.clear()

    def first_id(self) -> int:
        """Where numbers begin that keep none of those before."""
        return 1

    def renew_references(self) -> None:
        """A new snapshot gives its own."""
        self.references.clear()
        self.generation += 1

    def show(self, elements: Sequence[Element]) -> None:
        """An observation shows these, and numbers from 1: what was seen before counts no more."""
        self.told.clear()
        self.tell([element["id"] for element in elements])
        self.seen = Seen({element["id"]: element for element in elements}, self.next_id, self.url, self.title)

    def report(self, told: Sequence[Change]) -> None:
        """A report of changes tells these."""
        self.tell([c.data["element"]["id"] for c in told if c.data["change"] in ("appeared", "changed")])
        if self.seen is not None:
            self.seen.learn(told)

    def tell(self, numbers: Sequence[int]) -> None:
        self.told.update(numbers)

    def check_told(self, number: int) -> None:
        """Raises `ElementNotFound` with the numbers that exist."""
        if number in self.told:
            return
        if self.told:
            hint = f"Available elements: {ranges(self.told)}. Run 'observe' to refresh."
        else:
            hint = "Run 'observe' first: nothing on this page has a number yet."
        raise ElementNotFound("element not found", hint)

    def check_reference(self, number: int) -> None:
        """Raises `ElementNotFound` for an `@eN` that the last snapshot of this page does not have."""
        if number not in self.references:
            raise ElementNotFound("element not found", f"{self._known_references()}Run 'snapshot'.")

    def _known_references(self) -> str:
        return f"Available elements: @e1-@e{len(self.references)}. " if self.references else ""

    async def look(self, page: Page, within: Frame | None, request: dict[str, Any], *, timeout: float) -> Scan:
        """Scan every root frame; `request` is a `scan` request without numbering. Numbers continue over the frames.

        Raises what `Page.scanner` raises for the first frame; a cross-origin frame that goes away is left out."""
        self.enter(page)
        scan, keep = Scan(), bool(request.get("keep_ids"))
        next_id = self.next_id if keep else self.first_id()
        if not keep:
            self.frames.clear()
            self.generation += 1
        for position, frame in enumerate(page.roots(within)):
            room = request.get("max_elements", 0)
            if room and (room := room - len(scan.elements)) <= 0:
                # The frames that found no room are still counted.
                room = 1
            try:
                data = await ask(
                    page, {**request, "cmd": "scan", "next_id": next_id, "max_elements": room}, frame, timeout
                )
            except FRAME_GONE:
                if position == 0:
                    raise
                continue
            next_id = data["next_id"]
            self._merge(scan, data, frame if position or within else None, request.get("max_elements", 0))
        self.next_id = next_id
        self.url, self.title = scan.url, scan.title
        return scan

    def _merge(self, scan: Scan, data: dict[str, Any], frame: Frame | None, limit: int) -> None:
        first = not scan.page
        found = data["elements"]
        if limit:
            found = found[: limit - len(scan.elements)]
        scan.total += data["stats"]["total"]
        if first:
            scan.page = data["page"]
            scan.url, scan.title = scan.page["url"], scan.page["title"]
            scan.elements = found
        else:
            scan.elements += found
        for name, parts in data["patterns"].items():
            scan.patterns.setdefault(name, parts)
        if frame is not None:
            self.frames.update((element["id"], frame) for element in found)

    async def refresh(self, page: Page, within: Frame | None, *, timeout: float) -> dict[int, Element]:
        """Look at the whole page again, numbers kept, and remember it as what is known now."""
        await self.look_again(page, within, timeout=timeout)
        assert self.elements is not None
        return self.elements

    async def look_again(self, page: Page, within: Frame | None, *, timeout: float) -> Scan:
        """As `refresh`, for those who want the patterns too."""
        request = {"fields": list(OBSERVE_FIELDS), "keep_ids": True, "max_elements": 0}
        scan = await self.look(page, within, request, timeout=timeout)
        self.elements = {element["id"]: element for element in scan.elements}
        return scan


async def ask(page: Page, request: dict[str, Any], frame: Frame | None, timeout: float) -> dict[str, Any]:
    """One scanner command; its `data`, or the error that it stands for."""
    response = await page.scanner(request, frame, timeout=timeout)
    if not response["ok"]:
        raise to_error(response)
    data: dict[str, Any] = response.get("data") or {}
    return data
