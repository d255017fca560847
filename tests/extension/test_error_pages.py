"""The warning pages of the user's own browser: theirs alone to read, with their keys and mouse and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.extension.driver import Driven, driven
from tests.headless.untrusted_server import Untrusted, untrusted_server

__all__ = ["driven"]

CODE = "net::ERR_CERT_AUTHORITY_INVALID"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Untrusted]:
    with untrusted_server(tmp_path_factory.mktemp("certificate")) as served:
        yield served


@pytest.mark.parametrize("trust", [True, False])
async def test_nothing_touches_a_warning(driven: Driven, server: Untrusted, trust: bool) -> None:
    await driven.trust(trust)
    await driven.show(f"<title>home</title><a href='{server.url()}'>bad</a><button>ok</button>")
    answer = await driven(f"goto {server.url()}")
    assert answer.startswith(f"error goto {server.url()}: ") and CODE in answer
    answer = await driven.ok("observe")
    assert "[1]" not in answer and f"{server.url()} did not load" in answer and CODE in answer
    for line in ('click "Advanced"', "press t", "keydown t", 'eval "document.title"', 'type css(body) "thisisunsafe"',
                 "scroll down", "exists button"):  # fmt: skip
        answer = await driven(line)
        assert answer.startswith("error "), answer
        assert "commands can't touch" in answer and CODE in answer, answer
    assert CODE in await driven("refresh")
    assert '"home"' in await driven.ok("back")
    await driven.ok('click "ok"')
    assert CODE in await driven('click "bad"')
    assert "commands can't touch" in await driven("press enter")
    await driven.show("<title>home</title>")
    assert server.requests == []


async def test_a_frame_that_shows_one_leaves_the_page_as_it_is(driven: Driven, server: Untrusted) -> None:
    await driven.trust(False)
    answer = await driven.show(f"<title>home</title><iframe src='{server.url()}'></iframe><button>ok</button>")
    assert '"home"' in answer
    assert 'button "ok"' in await driven.ok("observe")
    await driven.ok('click "ok"')
    await driven.ok("text")
