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
from tests.extension.agent_run import GOAL, Talk, talking, tool_code
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


async def buy(talk: Talk) -> None:
    """What the model does in the shop that it has opened, and what it says of it."""
    assert 'value="Ann"' in await talk.calls("type", id=1, value="Ann")
    await talk.calls("click", id=2)
    assert "| Thanks, Ann" in await talk.calls("text")
    await talk.says("The fern is bought.\n\n[KEYWORD]")
    assert await talk.end() == "Finished"
    assert await talk.text("#agent-answer") == "The fern is bought."


async def tabs_of(talk: Talk) -> dict[str, Any]:
    """The open tabs, by their paths: whether each is the one in front."""
    rows = await talk.popup.evaluate("chrome.tabs.query({}).then((tabs) => tabs.map(({url, active}) => [url, active]))")
    here = talk.pages.url("")
    return {url.removeprefix(here): active for url, active in rows if url.startswith(here)}


PAGE = (PROJECT / "docs" / "agent-in-your-browser.md").read_text("utf-8")


async def test_the_conversation_of_the_documentation(extended: ExtendedBrowser, pages: Pages) -> None:
    calls = re.findall(r"^    (<tool_code>.*</tool_code>)$", PAGE, re.MULTILINE)
    controls = re.findall(r"^    (<(?:input|button) .*)$", PAGE, re.MULTILINE)
    async with talking(extended, pages, settings={"tools": {"Shop": shop_of(pages)}}) as talk:
        await talk.start()
        await talk.next_message()
        answers = []
        for call in calls:
            await talk.says(f"I go on.\n\n{call}\n\n[KEYWORD]")
            answers.append(await talk.next_message())
        assert answers[0].splitlines()[5:7] == controls
        assert "| Thanks, Ann" in answers[-1]


@pytest.mark.parametrize("kind", ["plain", "hostile"])
async def test_a_goal_is_reached_in_tabs_behind(extended: ExtendedBrowser, pages: Pages, kind: str) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages, kind, {"tools": {"Shop": shop}}) as talk:
        await talk.start()
        prompt = await talk.next_message()
        assert prompt.startswith("You are an autonomous web agent. ")
        assert f"• Shop                   → {shop}" in prompt
        assert f"═══ YOUR GOAL ═══\n{GOAL}\n" in prompt
        assert prompt.partition("exact keyword: [END:browser-127.0.0.1-")[2].rstrip("]").isdigit()
        message = await talk.calls("open_tool", name="shop")
        assert message.splitlines()[:6] == [
            "<browsing_context>",
            "[Target Update]",
            f"URL: {shop}",
            "",
            "Interactive Elements:",
            '<input id="1" type="text" label="Name" value="">',
        ]
        assert await tabs_of(talk) == {"/chat": True, "/shop": False}
        await buy(talk)
        assert await talk.steps() == [
            "done: open_tool shop",
            "done: type 1 value: …",
            "done: click 2",
            "done: text",
            "done: an answer",
        ]
        assert await tabs_of(talk) == {"/chat": True, "/shop": False}, "nothing is closed, nothing came to the front"


async def bar_of(talk: Talk) -> Tab:
    """The bar on the chat."""
    [tab] = await talk.worker.call("tabs.query", {"url": talk.chat_url})
    return Tab(talk.chat, talk.worker, tab["id"])


async def until_it_says(bar: Tab, words: str) -> None:
    async with asyncio.timeout(WAIT):
        while await bar.text() != words:  # noqa: ASYNC110  nothing tells when
            await asyncio.sleep(0.05)


