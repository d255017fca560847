"""`observe --diff` and `--near`: only what changed, only what is near."""

from __future__ import annotations

import json
from typing import Any

import pytest

PAGE = """<!doctype html><title>One</title><button>First</button><input aria-label=Field><div id=d></div>"""


async def run_in_page(oryn: Any, script: str) -> None:
    """What a page does without any command."""
    await oryn.session.page.evaluate(script)


async def test_the_first_look_is_a_whole_one(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert '[1] button "First"' in await oryn("observe --diff")
    assert await oryn("observe --diff") == "ok observe --diff\n\nnothing changed"


async def test_diff_reports_added_removed_and_changed_elements(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    await run_in_page(oryn, "d.innerHTML = '<a href=#>New</a>'; document.querySelector('input').value = 'typed'")
    assert await oryn("observe --diff") == (
        'ok observe --diff\n\n# changes\n~ [2] input/text "Field" value: "typed"\n+ [3] link "New"'
    )
    await run_in_page(oryn, "d.innerHTML = ''; document.querySelector('button').disabled = true")
    assert await oryn("observe --diff") == (
        'ok observe --diff\n\n# changes\n~ [1] button "First" {disabled}\n- [3] link "New"'
    )
    assert await oryn("observe --diff") == "ok observe --diff\n\nnothing changed"


async def test_url_and_title_of_the_same_document(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    await run_in_page(oryn, "history.pushState(1, '', '/next'); document.title = 'Two'")
    assert await oryn("observe --diff") == 'ok observe --diff\n\n# changes\n~ url: / → /next\n~ title: "Two"'


async def test_diff_omits_changes_that_an_action_reported(oryn: Any) -> None:
    await oryn.show(PAGE.replace("<button>", "<button onclick=\"d.innerHTML = '<a href=#>New</a>'\">"))
    await oryn.ok("observe")
    assert '+ [3] link "New"' in await oryn("click First")
    assert (await oryn("observe --diff")).endswith("nothing changed")


async def test_diff_reports_changes_that_an_action_omitted(oryn: Any) -> None:
    await oryn.show(
        "<button onclick=\"document.body.insertAdjacentHTML('beforeend', '<p><a href=#>x</a>'.repeat(50))\">More</button>"
    )
    await oryn.ok("observe")
    assert "… 10 more" in await oryn("click More")
    answer = await oryn("observe --diff")
    assert answer.count("+ [") == 10
    assert "+ [51]" in answer
    assert (await oryn("observe --diff")).endswith("nothing changed")


async def test_another_document_is_looked_at_whole(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    await oryn.show("<button>Elsewhere</button>", "/other")
    assert '[1] button "Elsewhere"' in await oryn("observe --diff")


async def test_actions_before_the_first_look_make_no_observation(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("click First")
    assert '[1] button "First"' in await oryn("observe --diff")


async def test_after_a_look_cut_short(oryn: Any) -> None:
    await oryn.show("<body><script>document.body.innerHTML = '<p><a href=#>x</a>'.repeat(20)</script>")
    assert "17 more elements" in await oryn("observe --limit 3")
    assert (await oryn("observe --diff")).endswith("nothing changed")
    await run_in_page(oryn, "document.body.insertAdjacentHTML('beforeend', '<button>New</button>')")
    assert await oryn("observe --diff") == 'ok observe --diff\n\n# changes\n+ [21] button "New"'


async def test_with_a_limit(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    await run_in_page(oryn, "d.innerHTML = '<p><a href=#>x</a>'.repeat(5)")
    answer = await oryn("observe --diff --limit 2")
    assert answer.count("+ [") == 2
    assert answer.endswith("… 3 more; run 'observe'")
    assert (await oryn("observe --diff --limit 0")).count("+ [") == 3


async def test_with_viewport_near_and_hidden(oryn: Any) -> None:
    await oryn.show(PAGE + "<p>Marker <span id=m></span></p><div style='height: 5000px'></div><p id=low></p>")
    await oryn.ok("observe")
    await run_in_page(oryn, "m.innerHTML = '<a href=#>Close by</a>'; low.innerHTML = '<a href=#>Far down</a>'")
    assert "Far down" not in await oryn("observe --diff --near Marker")
    assert (await oryn("observe --diff --viewport")).endswith("nothing changed")
    assert '+ [4] link "Far down"' in await oryn("observe --diff")
    await run_in_page(oryn, "d.innerHTML = '<button hidden>Secret</button>'")
    assert (await oryn("observe --diff")).endswith("nothing changed")
    assert '+ [5] button "Secret" {hidden}' in await oryn("observe --diff --hidden")
    assert (await oryn("observe --diff")).endswith("nothing changed")


async def test_with_the_forms_of_lines(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe --minimal")
    assert (await oryn("observe --diff")).endswith("nothing changed")
    await run_in_page(oryn, "d.innerHTML = '<input aria-label=A value=1>'")
    assert await oryn("observe --diff --minimal") == 'ok observe --diff --minimal\n\n# changes\n+ [3] input "A"'
    await run_in_page(oryn, "d.innerHTML = '<input id=b aria-label=B>'")
    assert " @(" in await oryn("observe --diff --positions")
    await run_in_page(oryn, "d.innerHTML = '<input id=c aria-label=C>'")
    assert 'css: "#c"' in await oryn("observe --diff --full")


@pytest.mark.slow
async def test_numbers_keep(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    await run_in_page(oryn, "document.body.prepend(document.createElement('button'))")
    assert '+ [3] button ""' in await oryn("observe --diff")
    await oryn.ok('type 2 "x"')
    await oryn.ok("click 3")
    await oryn.ok("click 1")


async def test_programs_get_the_changes(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("observe")
    await oryn("output json")
    assert json.loads(await oryn("observe --diff"))["result"] == {"changed": False}
    await run_in_page(oryn, "d.innerHTML = '<a href=#>New</a>'")
    (change,) = json.loads(await oryn("observe --diff"))["changes"]
    assert (change["sign"], change["element"]["text"]) == ("+", "New")


async def test_near_takes_what_lies_around_a_text(oryn: Any) -> None:
    await oryn.show(
        "<p>Payment <button>Pay</button></p><div style='height: 900px'></div><p>Delivery <button>Ship</button></p>"
    )
    answer = await oryn('observe --near "Payment"')
    assert '[1] button "Pay"' in answer
    assert "Ship" not in answer
    assert await oryn('observe --near "Nothing"') == (
        'error observe --near "Nothing": nothing near "Nothing"\n\n# hint\nRun \'text\' to see what the page says.'
    )


@pytest.mark.slow
async def test_what_is_hidden_from_readers_is_not_gone_when_it_is_scrolled_away_or_behind_a_dialog(oryn: Any) -> None:
    await oryn.show(
        "<div><span tabindex=0 aria-hidden=true title=Calendar style='cursor:pointer'>▾</span></div><button"
        " onclick=\"out.showModal ? out.showModal() : 0\">Open</button><p style='height:3000px'>Ferns</p>"
        "<button>Last</button><dialog id=out style='inset:0;width:90%;height:90%'><p>Moss</p><button"
        " onclick='out.close()'>Close</button></dialog>"
    )
    assert '[1] generic "Calendar"' in await oryn.ok("observe")
    assert "[1]" not in await oryn.ok('click "Last"')
    assert "[1]" not in await oryn.ok('click "Open"')
    assert "[1]" not in await oryn.ok('click "Close"')


async def test_what_is_hidden_from_readers_is_not_gone_behind_a_message_on_the_page(oryn: Any) -> None:
    await oryn.show(
        "<div><span tabindex=0 aria-hidden=true title=Calendar style='cursor:pointer'>▾</span></div><button"
        " onclick='toast.hidden = false'>Save</button><div id=toast role=status hidden style='position:fixed;top:0;left:0;"
        "width:90px;height:90px'>Saved</div>"
    )
    await oryn.ok("observe")
    assert await oryn.ok('click "Save"') == 'ok click "Save"\n\n# changes\n+ status "Saved"'


@pytest.mark.slow
async def test_what_a_folded_panel_holds_is_new_when_it_unfolds(oryn: Any) -> None:
    await oryn.show(
        """<style>p { height: 0; overflow: hidden; margin: 0 } .open + p { height: 2em }</style>
        <button onclick="classList.toggle('open')">Shipping</button><p><a href=#x>Track it</a></p>"""
    )
    assert '[2] link "Track it" {hidden}' in await oryn("observe")
    assert (await oryn('exists "Track it"')).endswith("\n\nno")
    assert (await oryn.ok('click "Shipping"')).endswith('\n+ [2] link "Track it"')
    assert await oryn("observe --diff") == "ok observe --diff\n\nnothing changed"
    assert '- [2] link "Track it"' in await oryn.ok('click "Shipping"')
    assert "is not visible" in await oryn("click 2")
