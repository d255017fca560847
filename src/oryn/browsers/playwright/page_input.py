"""Input by Playwright's mouse and keyboard, from the actions of WebDriver.

https://www.w3.org/TR/webdriver2/#actions, https://playwright.dev/python/docs/input"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal

from oryn.browsers.webdriver.input import KEY_VALUES

if TYPE_CHECKING:
    from playwright.async_api import Page

_BUTTONS: dict[int, Literal["left", "middle", "right"]] = {0: "left", 1: "middle", 2: "right"}
_NAMES = {value: name for name, value in KEY_VALUES.items()}
_PAUSE = {"type": "pause"}


class InputActions:
    """Performs actions; remembers what is pressed no longer than a call."""

    async def perform(self, page: Page, sources: list[dict[str, Any]]) -> None:
        """Perform the actions of all sources, tick by tick."""
        for tick in zip_longest(*(source["actions"] for source in sources), fillvalue=_PAUSE):
            for action in tick:
                await self._perform_one(page, action)

    async def _perform_one(self, page: Page, action: dict[str, Any]) -> None:
        match action["type"]:
            case "pointerMove":
                await page.mouse.move(action["x"], action["y"])
            case "pointerDown":
                await page.mouse.down(button=_BUTTONS[action["button"]])
            case "pointerUp":
                await page.mouse.up(button=_BUTTONS[action["button"]])
            case "scroll":
                await page.mouse.wheel(action["deltaX"], action["deltaY"])
            case "keyDown":
                await self._press(page, action["value"])
            case "keyUp":
                if self._is_key(action["value"]):
                    await page.keyboard.up(_NAMES.get(action["value"], action["value"]))

    async def _press(self, page: Page, value: str) -> None:
        if self._is_key(value):
            await page.keyboard.down(_NAMES.get(value, value))
        else:
            await page.keyboard.insert_text(value)

    @staticmethod
    def _is_key(value: str) -> bool:
        """Whether Playwright's keyboard, which has American keys, has the key."""
        return value in _NAMES or (value.isascii() and value.isprintable())
