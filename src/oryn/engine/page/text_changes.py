"""Changes of the text that a page shows: asked of the scanner, ranked, and without what the changed elements say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Frame, Page
from oryn.core.records import Record, field
from oryn.core.text_safety import quoted, shortened
from oryn.engine.output.changes import MAX_CHANGE_LINES, PageChange
from oryn.engine.output.elements import Element, signature
from oryn.engine.page.scanner import FRAME_GONE, query_frames, query_scanner

if TYPE_CHECKING:
    from oryn.scanner.protocol import (
        ChangedTextsRequest,
        ChangedTextsResponse,
        FeedElementsRequest,
        FeedElementsResponse,
        RaisedElementsRequest,
        TextChange,
        WatchRequest,
        WatchResponse,
    )

MAX_TEXT_LINES = 6
"""Maximum number of text lines in a report; further ones are only counted."""
MAX_GONE_LINES = 2
MAX_TEXT_LENGTH = 160

_RANKS = {"alert": 0, "status": 1, "heading": 2, "text": 3, "format": 4, "selection": 5, "order": 6, "image": 7}
_SIGNS: dict[str, Any] = {"new": "+", "changed": "~", "gone": "-"}


class TextDifference(Record, frozen=False):
    """What has changed of a page's text in all of its frames."""

    mutated: bool = False
    """Whether any document has changed since it was last scanned."""
    texts: list[TextChange] = field(factory=list)
    feeding: bool = False
    """Whether elements may have changed by themselves: ask `elements_of_feeds`."""
    visible_texts: list[str] | None = None
    """What the page shows when an action begins, for `changed_texts`; None if that is too much."""

    def add(self, data: ChangedTextsResponse | WatchResponse) -> None:
        """Add the changes that a frame's scanner has reported."""
        self.texts += data["texts"]
        self.feeding = self.feeding or data["feeding"]

    def add_watched(self, data: WatchResponse) -> None:
        """Add the response of a frame's scanner to `watch`."""
        self.add(data)
        self.mutated = self.mutated or data["mutated"]
        self.visible_texts = self.visible_texts or data["visible_texts"]


async def watch_texts(page: Page, within: Frame | None, *, acting: bool = True, timeout: float) -> TextDifference:
    """Make the present text the one that `changed_texts` compares with. Return what has changed since the last report.
    `acting` is false if what follows is no action, so that what changes then changes by itself. `timeout` is in
    seconds."""
    return await _difference(page, within, {"cmd": "watch", "acting": acting}, timeout)


async def changed_texts(
    page: Page, within: Frame | None, *, acting: float = 0, former: Sequence[str] | None = None, timeout: float
) -> TextDifference:
    """Return the changes of text since `watch_texts`; of a document that is new since then, its messages and its
    heading, or, if it has taken the place of one that showed the texts `former`, what differs. What comes in the next
    `acting` seconds is an effect of the action, too. `timeout` is in seconds."""
    request: ChangedTextsRequest = {"cmd": "changed_texts", "acting": round(acting * 1000), "former": former}
    return await _difference(page, within, request, timeout)


async def _difference(
    page: Page, within: Frame | None, request: WatchRequest | ChangedTextsRequest, timeout: float
) -> TextDifference:
    difference = TextDifference()
    if page.error_page is not None:  # commands can't touch it
        return difference
    async for data, _ in query_frames(page, within, lambda: request, lambda: timeout):
        if request["cmd"] == "watch":
            difference.add_watched(data)
        else:
            difference.add(data)
    return difference


async def elements_of_feeds(
    page: Page,
    within: Frame | None,
    before: Mapping[int, Element],
    after: Mapping[int, Element],
    *,
    subject: int | None = None,
    timeout: float,
) -> set[int]:
    """Return the ids of the elements that differ because the page changes them, or adds and removes their like, again
    and again by itself. `subject` is the element that was acted on; what is in the same row is not left out."""
    request: FeedElementsRequest = {
        "cmd": "feed_elements",
        "subject": subject,
        "came": [number for number in after if number not in before],
        "went": [number for number in before if number not in after],
        "changed": [n for n, was in before.items() if n in after and signature(was) != signature(after[n])],
    }
    found: set[int] = set()
    if not (request["came"] or request["went"] or request["changed"]):
        return found
    for frame in page.roots(within):
        with suppress(*FRAME_GONE):
            data: FeedElementsResponse = await query_scanner(page, request, frame, timeout)
            found.update(data["elements"])
    found.discard(subject if subject is not None else 0)
    return found


async def raised_elements(
    page: Page, within: Frame | None, before: Mapping[int, Element], after: Mapping[int, Element], *, timeout: float
) -> list[int]:
    """Return the ids of the elements that have come or changed in a layer over the page, those of the topmost layer
    first; none if a report has room for all that have."""
    differing = [n for n, each in after.items() if n not in before or signature(before[n]) != signature(each)]
    found: list[int] = []
    if len(differing) <= MAX_CHANGE_LINES:
        return found
    request: RaisedElementsRequest = {"cmd": "raised_elements", "elements": differing}
    async for data, _ in query_frames(page, within, lambda: request, lambda: timeout):
        found += data["elements"]
    return found


def report_texts(
    texts: Sequence[TextChange], elements: Iterable[PageChange], *, is_other: bool = True
) -> tuple[list[PageChange], int]:
    """Return one change for each text, the most telling ones first, and how many exceed the limit. `is_other`: another
    of `elements` has changed than the one that was acted on.

    A text that is part of the line of a reported element is left out, unless the element has gone and the text has not;
    and so are pictures and what has gone if anything else is reported."""
    if not texts:
        return [], 0
    elements = list(elements)
    names = [change.data["element"]["text"] for change in elements if "element" in change.data]
    names += [change.data["title"] for change in elements if "title" in change.data]
    of_gone = [change for change in elements if change.data["change"] == "gone" and "element" in change.data]
    gone = {change.data["element"]["text"] for change in of_gone}
    remaining = [name for name in names if name not in gone]
    rows_by_text: dict[tuple[bool, str], TextChange] = {}
    for row in sorted(texts, key=lambda row: (row["change"] == "gone", _RANKS[row["kind"]])):
        others = names if row["change"] == "gone" else remaining
        is_edited = row["kind"] in ("format", "selection")
        key = is_edited, row["text"]
        if row["text"] and key not in rows_by_text and (is_edited or not any(row["text"] in name for name in others)):
            rows_by_text[key] = row
    present = [row for row in rows_by_text.values() if row["change"] != "gone"]
    if names or any(row["kind"] != "image" for row in present):
        present = [row for row in present if row["kind"] != "image"]
    if present or (names and is_other):
        limit, rows = MAX_TEXT_LINES, present
    else:
        limit, rows = MAX_GONE_LINES, list(rows_by_text.values())
    return [_text_change(row) for row in rows[:limit]], max(0, len(rows) - limit)


def _text_change(row: TextChange) -> PageChange:
    text = f"{row['kind']} {quoted(shortened(row['text'], MAX_TEXT_LENGTH))}"
    if row["kind"] == "format":
        text += f" {row['format']}"
    if row.get("vanished"):
        text += " (gone again)"
    return PageChange(_SIGNS[row["change"]], text, {**row, "change": "text", "state": row["change"]})
