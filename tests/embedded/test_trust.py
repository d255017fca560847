"""The attacks that each backend's tests run, in WebKit: it reports the site of each document itself, the certificate of
its server, and holds back the files that pages open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.engine import Session
from oryn.engine.file_access import HostFolders
from oryn.engine.options import Options
from oryn.sessions.persistence.models import SessionSnapshot, TabSnapshot
from oryn.sessions.persistence.restore import restore_snapshot
from tests import attacks
from tests.embedded.conftest import OPTIONS, Driver, Pages
from tests.headless import test_trust, test_vault_certificates
from tests.headless.conftest import quick_key_derivation
from tests.webkit import webkit_browser

secure = test_vault_certificates.secure
__all__ = ["quick_key_derivation", "secure"]
pytestmark = [pytest.mark.other_engine, pytest.mark.usefixtures("quick_key_derivation")]

globals().update(
    (name, test)
    for module in (test_trust, test_vault_certificates)
    for name, test in vars(module).items()
    # Its headers go along with redirects: see `test_network.py`.
    if name.startswith("test_") and name != "test_what_is_sent_before_a_certificate_is_seen"
)


@pytest.fixture
def oryn(embedded: Driver) -> Driver:
    return embedded


@pytest.fixture
def ignoring_certificates(run: Any, tmp_path: Path) -> Iterator[Session]:
    """A session that ignores the errors of certificates."""
    browser = webkit_browser(runtime_dir=tmp_path / "run", load_timeout=10, ignore_certificate_errors=True)
    session = Session(browser, "test", OPTIONS)
    yield session
    run(session.close())


async def test_what_is_sent_before_a_certificate_is_seen(
    ignoring_certificates: Session, secure: str, tmp_path: Path
) -> None:
    """Headers and the answer to a server that asks for a password."""
    test_vault_certificates.set_vault(ignoring_certificates, tmp_path)
    value = "{{vault:bank.password}}"
    for line in (
        f'goto {secure}/ --headers {{"X-Word": "{value}"}}',
        f'headers set {secure.removeprefix("https://")} {{"X-Word": "{value}"}}',
        f'credentials "ann" "{value}"',
    ):
        await test_vault_certificates.refused(ignoring_certificates, line)


async def test_a_page_that_asks_for_it_back_has_no_certificate_either(
    ignoring_certificates: Session, secure: str, tmp_path: Path
) -> None:
    """Back in the history, and after a reload: the browser's verdict is that of each document."""
    test_vault_certificates.set_vault(ignoring_certificates, tmp_path)
    for line in (f"goto {secure}/", f"goto {secure}/two", "back", "refresh"):
        assert (await ignoring_certificates.execute(line)).ok, line
        await test_vault_certificates.refused(ignoring_certificates, 'type Word "{{vault:bank.password}}"')


@pytest.fixture
def confined(pages: Pages, run: Any, tmp_path: Path) -> Iterator[Session]:
    """A session whose commands may use one folder alone."""
    folder, root = tmp_path / "own", tmp_path / "root"
    for each in (folder, root):
        each.mkdir()
    options = Options(timeout=5, files_root=[root], host_folders=HostFolders(own=[folder], shared=[]))
    session = Session(webkit_browser(runtime_dir=tmp_path / "run", load_timeout=10), options=options)
    yield session
    run(session.close())


async def test_no_file_opens(confined: Session, pages: Pages, tmp_path: Path) -> None:
    await attacks.check_no_file_opens(confined, pages, tmp_path)


async def test_no_file_is_restored(confined: Session, tmp_path: Path) -> None:
    await confined.browser.start()
    snapshot = SessionSnapshot((TabSnapshot(attacks.secret_file(tmp_path)),))
    await restore_snapshot(confined, snapshot, fill=False)
    assert attacks.SECRET not in (await confined.execute("text")).render()
    assert attacks.SECRET not in (await confined.execute("tabs")).render()
