"""What hears of an act in WebKit, where the scanner shares the page's world: the page's scripts alone."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("script", ["", "document.querySelector('input').addEventListener('input', () => 0)"])
async def test_the_scanner_does_not_hear_of_its_own_acts(embedded: Any, script: str) -> None:
    await embedded.show(f"<input aria-label=Name><script>{script}</script>")
    await embedded.ok('type "Name" "Ann"')  # for which the scanner listens to keys, focus and input
    heard = await embedded.session.page.path_listeners(1, None, pressed=False, timeout=5)
    assert bool(heard) == bool(script)
