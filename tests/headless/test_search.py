"""`search` on pages of many kinds: what starts the search there is done once, and what did nothing is not called done."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

COUNTING = """<script>window.searches = []; function find(how) {
  searches.push(how); const li = document.createElement('p');
  li.textContent = 'found ' + document.querySelector('input').value; out.append(li) }</script><div id=out></div>"""
"""`find(how)` shows a result and notes how the search was started."""

BUTTONS = {
    "a button beside the field": "<input type=search id=q><button onclick=find('button')>Search</button>",
    "a button of another word": "<input type=search id=q><button onclick=find('button')>Los</button>",
    "an icon with a label": "<input type=search id=q><button aria-label=Search onclick=find('button')><svg/></button>",
    "an icon without a word": "<div><input type=search id=q><span><button onclick=find('button')><svg width=9 height=9 /></button></span></div>",
    "an icon beside what clears": """<div><input type=search id=q><button class=x-clear onclick=find('wrong')>&#215;</button>
        <button aria-label='Voice search' onclick=find('wrong')>m</button>
        <button class=btn onclick=find('button')><i class=icon-search style='display:inline-block;width:9px;height:9px'></i></button></div>""",
    "a button in front": "<button onclick=find('button')>Find</button><input type=search id=q>",
    "some parts away": "<div><div><div><label><input type=search id=q></label></div></div><div><a>x</a><button onclick=find('button')>Search</button></div></div>",
    "a landmark": """<div role=search><p><input type=text placeholder='What?'></p><p><button onclick=find('wrong')>Clear</button>
        <button onclick=find('button')>Show results</button></p></div>""",
    "no button by its tag": "<div><input type=search id=q><div tabindex=0 role=button onclick=find('button')>Search</div></div>",
    "a link that leads nowhere": "<div><input type=search id=q><a href=# onclick=\"find('button');return false\">Search</a></div>",
    "its results elsewhere": """<header><input type=search id=q aria-controls=out></header><main><section><button onclick=find('wrong')>Buy</button></section></main>
        <footer><p><button aria-controls=out onclick=find('button')>Update</button></p></footer>""",
    "a form whose button is none of a form": """<form onsubmit=\"find('submit');return false\"><input type=search id=q><input name=b>
        <button type=button onclick=find('button')>Search</button></form>""",
    "a form that lets no enter through": """<form onsubmit=\"find('submit');return false\" onkeydown=\"if(event.key=='Enter')event.preventDefault()\">
        <input type=search id=q><button>Search</button></form>""",
    "a button that comes with the query": "<div><input type=search id=q oninput='b.hidden=false'><button id=b hidden onclick=find('button')>Search</button></div>",
    "a button that takes its time": "<div><input type=search id=q><button onclick=\"setTimeout(find,400,'button')\">Search</button></div>",
    "suggestions that close at enter": """<div><input type=search id=q role=combobox aria-autocomplete=list aria-controls=l
        oninput="l.hidden=false;this.setAttribute('aria-expanded',true)" onkeydown="if(event.key=='Enter'){l.hidden=true;event.preventDefault()}">
        <ul id=l role=listbox hidden><li role=option>pie one<li role=option>pie two</ul><button onclick=find('button')>Search</button></div>""",
    "suggestions over the button": """<div style='position:relative'><input type=search id=q oninput='l.hidden=false' onblur='l.hidden=true'><br>
        <ul id=l role=listbox hidden style='position:absolute;inset:0 0 -80px 0;top:22px;margin:0;background:#fff'><li role=option>pie</ul>
        <button onclick=find('button')>Search</button></div>""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUTTONS)
async def test_search_presses_a_button_if_enter_does_nothing(oryn: Any, name: str) -> None:
    await oryn.show(BUTTONS[name] + COUNTING)
    said = await oryn('search "pie"')
    assert said.startswith('ok search "pie"'), said
    assert await oryn.session.page.evaluate("searches.join()") in ("button", "submit"), said
    assert "found pie" in await oryn("text")


