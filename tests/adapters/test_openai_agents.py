"""`OrynComputer` as the computer of the OpenAI Agents SDK."""

from __future__ import annotations

import base64

import pytest
from agents import AsyncComputer, ComputerTool

from oryn import Oryn
from oryn.client.adapters.openai_agents import OrynComputer
from tests.adapters.conftest import page_log, point_of

pytestmark = pytest.mark.browser


async def test_it_is_a_computer_of_the_sdk(shop: Oryn) -> None:
    computer = await OrynComputer.of(shop)
    assert isinstance(computer, AsyncComputer) and ComputerTool(computer).computer is computer
    width, height = computer.dimensions
    picture = base64.b64decode(await computer.screenshot())
    assert int.from_bytes(picture[16:20], "big") == width and int.from_bytes(picture[20:24], "big") == height
    assert computer.environment == "browser"


async def test_mouse_and_keyboard(shop: Oryn) -> None:
    computer = await OrynComputer.of(shop)
    await computer.click(*point_of("name"), "left")
    await computer.type("Ann")
    assert (await shop.value("Name")).data == "Ann"
    await computer.keypress(["CTRL", "A"])
    await computer.type("Bob")
    assert (await shop.value("Name")).data.endswith("Bob")
    await computer.click(*point_of("buy"), "left", keys=["CTRL"])
    assert await page_log(shop) == "1 with control"
    await computer.double_click(*point_of("buy"))
    assert await page_log(shop) == "2"
    await computer.scroll(*point_of("box"), 0, 300)
    assert (await shop.eval("document.querySelector('#box').scrollTop")).data == 300
    await computer.move(*point_of("next"))
    await computer.drag([point_of("name"), point_of("buy")])
    await computer.click(*point_of("next"), "left")
    await shop.wait_url("*/next")
    await computer.click(0, 0, "back")
    assert (await shop.title()).data == "Form"
    await computer.keypress(["ESC"])
    assert (await shop.eval("document.body.dataset.key")).data == "Escape"
    await computer.wait()
