"""The attacks that each backend runs, in the user's own browser: it has no vault, and no command opens a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import attacks
from tests.extension.driver import PairedBrowser, paired_browser

__all__ = ["paired_browser"]
NO_FILE = "cannot access page"


@pytest.mark.slow
@pytest.mark.parametrize("trust", [True, False], ids=["trusted", "untrusted"])
async def test_no_page_gets_a_value(paired_browser: PairedBrowser, trust: bool) -> None:
    await paired_browser.trust(trust)
    bank = paired_browser.pages.url("", "localhost")
    await paired_browser.show(attacks.forged_page("both", bank))
    for line in attacks.WRITING_LINES:
        assert "no vault here" in (answer := await paired_browser(line)), answer
    assert "vault" not in await paired_browser.value(attacks.HELD)
    assert "localhost" not in await paired_browser("tabs")


async def test_no_file_opens(paired_browser: PairedBrowser, tmp_path: Path) -> None:
    """A browser lets an extension that was loaded unpacked read files, and can't be held to some of them."""
    file = attacks.secret_file(tmp_path)
    await paired_browser.show(f"<title>Mine</title><a href='{file}'>Here</a><iframe src='{file}'></iframe>")
    for line in (f"goto {file}", f"tab new {file}", f"goto {file.replace('file:', 'FILE:')}"):
        assert NO_FILE in (answer := await paired_browser(line)), answer
    for line in ('click "Here"', f"eval \"location = '{file}'\"", f"eval \"window.open('{file}')\"", "text", "refresh"):
        assert attacks.SECRET not in (answer := await paired_browser(line)), answer
    opened = await paired_browser.browser.open(file)  # by the user
    for line in ("observe", "text", "html", "screenshot", 'eval "document.body.innerText"', "refresh"):
        assert NO_FILE in (answer := await paired_browser(line)), answer
        assert attacks.SECRET not in answer
    await paired_browser.browser.close_tab(opened)