KEYS = {
    "a listener for keydown": "<input type=search id=q onkeydown=\"if(event.key=='Enter')find('key')\"><button onclick=find('button')>Search</button>",
    "one that takes the key": "<input type=search id=q onkeydown=\"if(event.key=='Enter'){event.preventDefault();find('key')}\"><button onclick=find('button')>Search</button>",
    "one for keyup": "<input type=search id=q onkeyup=\"if(event.key=='Enter')find('key')\"><button onclick=find('button')>Search</button>",
    "the search event": "<input type=search id=q onsearch=\"if(this.value)find('key')\"><button onclick=find('button')>Search</button>",
    "one that takes its time": "<input type=search id=q onkeydown=\"if(event.key=='Enter')setTimeout(find,500,'key')\"><button onclick=find('button')>Search</button>",
    "one that asks a server": """<input type=search id=q onkeydown="if(event.key=='Enter')fetch('/slow').then(()=>find('key'))">
        <button onclick=find('button')>Search</button>""",
    "one that only asks a server": """<input type=search id=q onkeydown="if(event.key=='Enter'){searches.push('key');fetch('/quick?'+this.value)}">
        <button onclick=find('button')>Search</button>""",
    "a form": "<form onsubmit=\"find('key');return false\"><input type=search id=q><button>Search</button></form>",
    "a form that shows nothing": "<form onsubmit=\"searches.push('key');return false\"><input type=search id=q><button>Search</button></form>",
    "a form without a button": "<form onsubmit=\"find('key');return false\"><input type=search id=q></form>",
    "a form of two fields without a button": "<form onsubmit=\"find('key');return false\"><input type=search id=q><input name=b></form>",
    "a landmark of enter": "<search><input type=text placeholder=Words onkeydown=\"if(event.key=='Enter')find('key')\"></search>",
    "results in what the field controls": """<input type=search id=q aria-controls=out onkeydown="if(event.key=='Enter')find('key')">
        <button aria-controls=out onclick=find('button')>Search</button>""",
    "suggestions as one types": """<div><input type=search id=q role=combobox aria-controls=l oninput="l.hidden=false;fetch('/suggest?'+this.value)"
        onkeydown="if(event.key=='Enter'){l.hidden=true;find('key')}"><ul id=l role=listbox hidden><li role=option>pie</ul>
        <button onclick=find('button')>Search</button></div>""",
    "a page that never rests": """<p id=tick>0</p><input type=search id=q onkeydown="if(event.key=='Enter')find('key')"><button onclick=find('button')>Search</button>
        <script>(function go(){tick.textContent++;requestAnimationFrame(go)})()</script>""",
}


@pytest.mark.parametrize("name", KEYS)
async def test_what_enter_starts_is_started_once(oryn: Any, name: str) -> None:
    oryn.pages["/slow"] = oryn.pages["/quick"] = oryn.pages["/suggest"] = "x"
    await oryn.show(KEYS[name] + COUNTING)
    said = await oryn('search "pie"')
    assert said.startswith('ok search "pie"'), said
    assert await oryn.session.page.evaluate("searches.join()") == "key", said


@pytest.mark.slow
async def test_a_page_that_never_rests_has_its_button_pressed(oryn: Any) -> None:
    await oryn.show(
        "<p id=tick>0</p><input type=search id=q><button onclick=find('button')>Search</button>"
        "<script>(function go(){tick.textContent++;requestAnimationFrame(go)})()</script>" + COUNTING
    )
    await oryn.ok('search "pie"')
    assert await oryn.session.page.evaluate("searches.join()") == "button"


@pytest.mark.slow
async def test_another_page_is_reached_by_the_button(oryn: Any) -> None:
    oryn.pages["/found"] = "<title>Results</title>"
    await oryn.show("<input type=search id=q><button onclick=\"location='/found?q='+q.value\">Search</button>")
    assert '"Results"' in await oryn.ok('search "pie"')
    assert "q=pie" in await oryn("url")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "command", "tried"),
    [
        ("<input type=search id=q>", 'search "pie"', "reacted to enter\n"),
        ("<input type=search id=q><button>Search</button>", 'search "pie"', "reacted to enter or [2]\n"),
        (
            "<input type=search id=q><button onclick=find()>Go</button>",
            'search "pie" --submit enter',
            "reacted to enter\n",
        ),
        ("<input type=search id=q><button>Go</button>", 'search "pie" --submit click', "reacted to [2]\n"),
        (
            "<div><input type=search id=q oninput='l.hidden=false'><ul id=l role=listbox hidden><li role=option>pie</ul></div>",
            'search "pie"',
            "reacted to enter\n",
        ),
    ],
)
async def test_search_without_reaction_is_an_error(oryn: Any, page: str, command: str, tried: str) -> None:
    await oryn.show(page + COUNTING)
    said = await oryn(command)
    assert said.startswith(f"error {command}: the query is typed, but nothing on the page reacted"), said
    assert tried in said
    assert await oryn.session.page.evaluate("searches.length") == 0


@pytest.mark.slow
async def test_results_that_come_while_one_types(oryn: Any) -> None:
    await oryn.show("<input type=search id=q oninput=\"out.textContent='found '+q.value\"><div id=out></div>")
    said = await oryn.ok('search "pie"')
    assert "nothing came of enter: what changed came while the query was typed" in said
    assert "found pie" in await oryn("text")


@pytest.mark.slow
async def test_search_pattern_names_the_submit_button(oryn: Any) -> None:
    """The pattern tells the same button that `search` presses; what does something else is none."""
    for page, expected in (
        (BUTTONS["an icon beside what clears"], "input [1], submit [4]"),
        ("<form><input type=search><button type=reset>Clear</button></form>", "input [1]"),
        ("<div><input type=search><button>Sign up</button></div>", "input [1]"),
        ("<nav><button>Subscribe</button></nav><div><input type=search></div>", "input [2]"),
    ):
        await oryn.show(page + COUNTING)
        assert f"search_form: {expected}\n" in await oryn("observe") + "\n"
