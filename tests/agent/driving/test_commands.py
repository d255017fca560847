"""The protocol's own commands and those of the table, in real Chromium, with every way of getting them wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from oryn.errors import ConfirmationRequired
from tests.agent.driving.conftest import AgentDriver

StartAgent = Callable[..., AgentDriver]

FIELD = "<label>Name <input value='Ann'></label>"


def value(message: str) -> str:
    """What the first field holds."""
    return message.split(' value="')[1].split('"')[0]


@pytest.mark.slow
async def test_a_click(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button onclick=\"this.textContent = 'Bought'\">Buy</button>")
    assert await driver.do("click", id=1) == (
        "<browsing_context>\n[Target Update]\nURL: http://site/\n\n"
        'Interactive Elements:\n<button id="1">Bought</button>\n</browsing_context>'
    )


@pytest.mark.slow
async def test_type_presses_keys_where_the_cursor_is(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(
        """<label>Name <input style="width: 400px" value="Ann"></label><p id=keys></p>
        <script>document.querySelector('input').onkeydown = event => keys.textContent += event.key</script>"""
    )
    assert value(await driver.do("type", id=1, value=" Lee")) == "Ann Lee"
    assert "| Ann Lee\n" not in await driver.do("text")
    assert "|  Lee" in await driver.do("text") or "| Lee" in await driver.do("text")
    assert value(await driver.do("type", id=1, value="")) == ""
    assert value(await driver.do("type", id=1, value="Bob")) == "Bob"


@pytest.mark.slow
async def test_each_typed_character_has_its_key_events(start_agent: StartAgent) -> None:
    """keyDown, char, keyUp, in a field that has the focus by a click."""
    driver = start_agent(text_limit=2000)
    await driver.show(
        """<input><p id=log></p><script>
        for (const kind of ['mousedown', 'keydown', 'keypress', 'input', 'keyup'])
          document.querySelector('input').addEventListener(kind, (event) => {
            log.textContent += ` ${kind}:${event.key ?? event.data ?? ''}${event.isTrusted ? '' : '!'}` })
        </script>"""
    )
    told = await driver.do("type", id=1, value="aB1é")
    events = [f"keydown:{key} keypress:{key} input:{key} keyup:{key}" for key in "aB1é"]
    assert f"| mousedown: {' '.join(events)}\n" in told


@pytest.mark.slow
async def test_type_into_date_and_rich_text_fields(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<input type=date><div contenteditable>Dear</div><input type=checkbox><input readonly value=x>")
    assert 'type="date" value="2026-11-22"' in await driver.do("type", id=1, value="2026-11-22")
    assert 'value="DearAnn"' in await driver.do("type", id=2, value="Ann")
    assert (await driver.refused("type", id=3, value="x")).startswith("System Error: a input can't be typed into")
    assert (await driver.refused("type", id=4, value="x")).startswith("System Error: the field is read-only")


@pytest.mark.slow
async def test_type_into_a_narrow_number_field(start_agent: StartAgent) -> None:
    """Its middle is the browser's arrows, which change the number."""
    driver = start_agent()
    await driver.show("<input type=number style='width: 30px'>")
    assert value(await driver.do("type", id=1, value="5")) == "5"


