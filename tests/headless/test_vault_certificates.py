"""Values of the vault go to servers with a valid certificate alone, whoever else ignores its errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.network_options import NetworkOptions
from oryn.engine import Options, Session
from oryn.system import paths
from oryn.vault import Vault
from tests.headless.untrusted_server import untrusted_server

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_key_derivation")]

PASSWORD = "correct-horse-22"


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a server whose certificate nobody vouches for."""
    form = b"<title>form</title><input id=word aria-label=Word>"
    with untrusted_server(tmp_path_factory.mktemp("certificate"), form) as served:
        yield served.url("", "127.0.0.1")


@pytest.fixture
def ignoring_certificates(browser: ChromiumBrowser, run: Any, tmp_path: Path) -> Iterator[Session]:
    """A session that ignores the errors of certificates."""
    access = NetworkOptions(ignore_certificate_errors=True)
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser, network_options=access), options=Options(timeout=60)
    )
    yield session
    run(session.close())


def set_vault(session: Session, folder: Path, *origins: str) -> None:
    vault = Vault(paths.find({"ORYN_HOME": str(folder)}), "file", {})
    vault.store("bank.password", PASSWORD, list(origins))
    session.vault = lambda: vault


async def refused(session: Session, line: str) -> None:
    answer = await session.execute(line)
    assert answer.error is not None, answer.render()
    assert answer.error.code == "VAULT_ORIGIN"
    assert "certificate" in answer.error.message and "no value of the vault" in answer.error.message


@pytest.mark.parametrize("bound", [True, False])
async def test_a_certificate_whose_errors_are_ignored(
    ignoring_certificates: Session, secure: str, tmp_path: Path, bound: bool
) -> None:
    set_vault(ignoring_certificates, tmp_path, *((secure,) if bound else ()))
    assert (await ignoring_certificates.execute(f"goto {secure}/")).ok
    for line in (
        'type Word "{{vault:bank.password}}"',
        'fill_form {"Word": "{{vault:bank.password}}"}',
        'storage set key "{{vault:bank.password}}"',
        'cookies set key "{{vault:bank.password}}"',
    ):
        await refused(ignoring_certificates, line)
    assert (await ignoring_certificates.execute('type Word "plain text"')).ok
    assert await ignoring_certificates.page.evaluate("word.value") == "plain text"


async def test_a_frame_with_such_a_certificate(
    ignoring_certificates: Session, pages: Any, secure: str, tmp_path: Path
) -> None:
    set_vault(ignoring_certificates, tmp_path, secure, pages.url().rstrip("/"))
    pages["/"] = f"<input id=here aria-label=Here><iframe src='{secure}/'></iframe>"
    assert (await ignoring_certificates.execute(f"goto {pages.url()}")).ok
    await refused(ignoring_certificates, 'type Word "{{vault:bank.password}}"')
    assert (await ignoring_certificates.execute('type Here "{{vault:bank.password}}"')).ok
    assert await ignoring_certificates.page.evaluate("here.value") == PASSWORD


@pytest.mark.parametrize("bound", [True, False])
async def test_what_is_sent_before_a_certificate_is_seen(
    ignoring_certificates: Session, pages: Any, secure: str, tmp_path: Path, bound: bool
) -> None:
    """Headers and the answer to a server that asks for a password."""
    set_vault(ignoring_certificates, tmp_path, *((secure,) if bound else ()))
    value = "{{vault:bank.password}}"
    domain = secure.removeprefix("https://")
    for line in (
        f'goto {secure}/ --headers {{"X-Word": "{value}"}}',
        f'headers set {domain} {{"X-Word": "{value}"}}',
        f'credentials "ann" "{value}"',
    ):
        await refused(ignoring_certificates, line)
    open_one = pages.url().rstrip("/")
    set_vault(ignoring_certificates, tmp_path, open_one)
    assert (await ignoring_certificates.execute(f'goto {open_one}/ --headers {{"X-Word": "{value}"}}')).ok
    assert (await ignoring_certificates.execute(f'credentials "ann" "{value}"')).ok
