"""Anthropic's computer and browser tool sets, for the tool runner of their SDK.

    async with OrynBrowserToolset(oryn) as browser:
        runner = client.beta.messages.tool_runner(tools=[browser], …)

https://platform.claude.com/docs/en/agents-and-tools/tool-use/browser-use-tool and computer-use-tool"""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from anthropic.tools import ToolError
from anthropic.tools.browser import (
    BetaAsyncAbstractBrowserToolset20260801,
    BetaBrowserNavigateResult,
    BetaBrowserState,
    BetaScreenshotResult,
)
from anthropic.tools.computer import BetaAsyncAbstractComputerToolset20260801, BetaComputerCursorPositionResult

from oryn.client.adapters.viewport import NOTCH, Viewport, point
from oryn.errors import InvalidElementType, OrynError

if TYPE_CHECKING:
    from oryn.client.client import Oryn
    from oryn.client.result import Result

_HISTORY = {"back": "back", "forward": "forward", "reload": "refresh"}
_REFERENCE = re.compile(r"@e([0-9]+)")
_ACTIVE_ROLES = frozenset(
    ("button", "checkbox", "combobox", "link", "listbox", "menuitem", "option", "radio", "searchbox", "slider")
) | {"spinbutton", "switch", "tab", "textbox", "treeitem"}
MAX_PAGE_CHARACTERS = 50_000
MAX_MATCHES = 20
DEFAULT_DEPTH = 15


@asynccontextmanager
async def _errors_for_model() -> AsyncIterator[None]:
    """Let a model read the error of a command, with its hint."""
    try:
        yield
    except OrynError as error:
        raise ToolError(f"{error.message}. {error.hint}" if error.hint else error.message) from error


async def _screenshot(viewport: Viewport) -> BetaScreenshotResult:
    async with _errors_for_model():
        return BetaScreenshotResult(data=base64.b64encode(await viewport.picture()).decode("ascii"))


class _Clicks:
    """The clicks of both tool sets."""

    async def _click(self, input: Any, **more: Any) -> None:
        raise NotImplementedError

    async def left_click(self, context: Any, input: Any) -> None:
        await self._click(input)

    async def right_click(self, context: Any, input: Any) -> None:
        await self._click(input, button="right")

    async def middle_click(self, context: Any, input: Any) -> None:
        await self._click(input, button="middle")

    async def double_click(self, context: Any, input: Any) -> None:
        await self._click(input, count=2)

    async def triple_click(self, context: Any, input: Any) -> None:
        await self._click(input, count=3)


