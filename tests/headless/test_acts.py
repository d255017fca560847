"""What `hover`, `focus`, `scroll`, `submit`, `drag`, `upload` and `login` are for, and answers that say if it is not so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


async def failure(oryn: Any, line: str) -> tuple[str, str]:
    """The code and the message of the error that a line is answered with."""
    answer = await oryn.session.execute(line)
    assert answer.error is not None, answer.render()
    return answer.error.code, answer.error.message


async def test_the_focus_is_a_change(oryn: Any) -> None:
    await oryn.show("<!doctype html><button>Go</button><input aria-label=Name>")
    assert await oryn('focus "Go"') == 'ok focus "Go"\n\n# changes\n~ [1] button "Go" {focused}'
    assert "it had the focus already" in await oryn.ok('focus "Go"')
    assert "{focused}" in await oryn.ok('focus "Name"')


@pytest.mark.parametrize(
    "thief",
    ["other.focus()", "setTimeout(() => other.focus(), 20)", "setTimeout(() => go.blur(), 20)"],
)
async def test_a_focus_that_the_page_takes_away_is_an_error(oryn: Any, thief: str) -> None:
    await oryn.show(f"<!doctype html><button id=go onfocus='{thief}'>Go</button><input id=other aria-label=Name>")
    code, message = await failure(oryn, 'focus "Go"')
    assert code in ("NOT_DONE", "ELEMENT_NOT_INTERACTABLE")
    assert code != "NOT_DONE" or message.startswith('"Go" does not have the focus')


async def test_what_moves_away_under_the_mouse_is_pointed_at_again(oryn: Any) -> None:
    await oryn.show("""<!doctype html><div id=gap></div><button id=b style="display:block;height:30px">Help</button>
        <p id=tip hidden>Press it</p><script>b.onmouseenter = () => { gap.style.height = '90px' };
        b.onmouseenter = () => { if (!gap.offsetHeight) gap.style.height = '90px'; else tip.hidden = false };</script>""")
    assert '+ text "Press it"' in await oryn.ok('hover "Help"')


async def test_what_opens_over_a_hovered_element_is_no_error(oryn: Any) -> None:
    await oryn.show("""<!doctype html><button id=b>Help</button><div id=tip hidden style="position:fixed;inset:0">
        All about it</div><script>b.onmouseenter = () => { tip.hidden = false };</script>""")
    assert '+ text "All about it"' in await oryn.ok('hover "Help"')


async def test_scrolling_says_if_nothing_moves(oryn: Any) -> None:
    await oryn.show("<!doctype html><p style='height:900px'>Top<p id=end>End")
    assert "# note" not in await oryn.ok("scroll down --amount 100")
    await oryn.ok("scroll down --page")
    assert "it is at its end" in await oryn.ok("scroll down --page")
    assert "nothing scrolls there" in await oryn.ok("scroll right")


SCROLLED = {
    "in a box that takes itself back": """<div id=box style="height:80px;overflow:auto"><p style="height:900px">Top
        <p id=end><a href="#x">End</a></div><script>box.onscroll = () => { box.scrollTop = 0 };</script>""",
    "beside a page that does not scroll": """<style>html,body{height:100%;overflow:hidden;margin:0}</style>
        <div style="position:fixed;left:-900px;top:0"><a href="#x">End</a></div>""",
}


@pytest.mark.parametrize("kind", SCROLLED)
async def test_what_does_not_come_into_view_is_an_error(oryn: Any, kind: str) -> None:
    await oryn.show("<!doctype html>" + SCROLLED[kind])
    code, message = await failure(oryn, 'scroll "End"')
    assert code == "NOT_DONE"
    assert message.startswith('"End" is not in view: ')


async def test_what_comes_into_view_is_none(oryn: Any) -> None:
    await oryn.show("<!doctype html><p style='height:3000px'>Top<p><a href='#x'>End</a>")
    await oryn.ok('scroll "End"')


@pytest.mark.slow
async def test_a_form_that_is_not_valid_is_not_sent(oryn: Any) -> None:
    await oryn.show("""<!doctype html><form onsubmit="event.preventDefault(); out.textContent = 'sent'">
        <label>Mail <input type=email required></label><button>Send</button></form><p id=out></p>""")
    code, message = await failure(oryn, "submit")
    assert code == "NOT_DONE"
    assert message.startswith('the form was not sent: "Mail" is not valid: ')
    await oryn.ok('type "Mail" "ada@example.org"')
    assert '"sent"' in await oryn.ok("submit")


async def test_a_form_that_its_page_checks_itself_is_sent(oryn: Any) -> None:
    await oryn.show("""<!doctype html><form novalidate onsubmit="event.preventDefault(); out.textContent = 'sent'">
        <label>Mail <input type=email required></label></form><p id=out></p>""")
    assert '"sent"' in await oryn.ok("submit")


BOARD = """<!doctype html><div draggable=true id=card style="width:90px;height:40px">Card</div>
    <div id=done aria-label=Done style="width:200px;height:90px;background:#eee">Done</div><script>
    card.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'card');
    done.ondragover = (e) => { if (TAKES) e.preventDefault() };
    done.ondrop = (e) => { e.preventDefault(); done.append(card, ' took it') };</script>"""


@pytest.mark.slow
@pytest.mark.whole_browser
async def test_a_drop_that_nothing_takes_is_an_error(oryn: Any) -> None:
    await oryn.show(BOARD.replace("TAKES", "false"))
    assert await failure(oryn, 'drag "Card" to "Done"') == ("NOT_DONE", '"Card" was not dropped: nothing took it there')
    await oryn.show(BOARD.replace("TAKES", "true"))
    assert "took it" in await oryn.ok('drag "Card" to "Done"')


@pytest.mark.slow
async def test_a_field_that_does_not_keep_its_files_is_an_error(oryn: Any, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("x")
    page = "<!doctype html><label>Notes <input type=file id=f onchange='{}'></label><p id=out></p>"
    await oryn.show(page.format("f.value = null"))
    assert await failure(oryn, f'upload "Notes" "{file}"') == ("NOT_DONE", '"Notes" holds no files')
    await oryn.show(page.format('out.textContent = "1 file of " + f.files[0].size; f.value = null'))
    assert '"1 file of 1"' in await oryn.ok(f'upload "Notes" "{file}"')
    await oryn.show(page.format(""))
    await oryn.ok(f'upload "Notes" "{file}"')


async def test_a_login_that_fails_halfway_says_what_it_has_done(oryn: Any) -> None:
    await oryn.show("""<!doctype html><form onsubmit="event.preventDefault()"><label>Mail <input type=email
        autocomplete=username></label><button>Next</button></form>""")
    answer = await oryn.session.execute('login "ada@example.org" "secret"')
    assert answer.error is not None
    assert answer.error.message == "the page did not ask for a password"
    assert 'value: "ada@example.org"' in answer.render()


@pytest.mark.slow
async def test_a_hovered_element_of_a_page_in_quirks_mode_is_hovered(oryn: Any) -> None:
    await oryn.show("<p>Plain</p>")
    assert (await oryn.ok('hover "Plain"')).startswith("ok")
