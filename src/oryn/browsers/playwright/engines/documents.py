"""The top documents of a context's pages, as Playwright reports them: no page can prevent or forge that.

https://playwright.dev/python/docs/api/class-page#page-event-frame-navigated"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from oryn.browsers.webdriver.client import DriverDocument

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Frame, Page, Request, Response


class DocumentLog:
    """The present document of each page of a context."""

    def __init__(self, context: BrowserContext) -> None:
        self._documents: dict[Page, DriverDocument] = {}
        self._responses: dict[Page, Response] = {}
        """The last response to a navigation of each page."""
        self._last = 0
        context.on("page", self._follow)
        context.on("response", self._on_response)
        for page in context.pages:
            self._follow(page)

    def document(self, page: Page) -> DriverDocument | None:
        """The document in a page; None if it has closed."""
        return self._documents.get(page)

    def _follow(self, page: Page) -> None:
        self._documents[page] = self._next(page.url)
        page.on("framenavigated", self._on_navigated)
        page.on("close", self._forget)

    def _next(self, url: str) -> DriverDocument:
        self._last += 1
        return DriverDocument(self._last, url)

    def _on_response(self, response: Response) -> None:
        page = navigating_page(response.request)
        if page is not None:
            self._responses[page] = response

    def _on_navigated(self, frame: Frame) -> None:
        if frame.parent_frame is not None:
            return
        page = frame.page
        document = self._next(frame.url)
        response = self._responses.get(page)
        if response is not None and urldefrag(response.url).url == urldefrag(frame.url).url:
            document = document.replace(
                status=response.status, status_text=response.status_text, redirects=_redirects(response.request)
            )
        self._documents[page] = document

    def _forget(self, page: Page) -> None:
        self._documents.pop(page, None)
        self._responses.pop(page, None)


def navigating_page(request: Request) -> Page | None:
    """The page whose top frame a request navigates; None for other requests."""
    from playwright.async_api import Error

    if not request.is_navigation_request():
        return None
    try:
        frame = request.frame
    except Error:  # of a service worker, or of a page that is not ready
        return None
    return frame.page if frame.parent_frame is None else None


def _redirects(request: Request) -> tuple[str, ...]:
    """The addresses that have led to a request, first to last."""
    found: list[str] = []
    before = request.redirected_from
    while before is not None:
        found.append(before.url)
        before = before.redirected_from
    return tuple(reversed(found))
