"""Documents with nothing in them that no extension is let into: an empty tab, and the page in the place of one that did
not load. What the scanner would say of them is known without it.
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.common.error_page import ErrorPage

BLANK = "about:blank"


def page(url: str, tab: dict[str, Any]) -> dict[str, Any]:
    """The scanner's `page` of the document at `url` in a tab (`tabs.Tab`)."""
    return {
        "url": url,
        "title": "" if url == BLANK else tab.get("title", ""),
        "viewport": {"width": tab.get("width", 0), "height": tab.get("height", 0)},
        "scroll": {"x": 0, "y": 0, "max_x": 0, "max_y": 0},
        "ready_state": "complete",
    }


def answer(request: dict[str, Any], page: dict[str, Any]) -> dict[str, Any] | None:
    """The scanner's answer to a request about an empty tab, or None where it is not known."""
    data = _data(request, page)
    return None if data is None else {"ok": True, "data": data}


def answer_instead(shown: ErrorPage, request: dict[str, Any], page: dict[str, Any]) -> dict[str, Any]:
    """The same about an error page. Raises `CannotAccessPage`."""
    match request["cmd"]:
        case "page":
            return {"ok": True, "data": page}
        case "settle":
            return {"ok": True, "data": {"mutated": False, "quiet": True}}
    return shown.answer(request, page)


def _data(request: dict[str, Any], page: dict[str, Any]) -> dict[str, Any] | None:
    stats = {"total": 0, "returned": 0, "scanned": 0, "ms": 0}
    number = request.get("next_id") or 1
    match request["cmd"]:
        case "page":
            return page
        case "settle":
            return {"mutated": False, "quiet": True}
        case "scan":
            return {"page": page, "elements": [], "patterns": {}, "stats": stats, "next_id": number}
        case "tree":
            references = request.get("next_ref") or 1
            return {"page": page, "nodes": [], "stats": stats, "next_ref": references, "next_id": number}
        case "find":
            return {"matches": [], "count": 0, "next_id": number}
        case "get_text" if not request.get("selector"):
            return {"text": ""}
    return None
