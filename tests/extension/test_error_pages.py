"""The warning pages of the user's own browser: theirs alone to read, with their keys and mouse and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.extension.driver import PairedBrowser, paired_browser
from tests.headless.untrusted_server import UntrustedServer, untrusted_server

__all__ = ["paired_browser"]

CODE = "net::ERR_CERT_AUTHORITY_INVALID"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UntrustedServer]:
    with untrusted_server(tmp_path_factory.mktemp("certificate")) as served:
        yield served


@pytest.mark.slow
@pytest.mark.parametrize("trust", [True, False])
async def test_nothing_touches_a_warning(paired_browser: PairedBrowser, server: UntrustedServer, trust: bool) -> None:
    await paired_browser.trust(trust)
    await paired_browser.show(f"<title>home</title><a href='{server.url()}'>bad</a><button>ok</button>")
    answer = await paired_browser(f"goto {server.url()}")
    assert answer.startswith(f"error goto {server.url()}: ") and CODE in answer
    answer = await paired_browser.ok("observe")
    assert "[1]" not in answer and f"{server.url()} did not load" in answer and CODE in answer
    for line in ('click "Advanced"', "press t", "keydown t", 'eval "document.title"', 'type css(body) "thisisunsafe"',
                 "scroll down", "exists button"):  # fmt: skip
        answer = await paired_browser(line)
        assert answer.startswith("error "), answer
        assert "commands can't touch" in answer and CODE in answer, answer
    assert CODE in await paired_browser("refresh")
    assert '"home"' in await paired_browser.ok("back")
    await paired_browser.ok('click "ok"')
    assert CODE in await paired_browser('click "bad"')
    assert "commands can't touch" in await paired_browser("press enter")
    await paired_browser.show("<title>home</title>")
    assert server.requests == []


async def test_a_frame_that_shows_one_leaves_the_page_as_it_is(
    paired_browser: PairedBrowser, server: UntrustedServer
) -> None:
    await paired_browser.trust(False)
    answer = await paired_browser.show(f"<title>home</title><iframe src='{server.url()}'></iframe><button>ok</button>")
    assert '"home"' in answer
    assert 'button "ok"' in await paired_browser.ok("observe")
    await paired_browser.ok('click "ok"')
    await paired_browser.ok("text")
