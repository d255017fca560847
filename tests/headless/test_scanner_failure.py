"""An exception in the scanner has a code of its own, and an action that is done is never reported as one that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from oryn.errors import ScannerFailed
from oryn.scanner import bundle, source_places

pytestmark = pytest.mark.browser

LINE = bundle().count("\n", 0, bundle().index('"ROOTS_UNKNOWN"')) + 1
THROWN = (
    f"TypeError: Illegal invocation\n    at t (oryn/scanner.js:{LINE}:1)\n    at Object.n (oryn/scanner.js:{LINE}:9)"
)
PAGE = "<button onclick=\"out.textContent += 'pressed '\">Press</button><input aria-label=Name><p id=out></p>"

Break = Callable[..., None]


@pytest.fixture
def break_scanner(oryn: Any) -> Iterator[Break]:
    """Make the scanner of the session's page fail at the end of some of its commands, from now on."""
    page = oryn.session.page
    broken: set[str] = set()
    scanner = page.scanner

    async def failing(request: dict[str, Any], *arguments: Any, **options: Any) -> Any:
        answer = await scanner(request, *arguments, **options)
        return {"ok": False, "code": "INTERNAL_ERROR", "error": THROWN} if request["cmd"] in broken else answer

    page.scanner = failing
    yield lambda *commands: broken.update(commands)
    del page.scanner


@pytest.mark.parametrize("commands", [("scan",), ("changed_texts",), ("scan", "changed_texts", "wait_for", "settle")])
async def test_an_action_that_is_done_stays_ok(oryn: Any, break_scanner: Break, commands: tuple[str, ...]) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    break_scanner(*commands)
    answer = await oryn.ok("click Press")
    assert "it is done, but what has changed can't be read: the scanner failed: TypeError: Illegal invocation" in answer
    assert await oryn.session.page.evaluate("out.textContent") == "pressed "


async def test_a_scanner_that_fails_before_the_action_is_an_error_with_a_code(oryn: Any, break_scanner: Break) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    break_scanner("watch", "approach")
    answer = await oryn("click Press")
    place = source_places(THROWN)[0]
    assert f"the scanner failed: TypeError: Illegal invocation at {place}\n" in answer and ".ts:" in place
    assert (await oryn.session.execute("click Press")).error.code == "SCANNER_FAILED"
    assert "before you repeat the command" in answer
    assert await oryn.session.page.evaluate("out.textContent") == ""


async def test_an_option_that_is_chosen_is_not_chosen_again(oryn: Any, break_scanner: Break) -> None:
    await oryn.show(
        "<select aria-label=Size onchange='window.times = (window.times || 0) + 1'><option>S<option>M</select>"
    )
    await oryn.ok("observe")
    break_scanner("select")
    error = (await oryn.session.execute("select Size M")).error
    assert isinstance(error, ScannerFailed) and error.exit_code == 5
    assert await oryn.session.page.evaluate("[document.querySelector('select').value, window.times]") == ["M", 1]
