"""Browsers that do not report a thing: Oryn takes none of them for one that has reported that it is harmless."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from oryn.browsers.base import Browser, Frame, Page
from oryn.browsers.common.single_tab import SingleTabBrowser
from oryn.core.vault_secret import SecretRequest, VaultSecret
from oryn.engine import Session
from oryn.engine.handlers.navigation import destination
from oryn.errors import OrynError, SecretNotAllowed
from tests import attacks

SITE = "https://bank.example"
REFERENCE = "{{vault:bank.password}}"


class SilentPage(Page):
    """A page whose browser reports nothing but what the page says."""

    url = f"{SITE}/login"
    document = "1"
    frame = Frame("1", "inner", url, 1, None)

    def frames(self) -> list[Frame]:
        return [self.frame]


class ReportingPage(SilentPage):
    """A page whose browser reports its site, and not its certificate."""

    has_trusted_urls = True


class FaultyPage(SilentPage):
    """A page whose browser reports an invalid certificate."""

    async def has_faulty_certificate(self, frame: Frame | None = None) -> bool | None:
        return True


class SilentBrowser(Browser):
    mode: ClassVar[str] = "embedded"

    def __init__(self, page: Page, *, ignores: bool) -> None:
        self._page, self._ignores = page, ignores

    @property
    def page(self) -> Page:
        return self._page

    def page_of(self, number: int) -> Page:
        return self._page

    @property
    def ignores_certificate_errors(self) -> bool:
        return self._ignores


class HeldBrowser(SilentBrowser):
    async def restrict_files(self, allows: Callable[[str], bool]) -> None:
        self.allows = allows


class OneVault:
    def __init__(self, *origins: str) -> None:
        self._origins = origins

    async def secret(self, name: str, request: SecretRequest | None = None) -> VaultSecret:
        return VaultSecret(name, attacks.PASSWORD, self._origins)

    async def values_to_mask(self, name: str) -> tuple[VaultSecret, ...]:
        return (await self.secret(name),)


def session_of(browser: Browser, *origins: str) -> Session:
    session = Session(browser, "test")
    session.vault = lambda: OneVault(*origins)
    return session


@pytest.mark.parametrize(
    ("page", "ignores", "bound", "refusal"),
    [
        (SilentPage(), False, False, None),
        (SilentPage(), False, True, "can't prove which site"),
        (SilentPage(), True, False, "does not report them"),
        (SilentPage(), True, True, "does not report them"),
        (ReportingPage(), False, True, None),
        (ReportingPage(), True, True, "does not report them"),
        (FaultyPage(), False, False, "is not valid"),
    ],
)
async def test_what_is_not_reported(page: Page, ignores: bool, bound: bool, refusal: str | None) -> None:
    browser = SilentBrowser(page, ignores=ignores)
    for each in (browser, SingleTabBrowser(browser, 1)):
        secrets = session_of(each, *([SITE] if bound else [])).secrets
        for frame in (None, SilentPage.frame):
            if refusal is None:
                assert (await secrets.for_frame(REFERENCE, frame)).text == attacks.PASSWORD
                continue
            with pytest.raises(SecretNotAllowed) as caught:
                await secrets.for_frame(REFERENCE, frame)
            assert refusal in caught.value.message and attacks.PASSWORD not in str(caught.value)


async def test_a_tab_of_a_browser_that_ignores_certificates() -> None:
    """What is sent before there is a certificate: a session for one tab knows its browser's setting."""
    tab = SingleTabBrowser(SilentBrowser(ReportingPage(), ignores=True), 1)
    with pytest.raises(SecretNotAllowed, match="certificate"):
        await session_of(tab, SITE).secrets.for_page(REFERENCE, f"{SITE}/")


@pytest.mark.parametrize("spelling", ["file://{}", "FILE://{}", " file://localhost{}", "file:{}", "fi\nle://{}"])
async def test_a_browser_that_can_not_be_held_opens_no_file(tmp_path: Path, spelling: str) -> None:
    file = tmp_path / "mine.html"
    file.write_text("mine")
    url = spelling.format(file)
    silent = SilentBrowser(ReportingPage(), ignores=False)
    for browser in (silent, SingleTabBrowser(silent, 1)):
        with pytest.raises(OrynError) as caught:
            await destination(session_of(browser), url)
        assert caught.value.code == "PATH_NOT_ALLOWED"
    held: Any = HeldBrowser(ReportingPage(), ignores=False)
    for browser in (held, SingleTabBrowser(held, 1)):
        assert await destination(session_of(browser), url)
        assert held.allows(file.as_uri())
