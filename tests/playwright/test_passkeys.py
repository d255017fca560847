"""Pages that ask for passkeys in browsers that Playwright drives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.playwright import PlaywrightBrowser
from oryn.engine import Session
from oryn.system import paths
from oryn.vault.file import VaultFile
from oryn.vault.passkeys import SECTION, StoredPasskeys, add_origins, decode_set
from tests.headless.relying_party import RelyingParty
from tests.playwright.conftest import OPTIONS, Driver, Pages

pytestmark = [pytest.mark.browser, pytest.mark.playwright, pytest.mark.usefixtures("quick_key_derivation")]


def site(pages: Pages) -> RelyingParty:
    party = RelyingParty(lambda: pages.url("", host="localhost"))
    pages.bodies.update(party.pages())
    return party


async def test_a_page_is_refused_at_once_and_gets_input(session: Driver, pages: Pages) -> None:
    site(pages)
    await session.ok(f"goto {pages.url('/at-once', host='localhost')}")
    await session.ok('wait visible "no passkey: NotAllowedError"')
    told = await session.session.page.evaluate("""Promise.all([PublicKeyCredential.isConditionalMediationAvailable(),
        PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()])""")
    assert told == [False, False]
    await session.ok(f"goto {pages.url('/', host='localhost')}")
    for _ in range(2):
        await session.ok('click "Sign in with a passkey"')
    await session.ok('wait visible "no passkey: NotAllowedError"')


async def test_sign_up_and_in_with_a_passkey_of_the_vault(
    create: Callable[..., PlaywrightBrowser], pages: Pages, tmp_path: Path
) -> None:
    pages.bodies.clear()
    party = site(pages)
    file = VaultFile(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {})
    add_origins(file, "shop", [pages.url("", host="localhost")])
    for visit in (1, 2):
        store: Any = StoredPasskeys(file, "shop", tmp_path / "locks")
        driver = Driver(Session(create(passkeys=store), "test", OPTIONS), pages)
        await driver.ok(f"goto {pages.url('/', host='localhost')}")
        if visit == 1:
            await driver.ok('type "User" "ann"')
            await driver.ok('click "Sign up"')
            await driver.ok('wait visible "Welcome, ann"')
        await driver.ok('click "Sign in with a passkey"')
        await driver.ok('wait visible "Hello, ann"')
        await driver.session.close()
    assert party.logins == ["ann", "ann"]
    (found,) = decode_set(file.read().section(SECTION)["shop"]).passkeys.values()
    assert found.sign_count == party.accounts["ann"].popitem()[1][1]
