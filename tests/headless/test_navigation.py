"""Navigation, tabs, frames and dialogs."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.whole_browser


@pytest.mark.slow
async def test_goto_tells_where_it_came_to(oryn: Any) -> None:
    oryn.pages["/b"] = "<title>Second</title>"
    oryn.pages["/old"] = (302, {"Location": "/b"}, "")
    here = oryn.pages.url("")[7:]
    assert await oryn.show("<title>First</title>") == f'ok goto {oryn.pages.url("/")}\n\n@ {here} "First"'
    assert await oryn("goto /old") == f'ok goto /old\n\n@ {here}/b "Second"'
    assert await oryn("back") == f'ok back\n\n@ {here} "First"'
    assert await oryn("forward") == f'ok forward\n\n@ {here}/b "Second"'
    assert (await oryn("forward")).startswith("error forward: ")
    assert await oryn("goto ./missing") == f'ok goto ./missing\n\n@ {here}/missing ""\n\n# note\nHTTP 404 Not Found'
    assert (await oryn("refresh --hard")).startswith("ok refresh")


async def test_headers_of_one_request(oryn: Any) -> None:
    await oryn.show("<title>x</title>")
    assert (await oryn(f'goto {oryn.pages.url("/")} --headers {{"X-Test": "1"}}')).startswith("ok goto")


@pytest.mark.slow
async def test_unresolvable_host_is_an_error_and_the_next_command_works(oryn: Any) -> None:
    answer = await oryn("goto nowhere.invalid")
    assert answer.startswith("error goto nowhere.invalid: ")
    assert "# hint" in answer
    assert (await oryn("goto 127.0.0.1:1")).startswith("error goto")
    await oryn.show("<title>fine</title>")


async def test_a_click_that_navigates_reports_the_new_page(oryn: Any) -> None:
    oryn.pages["/next"] = "<title>Next</title><button>Again</button>"
    await oryn.show("<a href=/next>Go</a>")
    await oryn.ok("observe")
    answer = await oryn("click 1")
    assert answer == f'ok click 1\n\n# changes\n@ {oryn.pages.url("/next")[7:]} "Next"'
    # Old numbers are not taken for new elements.
    assert (await oryn("click 1")).startswith("error click 1: element not found")
    await oryn.ok("observe")
    await oryn.ok("click 1")


async def test_a_same_document_navigation_reports_the_url(oryn: Any) -> None:
    await oryn.show(
        """<title>App</title><button onclick="history.pushState(0, '', '/results'); document.title = 'Results'">Search</button>"""
    )
    assert await oryn('click "Search"') == 'ok click "Search"\n\n# changes\n~ url: / → /results\n~ title: "Results"'


async def test_a_click_waits_for_what_it_fetches(oryn: Any) -> None:
    oryn.pages["/data"] = "Found"
    await oryn.show(
        """<button onclick="fetch('/data').then(r => r.text()).then(t => list.innerHTML = `<a href=#>${t}</a>`)">Load</button><p id=list></p>"""
    )
    assert '+ [2] link "Found"' in await oryn("click Load")


@pytest.mark.slow
async def test_tabs(oryn: Any) -> None:
    oryn.pages["/pop"] = "<title>Pop</title><button onclick='window.close()'>Done</button>"
    await oryn.show("<title>Main</title><a href=/pop target=_blank>Open</a>")
    here = oryn.pages.url("")[7:]
    answer = await oryn("click Open")
    assert '"Pop"' in answer
    assert "+ tab " in answer
    number = answer.split("+ tab ")[1].split()[0]
    assert f'{number} {here}/pop "Pop"' in await oryn("tabs")
    assert await oryn(f"tab switch {number}") == f'ok tab switch {number}\n\n@ {here}/pop "Pop"'
    answer = await oryn("click Done")
    assert "- tab" in answer
    assert f'@ {here} "Main"' in answer
    assert f'@ {here}/pop "Pop"' in await oryn(f"tab new {here}/pop")
    assert f'@ {here} "Main"' in await oryn("tab close")
    assert (await oryn("tab close")).startswith("error tab close: ")
    assert (await oryn("tab switch 77")).startswith("error tab switch 77: ")


@pytest.mark.slow
async def test_frames_of_both_origins_are_in_one_numbering(oryn: Any) -> None:
    oryn.pages["/in"] = """<button onclick="this.textContent = 'same pressed'">Same</button>"""
    oryn.pages["/out"] = (
        """<title>Out</title><button onclick="this.textContent = 'other pressed'">Other</button><p>Foreign words</p>"""
    )
    await oryn.show(
        f"""<button>Top</button><iframe name=inner src=/in></iframe><iframe name=guest src="{oryn.pages.url("/out", "localhost")}"></iframe>"""
    )
    seen = await oryn("observe")
    assert 'button "Top"' in seen
    assert 'button "Same"' in seen
    assert 'button "Other"' in seen
    assert 'button "same pressed"' in await oryn('click "Same"')
    assert 'button "other pressed"' in await oryn('click "Other"')
    assert "| Foreign words" in await oryn("text")
    frames = await oryn("frames")
    assert '"guest"' in frames
    await oryn.ok('frame css("iframe[name=guest]")')
    seen = await oryn("observe")
    assert '[4] button "other pressed"' in seen
    assert "Top" not in seen
    await oryn.ok("click 4")
    assert "ok frame" in await oryn("frame parent")
    assert '/in "inner"' in await oryn('frame "inner"')
    assert 'button "same pressed"' in await oryn("observe")
    await oryn.ok("frame main")
    assert (await oryn('frame "Top"')).startswith("error frame")
    assert 'button "Top"' in await oryn("observe")


async def test_dialogs(oryn: Any) -> None:
    await oryn.show(
        """<button onclick="alert('Saved \\n---')">Save</button>
        <button onclick="document.title = confirm('Sure?')">Delete</button>
        <button onclick="document.title = prompt('Name?', 'x')">Ask</button>"""
    )
    await oryn.ok("observe")
    assert '+ dialog alert "Saved \\n---" (accepted)' in await oryn("click Save")
    answer = await oryn("click Delete")
    assert '+ dialog confirm "Sure?"' in answer
    assert "dialog accept" in answer
    assert (await oryn("observe")).startswith("error observe: a dialog is open")
    assert (await oryn("dialog accept")).startswith("ok dialog accept")
    assert '"true"' in await oryn("title")
    await oryn.ok("click Ask")
    await oryn.ok('dialog accept "Ada"')
    assert '"Ada"' in await oryn("title")
    assert (await oryn("dialog accept")).startswith("error dialog accept: ")
    await oryn.ok("dialog auto dismiss")
    assert "(dismissed)" in await oryn("click Delete")
    assert '"false"' in await oryn("title")


@pytest.mark.slow
async def test_listeners_in_frames_of_one_origin_are_found(oryn: Any) -> None:
    oryn.pages["/in"] = (
        """<div id=d>Listens</div><p>Does not</p><script>d.addEventListener('click', () => d.textContent = 'heard')</script>"""
    )
    await oryn.show(
        "<div id=t>Top listens</div><iframe src=/in></iframe><script>t.addEventListener('click', () => 1)</script>"
    )
    assert await oryn("observe --minimal") == (
        f'@ {oryn.pages.url("")[7:]} ""\n\n[1] generic "Top listens"\n[2] generic "Listens"'
    )
    assert '~ [2] generic "heard"' in await oryn("click 2")