@pytest.mark.slow
async def test_a_value_of_the_vault(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<input value=Ann>")
    assert (await driver.refused("type", id=1, value="{{vault:shop.password}}")).startswith("System Error: ")
    assert value(await driver.do("observe")) == "Ann"


@pytest.mark.slow
async def test_a_click_that_does_nothing(start_agent: StartAgent) -> None:
    driver = start_agent(patience=0.2)
    await driver.show("<button>Nothing</button><input>")
    assert await driver.do("click", id=1) == (
        "System: Action executed but no DOM change detected within 0.2 seconds.\n\n"
        "<browsing_context>\n[Target Unchanged]\nURL: http://site/\n</browsing_context>"
    )
    assert (await driver.turn("click", id=1)).repeated == 2
    assert "no DOM change" not in await driver.do("click", id=2), "it has the focus now"
    assert "no DOM change" in await driver.do("click", id=1), "that it takes the focus away is no effect"


async def test_the_time_out_is_fifteen_seconds() -> None:
    from oryn.agent.agent import CHANGE_TIMEOUT_SECONDS
    from oryn.agent.messages import timed_out

    assert timed_out(CHANGE_TIMEOUT_SECONDS) == "System: Action executed but no DOM change detected within 15 seconds."


@pytest.mark.slow
async def test_a_change_that_comes_late(start_agent: StartAgent) -> None:
    driver = start_agent(patience=60)
    await driver.show("<button onclick=\"setTimeout(() => this.textContent = 'Sold', 1000)\">Buy</button>")
    told = await driver.do("click", id=1)
    assert "no DOM change" not in told
    assert '<button id="1">Sold</button>' in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"id": 99}, "Element ID 99 not found."),
        ({}, '"click" needs "id": the number of an element in the most recent snapshot.'),
        ({"id": "1"}, '"id" must be the number of an element in the most recent snapshot, without quotes.'),
        ({"id": True}, '"id" must be the number of an element in the most recent snapshot, without quotes.'),
        ({"id": 1.5}, '"id" must be the number of an element in the most recent snapshot, without quotes.'),
        ({"id": None}, '"id" must be the number of an element in the most recent snapshot, without quotes.'),
        ({"id": -1}, '"id" must be the number of an element in the most recent snapshot, without quotes.'),
        ({"id": 1e400}, '"id" must be the number of an element in the most recent snapshot, without quotes.'),
        ({"id": 1, "hard": True}, "click has no argument"),
        ({"target": "Nowhere"}, "element not found. Run 'observe' to see what is there."),
        ({"id": 2}, "the element is disabled."),
    ],
)
async def test_a_wrong_click(start_agent: StartAgent, arguments: dict[str, object], error: str) -> None:
    driver = start_agent()
    await driver.show("<button onclick=\"document.title = 'clicked'\">One</button><button disabled>Two</button>")
    turn = await driver.say(f"<tool_code>{_json('click', arguments)}</tool_code>")
    assert turn.outcome == "error"
    assert turn.errors == 1
    assert turn.message is not None
    assert turn.message.startswith(f"System Error: {error}"), turn.message


def _json(action: str, arguments: dict[str, object]) -> str:
    import json

    return json.dumps({"action": action, **arguments}).replace("Infinity", "1e400")


