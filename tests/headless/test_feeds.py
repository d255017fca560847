"""What a page adds, removes and changes by itself is none of an action's effects; what an action puts there is."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

GO = "<button id=go>Go</button><p id=out></p>"
ROW = "`<li>Message ${++n} <button>Delete</button> <a href=#>thread ${n}</a></li>`"
FEEDS = {
    "a row at the end": f"list.insertAdjacentHTML('beforeend', {ROW})",
    "a row at the top, and the last one goes": f"list.insertAdjacentHTML('afterbegin', {ROW});"
    "if (list.children.length > 4) list.lastElementChild.remove()",
    "a list that is rendered anew": "n++; list.innerHTML = [0, 1, 2].map((at) => `<li>Message ${n + at} <button>Delete"
    "</button> <a href=#>thread ${n + at}</a></li>`).join('')",
    "links without a pattern": "n++; list.insertAdjacentHTML('afterbegin', `<li><div><span><a href=#>${Math.random()"
    ".toString(36).replace(/[0-9.]/g, '')}</a></span></div></li>`)",
    "a button that counts": "n++; list.innerHTML ||= '<li><button><b></b></button>'; list.querySelector('b').textContent = `Votes ${n}`",
    "a state that blinks": "n++; list.innerHTML ||= '<li><button>Lamp</button>';"
    "list.querySelector('button').setAttribute('aria-pressed', n % 2 === 0)",
}  # fmt: skip


def page(feed: str, every: int = 200, script: str = "") -> str:
    return (
        f"{GO}<ul id=list></ul><script>let n = 0; const feed = () => {{ {feed} }}; feed();"
        f"setInterval(feed, {every}); {script}</script>"
    )


async def show_changing(oryn: Driver, html: str, until: int = 9) -> None:
    """Show a page that changes by itself, and wait until it has done so some times."""
    await oryn.show(html)
    await oryn.ok("observe")
    await oryn.ok(f'wait until "n >= {until}"')


@pytest.mark.slow
@pytest.mark.parametrize(("name", "every"), [*((name, 200) for name in FEEDS), ("a row at the end", 700)])
async def test_a_feed_is_left_out_of_answers(oryn: Driver, name: str, every: int) -> None:
    await show_changing(oryn, page(FEEDS[name], every), 5)
    for _ in range(4):
        assert await oryn.ok('click "Go"') == 'ok click "Go"\n\n# note\nnothing changed'
        at = int(str(await oryn.session.page.evaluate("n")))
        await oryn.ok(f'wait until "n > {at}"')


@pytest.mark.slow
@pytest.mark.parametrize("name", FEEDS)
async def test_what_an_action_does_beside_a_feed_is_reported(oryn: Driver, name: str) -> None:
    script = (
        "go.onclick = () => { out.textContent = 'Done'; go.insertAdjacentHTML('afterend', '<button>Undo</button>') }"
    )
    await show_changing(oryn, page(FEEDS[name], script=script))
    answer = await oryn.ok('click "Go"')
    assert '+ text "Done"' in answer
    assert 'button "Undo"' in answer
    assert answer.count("\n+") == 2 and "\n-" not in answer and "\n~" not in answer, answer


@pytest.mark.parametrize("later", ["00:10:01", "00:10:59", "01:10:00"])
async def test_a_time_that_an_action_changes_is_reported(oryn: Driver, later: str) -> None:
    await oryn.show(f"<p id=p>Lap 00:10:00</p><button onclick=\"p.textContent = 'Lap {later}'\">Add</button>")
    await oryn.ok("observe")
    assert f'~ text "Lap {later}"' in await oryn.ok('click "Add"')


async def test_a_clock_that_goes_on_is_left_out(oryn: Driver) -> None:
    await oryn.show(
        "<p id=p></p><button onclick='show()'>Go</button><script>const show = () => { p.textContent ="
        " `It is ${new Date().toTimeString().slice(0, 8)}` }; show(); setInterval(show, 100)</script>"
    )
    await oryn.ok("observe")
    for _ in range(3):
        assert "nothing changed" in await oryn.ok('click "Go"')


@pytest.mark.slow
async def test_a_stop_watch_that_goes_on_is_left_out(oryn: Driver) -> None:
    await oryn.show(
        "<p>Since <b id=b>00:00:00</b></p><button onclick='tick()'>Go</button><script>let n = 0;"
        "const tick = () => { b.textContent = `00:00:${String(++n).padStart(2, 0)}` }; setInterval(tick, 1000)</script>"
    )
    await oryn.ok("observe")
    await oryn.ok('eval "n = 0"')
    await oryn.ok('wait until "n > 0"')
    assert "nothing changed" in await oryn.ok('click "Go"')


@pytest.mark.slow
async def test_what_an_action_puts_into_a_feed_for_the_first_time_is_reported(oryn: Driver) -> None:
    script = "go.onclick = () => list.insertAdjacentHTML('afterbegin', '<li class=error>Failed <button>Try again</button></li>')"
    await show_changing(oryn, page(FEEDS["a row at the end"], script=script))
    answer = await oryn.ok('click "Go"')
    assert 'button "Try again"' in answer
    assert "Delete" not in answer


@pytest.mark.slow
async def test_an_action_in_a_row_of_a_feed_is_reported(oryn: Driver) -> None:
    script = (
        "list.onclick = (event) => { if (event.target.textContent === 'Delete') event.target.outerHTML ="
        " '<button>Delete</button><button>Really</button>' }"
    )
    await show_changing(oryn, page(FEEDS["a row at the end"], script=script))
    answer = await oryn.ok('click "Delete" inside "Message 1"')
    assert 'button "Really"' in answer, answer
    assert "thread 2" not in answer


@pytest.mark.slow
async def test_an_application_that_renders_itself_by_the_clock_reports_what_an_action_does(oryn: Driver) -> None:
    await oryn.show(
        "<div id=root></div><script>let n = 0; let items = ['One']; const render = () => { n++; root.innerHTML = `<p>Tick ${n}</p>"
        "<button onclick='add()'>Add</button>${items.map((item) => `<div><a href=#>${item}</a></div>`).join('')}` };"
        "const add = () => { items.push(`Item ${items.length}`); if (items.length > 3) items = []; render() };"
        "render(); setInterval(render, 200)</script>"
    )
    await oryn.ok("observe")
    await oryn.ok('wait until "n >= 9"')
    assert '+ [3] link "Item 1"' in await oryn.ok('click "Add"')
    assert 'link "Item 2"' in await oryn.ok('click "Add"')
    assert "- [2]" in await oryn.ok('click "Add"')


@pytest.mark.slow
async def test_elements_of_a_feed_have_numbers(oryn: Driver) -> None:
    await show_changing(
        oryn, page(FEEDS["a row at the end"], script="list.onclick = () => { out.textContent = 'Pressed' }")
    )
    await oryn.ok('click "Go"')
    answer = await oryn.ok("observe")
    number = answer.split('] link "thread 3"')[0].rsplit("[", 1)[1]
    assert '+ text "Pressed"' in await oryn.ok(f"click {number}")
