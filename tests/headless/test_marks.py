"""Marks of a person in documents of other origins, frames that are scaled, and pages with dialogs."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.browsers.base import Rect
from oryn.engine.page.marks import mark_label, take_mark
from oryn.engine.person_notes import PersonNote
from oryn.errors import DialogOpen, ElementNotFound, NoteNotFound
from tests.headless.conftest import Driver

INNER = """<style>body { margin: 0 } button { display: block; width: 200px; height: 40px }</style>
<button onclick="document.title = 'done'; this.textContent = 'Done'">Save</button><p>Text inside</p>"""
SCALED = "transform: scale(0.5); transform-origin: 0 0;"


async def note_at(oryn: Driver, x: float, y: float, text: str = "change it") -> PersonNote:
    """What a person does on the live page."""
    notes = oryn.session.person_notes
    return notes.add(notes.mark(await take_mark(oryn.session, Rect(x, y, 0, 0), oryn.session.command_lock)).id, text)


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("style", ["", SCALED])
async def test_an_element_in_a_frame(oryn: Driver, host: str, style: str) -> None:
    oryn.pages["/inner"] = INNER
    frame = f"<iframe src='{oryn.pages.url('/inner', host)}' style='border: 0; width: 400px; height: 200px; {style}'>"
    await oryn.show(
        f"<style>body {{ margin: 0 }}</style><button style='height: 50px'>Outside</button><div>{frame}</div>"
    )
    scale = 0.5 if style else 1.0
    note = await note_at(oryn, 20, 50 + 20 * scale)
    assert mark_label(note.mark).endswith('] button "Save"')
    assert note.mark.box is not None
    assert (note.mark.box.x, note.mark.box.width) == pytest.approx((0, 200 * scale), abs=1)
    text = await note_at(oryn, 20, 50 + 65 * scale)
    assert mark_label(text.mark).endswith('] p "Text inside"')
    told = await oryn.ok("title")
    assert note.mark.element is not None
    number = note.mark.element["id"]
    assert f'# note from the person: [{number}] button "Save": change it (note 1)' in told
    assert "Done" in await oryn.ok(f"click {number}")
    outside = await note_at(oryn, 5, 5)
    assert mark_label(outside.mark).endswith('] button "Outside"')
    assert len({each.mark.element["id"] for each in oryn.session.person_notes if each.mark.element}) == 3


async def test_nothing_is_there(oryn: Driver) -> None:
    await oryn.show(INNER)
    with pytest.raises(ElementNotFound):
        await take_mark(oryn.session, Rect(5000, 5000, 0, 0), oryn.session.command_lock)
    with pytest.raises(ElementNotFound):
        await take_mark(oryn.session, Rect(5000, 5000, 100, 100), oryn.session.command_lock)


async def test_a_dialog_is_open(oryn: Driver) -> None:
    await oryn.show("<button onclick='confirm(1)'>Ask</button>")
    note = await note_at(oryn, 20, 20)
    await oryn('click "Ask"')
    with pytest.raises(DialogOpen):
        await take_mark(oryn.session, Rect(20, 20, 0, 0), oryn.session.command_lock)
    assert "change it" in await oryn.ok("notes")
    assert note.mark.present
    await oryn.ok("dialog accept")


async def test_a_picture_is_a_cut(oryn: Driver) -> None:
    await oryn.show("<style>body { margin: 0; height: 9000px; background: red }</style>")
    mark = await take_mark(oryn.session, Rect(100, 100, 300, 200), oryn.session.command_lock)
    assert mark.picture is not None
    assert mark.picture[:3] == b"\xff\xd8\xff"
    whole = await take_mark(oryn.session, Rect(0, 0, 1280, 720), oryn.session.command_lock)
    assert whole.picture is not None
    assert len(whole.picture) < 100_000


async def test_the_commands_of_notes(oryn: Driver, tmp_path: Path) -> None:
    await oryn.show(INNER)
    await note_at(oryn, 20, 20)
    assert await oryn.ok("notes") == 'ok notes\n\n1 [1] button "Save": change it'
    assert (await oryn.ok('notes answer 1 "How?"')).endswith('button "Save": change it\n  agent: How?')
    assert (await oryn.ok("notes done 1")).startswith("ok notes done 1\n\n1 done [1] button")
    for _ in range(2):
        await oryn.ok(f"notes picture 1 --output {tmp_path / 'note.jpg'} --overwrite")
    assert (tmp_path / "note.jpg").read_bytes()[:3] == b"\xff\xd8\xff"
    answer = await oryn.session.execute("notes done 7")
    assert isinstance(answer.error, NoteNotFound)
    assert answer.error.hint == "There are: 1."


async def test_a_mark_does_not_wait_for_a_command(oryn: Driver) -> None:
    """A person points at what they see now, whatever the agent does."""
    await oryn.show(INNER)
    async with oryn.session.command_lock:
        note = await note_at(oryn, 20, 20)
    assert note.mark.element is not None
    await oryn.ok("title")
    assert "Done" in await oryn.ok(f"click {note.mark.element['id']}")
