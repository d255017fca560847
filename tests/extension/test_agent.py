"""The agent in the user's own browser: the model of a chat tab, whose part the test has, works in tabs behind it."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from oryn.extension.agent.controller import QUESTION_NOTICE
from oryn.extension.agent.run import NO_TAGS, RESTARTED
from scripts.extension.browser import WAIT, ExtendedBrowser
from scripts.extension.builder import PROJECT
from tests.extension.agent_run import GOAL, ChatRun, chat_run, tool_code
from tests.extension.banner import Tab
from tests.headless.conftest import Pages

SHOP = """<!doctype html><title>Shop</title><label>Name <input></label><button>Buy</button>
<p><a href="/next" target=_blank>Next</a></p>
<script>
  const [field, button, words] = document.querySelectorAll('input, button, p');
  button.onclick = () => { words.textContent = `Thanks, ${field.value}`; };
</script>"""


def shop_of(pages: Pages) -> str:
    pages["/shop"] = SHOP
    return pages.url("/shop")


async def buy(run: ChatRun) -> None:
    """What the model does in the shop that it has opened, and what it says of it."""
    assert 'value="Ann"' in await run.calls("type", id=1, value="Ann")
    await run.calls("click", id=2)
    assert "| Thanks, Ann" in await run.calls("text")
    await run.says("The fern is bought.\n\n[KEYWORD]")
    assert await run.end() == "Finished"
    assert await run.text("#agent-answer") == "The fern is bought."


async def tabs_of(run: ChatRun) -> dict[str, Any]:
    """The open tabs, by their paths: whether each is the one in front."""
    rows = await run.popup.evaluate("chrome.tabs.query({}).then((tabs) => tabs.map(({url, active}) => [url, active]))")
    here = run.pages.url("")
    return {url.removeprefix(here): active for url, active in rows if url.startswith(here)}


PAGE = (PROJECT / "docs" / "agent-in-your-browser.md").read_text("utf-8")


@pytest.mark.slow
async def test_the_conversation_of_the_documentation(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    calls = re.findall(r"^    (<tool_code>.*</tool_code>)$", PAGE, re.MULTILINE)
    controls = re.findall(r"^    (<(?:input|button) .*)$", PAGE, re.MULTILINE)
    async with chat_run(extension_browser, pages, settings={"tools": {"Shop": shop_of(pages)}}) as run:
        await run.start()
        await run.next_message()
        answers = []
        for call in calls:
            await run.says(f"I go on.\n\n{call}\n\n[KEYWORD]")
            answers.append(await run.next_message())
        assert answers[0].splitlines()[5:7] == controls
        assert "| Thanks, Ann" in answers[-1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "hostile"])
async def test_a_goal_is_reached_in_tabs_behind(extension_browser: ExtendedBrowser, pages: Pages, kind: str) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages, kind, {"tools": {"Shop": shop}}) as run:
        await run.start()
        prompt = await run.next_message()
        assert prompt.startswith("You are an autonomous web agent. ")
        assert f"• Shop                   → {shop}" in prompt
        assert f"═══ YOUR GOAL ═══\n{GOAL}\n" in prompt
        assert prompt.partition("exact keyword: [END:browser-127.0.0.1-")[2].rstrip("]").isdigit()
        message = await run.calls("open_tool", name="shop")
        assert message.splitlines()[:6] == [
            "<browsing_context>",
            "[Target Update]",
            f"URL: {shop}",
            "",
            "Interactive Elements:",
            '<input id="1" type="text" label="Name" value="">',
        ]
        assert await tabs_of(run) == {"/chat": True, "/shop": False}
        await buy(run)
        assert await run.steps() == [
            "done: open_tool shop",
            "done: type 1 value: …",
            "done: click 2",
            "done: text",
            "done: an answer",
        ]
        assert await tabs_of(run) == {"/chat": True, "/shop": False}, "nothing is closed, nothing came to the front"


async def bar_of(run: ChatRun) -> Tab:
    """The bar on the chat."""
    [tab] = await run.worker.call("tabs.query", {"url": run.chat_url})
    return Tab(run.chat, run.worker, tab["id"])


async def wait_for_text(bar: Tab, words: str) -> None:
    async with asyncio.timeout(WAIT):
        while await bar.text() != words:  # noqa: ASYNC110  nothing tells when
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_bars_tell_who_works_where_and_their_button_stops(
    extension_browser: ExtendedBrowser, pages: Pages
) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.calls("open_tab", url=shop)
        worker = run.worker
        ids = {tab["url"]: tab["id"] for tab in await worker.call("tabs.query", {})}
        chat = await bar_of(run)
        await chat.button()
        assert await chat.text() == "Oryn's agent writes in this chatStop"
        message = json.dumps({"banner": "?"})  # which is answered by whether the bar is shown
        assert await worker.evaluate(f"chrome.tabs.sendMessage({ids[shop]}, {message}, {{frameId: 0}})") is True
        title = "chrome.action.getTitle({})"
        here = run.pages.url("").partition("//")[2]
        assert await worker.evaluate(title) == f"Oryn: the agent of {here} works in this browser"
        await chat.press_stop()
        assert await run.end() == "Ended: stopped."
        await worker.until(f"{title}.then((title) => title === 'Oryn: not connected')")
        await worker.until(f"chrome.tabs.sendMessage({ids[shop]}, {message}, {{frameId: 0}}).then((shown) => !shown)")
        await wait_for_text(chat, "Oryn's agent has ended: stoppedOK")
        await chat.press_stop()
        await run.chat.until("!document.querySelector('[data-oryn-banner]')")


@pytest.mark.slow
async def test_the_user_corrects_it_and_stops_it(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.command("The small one, please")
        await run.popup.until("document.querySelector('#agent-waiting').checkVisibility()")
        assert await run.text("#agent-waiting") == "Your message is sent with the next request."
        assert (await run.calls("open_tab", url=shop)).startswith("User: The small one, please\n\n<browsing_context>")
        await run.press("#agent-stop")
        assert await run.end() == "Ended: stopped."
        await run.says(f"{tool_code('open_tab', url=shop)}\n[KEYWORD]")
        await run.chat.until("!document.querySelector('#buttons').textContent.includes('Stop')")
        assert len(await run.steps()) == 1, "nobody hears it any more"


SCRIPT = "document.title = 'Changed'; 7"


async def question(run: ChatRun) -> str:
    """What the popup asks, while the icon and the chat's bar say that something is asked."""
    await run.popup.until("document.querySelector('#agent-question').checkVisibility()")
    await run.worker.until("chrome.action.getBadgeText({}).then((text) => text === '?')")
    here = run.pages.url("").partition("//")[2]
    assert await run.worker.evaluate("chrome.action.getTitle({})") == f"Oryn: the agent of {here} asks you something"
    await wait_for_text(await bar_of(run), f"{QUESTION_NOTICE}Stop")
    return await run.text("#agent-question-command")


