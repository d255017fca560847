"""Checks that wait until they are true, as tests need them: `oryn.expect("Saved").to_be_visible()`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from oryn.client.caller import Target
from oryn.errors import ElementNotFound, ElementStale, Timeout

if TYPE_CHECKING:
    from oryn.client._generated import OrynMethods
    from oryn.client.result import Result

DEFAULT_SECONDS = 5.0
_INTERVALS = (0.05, 0.1, 0.25, 0.5)
"""Seconds between two looks; the last one repeats. The page gives no notice of what its text or value will be."""


class Expectation:
    """What is expected of an element. Each method waits until it is true, for at most `timeout` seconds (5).

    The methods raise `Timeout`, which says what is there instead, or the error of the command, such as
    `SelectorInvalid`."""

    def __init__(self, oryn: OrynMethods, target: Target) -> None:
        self._oryn = oryn
        self._target = target

    async def to_be_visible(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element or text is visible."""
        await self._oryn.wait_visible(self._target, timeout=timeout)

    async def to_be_hidden(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element is hidden, or there is no such element."""
        await self._oryn.wait_hidden(self._target, timeout=timeout)

    async def to_be_enabled(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element can be used."""
        await self._oryn.wait_enabled(self._target, timeout=timeout)

    async def to_be_disabled(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element can't be used."""
        await self._oryn.wait_disabled(self._target, timeout=timeout)

    async def to_exist(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until there is such an element or text."""
        await self._oryn.wait_exists(self._target, timeout=timeout)

    async def to_be_gone(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until there is no such element or text any more."""
        await self._oryn.wait_gone(self._target, timeout=timeout)

    async def to_be_checked(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the box is checked."""
        await self._until("checked", lambda: self._oryn.is_checked(self._target), lambda data: data is True, timeout)

    async def to_be_focused(self, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element has the focus."""
        await self._until("focused", lambda: self._oryn.is_focused(self._target), lambda data: data is True, timeout)

    async def to_have_text(self, text: str, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the element's text contains `text`."""
        what = f"the text {text!r}"
        await self._until(what, lambda: self._oryn.text(self._target), lambda data: text in data, timeout)

    async def to_have_value(self, value: str, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until the field's value is `value`."""
        what = f"the value {value!r}"
        await self._until(what, lambda: self._oryn.value(self._target), lambda data: data == value, timeout)

    async def to_have_count(self, count: int, *, timeout: float = DEFAULT_SECONDS) -> None:
        """Wait until there are exactly `count` such elements or texts."""
        what = f"{count} of them"
        await self._until(what, lambda: self._oryn.count(self._target), lambda data: data == count, timeout)

    async def _until(
        self, what: str, look: Callable[[], Awaitable[Result[Any]]], fits: Callable[[Any], bool], timeout: float
    ) -> None:
        """Look again until what is there fits. Raises `Timeout`."""
        loop = asyncio.get_running_loop()
        ends, number, found = loop.time() + timeout, 0, "no such element"
        while True:
            try:
                data = (await look()).data
                if fits(data):
                    return
                found = repr(data)
            except (ElementNotFound, ElementStale):
                found = "no such element"
            if loop.time() >= ends:
                error = Timeout(f"expected {what} of {self._target!r}, found {found}")
                error.target = self._target
                raise error
            await asyncio.sleep(_INTERVALS[min(number, len(_INTERVALS) - 1)])
            number += 1
