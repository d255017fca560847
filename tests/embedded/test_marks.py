"""Marks of a person in embedded mode: they follow their elements, and have a picture."""

from __future__ import annotations

from oryn.browsers.base import Rect
from oryn.engine.page.marks import take_mark
from tests.embedded.conftest import Driver

PAGE = """<style>body {{ margin: 0 }} button, p {{ display: block; width: 200px; height: 40px; margin: 0 }}</style>
<div id=app></div><script>const render = () => {{ app.innerHTML =
"<button onclick='document.title = 1'>Save</button><p>Text</p>" }}; render()</script>"""


async def test_a_mark_follows_its_element(embedded: Driver) -> None:
    await embedded.show(PAGE.format())
    notes = embedded.session.person_notes
    for y in (20, 60):
        mark = notes.mark(await take_mark(embedded.session, Rect(20, y, 0, 0), embedded.session.command_lock))
        assert mark.picture is not None
        assert mark.picture_format == "png"  # WebKit's canvas makes no other
        assert mark.picture.startswith(b"\x89PNG")
        notes.add(mark.id, "change it")
    await embedded.ok("eval render()")
    listed = await embedded.ok("notes")
    assert '1 [1] button "Save": change it' in listed
    assert '2 [2] p "Text": change it' in listed
    await embedded.ok("click 1")
    assert '"1"' in await embedded.ok("title")
