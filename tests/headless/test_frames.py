"""Inside one frame: what `frame` narrows, and what is still found there."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.whole_browser

LISTENING = """<div id=d>Only listens</div><iframe src=/deeper></iframe>
<script>d.addEventListener('click', () => d.textContent = 'Heard')</script>"""
DEEPER = (
    """<div id=e>Deeper listens</div><script>e.addEventListener('click', () => e.textContent = 'Heard too')</script>"""
)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_what_only_listens_is_found_inside_a_frame(oryn: Any, host: str) -> None:
    oryn.pages["/inner"], oryn.pages["/deeper"] = LISTENING, DEEPER
    await oryn.show(f"<p>one</p><div>two</div><iframe name=inner src={oryn.pages.url('/inner', host)}></iframe>")
    assert '"Only listens"' in await oryn("observe")
    await oryn.ok('frame "inner"')
    first = 1 if host == "127.0.0.1" else 2  # a frame of another origin has a number itself
    listed = f'[{first}] generic "Only listens"\n[{first + 1}] generic "Deeper listens"'
    assert (await oryn("observe")).split("\n\n")[1] == listed
    assert '- generic "Deeper listens" @e2' in await oryn("snapshot")
    assert f'~ [{first}] generic "Heard"' in await oryn(f"click {first}")
    await oryn.ok("frame main")
