"""Commands that wait for a person's yes: who may say it, for how long, and what is done then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Answer, Options, Session
from oryn.engine.definitions import read_definition
from oryn.engine.policy.confirmations import CONFIRMATION_SECONDS, MAX_PENDING, Confirmations
from oryn.engine.policy.policy import Policy
from oryn.errors import ConfirmationRequired
from tests.headless.conftest import Driver, Pages

PAGE = """<link rel=icon href=data:,><title>shop</title>
<input type=password aria-label=Password><button onclick="document.title += '!'">Buy "it"</button>"""


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def oryn(
    request: pytest.FixtureRequest, browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path
) -> Iterator[Driver]:
    """A session whose commands wait that the test names (default: some)."""
    pages.bodies.clear()
    options = Options(timeout=60, policy=Policy.of(confirm=getattr(request, "param", ["click", "eval", "type"])))
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=options)
    yield Driver(session, pages)
    run(session.close())


@pytest.fixture
def clock(oryn: Driver) -> Clock:
    clock = Clock()
    oryn.session.confirmations = Confirmations(oryn.session.name, oryn.session.execute, clock)
    return clock


async def pending(oryn: Driver, line: str) -> tuple[str, Answer]:
    """What a command waits as, and the answer that says so."""
    answer = await oryn.session.execute(line)
    assert isinstance(answer.error, ConfirmationRequired), answer.render()
    assert answer.error.id is not None
    return answer.error.id, answer


async def title(oryn: Driver) -> str:
    return (await oryn.ok("title")).removeprefix("ok title\n\n")


async def test_command_waits_for_confirmation_and_is_executed(oryn: Driver) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    id, answer = await pending(oryn, "click 2")
    assert answer.error is not None and answer.error.code == "CONFIRMATION_REQUIRED"
    assert answer.render() == (
        f'error click 2: click 2 ([2] button "Buy \\"it\\"") waits for a person\'s approval: {id}\n\n'
        f"# hint\nA person approves it within 60 s: 'oryn confirm {id}', or 'oryn deny {id}'. The prompt of 'oryn headless' asks "
        "the person; its line protocol and scripts can't."
    )
    assert await title(oryn) == '"shop"', "nothing has happened"
    done = await oryn.session.confirmations.confirm(id)
    assert done.render() == 'ok click 2\n\n# changes\n~ title: "shop!"'
    assert await title(oryn) == '"shop!"'


async def test_confirmation_is_valid_once(oryn: Driver) -> None:
    await oryn.show(PAGE)
    id, _ = await pending(oryn, "click Buy")
    assert (await oryn.session.confirmations.confirm(id)).ok
    again = await oryn.session.confirmations.confirm(id)
    assert again.error is not None and again.error.code == "CONFIRMATION_NOT_FOUND"
    assert again.render() == (
        f"error confirm {id}: nothing waits as {id} in the session default\n\n"
        "# hint\nIt was answered already, or waited too long: give the command again."
    )
    assert await title(oryn) == '"shop!"'
    assert (await pending(oryn, "click Buy"))[0] != id, "the same command waits anew"


async def test_denied_command_is_dropped(oryn: Driver) -> None:
    await oryn.show(PAGE)
    id, _ = await pending(oryn, "click Buy")
    assert oryn.session.confirmations.deny(id).render() == f'ok deny {id}\n\ndropped: click "Buy"'
    assert oryn.session.confirmations.deny(id).error is not None
    assert (await oryn.session.confirmations.confirm(id)).error is not None
    assert await title(oryn) == '"shop"'


async def test_expired_confirmation_is_dropped(oryn: Driver, clock: Clock) -> None:
    await oryn.show(PAGE)
    first, _ = await pending(oryn, "click Buy")
    clock.now += CONFIRMATION_SECONDS - 1
    again, _ = await pending(oryn, "click Buy")
    assert again == first, "who asks again waits under the same name, and longer"
    clock.now += CONFIRMATION_SECONDS - 1
    other, _ = await pending(oryn, """eval "document.title += '!'" """)
    clock.now += 1
    assert (await oryn.session.confirmations.confirm(first)).error is not None
    assert (await oryn.session.confirmations.confirm(other)).ok
    assert await title(oryn) == '"shop!"'


async def test_pending_confirmations_are_limited(oryn: Driver) -> None:
    await oryn.show(PAGE)
    ids = [(await pending(oryn, f'eval "{number}"'))[0] for number in range(MAX_PENDING + 1)]
    assert len(set(ids)) == MAX_PENDING + 1
    assert (await oryn.session.confirmations.confirm(ids[0])).error is not None, "the oldest has given way"
    assert (await oryn.session.confirmations.confirm(ids[1])).ok


@pytest.mark.parametrize("line", ["confirm {0}", "@default confirm {0}", "deny {0}", "oryn confirm {0}"])
async def test_confirm_is_not_a_command_of_the_language(oryn: Driver, line: str) -> None:
    await oryn.show(PAGE)
    id, _ = await pending(oryn, "click Buy")
    error = (await oryn.session.execute(line.format(id))).error
    assert error is not None and error.code == "UNKNOWN_COMMAND"
    assert await title(oryn) == '"shop"'


async def test_it_is_for_its_session(oryn: Driver, browser: ChromiumBrowser, run: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    id, _ = await pending(oryn, "click Buy")
    other = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), "other", oryn.session.options)
    answer = await other.confirmations.confirm(id)
    assert answer.error is not None and answer.error.message == f"nothing waits as {id} in the session other"
    await other.execute("goto about:blank")
    id, answer = await pending(Driver(other, oryn.pages), 'eval "1"')
    assert f"'oryn confirm {id} --session other'" in answer.render()
    await other.close()


async def test_password_is_masked_in_the_confirmation(oryn: Driver) -> None:
    await oryn.show(PAGE)
    id, answer = await pending(oryn, 'type "Password" "secret"')
    assert 'type "Password" "••••" waits' in answer.render()
    assert "secret" not in repr(oryn.session.confirmations.deny(id))
    id, _ = await pending(oryn, 'type "Password" "secret"')
    done = await oryn.session.confirmations.confirm(id)
    assert done.command == 'type "Password" "••••"'
    assert await oryn.session.page.evaluate("document.querySelector('input').value") == "secret"


async def test_confirmed_command_needs_its_original_page(oryn: Driver) -> None:
    await oryn.show(PAGE)
    id, _ = await pending(oryn, "click Buy")
    await oryn.show("<title>elsewhere</title>", "/elsewhere")
    answer = await oryn.session.confirmations.confirm(id)
    assert answer.error is not None and answer.error.code == "ELEMENT_NOT_FOUND"


@pytest.mark.parametrize("line", ['wait until "1"', 'fill_form {"Password": "a"}', "dismiss popups", 'login "a" "b"'])
async def test_equivalent_commands_need_confirmation(oryn: Driver, line: str) -> None:
    await oryn.show(PAGE)
    await pending(oryn, line)


async def test_a_step_of_an_intent_waits_and_the_intent_ends_there(oryn: Driver) -> None:
    await oryn.show(PAGE)
    step: dict[str, Any] = {"try": {"steps": ["click Buy"], "catch": ["url"]}}
    data = {"name": "buy", "steps": ["title", step, "url"]}
    oryn.session.custom_intents.definitions["buy"] = read_definition(data)
    id, answer = await pending(oryn, "run buy")
    assert answer.lines == ['1 title: "shop"', f'2 click "Buy": click "Buy" waits for a person\'s approval: {id}']
    done = await oryn.session.confirmations.confirm(id)
    assert done.command == 'click "Buy"'
    assert await title(oryn) == '"shop!"', "that step alone"


async def test_a_script_of_a_condition_waits(oryn: Driver) -> None:
    await oryn.show(PAGE)
    step: dict[str, Any] = {"branch": {"if": {"script": "document.title = 'changed'"}, "then": ["url"]}}
    oryn.session.custom_intents.definitions["ask"] = read_definition({"name": "ask", "steps": [step]})
    await pending(oryn, "run ask")
    assert await title(oryn) == '"shop"'


@pytest.mark.parametrize("oryn", [["all"]], indirect=True)
async def test_everything_that_may_change_something(oryn: Driver) -> None:
    await oryn.show(PAGE)
    for line in ("click Buy", "press a", "cookies clear", 'eval "1"', "state load a", "dialog auto accept"):
        await pending(oryn, line)
    for line in ("observe", "scroll down", "dialog auto off", "refresh"):
        await oryn.ok(line)


async def test_json_error_contains_the_confirmation_id(oryn: Driver) -> None:
    await oryn.show(PAGE)
    told = json.loads((await oryn.session.execute("click Buy", json=True)).render())
    assert told["error"]["code"] == "CONFIRMATION_REQUIRED"
    assert (await oryn.session.confirmations.confirm(told["error"]["id"], json=True)).json


ORDER = """<title>shop</title><form onsubmit="document.title = 'ordered'; return false">
<input aria-label=Amount><select aria-label=Size><option>S<option>M</select>
<button>Pay</button></form><button type=button onclick="document.title = 'ordered'">Order now</button>
<div onclick="document.title = 'ordered'" role=button tabindex=0>Order too</div>
<div id=box><button>Send</button></div>
<a href="/ordered">Order there</a>"""


@pytest.mark.slow
@pytest.mark.parametrize("oryn", [["click"]], indirect=True)
async def test_no_other_command_presses_what_a_click_would(oryn: Driver) -> None:
    await oryn.show(ORDER)
    for line in (
        'tap "Pay"',
        'mouse down "Pay"',
        "mouse up",
        'drag "Pay" to "Pay"',
        "press enter",
        "press space",
        "keydown enter",
        "submit",
        'type "Amount" "1" --enter',
        r'type "Amount" "1\n"',
        r'fill_form {"Amount": "1\n"}',
        'eval "document.forms[0].requestSubmit()"',
        "goto data:text/html,<script>1</script>",
        'upload "Order now" a.txt',
    ):
        await oryn.ok('focus "Pay"')
        await pending(oryn, line)
    for line in ('select "Size" "M"', 'type "Amount" "2"', 'fill_form {"Amount": "3"}', 'clear "Amount"'):
        await oryn.ok(line)
    assert await title(oryn) == '"shop"'


@pytest.mark.parametrize("oryn", [["click"]], indirect=True)
@pytest.mark.parametrize("target", ['"Pay"', '"Order now"', '"Order too"', '"Order there"', 'css("#box")', "submit"])
@pytest.mark.parametrize("value", ["x", "2026-01-02", "12:30"])
async def test_select_presses_nothing_that_sends(oryn: Driver, target: str, value: str) -> None:
    await oryn.show(ORDER)
    error = (await oryn.session.execute(f'select {target} "{value}"')).error
    assert error is not None and error.code in ("INVALID_ELEMENT_TYPE", "OPTION_NOT_FOUND")
    assert await title(oryn) == '"shop"'


@pytest.mark.parametrize("oryn", [["upload"]], indirect=True)
@pytest.mark.parametrize(("target", "value"), [('"Pay"', "x"), ('"Pay"', "2026-01-02"), ('"Order now"', "x")])
async def test_select_presses_nothing_that_sends_without_this_limit(oryn: Driver, target: str, value: str) -> None:
    await test_select_presses_nothing_that_sends(oryn, target, value)


@pytest.mark.parametrize("oryn", [["click"]], indirect=True)
@pytest.mark.parametrize("target", ['"Pay"', '"Order now"', '"Order too"', '"Order there"', 'css("#box")'])
@pytest.mark.parametrize(
    "line", ['type {} "2026-01-02"', 'type {} "5"', 'fill_form {{"Pay": "2026-01-02"}}', "check {}"]
)
async def test_filling_in_presses_nothing_that_sends(oryn: Driver, target: str, line: str) -> None:
    await oryn.show(ORDER)
    error = (await oryn.session.execute(line.format(target))).error
    assert error is not None and error.code != "CONFIRMATION_REQUIRED", error
    assert await title(oryn) == '"shop"'


MENU = """<title>shop</title><button aria-haspopup=listbox aria-controls=sizes
onclick="sizes.hidden = !sizes.hidden">Size</button>
<form onsubmit="document.title = 'ordered'; return false"><div role=listbox id=sizes hidden>
<div role=option onclick="document.title = 'M'">M</div><button>Order</button></div></form>"""


@pytest.mark.slow
@pytest.mark.parametrize("oryn", [["click"]], indirect=True)
async def test_select_chooses_and_presses_no_button_in_the_list(oryn: Driver) -> None:
    await oryn.show(MENU)
    assert (await oryn.session.execute('select "Size" "Order"')).error is not None
    await oryn.ok('select "Size" "M"')
    assert await title(oryn) == '"M"'


DIALOG = (
    """<title>shop</title><button onclick="document.title = confirm('Delete?') ? 'deleted' : 'left'">Delete</button>"""
)


@pytest.mark.parametrize("oryn", [["dialog accept"]], indirect=True)
async def test_dialogs_are_not_accepted_in_advance(oryn: Driver) -> None:
    await oryn.show(DIALOG)
    await pending(oryn, "dialog auto accept")
    await oryn.ok("dialog auto dismiss")
    await oryn.ok('click "Delete"')
    assert await title(oryn) == '"left"'


@pytest.mark.parametrize("oryn", [["click"]], indirect=True)
async def test_tools_of_pages_press_too(oryn: Driver) -> None:
    await oryn.show(
        "<script>document.modelContext.registerTool({name: 'buy', description: 'Buys', execute: () => 'bought'})</script>"
    )
    await pending(oryn, "tool call buy {}")
