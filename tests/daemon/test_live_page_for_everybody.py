"""The live page by keyboard, for a screen reader, in light and dark, narrow and enlarged."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.axe import needs_axe, violations
from tests.daemon.live import LivePage
from tests.headless.conftest import Pages

CONTRASTS = r"""(() => {
  const parse = (colour) => {
    const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const [r, g, b, alpha] = parse(getComputedStyle(node).backgroundColor);
      if (alpha === 255) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const light = (colour) => colour.slice(0, 3)
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const poor = [];
  for (const node of document.querySelectorAll('body *')) {
    const texts = [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
    if (!texts || !node.checkVisibility() || node.closest('.marks, .visually-hidden, noscript, option')) continue;
    const found = contrast(parse(getComputedStyle(node).color), ground(node));
    if (found < 4.5) poor.push(`${node.className} ${node.textContent.slice(0, 30)}: ${found.toFixed(2)}`);
  }
  for (const node of document.querySelectorAll('input[type=text], input[type=search], select')) {
    const found = contrast(parse(getComputedStyle(node).borderTopColor), ground(node.parentElement));
    if (found < 3) poor.push(`border of ${node.id}: ${found.toFixed(2)}`);
  }
  return poor;
})()"""

NAMELESS = r"""['button, input, select, canvas, [role=listbox], [role=region], nav, section, form']
  .flatMap((selector) => [...document.querySelectorAll(selector)])
  .filter((node) => node.checkVisibility())
  .filter((node) => !(node.getAttribute('aria-label') || node.labels?.[0]?.textContent.trim()
    || document.getElementById(node.getAttribute('aria-labelledby'))?.textContent
    || (node.tagName === 'BUTTON' && node.textContent.trim()) || node.id === 'command'))
  .map((node) => node.outerHTML.slice(0, 120))"""


@pytest.mark.slow
async def test_the_keyboard_reaches_everything(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.daemon.ok("observe", session="plants")
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    await live.until("document.querySelectorAll('#rows .open').length > 1")
    await live.keys("tab")
    assert await live.js("document.activeElement.className") == "skip"
    assert await live.js("document.activeElement.getBoundingClientRect().top >= 0"), "it shows when it has the focus"
    order = []
    for _ in range(15):
        await live.keys("tab")
        order.append(await live.focused())
        assert await live.js("getComputedStyle(document.activeElement).outlineStyle") != "none", order[-1]
    assert order[0].startswith("plants")
    assert order[1:8] == ["numbers", "mark", "take-over", "line", "Send", "answer", "elements"]
    assert order[8:11] == ["events-pause", "events-type", "events-session"]
    assert order[12:] == ["search-text", "search-session", "search-action"]
    await live.js("document.querySelector('#elements').focus()")
    assert await live.js("document.querySelector('#elements').getAttribute('aria-activedescendant')") == "element-1"
    await live.keys("arrowdown")
    assert await live.text("[aria-selected=true] .number") == "2"
    assert await live.text(".mark.selected") == "2"
    await live.keys("end", "home", "arrowdown", "enter")
    assert await live.focused() == "line"
    await live.until("document.querySelector('#line').value === 'click 2'")
    await live.keys("enter")
    await live.until("document.title === 'Boston fern – plants – Oryn'")


async def test_names_roles_and_landmarks_for_a_screen_reader(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.daemon.ok("observe", session="plants")
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    await live.until("document.querySelectorAll('#rows .open').length > 1")
    tree = await live.say("snapshot")
    for row in (
        'heading "Oryn',
        'navigation "Sessions"',
        'region "plants"',
        'img "Picture of plants: Fernhill"',
        'checkbox "Show numbers"',
        'textbox "Command for plants"',
        'listbox "Elements"',
        'option "1 Turn blue button"',
        'combobox "Event type"',
        'search "History"',
        'columnheader: "Command"',
        'region "History table"',
    ):
        assert row in tree, f"{row} is not in\n{tree}"
    assert await live.js(NAMELESS) == []
    assert await live.js("[...document.querySelectorAll('h1, h2')].map((each) => each.tagName).join(' ')") == (
        "H1 H2 H2 H2 H2 H2"
    )
    identifiers = await live.js("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(set(identifiers)) == len(identifiers)
    assert await live.js("document.documentElement.lang") == "en"


@pytest.mark.slow
@needs_axe
async def test_axe_finds_nothing(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.daemon.ok("observe", session="plants")
    await live.daemon.ask("click 99", session="plants")
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    await live.until("document.querySelectorAll('#rows .bad').length > 0")
    assert await violations(live.say, live.js) == {}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_colours_can_be_told_apart(live: LivePage, live_shop: Callable[..., str], scheme: str) -> None:
    await live.say(f"media color-scheme {scheme}")
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.daemon.ok("observe", session="plants")
    await live.daemon.ask("click 99", session="plants")
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    await live.until("document.querySelectorAll('#rows .bad').length > 0")
    await live.js("document.querySelector('#elements').focus()")
    assert await live.js(CONTRASTS) == []


@pytest.mark.slow
async def test_a_narrow_or_enlarged_page_scrolls_one_way_only(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.daemon.ok("observe", session="plants")
    await live.say("viewport 320 640")
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    await live.until("document.querySelectorAll('#rows .open').length > 1")
    assert await live.js("document.documentElement.scrollWidth") == 320
    assert await live.js("document.querySelector('.table').scrollWidth <= document.querySelector('.table').clientWidth")
    await live.say("viewport 640 360")  # 1280 by 720 at 200 %
    assert await live.js("document.documentElement.scrollWidth") == 640


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_takeover_for_everybody(live: LivePage, pages: Pages, scheme: str) -> None:
    pages["/ask"] = """<title>Ask</title><style>* { margin: 0 } button { position: absolute; top: 50px; height: 40px }
        </style><button onclick="prompt('Your name?')">Ask</button>"""
    await live.say(f"media color-scheme {scheme}")
    await live.daemon.ok(f"goto {pages.url('/ask')}", session="plants")
    await live.daemon.ok("observe", session="plants")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    assert await live.js("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tree = await live.say("snapshot")
    for row in ('button "Give back"', 'group "Takeover"', 'textbox "Mouse and keyboard of plants"', 'button "Back"'):
        assert row in tree, f"{row} is not in\n{tree}"
    described = "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    assert "F6 leaves the picture" in await live.js(described)
    await live.press_at(20, 70)
    await live.until("document.activeElement.id === 'page-dialog-input'")
    assert 'alertdialog "The page asks"' in await live.say("snapshot")
    assert await live.js(CONTRASTS) == []
    assert await live.js(NAMELESS) == []
    await live.keys("escape")
    await live.until("document.activeElement.id === 'surface'")
    await live.say("viewport 320 640")
    assert await live.js("document.documentElement.scrollWidth") == 320
    await live.give_back()


@pytest.mark.slow
async def test_what_the_agent_does_is_announced(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.open()
    await live.until_text("#stage-title", "plants")
    await live.daemon.ask("click 99", session="plants")
    await live.until("document.querySelector('#announcement').textContent === 'Agent: click failed: element not found'")
    assert await live.text("#activity") == "click failed: element not found"
    assert await live.js("document.querySelector('#announcement').getAttribute('role')") == "status"