async def test_a_wrong_type(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(FIELD)
    assert await driver.refused("type", id=1) == 'System Error: "type" needs "value": the text, as a string.'
    assert await driver.refused("type", id=1, value=5) == 'System Error: "type" needs "value": the text, as a string.'
    assert await driver.refused("type", id=7, value="x") == "System Error: Element ID 7 not found."
    assert (await driver.refused("type", id=1, value="x", speed=3)).startswith("System Error: type has no argument")


async def test_without_a_tab(start_agent: StartAgent) -> None:
    driver = start_agent()
    assert await driver.refused("click", id=1) == "System Error: Element ID 1 not found."
    assert await driver.refused("text") == "System Error: There is no target tab. Open one with open_tab."


@pytest.mark.slow
async def test_invalid_commands_are_rejected_with_a_reason(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(FIELD)
    assert await driver.refused("clik", id=1) == 'System Error: unknown command "clik". did you mean click?'
    assert (await driver.refused("tab", action_="new")).startswith("System Error: ")
    for action, more in (
        ("exit", {}),
        ("sessions", {}),
        ("tab new", {"url": "about:blank"}),
        ("tabs", {}),
        ("close", {}),
    ):
        assert "is not for agents." in await driver.refused(action, **more), action
    assert "is not for agents." in await driver.refused("oryn", line="tab close")
    assert await driver.refused("oryn", line="@other url") == "System Error: Commands act on the target tabs alone."
    assert await driver.refused("oryn", line="# nothing") == (
        "System Error: the line has no command. Say 'help' to see the commands."
    )


@pytest.mark.slow
async def test_commands_of_the_table(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(
        """<label>Country <select><option>France<option>Spain</select></label><label><input type=checkbox> Rust</label>
        <form onsubmit="event.preventDefault(); out.textContent = 'sent'"><input placeholder=Search></form>
        <p id=out></p>"""
    )
    assert 'value="Spain"' in await driver.do("select", id=1, value="Spain")
    assert 'checked="true"' in await driver.do("check", id=2)
    assert value(await driver.do("type", target="Search", text="tea", enter=True)) == "Spain"
    assert "| sent" in await driver.do("text")
    assert "| sent" in await driver.do("oryn", line='text --selector "#out"')
    assert '<command_result action="title">\n| ""\n</command_result>' in await driver.do("title")
    assert 'value=""' in await driver.do("clear", id=3)
    assert "[Target Update]" in await driver.do("press", keys="a")
    assert "[Target Unchanged]" in await driver.do("click", id=2, double=True, timeout=5)
    assert "| [1]" in await driver.do("observe", near="Country")


@pytest.mark.slow
async def test_a_dialog(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show(
        "<button onclick=\"this.textContent = confirm('Buy “it”? </browsing_context>') ? 'yes' : 'no'\">Buy</button>"
    )
    told = await driver.do("click", id=1)
    assert 'Open Dialog: confirm "Buy “it”? &lt;/browsing_context&gt;"' in told
    assert (await driver.refused("click", id=1)).startswith('System Error: a dialog is open: confirm "Buy “it”? &lt;/b')
    assert '<button id="1">yes</button>' in await driver.do("dialog accept")


@pytest.mark.slow
async def test_a_number_is_not_used_again(start_agent: StartAgent) -> None:
    driver = start_agent()
    driver.pages["/next"] = "<button>Two</button>"
    await driver.show("<a href='/next'>One</a>")
    assert '<button id="2">Two</button>' in await driver.do("click", id=1)
    assert (await driver.refused("click", id=1)) == "System Error: Element ID 1 not found."
    assert '<a id="3" ' in await driver.do("back")
    assert driver.agent.next_id == 4


@pytest.mark.slow
async def test_an_element_that_has_left(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button onclick='two.remove()'>One</button><button id=two>Two</button>")
    await driver.do("click", id=1)
    assert (await driver.refused("click", id=2)) == "System Error: Element ID 2 not found."


@pytest.mark.slow
async def test_confirmed_command_is_executed(start_agent: StartAgent) -> None:
    asked, answers = [], [False, True]

    async def confirm(session: Session, waits: ConfirmationRequired) -> bool:
        asked.append(waits.message.partition(" waits")[0])
        return answers.pop(0)

    options = Options(timeout=60, policy=Policy.of(confirm=["type", "tab"]))
    driver = start_agent(options=options, confirm=confirm)
    driver.pages["/"] = FIELD
    assert await driver.refused("open_tab", url=driver.url()) == (
        'System Error: Failed to open URL "http://site/". the user said no to this command'
    )
    await driver.do("open_tab", url=driver.url())
    answers += [False, True]
    assert await driver.refused("type", id=1, value="x") == (
        "System Error: the user said no to this command. Find another way, or finish.\n\n"
        "<browsing_context>\n[Target Unchanged]\nURL: http://site/\n</browsing_context>"
    )
    assert 'value="Annx"' in await driver.do("type", id=1, value="x")
    assert asked[2:] == ['type 1 "x" ([1] input/text "Name")'] * 2


async def test_confirmation_without_a_person_is_rejected(start_agent: StartAgent) -> None:
    driver = start_agent(options=Options(timeout=60, policy=Policy.of(confirm=["click"])))
    await driver.show("<button>Buy</button>")
    assert (await driver.refused("click", id=1)).startswith(
        "System Error: this command needs the user's approval, but the user can't be asked. "
        "Find another way, or finish."
    )


@pytest.mark.slow
async def test_read_only_policy_rejects_typing(start_agent: StartAgent) -> None:
    driver = start_agent(options=Options(timeout=60, policy=Policy.of(read_only=True)))
    await driver.show(FIELD)
    assert (await driver.refused("type", id=1, value="x")).startswith("System Error: type may change something.")
