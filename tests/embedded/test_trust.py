"""What WebKit's driver can't vouch for: the site of a page, its certificate, the files that pages open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.engine import Session
from oryn.sessions.persistence.models import SessionSnapshot, TabSnapshot
from oryn.sessions.persistence.restore import restore_snapshot
from tests import attacks
from tests.embedded.conftest import OPTIONS, Driver, Pages
from tests.headless.conftest import quick_key_derivation
from tests.headless.untrusted_server import untrusted_server

__all__ = ["quick_key_derivation"]
pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_key_derivation")]


@pytest.mark.parametrize("forgery", attacks.FORGERIES)
async def test_no_page_gets_a_value_of_another_site(embedded: Driver, tmp_path: Path, forgery: str) -> None:
    bank = embedded.pages.url("", "localhost")
    attacks.set_vault(embedded.session, tmp_path, bank)
    await embedded.show(attacks.forged_page(forgery, bank))
    await attacks.check_nothing_is_written(embedded.session, code="VAULT_ORIGIN", words="can't prove")
    if forgery != "report":  # it forges what Oryn asks the page, and `tabs` asks the driver
        assert (await embedded("url")).endswith(embedded.pages.url())
    tabs = await embedded("tabs")
    assert embedded.pages.url().removeprefix("http://").removesuffix("/") in tabs and "localhost" not in tabs


async def test_a_frame_gets_none_either(embedded: Driver, tmp_path: Path) -> None:
    """The element of a frame names another site than the one that the frame has gone to."""
    pages = embedded.pages
    bank = pages.url("", "localhost")
    attacks.set_vault(embedded.session, tmp_path, bank)
    pages["/hop"] = lambda _: (302, {"Location": pages.url("/evil")}, "")
    pages["/evil"] = attacks.forged_page("both", bank)
    await embedded.show(f"<title>Outer</title><iframe src='{pages.url('/hop', 'localhost')}'></iframe>")
    await embedded.ok('frame css("iframe")')
    await attacks.check_nothing_is_written(embedded.session, code="VAULT_ORIGIN")
    pages["/hop"] = lambda _: (302, {"Location": pages.url("/evil", "evil.localhost")}, "")
    await embedded.ok("refresh")
    assert "evil.localhost" in await embedded("frames")


async def test_not_even_the_right_site_gets_a_bound_value(embedded: Driver, tmp_path: Path) -> None:
    """A value that is bound to none is written, as its owner wants."""
    attacks.set_vault(embedded.session, tmp_path, embedded.pages.url().rstrip("/"))
    await embedded.show(attacks.FIELDS)
    await attacks.check_nothing_is_written(embedded.session, code="VAULT_ORIGIN")
    attacks.set_vault(embedded.session, tmp_path)
    for line in attacks.WRITING_LINES[0], *attacks.WRITING_LINES[-3:]:
        await embedded.ok(line)
    assert attacks.PASSWORD in await embedded.session.page.evaluate("word.value")


@pytest.fixture
def ignoring(run: Any, tmp_path: Path) -> Iterator[Session]:
    """A session that ignores the errors of certificates."""
    browser = WebKitBrowser(runtime_dir=tmp_path / "run", load_timeout=10, ignore_certificate_errors=True)
    run(browser.start())
    yield Session(browser, "test", OPTIONS)
    run(browser.close())


async def test_a_certificate_that_nobody_has_checked(ignoring: Session, pages: Pages, tmp_path: Path) -> None:
    with untrusted_server(tmp_path, attacks.FIELDS.encode()) as server:
        assert (await ignoring.execute(f"goto {server.url()}")).ok
        for origins in ((), (server.url().rstrip("/"),)):
            attacks.set_vault(ignoring, tmp_path, *origins)
            await attacks.check_nothing_is_written(ignoring, code="VAULT_ORIGIN", words="certificate")
        pages["/"] = f"<iframe src='{server.url()}'></iframe>"
        assert (await ignoring.execute(f"goto {pages.url()}")).ok
        assert (await ignoring.execute('frame css("iframe")')).ok
        attacks.set_vault(ignoring, tmp_path)
        await attacks.check_nothing_is_written(ignoring, code="VAULT_ORIGIN", words="certificate")


async def test_no_file_opens(embedded: Driver, tmp_path: Path) -> None:
    await attacks.check_no_file_opens(embedded.session, embedded.pages, tmp_path)


async def test_no_file_is_restored(own_browser: WebKitBrowser, tmp_path: Path) -> None:
    session = Session(own_browser, "test", OPTIONS)
    snapshot = SessionSnapshot((TabSnapshot(attacks.secret_file(tmp_path)),))
    report = await restore_snapshot(session, snapshot, fill=False)
    assert any("was not loaded: this browser can't be held" in note for note in report.notes), report.notes
    assert attacks.SECRET not in (await session.execute("text")).render()
