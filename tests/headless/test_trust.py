"""The attacks that each backend's tests run: headless Chromium reports the site of each document itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import attacks
from tests.headless.conftest import Driver

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_key_derivation")]


@pytest.mark.parametrize("forgery", attacks.FORGERIES)
async def test_no_page_gets_a_value_of_another_site(oryn: Driver, tmp_path: Path, forgery: str) -> None:
    bank = oryn.pages.url("", "localhost")
    attacks.set_vault(oryn.session, tmp_path, bank)
    await oryn.show(attacks.forged_page(forgery, bank))
    await attacks.check_nothing_is_written(oryn.session, code="VAULT_ORIGIN", words="is not for")
    assert (await oryn("url")).endswith(oryn.pages.url())
    assert "localhost" not in await oryn("tabs")


async def test_a_frame_gets_none_either(oryn: Driver, tmp_path: Path) -> None:
    bank = oryn.pages.url("", "localhost")
    attacks.set_vault(oryn.session, tmp_path, bank)
    oryn.pages["/hop"] = lambda _: (302, {"Location": oryn.pages.url("/evil", "evil.localhost")}, "")
    oryn.pages["/evil"] = attacks.forged_page("both", bank)
    await oryn.show(f"<title>Outer</title><iframe src='{oryn.pages.url('/hop', 'localhost')}'></iframe>")
    await oryn.ok('frame css("iframe")')
    await attacks.check_nothing_is_written(oryn.session, code="VAULT_ORIGIN", words="is not for")


@pytest.mark.slow
async def test_the_right_site_gets_it(oryn: Driver, tmp_path: Path) -> None:
    attacks.set_vault(oryn.session, tmp_path, oryn.pages.url().rstrip("/"))
    await oryn.show(attacks.FIELDS)
    for line in attacks.WRITING_LINES:
        await oryn.ok(line)
    assert attacks.PASSWORD in await oryn.session.page.evaluate(attacks.HELD)
