"""The live page as whoever looks at it has it: a browser that Oryn drives, and what the page shows there."""

from __future__ import annotations

import json
from typing import Any

from websockets.asyncio.client import connect

from oryn.engine import Session
from tests.daemon.daemon_process import RunningDaemon

SHOP = """<title>Fernhill</title><style>body { background: %s }</style><h1>Plants</h1>
<button onclick="document.body.style.background='rgb(0, 0, 255)'">Turn blue</button>
<a href="/fern">Boston fern</a> <label>Password <input type=password></label>"""

# How bright the picture's corner is, as [red, green, blue].
CORNER = """[...document.querySelector('#picture').getContext('2d').getImageData(1270, 700, 1, 1).data].slice(0, 3)"""


def takeover_socket(daemon: RunningDaemon, name: str = "default", **headers: str) -> connect:
    """A takeover by a program that has the token."""
    url = f"ws://127.0.0.1:{daemon.port}/sessions/{name}/takeover"
    return connect(url, additional_headers=headers or {"Authorization": f"Bearer {daemon.token}"}, proxy=None)


class LivePage:
    """The live page of a daemon, as whoever looks at it has it."""

    def __init__(self, session: Session, daemon: RunningDaemon) -> None:
        self.session = session
        self.daemon = daemon

    async def say(self, line: str) -> str:
        """The answer to a line that has to go well."""
        answer = await self.session.execute(line)
        assert answer.error is None, answer.render()
        return answer.render()

    async def js(self, expression: str) -> Any:
        return await self.session.page.evaluate(expression)

    async def until(self, expression: str) -> None:
        await self.say(f"wait until {json.dumps(expression)}")

    async def text(self, selector: str) -> str:
        found: str = await self.js(f"document.querySelector({json.dumps(selector)}).innerText.trim()")
        return found

    async def until_text(self, selector: str, text: str) -> None:
        await self.until(f"document.querySelector({json.dumps(selector)}).innerText.includes({json.dumps(text)})")

    async def open(self) -> None:
        url = (await self.daemon.client.post("/link")).json()["url"]
        await self.say(f"goto {url}")
        await self.until("document.querySelector('#connection').dataset.state === 'open'")

    async def keys(self, *keys: str) -> None:
        for key in keys:
            await self.say(f"press {key}")

    async def focused(self) -> str:
        """The id, or else the text, of what has the focus."""
        found: str = await self.js("document.activeElement.id || document.activeElement.textContent.trim()")
        return found

    # --- a person who takes the session over ---

    async def take_over(self) -> None:
        await self.say('click "Take over"')
        await self.until("document.activeElement.id === 'surface'")

    async def give_back(self) -> None:
        await self.say('click "Give back"')
        await self.until("document.querySelector('#surface').hidden")

    async def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the session's page is on this one."""
        left, top, width = await self.js(
            "(() => { const box = document.querySelector('#picture').getBoundingClientRect();"
            " return [box.left, box.top, box.width] })()"
        )
        scale = width / 1280
        return left + x * scale, top + y * scale

    async def press_at(self, x: float, y: float, **how: Any) -> None:
        """Click on the picture, with a mouse of the browser that shows it."""
        await self.session.page.mouse.click(*await self.place(x, y), **how)

    async def type_keys(self, text: str) -> None:
        await self.session.page.keyboard.type(text)
