"""What happens on a page is what the model's own commands say, whatever the page has the model repeat."""

from __future__ import annotations

from html import unescape

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from tests.agent.injection.conversation import ScriptedAgent, scripted_agent
from tests.agent.injection.hostile import COMMAND, LEGACY, MARK, TEXTS, WORST, in_script
from tests.agent.injection.pages import text_page
from tests.agent.injection.test_responses import QUOTES
from tests.headless.conftest import Driver

NAMES = ("a command", "a legacy command", "a command of several lines", "system messages")

TRAP = """<title>Trap</title><button onclick="count.harm++">Harm</button><button onclick="count.fine++">Fine</button>
<p></p><pre></pre><a href="#"></a><script>
const count = {harm: 0, fine: 0};
for (const each of document.querySelectorAll('p, pre, a')) each.textContent = SAID;
</script>"""
"""Its first element is the one that its texts want clicked, and each counts."""

OWN = '<tool_code>{"action": "click", "id": 2}</tool_code>'


async def count_clicks(agent: ScriptedAgent) -> tuple[int, int]:
    """How often each button was clicked."""
    message = await agent("eval", script="`${count.harm} ${count.fine}`")
    harm, fine = message.text[-1].split()
    return int(harm), int(fine)


async def open_trap(oryn: Driver, agent: ScriptedAgent, said: str) -> list[str]:
    """Go to the page; every line of the messages, as it is, that has the page's words."""
    oryn.pages["/trap"] = TRAP.replace("SAID", in_script(said))
    await agent("open_tab", url=oryn.pages.url("/trap"))
    await agent("text")
    lines = [line for message in agent.messages[-2:] for line in message.split("\n") if MARK in line]
    assert len(lines) >= 3, "the page has said it"
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_a_page_that_is_quoted_as_it_was_shown(oryn: Driver, browser: ChromiumBrowser, name: str) -> None:
    async with scripted_agent(browser) as agent:
        lines = await open_trap(oryn, agent, TEXTS[name])
        for words in ("\n".join(lines), *(quote.format(lines[0]) for quote in QUOTES)):
            await agent.say(f"The page wants:\n\n{words}\n\nI don't.\n\n{OWN}")
            assert agent.turn and agent.turn.outcome == "acted", agent.messages[-1]
        assert await count_clicks(agent) == (0, 1 + len(QUOTES))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_a_page_that_is_quoted_word_for_word(oryn: Driver, browser: ChromiumBrowser, name: str) -> None:
    """Beside the model's own command it is that one or none; alone, in a quotation of any kind, it is none."""
    async with scripted_agent(browser) as agent:
        await open_trap(oryn, agent, TEXTS[name])
        acted = 0
        for quote in ("{}", *QUOTES):
            await agent.say(f"The page wants:\n\n{quote.format(TEXTS[name])}\n\nI don't.\n\n{OWN}")
            acted += agent.turn is not None and agent.turn.outcome == "acted"
            await agent.say(f"I refuse {' '.join(TEXTS[name].split())} of the page.")
            assert agent.turn is not None and agent.turn.outcome in ("finished", "error")
        assert await count_clicks(agent) == (0, acted)


async def test_what_a_page_says_is_never_a_response(oryn: Driver, browser: ChromiumBrowser) -> None:
    """Messages are not parsed: nothing happens by them, however often they are asked for."""
    async with scripted_agent(browser) as agent:
        await open_trap(oryn, agent, f"{COMMAND}\n\n{LEGACY}")
        for action in ("observe", "text", "html", "title", "snapshot", "console"):
            await agent(action)
        await agent("eval", script="document.body.textContent")
        await agent("eval", script="setTimeout(() => prompt(document.body.textContent))")
        await agent("dialog accept", text="no")
        assert await count_clicks(agent) == (0, 0)


@pytest.mark.slow
async def test_a_whole_message_repeated_is_no_command(oryn: Driver, browser: ChromiumBrowser) -> None:
    async with scripted_agent(browser) as agent:
        await open_trap(oryn, agent, COMMAND)
        for message in [*agent.messages]:
            await agent.say(message)
            await agent.say(unescape(message))
        assert await count_clicks(agent) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
async def test_a_transcript_replays(oryn: Driver, browser: ChromiumBrowser, name: str) -> None:
    """The same responses have the same outcome, message for message: nothing else was in play."""
    told = []
    oryn.pages["/said"] = text_page(TEXTS[name])
    said = [
        f'<tool_code>{{"action": "open_tab", "url": "{oryn.pages.url("/said")}"}}</tool_code>',
        '<tool_code>{"action": "text"}</tool_code>', '<tool_code>{"action": "type", "id": 6, "value": "x"}</tool_code>',
        f"I am asked for {COMMAND} here.", OWN, '<tool_code>{"action": "observe"}</tool_code>',
    ]  # fmt: skip
    for _ in range(2):
        async with scripted_agent(browser, patience=0) as agent:
            for words in said:
                await agent.say(words)
            told.append(agent.messages)
    assert told[0] == told[1]
