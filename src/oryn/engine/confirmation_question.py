"""The question whether a waiting command may run, for a person who has not followed what the agent did.

It names the page and its address, what is pressed, and what the page's fields hold. The page may have written most of
that, so its texts are quoted and shortened: they can't look like a part of the question."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from oryn.core.text_safety import one_line, quoted, shortened
from oryn.engine.output.elements import kind
from oryn.engine.page.resolve import find_in_frames, resolve
from oryn.engine.page.scanner import query_scanner
from oryn.errors import OrynError
from oryn.language import Command, TargetData

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import ElementData, PageResponse

QUESTION_SECONDS = 3.0
"""How long a page may take to be read for a question. The question is asked anyway."""
MAX_FIELDS = 12
MAX_TEXT_CHARACTERS = 80
MAX_URL_CHARACTERS = 300

_FIELDS: TargetData = {"css": "input,textarea,select,[contenteditable],[role=textbox],[role=combobox]"}


async def question_about(session: Session, id: str, command_text: str) -> str:
    """Return the question about the command that waits as `id` in a session; `command_text` is how a person reads it.
    Never raises `OrynError`."""
    lines = [f"The assistant wants the browser to do this: {command_text}"]
    waiting = session.confirmations.command(id)
    if session.displayed_page is not None:  # another engine reads the page
        lines += _place(*session.displayed_page)
    elif waiting is not None:
        with suppress(OrynError, TimeoutError):
            async with asyncio.timeout(QUESTION_SECONDS), session.turn(QUESTION_SECONDS):
                await _add_page(session, waiting, lines)
    return session.mask_text("\n".join(lines))


def _place(url: str | None, title: str | None) -> list[str]:
    if not url:
        return []
    return [f"Page: {_text(title or '')}", f"Address: {one_line(shortened(url, MAX_URL_CHARACTERS))}"]


async def _add_page(session: Session, command: Command, lines: list[str]) -> None:
    """Add what the page shows to the lines of a question, as far as it can be read in time."""
    url = session.page.url
    place = _place(url, None)
    lines += place
    page: PageResponse = await query_scanner(session.page, {"cmd": "page"}, None, session.deadline.remaining())
    lines[len(lines) - len(place) :] = _place(url, page["title"])
    for name, head in (("target", "Element"), ("to", "Dropped on")):
        if (target := getattr(command, name, None)) is not None:
            with suppress(OrynError):
                found = await resolve(session, target, command.spec.path[0])
                if found.element is not None:
                    lines.append(f"{head}: {kind(found.element)} {_text(found.element['text'])}")
    if "press" in command.effects:
        lines += await _filled_fields(session)


async def _filled_fields(session: Session) -> list[str]:
    """What stands in the fields of the page that one sees, as a press may send it."""
    matches = await find_in_frames(session, session.enter_page(), _FIELDS, any=True)
    fields = [_field(element) for data, _ in matches for element in data["matches"]]
    filled = [each for each in fields if each is not None]
    more = f" and {len(filled) - MAX_FIELDS} more" if len(filled) > MAX_FIELDS else ""
    return [f"Filled in: {', '.join(filled[:MAX_FIELDS])}{more}"] if filled else []


def _field(element: ElementData) -> str | None:
    """The name and the value of a field; None if there is nothing to say of it."""
    state = element.get("state")
    if state is None or not state["visible"]:
        return None
    name = _text(element["text"] or element["role"])
    checked = state["checked"]
    if checked is not None:
        return f"{name} is checked" if checked else None
    if element["role"] == "password":  # the scanner says nothing of what it holds
        return f"{name} (not shown)"
    value = state["value"] or element.get("value")
    return f"{name} = {_text(str(value))}" if value else None


def _text(text: str) -> str:
    return quoted(shortened(one_line(text), MAX_TEXT_CHARACTERS))
