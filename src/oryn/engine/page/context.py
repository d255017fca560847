"""The context of commands that act on a page: browser, page, frame, numbered elements, options and deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.engine.browser_startup import BrowserStartup
from oryn.engine.deadline import CommandDeadline
from oryn.engine.options import Options
from oryn.engine.page.element_index import ElementIndex
from oryn.engine.page.grace import GracePeriods
from oryn.engine.page.scanner import Resolved, query_scanner
from oryn.errors import DialogOpen, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Frame, Page
    from oryn.scanner.protocol import PageResponse, ScannerRequest


class PageContext:
    """What a command needs to act on a page; `Session` has the rest. `browser` need not be started."""

    def __init__(self, browser: Browser, options: Options) -> None:
        self.options = options
        self.startup = BrowserStartup(browser)
        self.deadline = CommandDeadline()
        """The deadline of the current command."""
        self.element_index = ElementIndex()
        self.grace_periods = GracePeriods()
        self.frame: Frame | None = None
        """The frame that `frame <target>` chose; None means the whole page."""
        self.reported_downloads: dict[str, str] = {each.id: each.state for each in browser.downloads()}
        """The last reported state of each download, by its id. Downloads from before this session count as reported."""
        self.earlier_downloads: set[str] = set(self.reported_downloads)
        """The ids of the downloads that had started before the current command: no effects of it."""

    @property
    def browser(self) -> Browser:
        return self.startup.browser

    @property
    def page(self) -> Page:
        """The current tab's page. Raises `OrynError` if there is none."""
        return self.startup.browser.page

    def enter_page(self) -> Page:
        """Return the current tab's page; numbers of another document are cleared first. Raises `OrynError` if there is
        none."""
        page = self.startup.browser.page
        self.element_index.enter(page)
        if self.grace_periods.document != page.document:
            self.grace_periods = GracePeriods(page.document)
        return page

    @property
    def page_url(self) -> str:
        """The URL of the page; empty if there is no page yet."""
        try:
            return self.page.url
        except OrynError:
            return ""


async def query_element(context: PageContext, target: Resolved, request: ScannerRequest) -> Any:
    """Send a scanner command about a resolved element to its frame, and return the data, as `query_scanner` does. The
    number of the element is added to the request."""
    whole: Any = {**request, "id": target.id}
    return await query_scanner(context.page, whole, target.frame, context.deadline.remaining())


async def page_info(context: PageContext) -> tuple[str, str]:
    """Return URL and title of the current page."""
    data: PageResponse = await query_scanner(context.page, {"cmd": "page"}, None, context.deadline.remaining())
    return data["url"], data["title"]


def require_no_dialog(context: PageContext) -> None:
    """Raise `DialogOpen` while a dialog blocks the page."""
    if dialog := context.page.dialog:
        raise DialogOpen(
            f"a dialog is open: {dialog.kind} {quoted(dialog.message)}", "Answer it: dialog accept, or dialog dismiss."
        )
