"""The renderer of the research process: its browser is elsewhere, and requests whatever its pages want."""

from __future__ import annotations

import pytest

from oryn.errors import AddressNotAllowed, FetchFailed, OrynError
from oryn.research.documents import ResearchProgress
from oryn.research.options import ResearchOptions
from oryn.research.process.protocol import Message, error_form
from oryn.research.process.request import ResearchRequest
from oryn.research.process.tab_renderer import CURRENT_REQUEST, TabRenderer


class Browser:
    """Whoever has asked: shows every page at `found`."""

    def __init__(self, found: str, *, allow_private: bool = False, error: OrynError | None = None) -> None:
        self.messages: list[Message] = []
        self._found = found
        self._error = error
        self.request = ResearchRequest(1, "extract", ResearchOptions(allow_private=allow_private), {}, self._send)

    async def _send(self, message: Message) -> None:
        self.messages.append(message)
        if "render" in message:
            outcome = {"error": error_form(self._error)} if self._error else {"url": self._found, "html": "<p>Hi"}
            self.request.on_message({"id": 1, "rendered": message["render"], **outcome})


async def rendered(browser: Browser, url: str) -> tuple[str, str]:
    CURRENT_REQUEST.set(browser.request)
    return await TabRenderer().render(url)


async def test_a_page_is_shown_by_whoever_has_asked() -> None:
    browser = Browser("http://127.0.0.1/end", allow_private=True)
    assert await rendered(browser, "http://127.0.0.1/begin") == ("http://127.0.0.1/end", "<p>Hi")
    assert browser.messages == [{"id": 1, "render": 1, "url": "http://127.0.0.1/begin"}]


async def test_renderer_error_is_raised_to_the_caller() -> None:
    with pytest.raises(FetchFailed, match="gone"):
        await rendered(Browser("", allow_private=True, error=FetchFailed("gone")), "http://127.0.0.1/")


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost:8000/", "http://[::1]/", "http://10.1.2.3/x"])
async def test_private_url_is_not_rendered(url: str) -> None:
    browser = Browser("http://93.184.215.14/")
    with pytest.raises(AddressNotAllowed):
        await rendered(browser, url)
    assert browser.messages == []


@pytest.mark.parametrize("found", ["http://192.168.0.1/", "http://169.254.169.254/latest", "http://2130706433/"])
async def test_private_final_url_is_rejected(found: str) -> None:
    with pytest.raises(AddressNotAllowed):
        await rendered(Browser(found), "http://93.184.215.14/")


@pytest.mark.parametrize("found", ["about:blank", "chrome-error://chromewebdata/", "data:text/html,x", "file:///etc"])
async def test_final_url_with_another_scheme_is_rejected(found: str) -> None:
    with pytest.raises(FetchFailed):
        await rendered(Browser(found, allow_private=True), "http://127.0.0.1/")


async def test_progress_of_one_stage_is_told_seldom_but_its_end_always() -> None:
    browser = Browser("")
    for done in range(100):
        browser.request.progress(ResearchProgress("embed", done, 99))
    browser.request.progress(ResearchProgress("rank", 0, 1))
    await browser.request.flush_progress()
    told = [(each["progress"]["stage"], each["progress"]["done"]) for each in browser.messages]
    assert told[0] == ("embed", 0)
    assert told[-2:] == [("embed", 99), ("rank", 0)]
