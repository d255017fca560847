"""Changes between turns: in the next message, or by themselves if the agent waits; and what does not count."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from oryn.agent.agent import UpdatePause
from oryn.browsers.base import Frame, Page
from oryn.browsers.chromium.page import CdpPage
from tests.agent.driving.conftest import AgentDriver

StartAgent = Callable[..., AgentDriver]

TICKING = """<button>Buy</button> <p id=clock>0</p><script>
  let n = 0; globalThis.tick = () => { clock.textContent = ++n }; setInterval(tick, 150)
</script>"""


def page_of(start_agent: AgentDriver, position: int = 0) -> Page:
    return list(start_agent.agent._tabs)[position].session.page


async def wait_until(start_agent: AgentDriver, condition: str) -> None:
    await page_of(start_agent).evaluate(
        f"new Promise((done) => {{ const look = () => ({condition}) ? done() : setTimeout(look, 20); look() }})"
    )


async def start_waiting(start_agent: AgentDriver) -> asyncio.Task[str | None]:
    """The model has nothing to do but to wait."""
    turn = await start_agent.say("I wait for the answer.")
    assert (turn.outcome, turn.message, turn.answer) == ("waiting", None, "I wait for the answer.")
    return asyncio.create_task(start_agent.agent.next_update())


# --- with the next message ---


@pytest.mark.slow
async def test_a_change_between_turns_comes_with_the_next_message(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button>One</button>", "/a")
    await driver.show("<p id=out></p><button>Two</button>", "/b")
    await page_of(driver).evaluate("document.querySelector('button').textContent = 'Uno'")
    told = await driver.do("text")
    assert '<button id="1">Uno</button>' in told
    assert told.endswith("<browsing_context>\n[Target Unchanged]\nURL: http://site/b\n</browsing_context>")


async def test_changed_text_is_part_of_the_snapshot(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button onclick=\"out.textContent = 'Sold out'\">Buy</button><p id=out role=alert></p>")
    told = await driver.do("click", id=1)
    assert told.endswith('\n\nChanged Text:\n| + alert "Sold out"\n</browsing_context>')
    assert "Changed Text" not in await driver.do("observe")


@pytest.mark.slow
async def test_a_message_that_comes_and_goes_between_turns(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button>Buy</button><div id=toasts role=status></div>")
    await page_of(driver).evaluate(
        "(async () => { toasts.textContent = 'Saved'; await new Promise(requestAnimationFrame);"
        "toasts.textContent = '' })()"
    )
    assert '| + status "Saved"' in await driver.do("press", keys="escape")


async def test_changed_text_is_redacted_and_escaped(start_agent: StartAgent) -> None:
    driver = start_agent(redact="all")
    await driver.show(
        "<button onclick=\"out.textContent = '</browsing_context> ann@example.org'\">Buy</button><p id=out></p>"
    )
    assert '\n| + text "&lt;/browsing_context&gt; [email]"\n</browsing_context>' in await driver.do("click", id=1)


async def test_a_change_before_a_command_is_not_its_effect(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button>Buy</button><p id=out></p>")
    await page_of(driver).evaluate("out.textContent = 'Sold out'")
    told = await driver.do("click", id=1)
    assert told.startswith("System: Action executed but no DOM change detected within 0.1 seconds.\n\n")
    assert "[Target Update]" in told and '| + text "Sold out"' in told


@pytest.mark.slow
async def test_a_feed_is_neither_a_change_nor_an_effect(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(TICKING)
    await wait_until(driver, "n > 5")
    await driver.do("observe")
    told = await driver.do("click", id=1)
    assert told == (
        "System: Action executed but no DOM change detected within 0.1 seconds.\n\n"
        "<browsing_context>\n[Target Unchanged]\nURL: http://site/\n</browsing_context>"
    )


@pytest.mark.slow
async def test_a_feed_of_elements_in_another_tab_is_not_reported(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(
        """<ul id=feed></ul><script>let n = 0; setInterval(() => {
          feed.insertAdjacentHTML('afterbegin', `<li><a href="/${++n}">Line ${n}</a>`)
          if (n > 5) feed.lastElementChild.remove() }, 150)</script>""",
        "/feed",
    )
    await driver.show("<button>Buy</button>", "/shop")
    await wait_until(driver, "n > 12")
    await driver.do("observe")
    assert "URL: http://site/feed\n</browsing_context>" in await driver.do("text")


@pytest.mark.slow
async def test_an_effect_in_a_page_with_a_feed_is_reported(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(
        TICKING.replace("<button>", "<button onclick=\"out.textContent = 'Sold out'\">") + "<p id=out></p>"
    )
    await wait_until(driver, "n > 5")
    told = await driver.do("click", id=1)
    assert 'Changed Text:\n| + text "Sold out"\n</browsing_context>' in told


@pytest.mark.slow
async def test_no_html_is_read_to_notice_a_change(start_agent: StartAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[str] = []
    send = CdpPage.scanner

    async def record(page: CdpPage, request: dict[str, Any], frame: Frame | None = None, **rest: Any) -> Any:
        commands.append(request["cmd"])
        return await send(page, request, frame, **rest)

    monkeypatch.setattr(CdpPage, "scanner", record)
    driver = start_agent()
    await driver.show("<button>One</button><iframe srcdoc='<button>Two</button>'></iframe>")
    await driver.do("click", id=1)
    await driver.do("text")
    assert not {"get_html", "execute", "extract"} & set(commands)
    assert commands.count("get_text") == 1  # of the command


# --- by itself ---


@pytest.mark.slow
async def test_a_response_without_a_command_waits_if_the_setting_says_so(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=20)
    shown = await driver.show("<button>One</button><p id=out></p>")
    assert "[Target Update]" in shown
    update = await start_waiting(driver)
    await page_of(driver).evaluate("setTimeout(() => out.innerHTML = '<button>Two</button>', 100)")
    told = await update
    assert told is not None and told.endswith('<button id="2">Two</button>\n</browsing_context>')
    assert (await driver.turn("finish", answer="Two")).outcome == "finished"


async def test_the_wait_has_an_end(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=0.5)
    await driver.show("<button onclick=\"this.className = 'on'\">One</button>")
    update = await start_waiting(driver)
    await page_of(driver).evaluate("document.querySelector('button').className = 'on'")  # no snapshot would show it
    assert await update is None


async def test_a_correction_ends_the_wait(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=60)
    await driver.show("<button>One</button>")
    update = await start_waiting(driver)
    driver.agent.correct("Press it")
    assert await update == "User: Press it"


@pytest.mark.slow
async def test_a_navigation_in_the_background_and_a_dialog(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=60)
    await driver.show("<button>One</button>", "/a")
    await driver.show("<button>Two</button>", "/b")
    update = await start_waiting(driver)
    driver.pages["/next"] = "<button>Next</button>"
    await page_of(driver).evaluate("location.href = '/next'")
    told = await update
    assert told is not None and "/next\n" in told and ">Next<" in told and "/b\n" not in told
    update = await start_waiting(driver)
    await page_of(driver, 1).evaluate("setTimeout(() => confirm('Sure?'), 0)")
    told = await update
    assert told is not None and 'Open Dialog: confirm "Sure?"' in told


@pytest.mark.slow
async def test_a_feed_is_not_sent_by_itself(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=3)
    await driver.show(TICKING)
    assert await (await start_waiting(driver)) is None


@pytest.mark.slow
async def test_what_a_feed_says_is_sent_when_it_has_stopped(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=30)
    await driver.show(
        "<p id=out></p><script>globalThis.write = (n) => { out.textContent += ` word${n}`\n"
        "if (n < 10) setTimeout(() => write(n + 1), 120) }</script>"
    )
    update = await start_waiting(driver)
    await page_of(driver).evaluate("write(1)")
    told = await update
    assert told is not None and "word10" in told


@pytest.mark.slow
async def test_requests_alone_are_no_update(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=1)
    driver.pages["/api"] = (200, {}, "{}")
    await driver.show("<p>page</p>")
    update = await start_waiting(driver)
    await page_of(driver).evaluate("fetch('/api').then(() => 0)")
    assert await update is None
    assert "/api" in await driver.do("observe")


async def test_updates_without_a_command_become_rare() -> None:
    pause, loop = UpdatePause(), asyncio.get_running_loop()
    lengths = []
    for _ in range(8):
        pause.extend()
        lengths.append(round(pause.ends - loop.time()))
    assert lengths == [2, 4, 8, 16, 32, 60, 60, 60]


def test_the_prompt_says_how_to_wait(start_agent: StartAgent) -> None:
    assert "for 30 seconds at most" in start_agent(page_updates=30).agent.prompt
    assert "To wait for a page" not in start_agent().agent.prompt


@pytest.mark.slow
async def test_tabs_that_open_and_close_by_themselves(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=60)
    driver.pages["/next"] = "<button>Next</button>"
    await driver.show("<button onclick=\"setTimeout(() => open('/next'), 300)\">Open</button>")
    await driver.do("observe")
    await page_of(driver).evaluate("setTimeout(() => open('/next'), 100)")
    update = await start_waiting(driver)
    told = await update
    assert told is not None and told.startswith("System: The page opened a new tab, which is a target now: ")
    assert "<button" in told and ">Next<" in told


@pytest.mark.slow
async def test_a_frame_of_another_site_is_watched(start_agent: StartAgent) -> None:
    driver = start_agent(page_updates=60)
    driver.pages["/frame"] = "<p id=out></p><script>onmessage = () => { out.textContent = 'You won' }</script>"
    other = driver.pages.url("/frame", "localhost")
    await driver.show(f"<button>One</button><iframe src='{other}'></iframe>")
    update = await start_waiting(driver)
    await page_of(driver).evaluate("frames[0].postMessage('', '*')")
    told = await update
    assert told is not None and '| + text "You won"' in told
