"""What Playwright's Firefox can't vouch for, as its scripts share the world of pages: sites, certificates, files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.playwright import PlaywrightEngineBrowser
from oryn.engine import Session
from oryn.sessions.persistence.models import SessionSnapshot, TabSnapshot
from oryn.sessions.persistence.restore import restore_snapshot
from tests import attacks
from tests.headless.conftest import quick_key_derivation
from tests.headless.untrusted_server import untrusted_server
from tests.playwright.conftest import OPTIONS, Driver, Pages

__all__ = ["quick_key_derivation"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.usefixtures("quick_key_derivation"),
    pytest.mark.skipif(shutil.which("firefox-esr") is None and shutil.which("firefox") is None, reason="needs Firefox"),
]


@pytest.fixture(scope="module")
def firefox(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlaywrightEngineBrowser]:
    """One browser, which accepts invalid certificates."""
    browser = PlaywrightEngineBrowser(
        "firefox", runtime_dir=tmp_path_factory.mktemp("engine"), load_timeout=10, ignore_certificate_errors=True
    )
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture
def session(firefox: PlaywrightEngineBrowser, pages: Pages, run: Any) -> Driver:
    pages.bodies.clear()
    run(firefox.revive())
    return Driver(Session(firefox, "test", OPTIONS), pages)


@pytest.fixture
def strict(firefox: PlaywrightEngineBrowser, monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser accepts no invalid certificate, as far as Oryn knows: the site of a page remains a question."""
    monkeypatch.setattr(firefox, "_insecure", False)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("forgery", attacks.FORGERIES)
async def test_no_page_gets_a_value_of_another_site(session: Driver, tmp_path: Path, forgery: str) -> None:
    bank = session.pages.url("", "localhost")
    attacks.set_vault(session.session, tmp_path, bank)
    await session.show(attacks.forged_page(forgery, bank))
    await attacks.check_nothing_is_written(session.session, code="VAULT_ORIGIN", words="can't prove")
    assert "localhost" not in await session("tabs")


@pytest.mark.usefixtures("strict")
async def test_a_frame_gets_none_either(session: Driver, tmp_path: Path) -> None:
    bank = session.pages.url("", "localhost")
    attacks.set_vault(session.session, tmp_path, bank)
    session.pages["/hop"] = lambda _: (302, {"Location": session.pages.url("/evil", "evil.localhost")}, "")
    session.pages["/evil"] = attacks.forged_page("both", bank)
    await session.show(f"<title>Outer</title><iframe src='{session.pages.url('/hop', 'localhost')}'></iframe>")
    assert "evil.localhost" in await session("frames")
    await session.ok('frame css("iframe")')
    await attacks.check_nothing_is_written(session.session, code="VAULT_ORIGIN")


async def test_a_certificate_that_nobody_has_checked(session: Driver, pages: Pages, tmp_path: Path) -> None:
    with untrusted_server(tmp_path, attacks.FIELDS.encode()) as server:
        await session.ok(f"goto {server.url()}")
        for origins in ((), (server.url().rstrip("/"),)):
            attacks.set_vault(session.session, tmp_path, *origins)
            await attacks.check_nothing_is_written(session.session, code="VAULT_ORIGIN", words="certificate")
        await session.show(f"<iframe src='{server.url()}'></iframe>")
        await session.ok('frame css("iframe")')
        attacks.set_vault(session.session, tmp_path)
        await attacks.check_nothing_is_written(session.session, code="VAULT_ORIGIN", words="certificate")


async def test_no_file_opens(session: Driver, tmp_path: Path) -> None:
    await attacks.check_no_file_opens(session.session, session.pages, tmp_path)


async def test_no_file_is_restored(firefox: PlaywrightEngineBrowser, session: Driver, tmp_path: Path) -> None:
    while len(await firefox.tabs()) > 1:
        await firefox.close_tab()
    await session.ok("goto about:blank")
    snapshot = SessionSnapshot((TabSnapshot(attacks.secret_file(tmp_path)),))
    report = await restore_snapshot(session.session, snapshot, fill=False)
    assert any("was not loaded: this browser can't be held" in note for note in report.notes), report.notes
    assert attacks.SECRET not in await session("text")