@pytest.mark.slow
async def test_risky_command_waits_for_confirmation(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.calls("open_tab", url=shop)
        await run.says(f"{tool_code('eval', script=SCRIPT)}\n[KEYWORD]")
        assert await question(run) == f'eval "{SCRIPT}"'
        await run.press("#agent-no")
        assert "the user said no to this command. Find another way, or finish." in await run.next_message()
        assert [tab["title"] for tab in await run.worker.call("tabs.query", {"url": shop})] == ["Shop"]
        await run.says(f"{tool_code('eval', script=SCRIPT)}\n[KEYWORD]")
        await question(run)
        await run.press("#agent-yes")
        assert "7" in await run.next_message()
        assert [tab["title"] for tab in await run.worker.call("tabs.query", {"url": shop})] == ["Changed"]
        await run.worker.until("chrome.action.getBadgeText({}).then((text) => text === '')")
        await run.says(f"{tool_code('eval', script='8')}\n[KEYWORD]")
        assert await question(run) == 'eval "8"'
        await run.press("#agent-stop")
        assert await run.end() == "Ended: stopped."
        assert await run.popup.evaluate("!document.querySelector('#agent-question').checkVisibility()")


@pytest.mark.slow
async def test_risky_command_runs_without_confirmation_if_disabled(
    extension_browser: ExtendedBrowser, pages: Pages
) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages, settings={"ask": False}) as run:
        await run.start()
        await run.next_message()
        await run.calls("open_tab", url=shop)
        assert "7" in await run.calls("eval", script=SCRIPT)


