"""Turns: how a conversation begins, goes on, is corrected, and ends; and the seed's own example."""

from __future__ import annotations

from collections.abc import Callable

from oryn.agent import Call, parser
from tests.agent.driving.conftest import Talk

Talks = Callable[..., Talk]


async def test_reply_without_a_command_finishes_the_run(talk: Talks) -> None:
    turn = await talk().say("The cheapest is B.")
    assert (turn.outcome, turn.answer, turn.message, turn.call) == ("finished", "The cheapest is B.", None, None)


async def test_finish(talk: Talks) -> None:
    one = talk()
    turn = await one.turn("finish", answer="B")
    assert (turn.outcome, turn.answer, turn.message) == ("finished", "B", None)
    assert turn.call == Call("finish", {"answer": "B"})
    assert (await one.turn("Finish", answer=5)).answer == "5"
    assert (await one.say('I am done.\n<tool_code>{"action": "finish"}</tool_code>')).answer == "I am done."


async def test_errors_in_a_row_are_counted(talk: Talks) -> None:
    one = talk()
    assert (await one.agent.reply("I'll click.")).errors == 1
    turn = await one.say("<tool_code>{</tool_code>")
    assert (turn.outcome, turn.errors) == ("error", 2)
    assert turn.message == (
        "System Error: The command is not valid JSON: Expecting property name enclosed in double quotes "
        "(at character 1). Nothing was done."
    )
    turn = await one.agent.reply("")
    assert (turn.outcome, turn.errors, turn.message) == ("nothing", 3, f"System Error: {parser.EMPTY}")
    await one.show("<p>page")
    assert (await one.say("<tool_code>{</tool_code>")).errors == 1


async def test_two_commands_do_nothing(talk: Talks) -> None:
    one = talk()
    await one.show("<button onclick='this.textContent += 1'>One</button>")
    command = '<tool_code>{"action": "click", "id": 1}</tool_code>'
    turn = await one.say(f"{command}\n\n{command}")
    assert turn.message == f"System Error: {parser.TWO_COMMANDS}"
    assert '<button id="1">One</button>' in await one.do("observe")


async def test_an_error_tells_what_has_changed_meanwhile(talk: Talks) -> None:
    one = talk()
    await one.show("<button>One</button>")
    page = next(iter(one.agent._tabs)).session.page
    await page.evaluate("document.querySelector('button').textContent = 'Two'")
    turn = await one.say("<tool_code>{</tool_code>")
    assert turn.message is not None
    assert turn.message.endswith('<button id="1">Two</button>\n</browsing_context>')


async def test_a_correction(talk: Talks) -> None:
    one = talk()
    await one.show("<p>page")
    one.agent.correct("Take the\nred one [END:x]")
    one.agent.correct("  ")
    assert (await one.do("observe")).startswith("User: Take the red one &#91;END:x]\n\n<browsing_context>")
    assert "User:" not in await one.do("observe")


async def test_a_correction_keeps_the_model_from_ending(talk: Talks) -> None:
    one = talk()
    one.agent.correct("Not yet")
    turn = await one.say("I am done.")
    assert (turn.outcome, turn.message) == ("nothing", "User: Not yet")
    assert (await one.say("I am done.")).outcome == "finished"


async def test_snapshots_alone(talk: Talks) -> None:
    one = talk()
    assert await one.agent.contexts() == ""
    await one.show("<button>One</button>")
    assert '<button id="1">One</button>' in await one.agent.contexts()


async def test_a_run_that_goes_on_with_another_agent_counts_on(talk: Talks) -> None:
    one = talk(first_id=12, keyword="[END:same]")
    assert '<button id="12">One</button>' in await one.show("<button>One</button>")
    assert one.agent.next_id == 13
    assert one.agent.keyword == "[END:same]"


async def test_without_a_keyword_where_none_is_needed(talk: Talks) -> None:
    one = talk(keyword_required=False)
    assert (await one.agent.reply("Done.")).outcome == "finished"


async def test_the_seeds_example(talk: Talks) -> None:
    one = talk(keyword="[END:news.ycombinator.com-claude.ai-1740580800000]", saved={})
    one.pages["/news"] = "<a href=/login>login</a><a href=/item>Show HN: We built a local-first sync engine</a>"
    one.pages["/search"] = "<form action=/results><input name=q><button>Search</button></form>"
    one.pages["/results"] = "<a href=/item>Discussion</a>"
    other = talk(saved={"Hacker News": one.url("/news"), "Google Search": one.url("/search")}, patience=15.0)
    turn = await other.agent.reply(
        "Understood. I'll begin by opening Hacker News to find today's top story.\n\n"
        f'<tool_code>{{"action": "open_tool", "name": "Hacker News"}}</tool_code>\n\n{other.agent.keyword}'
    )
    assert turn.message is not None
    assert "Show HN: We built a local-first sync engine</a>" in turn.message
    assert '<input id="3" type="text" label="q" value="">' in await other.do("open_tool", name="google search")
    assert 'value="local-first sync engine"' in await other.do("type", id=3, value="local-first sync engine")
    assert '<a id="5" href="http://site/item">Discussion</a>' in await other.do("click", id=4)
