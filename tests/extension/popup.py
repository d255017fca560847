"""The popup without its extension: a page on loopback, and a worker that the test speaks for."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from oryn.engine import Session
from scripts.extension.builder import SHARED, TEMPLATE
from tests.headless.conftest import Pages

FOLDER = TEMPLATE / "popup"
PARTS = (FOLDER / "popup.html", FOLDER / "popup.css", *SHARED)
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}

# A port as extensions have it; `fake` is the worker's end of the one that is open.
WORKER = """
function event() {
  const all = [];
  return { addListener: (each) => all.push(each), fire: (...values) => all.forEach((each) => each(...values)) };
}
function connect({ name }) {
  fake.opened += 1;
  const postMessage = (message) => fake.received.push(message);
  fake.port = { name, onMessage: event(), onDisconnect: event(), postMessage };
  return fake.port;
}
globalThis.fake = {
  received: [],
  opened: 0,
  port: null,
  copied: null,
  say: (message) => fake.port.onMessage.fire(message),
  drop: () => fake.port.onDisconnect.fire(),
};
globalThis.chrome = { runtime: { connect } };
Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { fake.copied = text; } } });
"""

STATE: dict[str, Any] = {
    "type": "state",
    "status": "disconnected",
    "detail": "",
    "endpoint": "ws://localhost:8080",
    "code": None,
    "code_expires": None,
    "retry_at": None,
    "settings": {
        "endpoint": "ws://localhost:8080",
        "auto_connect": False,
        "tab_scope": "active",
        "trusted_input": False,
        "allowlist": [],
    },
    "paired": [],
    "activity": [],
    "engine": {"state": "ready", "version": "0.1.0", "how": "snapshot", "ms": 640, "error": None},
    "warning": None,
    "controlled": [],
}


def state(**changes: Any) -> dict[str, Any]:
    """What the worker says, with changes; those of `settings` and `engine` go into what stands there."""
    data = copy.deepcopy(STATE)
    for name, value in changes.items():
        data[name] = {**data[name], **value} if name in ("settings", "engine") else value
    return data


class Popup:
    """The popup as its user sees it, and the worker's part by `says` and `received`."""

    def __init__(self, session: Session, pages: Pages, bundles: Path) -> None:
        """`bundles` has the scripts of the extension."""
        self.session = session
        self._pages = pages
        self._script = bundles / "popup" / "popup.js"

    async def open(self, first: dict[str, Any] | None = None) -> None:
        for file in (*PARTS, self._script):
            self._pages[f"/popup/{file.name}"] = served(file)
        self._pages["/popup/fake.js"] = (200, {"Content-Type": "text/javascript"}, WORKER)
        await self.say(f"goto {self._pages.url('/popup/popup.html')}")
        await self.until("globalThis.fake && fake.port")
        if first is not None:
            await self.says(first)

    async def say(self, line: str) -> str:
        """The answer to a line that has to go well."""
        answer = await self.session.execute(line)
        assert answer.error is None, answer.render()
        return answer.render()

    async def js(self, expression: str) -> Any:
        return await self.session.page.evaluate(expression)

    async def until(self, expression: str) -> None:
        await self.say(f"wait until {json.dumps(expression)}")

    async def says(self, message: dict[str, Any]) -> None:
        """The worker says something."""
        await self.js(f"fake.say({json.dumps(message)})")

    async def received(self) -> list[dict[str, Any]]:
        """The messages that the worker has received since the last call."""
        received: list[dict[str, Any]] = await self.js("fake.received.splice(0)")
        return received

    async def text(self, selector: str) -> str:
        found: str = await self.js(f"document.querySelector({json.dumps(selector)}).innerText.trim()")
        return found

    async def is_visible(self, selector: str) -> bool:
        return bool(await self.js(f"document.querySelector({json.dumps(selector)}).checkVisibility()"))

    async def focused(self) -> str:
        """What has the focus: its id or name, else its text."""
        found: str = await self.js(
            "(({ id, name, textContent }) => id || name || textContent.trim())(document.activeElement)"
        )
        return found

    async def keys(self, *keys: str) -> None:
        for key in keys:
            await self.say(f"press {key}")


def served(file: Path) -> tuple[int, dict[str, str], str]:
    text = file.read_text("utf-8")
    if file.suffix == ".html":
        text = text.replace('<script type="module"', '<script src="fake.js"></script>\n<script type="module"')
    return 200, {"Content-Type": f"{_TYPES[file.suffix]}; charset=utf-8"}, text