class OrynComputerToolset(_Clicks, BetaAsyncAbstractComputerToolset20260801):
    """The viewport of a session as the computer of `computer_toolset_20260801`. It has no `zoom`.

    `options` are those of the base class: `confirm` is required while `type`, `key` or `hold_key` is enabled."""

    def __init__(self, oryn: Oryn, **options: Any) -> None:
        self._viewport = Viewport(oryn)
        super().__init__(**options)

    def _at(self, coordinate: list[int] | None) -> tuple[int, int]:
        if coordinate is not None:
            self._viewport.cursor = coordinate[0], coordinate[1]
        return self._viewport.cursor

    async def _click(self, input: Any, **more: Any) -> None:
        async with _errors_for_model():
            modifiers = (input.text or "").split("+")
            await self._viewport.click(point(*self._at(input.coordinate)), modifiers=modifiers, **more)

    async def left_click_drag(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.drag([(*input.start_coordinate,), (*input.coordinate,)])

    async def left_mouse_down(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.oryn.mouse_down()

    async def left_mouse_up(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.oryn.mouse_up()

    async def mouse_move(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.move(*input.coordinate)

    async def cursor_position(self, context: Any, input: Any) -> BetaComputerCursorPositionResult:
        x, y = self._viewport.cursor
        return BetaComputerCursorPositionResult(x=x, y=y)

    async def scroll(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            x, y = self._at(input.coordinate)
            await self._viewport.scroll(x, y, input.scroll_direction, input.scroll_amount * NOTCH)

    async def type(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.type(input.text)

    async def key(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.press(input.text, times=input.repeat or 1)

    async def hold_key(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.hold(input.text, input.duration)

    async def wait(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._viewport.oryn.wait(input.duration)

    async def screenshot(self, context: Any, input: Any) -> BetaScreenshotResult:
        return await _screenshot(self._viewport)


class OrynBrowserToolset(_Clicks, BetaAsyncAbstractBrowserToolset20260801):
    """A session as the browser of `browser_toolset_20260801`.

    Elements that `find` and the filter `interactive` list have references that last as long as the document; those of
    the whole tree last until the next one. It has no `zoom` and no staged documents. `options` are those of the base
    class: `javascript_exec` and `file_upload` are off unless `configs` enables them."""

    def __init__(self, oryn: Oryn, **options: Any) -> None:
        self._viewport = Viewport(oryn)
        self._oryn = self._viewport.oryn
        self._changes: list[dict[str, Any]] = []
        self._reads: dict[str, float] = {}
        super().__init__(**options)

    @asynccontextmanager
    async def _in_tab(self, tab_id: str | None) -> AsyncIterator[None]:
        """Run commands in a tab, and make the present one active again."""
        async with _errors_for_model():
            present = next((each["number"] for each in (await self._oryn.tabs()).data if each["current"]), None)
            if tab_id is None or tab_id == str(present):
                yield
                return
            await self._oryn.tab_switch(_tab_number(tab_id))
            try:
                yield
            finally:
                if present is not None:
                    await self._oryn.tab_switch(present)

    async def _browser_state(self, context: Any) -> BetaBrowserState:
        tabs = [_tab_entry(each) for each in (await self._oryn.tabs()).data]
        changes, self._changes = self._changes, []
        return BetaBrowserState(tabs=tabs, state_changes=changes)

    def _note(self, result: Result[Any]) -> None:
        """Note the downloads and the tabs of a result for the next report."""
        for change in result.changes:
            if change.kind == "tab":
                self._changes.append({"type": "tab_opened", "tab_id": str(change.data["number"])})
            elif change.kind == "download" and change.data.get("path"):
                row = {"type": "download_completed", "download_id": str(change.data["filename"]), "url": ""}
                self._changes.append({**row, "path": change.data["path"], "size_bytes": change.data.get("size")})

    async def navigate(self, context: Any, input: Any) -> BetaBrowserNavigateResult:
        async with self._in_tab(input.tab_id):
            move = _HISTORY.get(input.url)
            result = await (getattr(self._oryn, move)() if move else self._oryn.goto(input.url))
            self._note(result)
            page = result.page
            return BetaBrowserNavigateResult(url=page.url if page else "", title=page.title if page else None)

    async def screenshot(self, context: Any, input: Any) -> BetaScreenshotResult:
        async with self._in_tab(input.tab_id):
            return await _screenshot(self._viewport)

    async def _click(self, input: Any, **more: Any) -> None:
        async with self._in_tab(input.tab_id):
            modifiers = (getattr(input, "modifiers", None) or "").split("+")
            await self._viewport.click(_target(input.target), modifiers=modifiers, **more)

    async def hover(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._oryn.mouse_move(_target(input.target))

    async def left_click_drag(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._viewport.drag([(input.from_.x, input.from_.y), (input.target.x, input.target.y)])

    async def left_mouse_down(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._oryn.mouse_down(_target(input.target))

    async def left_mouse_up(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._oryn.mouse_up(_target(input.target))

    async def mouse_move(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._viewport.move(input.target.x, input.target.y)

    async def scroll(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            pixels = (input.scroll_amount or 3) * NOTCH
            await self._viewport.scroll(input.target.x, input.target.y, input.scroll_direction, pixels)

    async def scroll_to(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._oryn.scroll(target=_target(input.target))

    async def type(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._viewport.type(input.text)

    async def key(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            for _ in range(input.repeat or 1):
                for each in input.text.split():
                    await self._viewport.press(each)

    async def hold_key(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._viewport.hold(input.text, input.duration)

    async def form_input(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            target, value = _target(input.target), input.value
            if isinstance(value, bool):
                await (self._oryn.check(target) if value else self._oryn.uncheck(target))
                return
            text = f"{value:g}" if isinstance(value, float) else str(value)
            try:
                await self._oryn.type(target, text)
            except InvalidElementType:
                await self._oryn.select(target, text)

    async def read_page(self, context: Any, input: Any) -> str:
        async with self._in_tab(input.tab_id):
            if input.filter == "interactive":
                seen = await self._oryn.observe(limit=0)
                lines = [line for line in seen.text.split("\n") if line.startswith("[")]
                return _capped("\n".join(re.sub(r"^\[([0-9]+)\]", r"[ref_\1]", line) for line in lines))
            tree = (await self._oryn.snapshot()).text.split("\n\n", 2)[-1].split("\n")
            return _capped(_subtree(tree, input.ref, input.depth or DEFAULT_DEPTH))

    async def find(self, context: Any, input: Any) -> str:
        async with self._in_tab(input.tab_id):
            elements = (await self._oryn.observe(limit=0)).data["elements"]
            wanted = set(re.findall(r"\w+", input.query.lower()))
            scored = [(len(wanted & _words_of(each)), number, each) for number, each in enumerate(elements)]
            best = sorted((row for row in scored if row[0]), key=lambda row: (-row[0], row[1]))[:MAX_MATCHES]
            rows = [f'[ref_{each["id"]}] {each["role"] or each["type"]} "{each["text"]}"' for _, _, each in best]
            return "\n".join(rows) or "No element fits that description."

    async def get_page_text(self, context: Any, input: Any) -> str:
        async with self._in_tab(input.tab_id):
            return _capped((await self._oryn.text()).data)

    async def wait(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            await self._oryn.wait(min(input.duration, 30))

    async def file_upload(self, context: Any, input: Any) -> None:
        async with self._in_tab(input.tab_id):
            if not input.paths:
                raise ToolError("files are named by paths here")
            await self._oryn.upload(_target(input.target), input.paths)

    async def read_console(self, context: Any, input: Any) -> str:
        async with self._in_tab(input.tab_id):
            rows = [each for each in (await self._oryn.console()).data if each["time"] > self._reads.get("console", 0)]
            self._reads["console"] = max([self._reads.get("console", 0), *(each["time"] for each in rows)])
            return _capped("\n".join(f"{each['level']}: {each['text']}" for each in rows))

    async def read_network(self, context: Any, input: Any) -> str:
        async with self._in_tab(input.tab_id):
            rows = [
                each for each in (await self._oryn.requests()).data if each["number"] > self._reads.get("network", 0)
            ]
            self._reads["network"] = max([self._reads.get("network", 0), *(each["number"] for each in rows)])
            lines = [
                f"{each['method']} {each['url']} {each['status'] or each['failure'] or 'pending'}" for each in rows
            ]
            return _capped("\n".join(lines))

    async def javascript_exec(self, context: Any, input: Any) -> str:
        async with self._in_tab(input.tab_id):
            return str((await self._oryn.eval(input.text)).data)

    async def new_tab(self, context: Any, input: Any) -> Any:
        async with _errors_for_model():
            await self._oryn.tab_new("about:blank")
            return await self._active_tab()

    async def list_tabs(self, context: Any, input: Any) -> list[Any]:
        async with _errors_for_model():
            return [_tab_entry(each) for each in (await self._oryn.tabs()).data]

    async def switch_tab(self, context: Any, input: Any) -> Any:
        async with _errors_for_model():
            await self._oryn.tab_switch(_tab_number(input.tab_id))
            return await self._active_tab()

    async def close_tab(self, context: Any, input: Any) -> None:
        async with _errors_for_model():
            await self._oryn.tab_close(_tab_number(input.tab_id))

    async def _active_tab(self) -> dict[str, Any]:
        return next(_tab_entry(each) for each in (await self._oryn.tabs()).data if each["current"])


def _tab_entry(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"tab_id": str(row["number"]), "url": row["url"], "title": row["title"], "active": row["current"]}


def _tab_number(tab_id: str) -> int:
    if not tab_id.isdecimal():
        raise ToolError(f"there is no tab {tab_id[:40]}; list_tabs shows them")
    return int(tab_id)


def _target(target: Any) -> dict[str, Any]:
    if target.type == "coordinate":
        return {**point(target.x, target.y)}
    found = re.fullmatch(r"ref_(e?)([0-9]{1,9})", target.ref)
    if found is None:
        raise ToolError(f"there is no element {target.ref[:40]}; read_page and find list them")
    return {"reference" if found[1] else "id": int(found[2])}


def _words_of(element: Mapping[str, Any]) -> set[str]:
    return set(re.findall(r"\w+", f"{element['text']} {element['role']} {element['type']}".lower()))


def _subtree(lines: list[str], ref: str | None, depth: int) -> str:
    """Return the lines of the tree below a reference, at most so deep, with references as the tool set has them."""
    marked = [_REFERENCE.sub(r"[ref_e\1]", line) for line in lines]
    levels = [(len(line) - len(line.lstrip())) // 2 for line in marked]
    start, end = 0, len(marked)
    if ref is not None:
        start = next((number for number, line in enumerate(marked) if f"[{ref}]" in line), -1)
        if start < 0:
            raise ToolError(f"there is no element {ref[:40]} in the tree now; read the page again")
        end = next((n for n in range(start + 1, len(marked)) if levels[n] <= levels[start]), end)
    return "\n".join(marked[n] for n in range(start, end) if levels[n] - levels[start] < depth)


def _capped(text: str) -> str:
    more = len(text) - MAX_PAGE_CHARACTERS
    return text if more <= 0 else f"{text[:MAX_PAGE_CHARACTERS]}\n… {more} more characters"