async def test_bars_tell_who_works_where_and_their_button_stops(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.calls("open_tab", url=shop)
        worker = talk.worker
        ids = {tab["url"]: tab["id"] for tab in await worker.call("tabs.query", {})}
        chat = await bar_of(talk)
        await chat.button()
        assert await chat.text() == "Oryn's agent writes in this chatStop"
        message = json.dumps({"banner": "?"})  # which is answered by whether the bar is shown
        assert await worker.evaluate(f"chrome.tabs.sendMessage({ids[shop]}, {message}, {{frameId: 0}})") is True
        title = "chrome.action.getTitle({})"
        here = talk.pages.url("").partition("//")[2]
        assert await worker.evaluate(title) == f"Oryn: the agent of {here} works in this browser"
        await chat.press_stop()
        assert await talk.end() == "Ended: stopped."
        await worker.until(f"{title}.then((title) => title === 'Oryn: not connected')")
        await worker.until(f"chrome.tabs.sendMessage({ids[shop]}, {message}, {{frameId: 0}}).then((shown) => !shown)")
        await until_it_says(chat, "Oryn's agent has ended: stoppedOK")
        await chat.press_stop()
        await talk.chat.until("!document.querySelector('[data-oryn-banner]')")


async def test_the_user_corrects_it_and_stops_it(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.command("The small one, please")
        await talk.popup.until("document.querySelector('#agent-waiting').checkVisibility()")
        assert await talk.text("#agent-waiting") == "Your command is sent with the next message."
        assert (await talk.calls("open_tab", url=shop)).startswith("User: The small one, please\n\n<browsing_context>")
        await talk.press("#agent-stop")
        assert await talk.end() == "Ended: stopped."
        await talk.says(f"{tool_code('open_tab', url=shop)}\n[KEYWORD]")
        await talk.chat.until("!document.querySelector('#buttons').textContent.includes('Stop')")
        assert len(await talk.steps()) == 1, "nobody hears it any more"


SCRIPT = "document.title = 'Changed'; 7"


async def question(talk: Talk) -> str:
    """What the popup asks, while the icon and the chat's bar say that something is asked."""
    await talk.popup.until("document.querySelector('#agent-question').checkVisibility()")
    await talk.worker.until("chrome.action.getBadgeText({}).then((text) => text === '?')")
    here = talk.pages.url("").partition("//")[2]
    assert await talk.worker.evaluate("chrome.action.getTitle({})") == f"Oryn: the agent of {here} asks you something"
    await until_it_says(await bar_of(talk), f"{QUESTION_NOTICE}Stop")
    return await talk.text("#agent-question-command")


async def test_risky_command_waits_for_confirmation(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.calls("open_tab", url=shop)
        await talk.says(f"{tool_code('eval', script=SCRIPT)}\n[KEYWORD]")
        assert await question(talk) == f'eval "{SCRIPT}"'
        await talk.press("#agent-no")
        assert "the user said no to this command. Find another way, or finish." in await talk.next_message()
        assert [tab["title"] for tab in await talk.worker.call("tabs.query", {"url": shop})] == ["Shop"]
        await talk.says(f"{tool_code('eval', script=SCRIPT)}\n[KEYWORD]")
        await question(talk)
        await talk.press("#agent-yes")
        assert "7" in await talk.next_message()
        assert [tab["title"] for tab in await talk.worker.call("tabs.query", {"url": shop})] == ["Changed"]
        await talk.worker.until("chrome.action.getBadgeText({}).then((text) => text === '')")
        await talk.says(f"{tool_code('eval', script='8')}\n[KEYWORD]")
        assert await question(talk) == 'eval "8"'
        await talk.press("#agent-stop")
        assert await talk.end() == "Ended: stopped."
        assert await talk.popup.evaluate("!document.querySelector('#agent-question').checkVisibility()")


async def test_risky_command_runs_without_confirmation_if_disabled(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages, settings={"ask": False}) as talk:
        await talk.start()
        await talk.next_message()
        await talk.calls("open_tab", url=shop)
        assert "7" in await talk.calls("eval", script=SCRIPT)


async def test_tabs_that_the_user_gives_it_and_the_limit(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    pages["/fern"] = "<title>Fern</title><button>Water</button>"
    fern = pages.url("/fern")
    initial = await extended.open_behind(fern)
    async with talking(extended, pages, settings={"max_tabs": 1}) as talk:
        await talk.start(tabs=["Fern"])
        prompt = await talk.next_message()
        assert "You may control up to 1 tab simultaneously" in prompt
        assert '<button id="1">Water</button>' in prompt
        message = await talk.calls("open_tab", url=shop)
        assert message.startswith(f"System: Tab limit (1) reached. Released tab: {fern}\n\n<browsing_context>")
        assert await talk.calls("click", id=1) == "System Error: Element ID 1 not found."
        assert (await tabs_of(talk))["/fern"] is False, "it is the user's, and stays open"
    await extended.close_tab(initial)


async def test_what_a_page_opens_is_a_target_and_stays_behind(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    pages["/next"] = "<title>Next</title><button>On</button>"
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        link = await talk.calls("open_tab", url=shop)
        assert '<a id="3" href="' in link
        message = await talk.calls("click", id=3)
        assert f"System: The page opened a new tab, which is a target now: {pages.url('/next')}" in message
        assert '<button id="4">On</button>' in message
        assert await tabs_of(talk) == {"/chat": True, "/shop": False, "/next": False}


async def close(talk: Talk, url: str) -> None:
    """The user closes a tab."""
    for tab in await talk.popup.call("tabs.query", {"url": url}):
        await talk.popup.call("tabs.remove", tab["id"])


async def test_tabs_that_close(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.calls("open_tab", url=shop)
        await close(talk, shop)
        assert f"System: A target tab was closed: {shop}" in await talk.calls("text")
        await close(talk, talk.chat_url)
        assert await talk.end() == "Ended: the chat's tab was closed."


async def test_commands_unsupported_in_a_chat_are_rejected(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.calls("open_tab", url=shop)
        assert "a chat takes no pictures" in (await talk.calls("screenshot")).lower()
        assert "is not for agents" in await talk.calls("tabs")
        assert "System Error: " in await talk.calls("open_tab", url="file:///etc/passwd")
        assert await tabs_of(talk) == {"/chat": True, "/shop": False}


async def test_a_run_outlives_its_worker(fresh: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(fresh, pages) as talk:
        await talk.start()
        await talk.next_message()
        assert '<button id="2">Buy</button>' in await talk.calls("open_tab", url=shop)
        await fresh.kill_worker()
        message = await talk.calls("click", id=2)
        assert message.startswith(f"{RESTARTED}\n\n")
        assert '<button id="2">Buy</button>' in message, "a number never means another element"
        assert "| Thanks," in await talk.calls("text")
        await talk.says("Done.\n[KEYWORD]")
        assert await talk.end() == "Finished"
        assert (await talk.steps())[0] == f"done: open_tab {shop}", "the popup knows the steps of the earlier life, too"


async def test_a_chat_that_is_loaded_again_goes_on(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.chat.evaluate("globalThis.reply = null; setTimeout(() => location.reload()) && 1")
        await talk.chat.until("document.readyState === 'complete' && Boolean(globalThis.reply)")
        assert f"URL: {shop}" in await talk.calls("open_tab", url=shop)
        assert await talk.chat.evaluate("turns.length") == 3, "nothing was sent twice"
        pages["/else"] = "<title>Another site</title>"
        elsewhere = pages.url("/else", host="localhost")
        await talk.chat.evaluate(f"setTimeout(() => {{ location = {json.dumps(elsewhere)} }}) && 1")
        here = pages.url("").partition("//")[2]
        assert await talk.end() == f"Ended: the chat's tab shows another site, not {here}."


async def test_what_the_user_is_writing_is_not_taken_from_them(extended: ExtendedBrowser, pages: Pages) -> None:
    async with talking(extended, pages) as talk:
        await talk.chat.evaluate("{ box.value = 'My own words'; box.dispatchEvent(new Event('input')); }")
        await talk.start()
        await talk.popup.until(
            "document.querySelector('#agent-doing').textContent.startsWith(\"The chat's input box\")"
        )
        assert await talk.chat.evaluate("box.value") == "My own words"
        await talk.chat.evaluate("{ box.value = ''; box.dispatchEvent(new Event('input')); }")
        assert (await talk.next_message()).startswith("You are an autonomous web agent. ")


async def test_a_chat_that_takes_the_tags_away(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages, strips=True, markdown=True) as talk:
        await talk.start()
        await talk.next_message()
        assert await talk.calls("open_tab", url=shop) == NO_TAGS
        older = json.dumps({"tool": "open_tab", "url": shop})
        await talk.says(f"Then so.\n\n```json\n{older}\n```\n\n[KEYWORD]")
        assert f"URL: {shop}" in await talk.next_message()


async def test_an_answer_that_is_cut_off_is_not_acted_upon(extended: ExtendedBrowser, pages: Pages) -> None:
    shop = shop_of(pages)
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.says(tool_code("open_tab", url=shop))
        assert (await talk.next_message()).startswith(
            "System Error: Your response did not end with the session keyword"
        )
        assert await tabs_of(talk) == {"/chat": True}


async def test_a_server_and_an_agent_take_turns(extended: ExtendedBrowser, pages: Pages) -> None:
    async with talking(extended, pages) as talk:
        await talk.start()
        await talk.next_message()
        await talk.user.asks(type="connect")
        refused = "an agent works in this browser. Stop it before you connect."
        await talk.popup.until(f"globalThis.refused.includes({json.dumps(refused)})")
        await talk.press("#agent-stop")
        await talk.end()
        await talk.user.asks(type="connect")
        await talk.user.sees("state.status !== 'disconnected'")
        await talk.start()
        refused = "a server is connected, or is to be. Disconnect before an agent starts."
        await talk.popup.until(f"document.querySelector('#notice').textContent === {json.dumps(refused)}")
        await talk.user.asks(type="disconnect")
        await talk.user.sees("state.status === 'disconnected'")


async def test_pages_that_change_by_themselves_are_told_if_a_setting_says_so(
    extended: ExtendedBrowser, pages: Pages
) -> None:
    pages["/desk"] = """<title>Desk</title><p id=clock></p><div id=queue></div><script>
      setInterval(() => { clock.textContent = Date.now() }, 500)
      addEventListener('message', ({ data }) => { queue.innerHTML = data })</script>"""
    desk = await extended.open_behind(pages.url("/desk"))
    async with talking(extended, pages, settings={"page_updates": 120}) as talk:
        await talk.start(tabs=["Desk"])
        assert "respond without a command" in await talk.next_message()
        await talk.says("I wait for a visitor.\n\n[KEYWORD]")
        await talk.popup.until("document.querySelector('#agent-doing').textContent.startsWith('The model waits')")
        await desk.evaluate("queue.innerHTML = '<button>Let Ann in</button>'")
        message = await talk.next_message()
        assert '<button id="1">Let Ann in</button>' in message
        await talk.says("Not her.\n\n[KEYWORD]")
        await talk.popup.until("document.querySelector('#agent-doing').textContent.startsWith('The model waits')")
        await talk.command("Let her in")
        assert "User: Let her in" in await talk.next_message()
        await talk.says(f"{tool_code('finish', answer='Done')}\n\n[KEYWORD]")
        assert await talk.end() == "Finished"
        assert (await talk.steps())[:2] == ["done: waits for a page to change"] * 2


async def test_a_chat_that_is_closed_while_the_model_waits(extended: ExtendedBrowser, pages: Pages) -> None:
    async with talking(extended, pages, settings={"page_updates": 120}) as talk:
        await talk.start()
        await talk.next_message()
        await talk.says("I wait.\n\n[KEYWORD]")
        await talk.popup.until("document.querySelector('#agent-doing').textContent.startsWith('The model waits')")
        await extended.close_tab(talk.chat)
        assert await talk.end() == "Ended: the chat's tab was closed."
