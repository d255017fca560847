"""What a server's user has chosen for the engine, told to the real extension
(docs/spec/extension-protocol.md#options)."""

from __future__ import annotations

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, untrusted

__all__ = ["paired_browser", "untrusted"]

PAGE = "<title>two</title><button>Go</button> <button>Go</button>"


@pytest.mark.slow
async def test_options_apply_to_later_commands_until_changed(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    usual = await untrusted("observe")
    assert "[2]" in usual
    await untrusted.connection.send("0:options observe_limit=1 strict=1 timeout=20 settle_limit=0.5")
    limited = await untrusted("observe")
    assert '[1] button "Go"' in limited and "[2]" not in limited
    assert (await untrusted('click "Go"')).startswith('error click "Go": 2 elements match')
    await untrusted.connection.send("0:options")
    assert await untrusted("observe") == usual
    await untrusted.ok('click "Go"')


async def test_invalid_options_are_rejected_as_a_whole(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    await untrusted.connection.send("0:options observe_limit=1 strict=maybe")
    assert await untrusted.server.next() == "0:error 'strict' is not of its form"
    assert "[2]" in await untrusted("observe")
