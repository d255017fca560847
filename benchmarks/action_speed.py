"""What a `click` and a `type` take beyond the bare protocol calls, on a form page; the change report is included.

usage: python -m benchmarks.action_speed

The bare click is a look where the button is and the three mouse events; the bare typing focuses, selects and inserts
the text; both then wait for two frames. Medians of rounds run in turn, each from a random point of the browser's frame,
and their difference in milliseconds. Each side has a browser of its own: bare presses would be changes that Oryn's page
makes by itself. The page reacts at once, except to the click `no reaction`, which gets the grace period.
`click elsewhere` presses two buttons in turn, so that the mouse has to move; `click` presses one again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, cycle
from typing import Any, cast

from benchmarks._host import FORM, OnePage
from benchmarks._session import headless_session, must, paired, row, run
from oryn.browsers.chromium.page import CdpPage
from oryn.engine import Session

ROUNDS = 40
FRAME_SECONDS = 1 / 60
PAGE = f"""{FORM}<button id=idle>Idle</button>
<button id=add>Add</button><button id=more>More</button><p id=out></p><script>
let clicks = 0;
for (const id of ['add', 'more']) document.getElementById(id).onclick = () => {{ out.textContent = ++clicks }};
document.getElementById('name').oninput = (event) => {{ out.textContent = event.target.value }};
</script>"""

CENTRE = """(() => {{
  const box = document.getElementById("{}").getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}})()"""
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SELECT = "(() => { const field = document.getElementById('name'); field.focus(); field.select() })()"


def protocol(session: Session) -> Any:
    """`call(method, **params)` on the tab's own connection."""
    channel = cast(CdpPage, session.page).channel

    async def call(method: str, **params: Any) -> dict[str, Any]:
        return await channel.call(method, params)

    return call


async def main() -> None:
    with OnePage(PAGE) as page:
        async with headless_session() as session, headless_session() as other:
            for each in (session, other):
                await must(each, f"goto {page.url}")
            await must(session, "observe")
            call = protocol(other)
            texts = (f"Ada {number}" for number in count())
            bare_buttons, buttons = cycle(("add", "more")), cycle(("Add", "More"))

            async def settle() -> None:
                await call("Runtime.evaluate", expression=TWO_FRAMES, awaitPromise=True)

            async def bare_click(button: str) -> None:
                found = await call("Runtime.evaluate", expression=CENTRE.format(button), returnByValue=True)
                x, y = found["result"]["value"]
                await call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
                for kind in ("mousePressed", "mouseReleased"):
                    await call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
                await settle()

            async def bare_type() -> None:
                await call("Runtime.evaluate", expression=SELECT)
                await call("Input.insertText", text=next(texts))
                await settle()

            row("action", "bare ms", "oryn ms", "more ms")
            for name, bare, line in (
                ("no reaction", lambda: bare_click("idle"), lambda: 'click "Idle"'),
                ("click", lambda: bare_click("add"), lambda: 'click "Add"'),
                ("click elsewhere", lambda: bare_click(next(bare_buttons)), lambda: f'click "{next(buttons)}"'),
                ("type", bare_type, lambda: f'type "Name" "{next(texts)}"'),
            ):

                async def ours(line: Callable[[], str] = line) -> None:
                    (await must(session, line())).render()

                base, full = await paired(bare, ours, rounds=ROUNDS, spread=FRAME_SECONDS)
                row(name, f"{base * 1e3:.1f}", f"{full * 1e3:.1f}", f"{(full - base) * 1e3:.1f}")


if __name__ == "__main__":
    run(main)
