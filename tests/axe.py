"""What axe finds on a page (https://github.com/dequelabs/axe-core), narrow and wide, light and dark."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from scripts.extension.bundles import PROJECT

AXE = PROJECT / "node_modules" / "axe-core" / "axe.min.js"
SIZES = [(375, 667), (1280, 800)]
SCHEMES = ("light", "dark")
_VIOLATIONS = """axe.run(document, {resultTypes: ['violations']}).then(({violations}) =>
  violations.map(({id, nodes}) => `${id}: ${nodes.map((each) => each.html.slice(0, 160)).join(' | ')}`))"""
_UNFOLD = "document.querySelectorAll('details').forEach((each) => { each.open = true }), 1"

needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core; 'make test' installs it")


async def violations(
    say: Callable[[str], Awaitable[Any]], js: Callable[[str], Awaitable[Any]]
) -> dict[tuple[str, int], list[str]]:
    """What axe finds on the page that is open, by colour scheme and width, without what is empty; and whether the page
    has to be scrolled sideways. `say` runs a line, `js` evaluates an expression."""
    await js(_UNFOLD)
    await js(f"{AXE.read_text('utf-8')}; 1")
    found: dict[tuple[str, int], list[str]] = {}
    for scheme in SCHEMES:
        await say(f"media color-scheme {scheme}")
        for width, height in SIZES:
            await say(f"viewport {width} {height}")
            found[scheme, width] = await js(_VIOLATIONS)
            if (wide := await js("document.documentElement.scrollWidth")) > width:
                found[scheme, width].append(f"it is {wide} pixels wide")
    return {case: each for case, each in found.items() if each}
