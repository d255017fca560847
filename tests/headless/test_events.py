"""Dialogs and downloads: each is in one answer, under the command that caused it or else under `# meanwhile`."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.whole_browser

ALERT = "<title>Shop</title><script>alert('Maintenance tonight')</script><button>Go on</button>"
DRAFT = """<title>Draft</title><textarea aria-label=Text></textarea><a href=/plain>Teams</a><script>
let unsaved = false
document.querySelector('textarea').oninput = () => { unsaved = true }
addEventListener('beforeunload', (event) => { if (unsaved) event.preventDefault() })</script>"""
LOST = '+ dialog beforeunload "" (accepted: what was not saved is lost)'
PLAIN = "<title>Plain</title><p>Plain page</p>"


@pytest.mark.slow
async def test_an_alert_while_a_page_loads(oryn: Any) -> None:
    answer = await oryn.show(ALERT)
    told = '# changes\n+ dialog alert "Maintenance tonight" (accepted)'
    assert answer.endswith(f'"Shop"\n\n{told}')
    assert (await oryn.ok("refresh")).endswith(told)
    oryn.pages["/plain"] = PLAIN
    assert "dialog" not in await oryn.ok("goto /plain")
    assert (await oryn.ok("back")).endswith(told)
    assert (await oryn.ok(f"tab new {oryn.pages.url('/')}")).endswith(told)
    await oryn.ok("tab close")


async def test_an_alert_in_a_frame_and_of_a_load_listener(oryn: Any) -> None:
    oryn.pages["/frame"] = "<script>alert('Inner')</script>"
    answer = await oryn.show("<iframe src=/frame></iframe><script>onload = () => alert('Loaded')</script>")
    assert '+ dialog alert "Inner" (accepted)\n+ dialog alert "Loaded" (accepted)' in answer


async def test_a_confirmation_while_a_page_loads_waits_for_an_answer(oryn: Any) -> None:
    oryn.pages["/"] = "<script>document.title = confirm('Proceed?')</script><p>Shown</p>"
    oryn.pages["/plain"] = PLAIN
    answer = await oryn(f"goto {oryn.pages.url('/')}")
    assert answer.startswith("error goto")
    assert "a confirm dialog is open" in answer
    assert "Proceed?" in answer
    answer = await oryn.ok("goto /plain")  # leaves it
    assert '# changes\n+ dialog confirm "Proceed?" (dismissed)' in answer


@pytest.mark.parametrize("policy", ["accept", "dismiss"])
async def test_a_confirmation_that_is_answered_while_a_page_loads(oryn: Any, policy: str) -> None:
    await oryn.ok(f"dialog auto {policy}")
    answer = await oryn.show("<script>document.title = confirm('Proceed?')</script><p>Shown</p>")
    accepted = policy == "accept"
    assert f'+ dialog confirm "Proceed?" ({"accepted" if accepted else "dismissed"})' in answer
    assert f'"{str(accepted).lower()}"' in answer
    await oryn.ok("dialog auto off")
    oryn.session.browser.dialog_policy = None


@pytest.mark.parametrize("leave", ["goto /plain", "refresh", "back"])
async def test_a_discarded_draft_is_told(oryn: Any, leave: str) -> None:
    oryn.pages["/plain"] = PLAIN
    await oryn.ok(f"goto {oryn.pages.url('/plain')}")
    await oryn.show(DRAFT)
    await oryn.ok('type "Text" "half a letter"')
    assert LOST in await oryn.ok(leave)
    assert "dialog" not in await oryn.ok("title")


@pytest.mark.slow
async def test_a_draft_that_a_link_discards_is_told_once(oryn: Any) -> None:
    oryn.pages["/plain"] = PLAIN
    await oryn.show(DRAFT)
    await oryn.ok('type "Text" "half a letter"')
    assert (await oryn.ok('click "Teams"')).count("beforeunload") == 1
    assert "dialog" not in await oryn.ok("title")


LATE = """<title>Late</title><button onclick="setTimeout(() => {{ {effect}; document.title = 'done' }}, 600)">Export</button>
<button onclick="this.textContent = 'Pressed'">Other</button>"""
SAVE = (
    "const link = document.createElement('a'); link.href = 'data:text/csv,1'; link.download = 'late.csv'; link.click()"
)


@pytest.mark.parametrize("effect", ["alert('Late notice')", SAVE], ids=["alert", "download"])
@pytest.mark.parametrize("command", ['click "Other"', "title", "observe", "refresh"])
async def test_what_came_between_two_commands_is_not_the_second_ones(oryn: Any, effect: str, command: str) -> None:
    await oryn.show(LATE.format(effect=effect))
    browser = oryn.session.browser
    count = len(browser.downloads()) + (effect == SAVE)
    await oryn.ok('click "Export"')
    while await oryn.session.page.evaluate("document.title") != "done" or len(browser.downloads()) < count:
        pass
    await browser.wait_for_downloads([each.id for each in browser.downloads()], timeout=20)
    changes, _, meanwhile = (await oryn.ok(command)).partition("# meanwhile\n")
    what = '+ dialog alert "Late notice" (accepted)' if "alert" in effect else '+ download "late.csv" 1 B'
    assert what in meanwhile
    assert what not in changes
    assert what not in await oryn.ok("title")


async def test_a_download_is_told_although_the_page_goes_on_changing(oryn: Any) -> None:
    await oryn.show(
        f"""<button onclick="{SAVE}; setTimeout(() => {{ out.textContent = 'Preparing'; setTimeout(() => {{
        out.textContent = 'Exported' }}, 150) }}, 60)">Export</button><p id=out></p>"""
    )
    answer = await oryn.ok("click Export")
    assert '+ download "late.csv"' in answer


@pytest.mark.parametrize("status", [204, 205])
async def test_an_answer_without_a_page_is_said(oryn: Any, status: int) -> None:
    oryn.pages["/vote"] = (status, {}, "")
    await oryn.show(
        "<title>Votes</title><a href=/vote>Vote</a><form action=/vote method=post><button>Post</button></form>"
    )
    said = f"# note\nthe server answered {status}, without a page: this one stays"
    assert '"Votes"' in (answer := await oryn.ok("goto /vote"))
    assert said in answer
    assert said in await oryn.ok("click Vote")
    assert said in await oryn.ok("click Post")
