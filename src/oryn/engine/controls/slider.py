"""Sliders: `type` and `select` move one to a value.

A native range takes its value whole. A slider of the page's own (`role=slider`, `role=spinbutton`) has no value that
could be set: this module presses its keys, measures what each press does, and drags the thumb if keys do nothing or
would take too many presses.
https://www.w3.org/WAI/ARIA/apg/patterns/slider/"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from oryn.core.text_safety import plain, quoted
from oryn.engine.page.actionability import wait_until_accepted
from oryn.engine.page.context import query_element
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementDisabled, ElementStale, InvalidElementType, NotDone, OptionNotFound

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import RangeValueRequest, SliderData, SliderRequest, SliderResponse

SLIDER_ROLES = frozenset({"range", "slider", "spinbutton", "scrollbar", "separator"})
"""Roles of elements that may be sliders."""
MAX_ARROW_PRESSES = 60
"""The most single steps that are made with keys when larger ones are possible."""
MAX_CORRECTIONS = 12
"""The most attempts to come closer to a value."""
MAX_NAMED_POSITIONS = 200
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


async def set_slider(context: PageContext, target: Resolved, wanted: str) -> list[str] | None:
    """Move a slider to a value. Return the notes of the answer; None if the target is no slider.

    wanted: a number, a value's own text (`Medium`, `12:30`), or, of a slider that reports no value, its share (`40%`).
    Raises `NotDone` if it only comes near the number, `ElementDisabled`, `OptionNotFound` if no position has that text,
    `InvalidElementType` if the slider reports no value and `wanted` is no share."""
    state = await wait_until_accepted(context, target.frame, lambda: _find_enabled(context, target))
    if state is None:
        return None
    goal = wanted.strip()
    number = float(goal.replace(",", ".")) if _NUMBER.fullmatch(goal) else None
    if state["native"]:
        if number is None:
            raise InvalidElementType(f"a slider takes a number, not {quoted(wanted)}", _range_text(state))
        (await Slider.set_native(context, target, number)).verify(wanted, number)
        return []
    slider = Slider(context, target, await _query_again(context, target, {"cmd": "slider", "focus": True}))
    if slider.state["now"] is None or (number is None and slider.state["text"] is None):
        return await slider.move_to_share(goal)
    if number is None:
        await slider.move_to_text(goal)
        return []
    await slider.move_to(number)
    slider.verify(wanted, number)
    return []


async def _find_enabled(context: PageContext, target: Resolved) -> SliderData | None:
    state = await _query(context, target, {"cmd": "slider"})
    if state is not None and state["disabled"]:
        raise ElementDisabled("the slider is disabled")
    return state


async def _query(
    context: PageContext, target: Resolved, request: SliderRequest | RangeValueRequest
) -> SliderData | None:
    """Return the slider that an element is, names, contains or surrounds; None if there is none."""
    request["next_id"] = context.element_index.next_id
    data: SliderResponse = await query_element(context, target, request)
    context.element_index.next_id = data["next_id"]
    return data["slider"]


async def _query_again(
    context: PageContext, target: Resolved, request: SliderRequest | RangeValueRequest
) -> SliderData:
    """Return a slider that was there before. Raises `ElementStale` if it is none any more."""
    found = await _query(context, target, request)
    if found is None:
        raise ElementStale("the slider has left the page", "Run 'observe' to refresh.")
    return found


def _range_text(state: SliderData, step: float | None = None) -> str:
    text = f"it goes from {state['min']:g} to {state['max']:g}" if None not in (state["min"], state["max"]) else ""
    return f"{text} in steps of {step:g}" if text and step else text


class Slider:
    """One slider while it moves. `state` is the scanner's last report (`slider` in `scanner.protocol`)."""

    def __init__(self, context: PageContext, target: Resolved, state: SliderData) -> None:
        self._context = context
        self._target = target
        self.state = state
        self._step: float | None = state["step"]
        self._keys: dict[int, str] = {}
        """The arrow key that goes to a higher (1) or lower (-1) position."""

    @classmethod
    async def set_native(cls, context: PageContext, target: Resolved, number: float) -> Slider:
        """Set a native range to a number, or the nearest that it takes. A key makes the last step, because some pages
        take a value over only after a key or the mouse, and set it whole if the key does something else."""
        request: RangeValueRequest = {"cmd": "range_value", "value": number}
        slider = cls(context, target, await _query_again(context, target, {**request, "short": True}))
        if slider.now != number:
            await slider._press("arrowup" if slider.now < number else "arrowdown")
            if abs(slider.now - number) > (slider._step or 1) / 2:
                slider.state = await _query_again(context, target, request)
        return slider

    @property
    def now(self) -> float:
        """The value, as the slider reports it; `aria-valuenow` may be rounded, the text of the value is not."""
        now, text = self.state["now"], self.state["text"]
        assert now is not None
        exact = float(text.strip()) if text and _NUMBER.fullmatch(text.strip()) and "," not in text else now
        return exact if abs(exact - now) < 1 else now

    def verify(self, wanted: str, number: float) -> None:
        """Raises `NotDone` if the value is another one than the wanted."""
        if abs(self.now - number) > 1e-6 * max(1.0, abs(number)):
            reason = _range_text(self.state, self._step)
            raise NotDone(
                f"the slider is at {self.now:g}, not {plain(wanted)}" + (f": {reason}" if reason else ""),
                "That is as near as it came: give a value that it takes.",
            )

    async def move_to(self, number: float) -> None:
        """Move to a number, or to the nearest that the slider reaches."""
        low, high = self.state["min"], self.state["max"]
        goal = max(number if low is None else low, min(number, number if high is None else high))
        if goal == self.now:
            return
        if goal in (low, high) and await self._press("home" if goal == low else "end") and goal == self.now:
            return
        if await self._move_by_keys(goal):
            return
        await self._move_by_mouse(goal)
        await self._move_by_keys(goal)

    async def move_to_text(self, wanted: str) -> None:
        """Move step by step to the position whose text is wanted: forward, then backward from where it was. Raises
        `OptionNotFound` if there is none, and then the slider is where it was."""
        start, seen = self.state["position"], [self._text]
        for sign in (1, -1):
            if self._is_at(wanted):
                return
            is_round = await self._walk(sign, seen, lambda: self._is_at(wanted) or self.state["position"] == start)
            if self._is_at(wanted):
                return
            if is_round:
                break
            if self.state["position"] != start:
                await self._walk(-sign, [], lambda: self.state["position"] == start)
        positions = ", ".join(quoted(text) for text in seen[:12] if text)
        raise OptionNotFound(f"the slider has no position {quoted(wanted)}", f"It has {positions}.")

    @property
    def _text(self) -> str:
        return str(self.state["text"] or "").strip()

    def _is_at(self, wanted: str) -> bool:
        return self._text.casefold() == wanted.casefold()

    async def _walk(self, sign: int, seen: list[str], is_end: Callable[[], bool]) -> bool:
        """Press a direction's arrow key until `is_end`. Return False if it stops before. New texts go into `seen`."""
        for _ in range(MAX_NAMED_POSITIONS):
            if not await self._step_to(sign):
                return False
            if self._text not in seen:
                seen.insert(len(seen) if sign > 0 else 0, self._text)
            if is_end():
                return True
        return False

    async def _step_to(self, sign: int) -> bool:
        """Press the arrow key of a direction, each of both if it is not clear which one moves the slider."""
        key = self._keys.get(sign)
        for each in [key] if key else [self._arrow(sign), "arrowup" if sign > 0 else "arrowdown"]:
            if await self._press(each):
                self._keys[sign] = each
                return True
        return False

    async def move_to_share(self, wanted: str) -> list[str]:
        """Drag the thumb to a share of its track. Raises `InvalidElementType` if `wanted` is none."""
        share = _SHARE.fullmatch(wanted)
        if share is None:
            raise InvalidElementType(
                "the slider reports no such value", "Give a share, such as 40%, or press its arrow keys."
            )
        await self._drag_to(min(1.0, float(share[1]) / 100))
        return ["the slider reports no value: look whether it is where it should be"]

    # --- keys ---

    def _arrow(self, sign: int) -> str:
        if self.state["vertical"]:
            return "arrowup" if sign > 0 else "arrowdown"
        return "arrowright" if (sign > 0) != self.state["reversed"] else "arrowleft"

    async def _press(self, key: str, times: int = 1) -> bool:
        """Press a key, and wait for the effect. Return whether there was one."""
        before = self.state["position"]
        for _ in range(times):
            await self._context.page.keyboard.press([key])
        request: SliderRequest = {"cmd": "slider", "after": before}
        self.state = await _query_again(self._context, self._target, request)
        return self.state["position"] != before

    async def _move_by_keys(self, goal: float) -> bool:
        """Press arrow keys, and keys for larger steps if they are far too many. Return whether the value is the goal,
        or as near as single steps come."""
        steps: dict[str, float] = {}
        for _ in range(MAX_CORRECTIONS):
            missing = goal - self.now
            if abs(missing) < 1e-9 or (self._step and abs(missing) < 0.5001 * self._step):
                return True
            key = await self._learned_key(steps, missing)
            if key is None:
                return False
            missing = goal - self.now
            count = round(missing / steps[key])
            if count < 1:
                continue
            if count > MAX_ARROW_PRESSES:
                return False
            before = self.now
            if not await self._press(key, count):
                return False
            steps[key] = (self.now - before) / count  # a scale may be uneven
            self._step = min((abs(step) for step in steps.values() if step), default=None)
        return False

    async def _learned_key(self, steps: dict[str, float], missing: float) -> str | None:
        """Return the key with the largest step that does not go too far. Keys are tried once to learn their steps."""
        sign = 1 if missing > 0 else -1
        arrows = (self._arrow(sign), "arrowup" if sign > 0 else "arrowdown", self._arrow(-sign))
        arrow = await self._first_useful(arrows, steps, sign)
        if arrow is None:
            return None
        page = "pageup" if sign > 0 else "pagedown"
        if abs(missing / steps[arrow]) > MAX_ARROW_PRESSES / 3 and page not in steps:
            await self._learn(page, steps)
        larger = steps.get(page, 0) * sign
        return page if larger > abs(steps[arrow]) and abs(missing) >= larger else arrow

    async def _first_useful(self, keys: tuple[str, ...], steps: dict[str, float], sign: int) -> str | None:
        for key in keys:
            if key not in steps:
                await self._learn(key, steps)
            if steps[key] * sign > 0:
                return key
        return None

    async def _learn(self, key: str, steps: dict[str, float]) -> None:
        before = self.now
        await self._press(key)
        steps[key] = self.now - before
        self._step = min((abs(step) for step in steps.values() if step), default=self._step)

    # --- mouse ---

    async def _move_by_mouse(self, goal: float) -> None:
        """Drag the thumb to where the goal should be, and correct by what the slider reports."""
        low, high = self.state["min"], self.state["max"]
        if low is None or high is None or low == high:
            return
        share, best = (goal - low) / (high - low), (abs(self.now - goal), 0.0)
        correction, tries = share, 0
        while tries < MAX_CORRECTIONS and abs(goal - self.now) > 1e-9:
            await self._drag_to(min(1.0, max(0.0, correction)))
            error = (self.now - goal) / (high - low)
            tries += 1
            if best[0] <= abs(self.now - goal) and tries > 2:
                break
            best = min(best, (abs(self.now - goal), correction))
            correction -= error
            if self._step and abs(self.now - goal) < MAX_ARROW_PRESSES / 2 * self._step:
                break

    async def _drag_to(self, share: float) -> None:
        """Drag the thumb to a share of its track, from the end with the lowest value."""
        track, thumb, before = self.state["track"], self.state["thumb"], self.state["position"]
        x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
        if self.state["vertical"]:
            end = x, track["y"] + track["height"] * (1 - share)
        else:
            end = track["x"] + track["width"] * ((1 - share) if self.state["reversed"] else share), y
        page, frame = self._context.page, self._target.frame
        if frame is not None:
            x, y = await page.to_viewport(x, y, frame)
            end = await page.to_viewport(*end, frame)

        async def destination() -> tuple[float, float]:
            return end

        await page.mouse.drag(x, y, destination)
        request: SliderRequest = {"cmd": "slider", "after": before}
        self.state = await _query_again(self._context, self._target, request)
