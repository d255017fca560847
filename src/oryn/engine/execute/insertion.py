"""Secrets into fields, and keys that were meant for one.

A key goes to whatever has the focus when it arrives, in whichever frame; another site's frame may take the focus
between two keys. So a value of the vault, and what goes into a password field, is put in by one step of the scanner in
the field's own frame; and after keys the field is looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oryn.engine.escape import plain
from oryn.engine.resolve import Resolved
from oryn.engine.secrets import Filled
from oryn.engine.view import ask
from oryn.errors import ElementNotInteractable, InvalidValue, OrynError
from oryn.language import VAULT_REFERENCE

if TYPE_CHECKING:
    from oryn.engine.session import Session

_CHECK_FIELD = "Run 'observe' to see the field; the page may want it to be filled in another way."


async def insert_values(session: Session, target: Resolved, text: str, *, append: bool) -> Written:
    """Put a text with values of the vault into a field; line breaks at its end are Enter, pressed afterwards.

    Raises `SecretNotFound`, `SecretNotAllowed`, `VaultKeyWrong`; `ElementNotInteractable` where the page did not take
    the whole, and then the field holds none of it."""
    if "\t" in VAULT_REFERENCE.sub("", text):
        raise InvalidValue("a tab leaves the field: a value of the vault goes into one field", "Type field by field.")
    written = text.rstrip("\r\n") if _is_line(target) else text
    filled = await session.secrets.for_frame(written, target.frame)
    told = await _insert(session, target, filled, clear=not append)
    if len(written) < len(text):
        await session.page.press(["enter"])
    return Written(_notes(told, filled.text))


async def insert_password(session: Session, target: Resolved, text: str, *, append: bool) -> Written | None:
    """Put a text into a password field. None where the field does not take it whole: a box for one digit of several,
    whose page moves the focus on, wants keys. Raises `ElementNotInteractable` as `insert_values` does."""
    if "\n" in text or "\t" in text:
        return None
    told = await _insert(session, target, Filled(text), clear=not append, fits=True)
    return None if told["mode"] == "keys" else Written(_notes(told, text))


def _is_line(target: Resolved) -> bool:
    """Whether Enter ends what is written there."""
    return target.element is None or target.element["type"] == "input"


async def _insert(session: Session, target: Resolved, filled: Filled, **how: bool) -> dict[str, Any]:
    request = {"cmd": "insert", "id": target.id, "text": filled.text, **how, **filled.limits}
    told = await ask(session.page, request, target.frame, session.remaining())
    if told.get("outcome") == "refused":
        raise ElementNotInteractable(
            f"the page did not keep what was put into the field: it held {told['length']} characters of "
            f"{len(filled.text)}, and holds what it held before",
            _CHECK_FIELD,
        )
    return told


def _notes(told: dict[str, Any], text: str) -> list[str]:
    match told.get("outcome"):
        case "formatted":
            return ["the field shows it in another form: the same letters and digits"]
        case "limited":
            return [f"the field takes {told['length']} characters: it holds no more of {len(text)}"]
    return []


class Written:
    """What has become of a text that was written into a field."""

    def __init__(self, notes: Sequence[str] = (), looking: asyncio.Task[dict[str, Any]] | None = None) -> None:
        self._notes = list(notes)
        self._looking = looking

    @classmethod
    async def with_keys(cls, session: Session, target: Resolved, text: str) -> Written:
        """The field is looked at beside what comes next, so that it costs no time. What moves the focus on purpose is
        not looked after."""
        if "\t" in text or (_is_line(target) and "\n" in text) or session.page.dialog is not None:
            return cls()
        looked = ask(session.page, {"cmd": "typed", "text": text}, target.frame, session.remaining())
        looking = asyncio.get_running_loop().create_task(looked)
        looking.add_done_callback(lambda done: done.cancelled() or done.exception())  # `notes` may not be asked
        await asyncio.sleep(0)  # the question goes out before whatever comes next
        return cls(looking=looking)

    async def notes(self) -> list[str]:
        """What the answer is to note. Raises `ElementNotInteractable` where another frame got keys; within a document,
        whose page may move the focus from box to box, that is a note."""
        try:
            told = {"lost": False} if self._looking is None else await self._looking
        except OrynError:  # the page has gone on, or a dialog keeps it from answering: there is no field to tell of
            told = {"lost": False}
        if not told["lost"]:
            return self._notes
        place = plain(str(told["place"])) if told["place"] else None
        lost = f"the focus went to {place} while the text was typed" if place else "the focus was away for a while"
        held = f"the field holds {told['held']} of {told['length']} characters"
        if told["frame"]:
            raise ElementNotInteractable(
                f"{lost}: {held}, the others went there",
                "Run 'observe'. What is typed goes to whoever takes the focus.",
            )
        return [*self._notes, f"{lost}: {held}"]
