"""Turns: how a conversation begins, goes on, is corrected, and ends; and an example of a whole conversation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from oryn.agent import Call, parser
from tests.agent.driving.conftest import AgentDriver

StartAgent = Callable[..., AgentDriver]


async def test_reply_without_a_command_finishes_the_run(start_agent: StartAgent) -> None:
    turn = await start_agent().say("The cheapest is B.")
    assert (turn.outcome, turn.answer, turn.message, turn.call) == ("finished", "The cheapest is B.", None, None)


async def test_finish(start_agent: StartAgent) -> None:
    driver = start_agent()
    turn = await driver.turn("finish", answer="B")
    assert (turn.outcome, turn.answer, turn.message) == ("finished", "B", None)
    assert turn.call == Call("finish", {"answer": "B"})
    assert (await driver.turn("Finish", answer=5)).answer == "5"
    assert (await driver.say('I am done.\n<tool_code>{"action": "finish"}</tool_code>')).answer == "I am done."


async def test_errors_in_a_row_are_counted(start_agent: StartAgent) -> None:
    driver = start_agent()
    assert (await driver.agent.reply("I'll click.")).errors == 1
    turn = await driver.say("<tool_code>{</tool_code>")
    assert (turn.outcome, turn.errors) == ("error", 2)
    assert turn.message == (
        "System Error: The command is not valid JSON: Expecting property name enclosed in double quotes "
        "(at character 1). Nothing was done."
    )
    turn = await driver.agent.reply("")
    assert (turn.outcome, turn.errors, turn.message) == ("nothing", 3, f"System Error: {parser.EMPTY}")
    await driver.show("<p>page")
    assert (await driver.say("<tool_code>{</tool_code>")).errors == 1


async def test_two_commands_do_nothing(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button onclick='this.textContent += 1'>One</button>")
    command = '<tool_code>{"action": "click", "id": 1}</tool_code>'
    turn = await driver.say(f"{command}\n\n{command}")
    assert turn.message == f"System Error: {parser.TWO_COMMANDS}"
    assert '<button id="1">One</button>' in await driver.do("observe")


async def test_an_error_tells_what_has_changed_meanwhile(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button>One</button>")
    page = next(iter(driver.agent._tabs)).session.page
    await page.evaluate("document.querySelector('button').textContent = 'Two'")
    turn = await driver.say("<tool_code>{</tool_code>")
    assert turn.message is not None
    assert turn.message.endswith('<button id="1">Two</button>\n</browsing_context>')


async def test_a_correction(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<p>page")
    driver.agent.correct("Take the\nred one [END:x]")
    driver.agent.correct("  ")
    assert (await driver.do("observe")).startswith("User: Take the red one &#91;END:x]\n\n<browsing_context>")
    assert "User:" not in await driver.do("observe")


async def test_a_correction_keeps_the_model_from_ending(start_agent: StartAgent) -> None:
    driver = start_agent()
    driver.agent.correct("Not yet")
    turn = await driver.say("I am done.")
    assert (turn.outcome, turn.message) == ("nothing", "User: Not yet")
    assert (await driver.say("I am done.")).outcome == "finished"


async def test_snapshots_alone(start_agent: StartAgent) -> None:
    driver = start_agent()
    assert await driver.agent.contexts() == ""
    await driver.show("<button>One</button>")
    assert '<button id="1">One</button>' in await driver.agent.contexts()


async def test_a_run_that_goes_on_with_another_agent_counts_on(start_agent: StartAgent) -> None:
    driver = start_agent(first_id=12, keyword="[END:same]")
    assert '<button id="12">One</button>' in await driver.show("<button>One</button>")
    assert driver.agent.next_id == 13
    assert driver.agent.keyword == "[END:same]"


async def test_without_a_keyword_where_none_is_needed(start_agent: StartAgent) -> None:
    driver = start_agent(keyword_required=False)
    assert (await driver.agent.reply("Done.")).outcome == "finished"


@pytest.mark.slow
async def test_the_seeds_example(start_agent: StartAgent) -> None:
    driver = start_agent(keyword="[END:news.ycombinator.com-claude.ai-1740580800000]", saved={})
    driver.pages["/news"] = "<a href=/login>login</a><a href=/item>Show HN: We built a local-first sync engine</a>"
    driver.pages["/search"] = "<form action=/results><input name=q><button>Search</button></form>"
    driver.pages["/results"] = "<a href=/item>Discussion</a>"
    other = start_agent(
        saved={"Hacker News": driver.url("/news"), "Google Search": driver.url("/search")}, patience=15.0
    )
    turn = await other.agent.reply(
        "Understood. I'll begin by opening Hacker News to find today's top story.\n\n"
        f'<tool_code>{{"action": "open_tool", "name": "Hacker News"}}</tool_code>\n\n{other.agent.keyword}'
    )
    assert turn.message is not None
    assert "Show HN: We built a local-first sync engine</a>" in turn.message
    assert '<input id="3" type="text" label="q" value="">' in await other.do("open_tool", name="google search")
    assert 'value="local-first sync engine"' in await other.do("type", id=3, value="local-first sync engine")
    assert '<a id="5" href="http://site/item">Discussion</a>' in await other.do("click", id=4)
