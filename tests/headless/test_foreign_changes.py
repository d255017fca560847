"""Numbers after a person has had the session: those whose element they have changed are refused, with what changed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from oryn.browsers.base import Page
from tests.headless.conftest import Driver

pytestmark = pytest.mark.browser

FORM = """<title>Order</title>
<label>Name <input id=name></label>
<button id=save onclick="out.textContent = 'saved'">Save</button>
<button onclick="save.textContent = 'Delete'">Rename</button>
<button onclick="save.remove()">Remove</button>
<p id=out></p>"""


def number_of(answer: str, name: str) -> str:
    """The number of the element called `name` in an observation."""
    line = next(line for line in answer.splitlines() if f'"{name}"' in line)
    return line[line.index("[") + 1 : line.index("]")]


@asynccontextmanager
async def taken_over(oryn: Driver) -> AsyncIterator[Page]:
    """A person has the session for the time of the block, and uses its page."""
    takeover = oryn.session.control.take("token")
    try:
        yield oryn.session.page
    finally:
        oryn.session.control.release(takeover, returned=True)


async def press(page: Page, name: str) -> None:
    script = f"""(() => {{ const box = [...document.querySelectorAll('button,input')]
        .find(each => each.textContent == {name!r} || each.id == {name!r}).getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2] }})()"""
    await page.mouse.click(*await page.evaluate(script))


async def refused(oryn: Driver, line: str) -> str:
    answer = await oryn.session.execute(line)
    assert answer.error is not None, answer.render()
    assert answer.error.code == "ELEMENT_CHANGED", answer.render()
    return answer.render()


@pytest.mark.slow
async def test_changed_element_is_refused_with_what_changed(oryn: Driver) -> None:
    await oryn.show(FORM)
    save = number_of(await oryn.ok("observe"), "Save")
    async with taken_over(oryn) as page:
        await press(page, "Rename")
    answer = await refused(oryn, f"click {save}")
    assert f'[{save}] button "Save" has changed since the person used the tab at ' in answer
    assert f'it is [{save}] button "Delete"' in answer
    assert "Repeat the command" in answer
    assert await oryn.session.page.evaluate("out.textContent") == "", "nothing was pressed"
    assert "saved" in await oryn.ok(f"click {save}"), "the agent has been told, and means it"


async def test_printed_label_is_refused_like_its_number(oryn: Driver) -> None:
    await oryn.show(FORM)
    save = number_of(await oryn.ok("observe"), "Save")
    async with taken_over(oryn) as page:
        await press(page, "Rename")
    assert "has changed" in await refused(oryn, f'click [{save}] button "Save"')


async def test_removed_element_is_refused(oryn: Driver) -> None:
    await oryn.show(FORM)
    save = number_of(await oryn.ok("observe"), "Save")
    async with taken_over(oryn) as page:
        await press(page, "Remove")
    assert f'[{save}] button "Save" has gone since the person' in await refused(oryn, f"click {save}")


async def test_element_that_nobody_changed_is_accepted(oryn: Driver) -> None:
    await oryn.show(FORM)
    seen = await oryn.ok("observe")
    async with taken_over(oryn) as page:
        await press(page, "Remove")
    answer = await oryn.ok(f'type {number_of(seen, "Name")} "Ann"')
    assert "# meanwhile" in answer
    assert 'button "Save"' in answer.partition("# meanwhile")[2], "what else has changed is told"


PAYMENT = """<title>Transfer</title><form onsubmit="out.textContent = 'paid'; return false">
<label>Amount <input id=amount value=10></label><button>Pay</button></form><button>Help</button><p id=out></p>"""


@pytest.mark.slow
async def test_button_whose_form_a_person_has_changed_is_refused(oryn: Driver) -> None:
    await oryn.show(PAYMENT)
    seen = await oryn.ok("observe")
    async with taken_over(oryn) as page:
        await press(page, "amount")
        await page.keyboard.type("00")
    answer = await refused(oryn, f"click {number_of(seen, 'Pay')}")
    assert "what [" in answer
    assert 'value: "' in answer
    assert await oryn.session.page.evaluate("out.textContent") == ""
    await oryn.ok(f"click {number_of(seen, 'Help')}")
    assert "paid" in await oryn.ok(f"click {number_of(seen, 'Pay')}")


async def test_button_of_another_form_is_accepted(oryn: Driver) -> None:
    await oryn.show(PAYMENT)
    seen = await oryn.ok("observe")
    async with taken_over(oryn) as page:
        await press(page, "amount")
        await page.keyboard.type("00")
    await oryn.ok(f"click {number_of(seen, 'Help')}")


async def test_button_of_a_dialog_that_has_changed_is_refused(oryn: Driver) -> None:
    page_of_dialog = """<title>Ask</title><dialog id=box><label>Delete <input id=what value=one></label>
    <button onclick="out.textContent = 'deleted'">Yes</button></dialog><p id=out></p><script>box.showModal()</script>"""
    await oryn.show(page_of_dialog)
    yes = number_of(await oryn.ok("observe"), "Yes")
    async with taken_over(oryn) as page:
        await press(page, "what")
        await page.keyboard.type("ty")
    assert "is about has changed since the person" in await refused(oryn, f"click {yes}")


async def test_field_that_a_person_has_filled_is_refused(oryn: Driver) -> None:
    await oryn.show(FORM)
    name = number_of(await oryn.ok("observe"), "Name")
    async with taken_over(oryn) as page:
        await press(page, "name")
        await page.keyboard.type("Bob")
    assert 'value: "Bob"' in await refused(oryn, f'type {name} "Ann"')
    assert await oryn.session.page.evaluate("document.getElementById('name').value") == "Bob"


@pytest.mark.slow
async def test_number_of_another_page_is_refused(oryn: Driver) -> None:
    oryn.pages["/next"] = FORM.replace("Order", "Next order")
    await oryn.show(FORM)
    save = number_of(await oryn.ok("observe"), "Save")
    async with taken_over(oryn) as page:
        await page.goto(oryn.pages.url("/next"))
    answer = await refused(oryn, f"click {save}")
    assert "it is another page since the person used the tab" in answer
    assert "Next order" in answer
    assert "element not found" in await oryn(f"click {save}"), "no number of the former page is valid"


@pytest.mark.slow
async def test_number_is_refused_where_the_page_shows_another_view(oryn: Driver) -> None:
    await oryn.show(FORM, "/list")
    save = number_of(await oryn.ok("observe"), "Save")
    async with taken_over(oryn) as page:
        await page.evaluate("history.pushState({}, '', '/entry/7')")
    assert "/list → /entry/7" in await refused(oryn, f"click {save}")
    await oryn.ok(f"click {save}")


@pytest.mark.slow
async def test_reference_of_a_snapshot_is_refused(oryn: Driver) -> None:
    await oryn.show(FORM)
    line = next(line for line in (await oryn.ok("snapshot")).splitlines() if "Save" in line)
    reference = line[line.index("@e") :].split()[0].strip(":]")
    await oryn.ok("observe")
    async with taken_over(oryn) as page:
        await press(page, "Rename")
    await refused(oryn, f"click {reference}")
    await oryn.ok("snapshot")
    await oryn.ok(f"click {reference}")


async def test_observing_again_makes_the_numbers_valid(oryn: Driver) -> None:
    await oryn.show(FORM)
    save = number_of(await oryn.ok("observe"), "Save")
    async with taken_over(oryn) as page:
        await press(page, "Rename")
    await oryn.ok("observe")
    await oryn.ok(f"click {save}")


async def test_text_is_no_number(oryn: Driver) -> None:
    await oryn.show(FORM)
    await oryn.ok("observe")
    async with taken_over(oryn) as page:
        await press(page, "Rename")
    await oryn.ok('click "Delete"')


@pytest.mark.slow
async def test_session_alone_sends_no_request_for_it(oryn: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    from oryn.engine import foreign_changes

    async def fail(*_: Any) -> None:
        raise AssertionError("nobody else has used the tab")

    await oryn.show(FORM)
    save = number_of(await oryn.ok("observe"), "Save")
    monkeypatch.setattr(foreign_changes.ForeignChanges, "check", fail)
    await oryn.ok(f"click {save}")


async def test_leases_are_only_of_a_shared_browser(oryn: Driver) -> None:
    await oryn.show(FORM)
    for line in ("tab take 1", "tab release"):
        answer = await oryn.session.execute(line)
        assert answer.error is not None
        assert answer.error.code == "NOT_SUPPORTED"
    assert " since " not in await oryn.ok("tabs")
