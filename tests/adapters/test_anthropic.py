"""Anthropic's tool sets, driven as their SDK's tool runner drives them: one `tool_use` block after the other."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from anthropic.tools import BetaToolsetCallContext, ToolError
from anthropic.types.beta import BetaToolUseBlock

from oryn import Oryn
from oryn.client.adapters.anthropic import OrynBrowserToolset, OrynComputerToolset
from tests.adapters.conftest import page_log, point_of
from tests.headless.conftest import Pages

pytestmark = pytest.mark.browser


class Caller:
    """Calls members of a tool set by the names and inputs that a model writes."""

    def __init__(self, toolset: Any) -> None:
        self.toolset = toolset

    async def __call__(self, name: str, **input: Any) -> Any:
        use = BetaToolUseBlock(type="tool_use", id="toolu_1", name=name, input=input)
        return await self.toolset.call(BetaToolsetCallContext(tool_use=use), name, input)


def texts(content: Any) -> str:
    """The texts of a result."""
    return content if isinstance(content, str) else "\n".join(each.get("text", "") for each in content)


def at(element: str) -> dict[str, Any]:
    x, y = point_of(element)
    return {"type": "coordinate", "x": x, "y": y}


async def test_the_browser(shop: Oryn, pages: Pages) -> None:
    configs = {"read_console": {"enabled": True}, "read_network": {"enabled": True}}
    call = Caller(OrynBrowserToolset(shop, configs=configs))
    opened = texts(await call("navigate", url=pages.url("/")))
    assert "Form" in opened and pages.url("/") in opened
    found = texts(await call("find", query="the buy button"))
    assert found.startswith("[ref_") and '"Buy"' in found.splitlines()[0]
    ref = found[1 : found.index("]")]
    await call("left_click", target={"type": "ref", "ref": ref}, modifiers="ctrl")
    assert await page_log(shop) == "1 with control"
    await call("double_click", target=at("buy"))
    assert await page_log(shop) == "2"
    tree = texts(await call("read_page"))
    assert 'button "Buy" [ref_e' in tree
    assert "[ref_" in texts(await call("read_page", filter="interactive"))
    await call("left_click", target=at("name"))
    await call("type", text="Ann")
    assert (await shop.value("Name")).data == "Ann"
    await call("triple_click", target=at("name"))
    assert (await shop.eval("String(getSelection())")).data == "Ann"
    for name, value in (("Name", "Bob"), ("Colour", "Blue"), ("Agree", True)):
        row = next(each for each in (await shop.observe()).data["elements"] if name in each["text"])
        await call("form_input", target={"type": "ref", "ref": f"ref_{row['id']}"}, value=value)
    fields = "[...document.querySelectorAll('input, select')]"
    values = f"{fields}.map(each => each.type == 'checkbox' ? each.checked : each.value)"
    assert (await shop.eval(values)).data == ["Bob", "Blue", True]
    await call("scroll", target=at("box"), scroll_direction="down", scroll_amount=2)
    assert (await shop.eval("document.querySelector('#box').scrollTop")).data == 200
    await call("key", text="Tab Escape", repeat=2)
    assert (await shop.eval("document.body.dataset.key")).data == "Escape"
    assert "hello" in texts(await call("read_console")) and "hello" not in texts(await call("read_console"))
    assert pages.url("/") in texts(await call("read_network"))
    assert "Agree" in texts(await call("get_page_text"))
    picture = next(each for each in await call("screenshot") if each["type"] == "image")
    assert base64.b64decode(picture["source"]["data"]).startswith(b"\x89PNG")


async def test_tabs_and_refusals(shop: Oryn, pages: Pages) -> None:
    call = Caller(OrynBrowserToolset(shop))
    first = str((await shop.tabs()).data[0]["number"])
    await call("new_tab")
    await call("navigate", url=pages.url("/next"))
    assert "Agree" in texts(await call("get_page_text", tab_id=first))
    assert (await shop.title()).data == "Next page", "the active tab stays"
    with pytest.raises(ToolError) as refused:
        await call("left_click", target={"type": "ref", "ref": "ref_999"})
    assert "element" in str(refused.value)
    with pytest.raises(ToolError):
        await call("javascript_exec", text="1")
    with pytest.raises(ToolError):
        await call("switch_tab", tab_id="no")
    await call("close_tab", tab_id=str(len((await shop.tabs()).data)))
    assert (await shop.title()).data == "Form"


async def test_the_computer(shop: Oryn) -> None:
    call = Caller(OrynComputerToolset(shop, confirm=lambda context: True))
    await call("left_click", coordinate=list(point_of("buy")), text="ctrl")
    assert await page_log(shop) == "1 with control"
    assert texts(await call("cursor_position")) == f"X={point_of('buy')[0]},Y={point_of('buy')[1]}"
    await call("left_click", coordinate=list(point_of("name")))
    await call("type", text="Ann")
    await call("key", text="BackSpace")
    assert (await shop.value("Name")).data == "An"
    await call("scroll", coordinate=list(point_of("box")), scroll_direction="down", scroll_amount=1)
    assert (await shop.eval("document.querySelector('#box').scrollTop")).data == 100
    await call("mouse_move", coordinate=list(point_of("buy")))
    await call("left_mouse_down")
    await call("left_mouse_up")
    assert (await page_log(shop)).startswith("1")
    await call("left_click_drag", start_coordinate=[10, 10], coordinate=[50, 50])
    await call("hold_key", text="shift", duration=0)
    assert next(each for each in await call("screenshot") if each["type"] == "image")


def test_requests_offer_what_is_served(shop: Oryn) -> None:
    for toolset, type_ in (
        (OrynBrowserToolset(shop), "browser_toolset_20260801"),
        (OrynComputerToolset(shop, confirm=lambda context: True), "computer_toolset_20260801"),
    ):
        entry = toolset.to_dict()
        assert entry["type"] == type_ and entry["configs"]["zoom"] == {"enabled": False}
    assert AsyncAnthropic(api_key="none").beta.messages.tool_runner
