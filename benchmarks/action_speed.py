"""What a `click` and a `type` take beyond the bare protocol calls, on a form page; the change report is included.

usage: action_speed.py

The bare click is a look where the button is and the three mouse events; the bare typing focuses, selects and inserts
the text. Medians of rounds run in turn on the same page over the same connection, and their difference in milliseconds.
"""

from __future__ import annotations

from typing import Any, cast

from _host import FORM, OnePage
from _session import headless_session, must, paired, row, run

from oryn.browsers.chromium.page import CdpPage
from oryn.engine import Session

ROUNDS = 25
TEXT = "Ada Lovelace"

CENTRE = """(() => {
  const box = document.getElementById("more").getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})()"""
SELECT = "(() => { const field = document.getElementById('name'); field.focus(); field.select() })()"


def protocol(session: Session) -> Any:
    """`call(method, **params)` on the tab's own connection."""
    channel = cast(CdpPage, session.page).channel

    async def call(method: str, **params: Any) -> dict[str, Any]:
        return await channel.call(method, params)

    return call


async def main() -> None:
    with OnePage(FORM) as page:
        async with headless_session() as session:
            await must(session, f"goto {page.url}")
            await must(session, "observe")
            call = protocol(session)

            async def bare_click() -> None:
                found = await call("Runtime.evaluate", expression=CENTRE, returnByValue=True)
                x, y = found["result"]["value"]
                await call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
                for kind in ("mousePressed", "mouseReleased"):
                    await call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

            async def bare_type() -> None:
                await call("Runtime.evaluate", expression=SELECT)
                await call("Input.insertText", text=TEXT)

            row("action", "bare ms", "oryn ms", "more ms")
            for name, bare, line in (
                ("click", bare_click, 'click "More"'),
                ("type", bare_type, f'type "Name" "{TEXT}"'),
            ):

                async def ours(line: str = line) -> None:
                    (await must(session, line)).render()

                base, full = await paired(bare, ours, rounds=ROUNDS)
                row(name, f"{base * 1e3:.1f}", f"{full * 1e3:.1f}", f"{(full - base) * 1e3:.1f}")


if __name__ == "__main__":
    run(main)
