"""The numbered elements of a page: in which frame each one is, and which numbers were reported to the agent.

One numbering covers all frames of a page. The first scan of a document numbers from 1; later ones keep the numbers of
elements that are still there or were replaced by their like, and continue (docs/spec/intent-language.md#numbers). A new
document clears all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Frame, Page
from oryn.core.records import Record, field
from oryn.engine.output.changes import PageChange
from oryn.engine.output.elements import Element, ranges
from oryn.engine.output.folding import FoldedTable, Overview
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.errors import ElementNotFound
from oryn.scanner import OBSERVE_FIELDS

if TYPE_CHECKING:
    from oryn.scanner.protocol import PageResponse, ScanRequest, ScanResponse


class Scan(Record, frozen=False):
    """One scan of all frames together."""

    url: str = ""
    title: str = ""
    page: PageResponse | None = None
    elements: list[Element] = field(factory=list)
    patterns: dict[str, Any] = field(factory=dict)
    total: int = 0
    overview: Overview = Overview()


class AgentKnowledge(Record, frozen=False):
    """What the answers so far have shown the agent of a page; `observe --diff` compares with it."""

    elements: dict[int, Element]
    below: int
    """Numbers below this one existed at the last observation, of which the agent may have seen only some."""
    url: str
    title: str

    def apply_changes(self, changes: Sequence[PageChange]) -> None:
        """Apply a report. Changes that did not fit into it stay unknown."""
        for change in changes:
            match change.data:
                case {"change": "gone", "element": element}:
                    self.elements.pop(element["id"], None)
                case {"change": "gone", "elements": elements}:
                    for element in elements:
                        self.elements.pop(element["id"], None)
                case {"change": "returned", "elements": elements}:
                    self.elements.update((element["id"], element) for element in elements)
                case {"element": element}:
                    self.elements.pop(change.data.get("replaces", element)["id"], None)
                    self.elements[element["id"]] = element
                case {"change": "url", "after": url}:
                    self.url = url
                case {"change": "title", "title": title}:
                    self.title = title


class ElementIdCounter(Record, frozen=False):
    """The next unused element number. Pages that share a counter have no number in common."""

    next: int = 1
    restarts: bool = True
    """Whether a new document numbers from 1; a shared counter continues, so that a number never means two elements."""

    def advance(self, next: int) -> None:
        """Count the numbers below `next` as used."""
        self.next = max(self.next, next)

    def restart(self) -> None:
        """Begin the numbering of a new document."""
        if self.restarts:
            self.next = 1


class ElementIndex(Record, frozen=False):
    """The numbered elements of the current document, and which of them answers have shown."""

    document: str | None = None
    elements: dict[int, Element] | None = None
    """The last scan of the whole page by number; None if this document was not scanned yet."""
    knowledge: AgentKnowledge | None = None
    """What the agent has seen of this document; None if it has not observed it."""
    reported_ids: set[int] = field(factory=set)
    """Numbers that answers about this document have shown. Others are rejected: after a navigation an old number must
    not hit a new element that happens to have it."""
    departed: dict[int, Element] = field(factory=dict)
    """Elements that answers about this document have shown and then reported as gone, as they were last."""
    frames: dict[int, Frame] = field(factory=dict)
    """The frame of each element outside the top document (or outside the chosen frame)."""
    references: dict[int, Frame | None] = field(factory=dict)
    """The frame of each `@eN` of the last snapshot."""
    numbers: ElementIdCounter = field(factory=ElementIdCounter)
    url: str = ""
    title: str = ""
    generation: int = 0
    """Increases whenever numbers and references of earlier answers become invalid
    (docs/spec/intent-language.md#numbers)."""
    counted_document: str | None = None
    """The document that `generation` has counted. It is separate from `document`, because reading the generation must
    not clear what a running command still needs."""

    @property
    def next_id(self) -> int:
        """The next unused number; assigning it counts those below as used."""
        return self.numbers.next

    @next_id.setter
    def next_id(self, value: int) -> None:
        self.numbers.advance(value)

    def update_generation(self, page: Page) -> int:
        """Return the generation, which a new document in `page` increases."""
        document = page.document
        if document != self.counted_document:
            self._count_document(document)
        return self.generation

    def _count_document(self, document: str) -> None:
        self.counted_document = document
        self.generation += 1

    def enter(self, page: Page) -> None:
        """Clear everything if the document is another one."""
        token = page.document
        if token != self.counted_document:
            self._count_document(token)
        if token != self.document:
            self._clear()
            self.document = token

    def forget(self) -> None:
        """Invalidate all numbers and references, even in the same document."""
        self._clear()
        self.generation += 1

    def _clear(self) -> None:
        self.document, self.elements, self.knowledge = None, None, None
        self.numbers.restart()
        self.reported_ids.clear()
        self.departed.clear()
        self.frames.clear()
        self.references.clear()

    def reset_references(self) -> None:
        """Remove all references, before a new snapshot assigns its own."""
        self.references.clear()
        self.generation += 1

    def record_observation(self, elements: Sequence[Element], *, narrowed: bool = False) -> None:
        """Record that the answer lists these elements. `narrowed`: they are a part of the page that the command has
        chosen, so what earlier answers have shown of the rest still holds, and what none has shown is new."""
        self.mark_reported([element["id"] for element in elements])
        found, below = {element["id"]: element for element in elements}, self.next_id
        if narrowed:
            before = self.knowledge
            found, below = ({**before.elements, **found}, before.below) if before else (found, 0)
        self.knowledge = AgentKnowledge(found, below, self.url, self.title)

    def record_changes(self, changes: Sequence[PageChange]) -> None:
        """Record that the answer reports these changes."""
        self.mark_reported([c.data["element"]["id"] for c in changes if c.data["change"] in ("appeared", "changed")])
        for change in changes:
            if change.data["change"] == "gone":
                gone = change.data.get("elements") or [change.data["element"]]
            elif "replaces" in change.data:
                gone = [change.data["replaces"]]
            else:
                continue
            self.departed.update((each["id"], each) for each in gone if each["id"] in self.reported_ids)
        if self.knowledge is not None:
            self.knowledge.apply_changes(changes)

    def mark_reported(self, numbers: Sequence[int]) -> None:
        self.reported_ids.update(numbers)

    def check_reported(self, number: int) -> None:
        """Raise `ElementNotFound`, with the valid numbers, if no answer has shown this number."""
        if number in self.reported_ids:
            return
        if self.reported_ids:
            hint = f"Available elements: {ranges(self.reported_ids)}. Run 'observe' to refresh."
        else:
            hint = "Run 'observe' first: nothing on this page has a number yet."
        raise ElementNotFound("element not found", hint)

    def check_reference(self, number: int) -> None:
        """Raise `ElementNotFound` if the last snapshot of this page has no such `@eN`."""
        if number not in self.references:
            available = f"Available elements: @e1-@e{len(self.references)}. " if self.references else ""
            raise ElementNotFound("element not found", f"{available}Run 'snapshot'.")

    async def scan(self, page: Page, within: Frame | None, request: ScanRequest, *, timeout: float) -> Scan:
        """Scan every root frame; `request` is one whose `folded` is false by default. Numbers last,
        and continue over the frames. `timeout` is in seconds.

        Raises the errors of `Page.scanner` for the first frame; a cross-origin frame that is removed meanwhile is left
        out."""
        self.enter(page)
        scan, next_id, limit = Scan(), self.next_id, request.get("max_elements", 0)
        request = {**request, "folded": request.get("folded", False), "keep_ids": True}
        for position, frame in enumerate(page.roots(within)):
            room = limit
            if room and (room := room - len(scan.elements)) <= 0:
                # The elements of frames beyond the limit are still counted.
                room = 1
            try:
                part: ScanRequest = {**request, "next_id": next_id, "max_elements": room}
                data: ScanResponse = await query_scanner(page, part, frame, timeout)
            except FRAME_GONE:
                if position == 0:
                    raise
                continue
            next_id = data["next_id"]
            self._merge(scan, data, frame if position or within else None, limit)
        self.next_id = next_id
        self.url, self.title = scan.url, scan.title
        return scan

    def _merge(self, scan: Scan, data: ScanResponse, frame: Frame | None, limit: int) -> None:
        first = scan.page is None
        found = data["elements"]
        if limit:
            found = found[: limit - len(scan.elements)]
        scan.total += data["stats"]["total"]
        if first:
            scan.page = data["page"]
            scan.url, scan.title = data["page"]["url"], data["page"]["title"]
        scan.elements += found
        for name, parts in data["patterns"].items():
            scan.patterns.setdefault(name, parts)
        tables = [FoldedTable(**table) for table in data.get("tables", ())]
        raised = data.get("raised", ()) if first else ()
        scan.overview = Overview(scan.overview.raised | set(raised), [*scan.overview.tables, *tables])
        if frame is not None:
            self.frames.update((element["id"], frame) for element in found)
            self.frames.update((number, frame) for table in tables for number in table.elements)

    async def refresh(self, page: Page, within: Frame | None, *, timeout: float) -> dict[int, Element]:
        """Scan the whole page again, with stable numbers, and return its elements as the current ones."""
        await self.rescan(page, within, timeout=timeout)
        assert self.elements is not None
        return self.elements

    async def rescan(self, page: Page, within: Frame | None, *, timeout: float) -> Scan:
        """Like `refresh`, but return the whole scan, patterns included."""
        request: ScanRequest = {"cmd": "scan", "fields": OBSERVE_FIELDS, "max_elements": 0}
        scan = await self.scan(page, within, request, timeout=timeout)
        self.elements = {element["id"]: element for element in scan.elements}
        return scan
