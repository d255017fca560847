"""`PlaywrightBrowser`: Chromium that Playwright starts or connects to, driven by the pages of the headless backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from oryn.browsers.chromium.browser import ChromiumBrowser
from oryn.browsers.playwright.contexts import PlaywrightContext
from oryn.browsers.playwright.shared_browser import PlaywrightSharedBrowser

if TYPE_CHECKING:
    from oryn.browsers.chromium.contexts import BrowserContext
    from oryn.browsers.chromium.shared_browser import SharedBrowser


class PlaywrightBrowser(ChromiumBrowser):
    """One session's browser in Playwright: a context of it, and its tabs. Its parameters are those of
    `ChromiumBrowser`; `endpoint` may also be the address of a Playwright server."""

    mode: ClassVar[str] = "playwright"
    _browser_type: ClassVar[type[SharedBrowser]] = PlaywrightSharedBrowser

    def _create_context(self, *, own: bool, options: Mapping[str, Any]) -> BrowserContext:
        assert isinstance(self._shared, PlaywrightSharedBrowser)
        return PlaywrightContext(self._shared, own=own, options=options)