@pytest.mark.slow
async def test_tabs_that_the_user_gives_it_and_the_limit(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    pages["/fern"] = "<title>Fern</title><button>Water</button>"
    fern = pages.url("/fern")
    initial = await extension_browser.open_behind(fern)
    async with chat_run(extension_browser, pages, settings={"max_tabs": 1}) as run:
        await run.start(tabs=["Fern"])
        prompt = await run.next_message()
        assert "You may control up to 1 tab simultaneously" in prompt
        assert '<button id="1">Water</button>' in prompt
        message = await run.calls("open_tab", url=shop)
        assert message.startswith(f"System: Tab limit (1) reached. Released tab: {fern}\n\n<browsing_context>")
        assert await run.calls("click", id=1) == "System Error: Element ID 1 not found."
        assert (await tabs_of(run))["/fern"] is False, "it is the user's, and stays open"
    await extension_browser.close_tab(initial)


@pytest.mark.slow
async def test_what_a_page_opens_is_a_target_and_stays_behind(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    pages["/next"] = "<title>Next</title><button>On</button>"
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        link = await run.calls("open_tab", url=shop)
        assert '<a id="3" href="' in link
        message = await run.calls("click", id=3)
        assert f"System: The page opened a new tab, which is a target now: {pages.url('/next')}" in message
        assert '<button id="4">On</button>' in message
        assert await tabs_of(run) == {"/chat": True, "/shop": False, "/next": False}


async def close(run: ChatRun, url: str) -> None:
    """The user closes a tab."""
    for tab in await run.popup.call("tabs.query", {"url": url}):
        await run.popup.call("tabs.remove", tab["id"])


@pytest.mark.slow
async def test_tabs_that_close(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.calls("open_tab", url=shop)
        await close(run, shop)
        assert f"System: A target tab was closed: {shop}" in await run.calls("text")
        await close(run, run.chat_url)
        assert await run.end() == "Ended: the chat's tab was closed."


@pytest.mark.slow
async def test_commands_unsupported_in_a_chat_are_rejected(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.calls("open_tab", url=shop)
        assert "a chat takes no pictures" in (await run.calls("screenshot")).lower()
        assert "is not for agents" in await run.calls("tabs")
        assert "System Error: " in await run.calls("open_tab", url="file:///etc/passwd")
        assert await tabs_of(run) == {"/chat": True, "/shop": False}


@pytest.mark.slow
async def test_a_run_outlives_its_worker(fresh_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(fresh_browser, pages) as run:
        await run.start()
        await run.next_message()
        assert '<button id="2">Buy</button>' in await run.calls("open_tab", url=shop)
        await fresh_browser.kill_worker()
        message = await run.calls("click", id=2)
        assert message.startswith(f"{RESTARTED}\n\n")
        assert '<button id="2">Buy</button>' in message, "a number never means another element"
        assert "| Thanks," in await run.calls("text")
        await run.says("Done.\n[KEYWORD]")
        assert await run.end() == "Finished"
        assert (await run.steps())[0] == f"done: open_tab {shop}", "the popup knows the steps of the earlier life, too"


@pytest.mark.slow
async def test_a_chat_that_is_loaded_again_goes_on(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.chat.evaluate("globalThis.reply = null; setTimeout(() => location.reload()) && 1")
        await run.chat.until("document.readyState === 'complete' && Boolean(globalThis.reply)")
        assert f"URL: {shop}" in await run.calls("open_tab", url=shop)
        assert await run.chat.evaluate("turns.length") == 3, "nothing was sent twice"
        pages["/else"] = "<title>Another site</title>"
        elsewhere = pages.url("/else", host="localhost")
        await run.chat.evaluate(f"setTimeout(() => {{ location = {json.dumps(elsewhere)} }}) && 1")
        here = pages.url("").partition("//")[2]
        assert await run.end() == f"Ended: the chat's tab shows another site, not {here}."


async def test_what_the_user_is_writing_is_not_taken_from_them(
    extension_browser: ExtendedBrowser, pages: Pages
) -> None:
    async with chat_run(extension_browser, pages) as run:
        await run.chat.evaluate("{ box.value = 'My own words'; box.dispatchEvent(new Event('input')); }")
        await run.start()
        await run.popup.until("document.querySelector('#agent-doing').textContent.startsWith(\"The chat's input box\")")
        assert await run.chat.evaluate("box.value") == "My own words"
        await run.chat.evaluate("{ box.value = ''; box.dispatchEvent(new Event('input')); }")
        assert (await run.next_message()).startswith("You are an autonomous web agent. ")


@pytest.mark.slow
async def test_a_chat_that_takes_the_tags_away(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages, strips=True, markdown=True) as run:
        await run.start()
        await run.next_message()
        assert await run.calls("open_tab", url=shop) == NO_TAGS
        older = json.dumps({"tool": "open_tab", "url": shop})
        await run.says(f"Then so.\n\n```json\n{older}\n```\n\n[KEYWORD]")
        assert f"URL: {shop}" in await run.next_message()


@pytest.mark.slow
async def test_an_answer_that_is_cut_off_is_not_acted_upon(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.says(tool_code("open_tab", url=shop))
        assert (await run.next_message()).startswith("System Error: Your response did not end with the session keyword")
        assert await tabs_of(run) == {"/chat": True}


@pytest.mark.slow
async def test_a_server_and_an_agent_take_turns(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    async with chat_run(extension_browser, pages) as run:
        await run.start()
        await run.next_message()
        await run.user.asks(type="connect")
        refused = "an agent works in this browser. Stop it before you connect."
        await run.popup.until(f"globalThis.refused.includes({json.dumps(refused)})")
        await run.press("#agent-stop")
        await run.end()
        await run.user.asks(type="connect")
        await run.user.sees("state.status !== 'disconnected'")
        await run.start()
        refused = "a server is connected, or is to be. Disconnect before an agent starts."
        await run.popup.until(f"document.querySelector('#notice').textContent === {json.dumps(refused)}")
        await run.user.asks(type="disconnect")
        await run.user.sees("state.status === 'disconnected'")


@pytest.mark.slow
async def test_pages_that_change_by_themselves_are_told_if_a_setting_says_so(
    extension_browser: ExtendedBrowser, pages: Pages
) -> None:
    pages["/desk"] = """<title>Desk</title><p id=clock></p><div id=queue></div><script>
      setInterval(() => { clock.textContent = Date.now() }, 500)
      addEventListener('message', ({ data }) => { queue.innerHTML = data })</script>"""
    desk = await extension_browser.open_behind(pages.url("/desk"))
    async with chat_run(extension_browser, pages, settings={"page_updates": 120}) as run:
        await run.start(tabs=["Desk"])
        assert "respond without a command" in await run.next_message()
        await run.says("I wait for a visitor.\n\n[KEYWORD]")
        await run.popup.until("document.querySelector('#agent-doing').textContent.startsWith('The model waits')")
        await desk.evaluate("queue.innerHTML = '<button>Let Ann in</button>'")
        message = await run.next_message()
        assert '<button id="1">Let Ann in</button>' in message
        await run.says("Not her.\n\n[KEYWORD]")
        await run.popup.until("document.querySelector('#agent-doing').textContent.startsWith('The model waits')")
        await run.command("Let her in")
        assert "User: Let her in" in await run.next_message()
        await run.says(f"{tool_code('finish', answer='Done')}\n\n[KEYWORD]")
        assert await run.end() == "Finished"
        assert (await run.steps())[:2] == ["done: waits for a page to change"] * 2


@pytest.mark.slow
async def test_a_chat_that_is_closed_while_the_model_waits(extension_browser: ExtendedBrowser, pages: Pages) -> None:
    async with chat_run(extension_browser, pages, settings={"page_updates": 120}) as run:
        await run.start()
        await run.next_message()
        await run.says("I wait.\n\n[KEYWORD]")
        await run.popup.until("document.querySelector('#agent-doing').textContent.startsWith('The model waits')")
        await extension_browser.close_tab(run.chat)
        assert await run.end() == "Ended: the chat's tab was closed."
