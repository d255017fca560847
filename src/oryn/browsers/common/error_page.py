"""The page that a browser shows of its own in the place of one that did not load: an error, or a warning such as of a
server's certificate.

What it says is the browser's, and so is what it asks: "Proceed (unsafe)" is for the person who reads it. So such a page
has no elements, and takes neither input nor scripts. Pure.
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.common.net_errors import advice, reason
from oryn.errors import CannotAccessPage
from oryn.records import Record

ADDRESS = "chrome-error://chromewebdata/"
"""Where such a page says that it is."""

SHOWN = ("page", "settle", "get_text", "get_html")
"""Scanner commands that only read what it says."""


class ErrorPage(Record):
    """`url` is what did not load, `error` the `net::ERR_…` that says why; empty where nobody has told."""

    url: str = ""
    error: str = ""
    status: int | None = None
    """That of an answer which had nothing to show."""

    def __str__(self) -> str:
        """`https://a.example/ did not load: the server's certificate is not valid (net::ERR_CERT_DATE_INVALID)`."""
        what = self.url or "the page"
        if self.error:
            return f"{what} did not load: {reason(self.error)}"
        return f"{what} did not load" if self.status is None else f"{what} answered HTTP {self.status} and no page"

    def refusal(self) -> CannotAccessPage:
        """What a command meets that would do something to it."""
        hint = advice(self.error) if "_CERT_" in self.error else "'refresh' tries it again."
        return CannotAccessPage(
            f"the browser shows a page of its own, which commands can't touch: {self}",
            f"{hint} 'goto' or 'back' lead elsewhere.",
        )

    def answer(self, request: dict[str, Any], page: dict[str, Any]) -> dict[str, Any]:
        """The scanner's answer to a request, of which it is not asked; `page` is its answer to `page`. Raises
        `CannotAccessPage`."""
        stats = {"total": 0, "returned": 0, "scanned": 0, "ms": 0}
        number = request.get("next_id") or 1
        match request["cmd"]:
            case "scan":
                data: dict[str, Any] = {"page": page, "elements": [], "patterns": {}, "stats": stats, "next_id": number}
            case "tree":
                first = request.get("next_ref") or 1
                data = {"page": page, "nodes": [], "stats": stats, "next_ref": first, "next_id": number}
            case _:
                raise self.refusal()
        return {"ok": True, "data": data}


def is_error_page(url: str) -> bool:
    """Whether a document at `url` is such a page. No site can have this address."""
    return url.startswith("chrome-error:")
