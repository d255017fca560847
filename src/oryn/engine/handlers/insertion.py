"""Inserts secrets into form fields, and checks that typed keys went to their field.

A key goes to the focused element of any frame at that moment; another site's frame may take the focus between two keys.
So the scanner inserts a vault value, or the content of a password field, in one step in the field's own frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.core.vault_secret import FilledText
from oryn.engine.handlers.text_entry import CHECK_FIELD, TextEntry, written_notes
from oryn.engine.output.text_difference import form_notes
from oryn.engine.page.scanner import Resolved, query_scanner
from oryn.errors import ElementNotInteractable, InvalidValue
from oryn.language import VAULT_REFERENCE

if TYPE_CHECKING:
    from oryn.engine.action import Action
    from oryn.engine.output.answer import Answer
    from oryn.engine.postcondition import Postcondition
    from oryn.engine.session import Session
    from oryn.scanner.protocol import InsertRequest, InsertResponse


async def insert_vault_values(session: Session, target: Resolved, text: str, *, append: bool) -> WrittenText:
    """Insert a text with values of the vault into a field. Line breaks at its end become Enter, pressed afterwards.

    Raises `SecretNotFound`, `SecretNotAllowed`, `VaultKeyWrong`; `ElementNotInteractable` if the page did not accept
    all of it, and then the field contains none of it."""
    if "\t" in VAULT_REFERENCE.sub("", text):
        raise InvalidValue("a tab leaves the field: a value of the vault goes into one field", "Type field by field.")
    is_line = target.element is None or target.element["type"] == "input"  # Enter ends the input
    written = text.rstrip("\r\n") if is_line else text
    filled = await session.secrets.for_frame(written, target.frame)
    notes = _notes(await _insert(session, target, filled, clear=not append), len(filled.text))
    if len(written) == len(text):
        return WrittenText(notes, _retained(session, target))
    await session.page.keyboard.press(["enter"])
    return WrittenText(notes)


async def insert_password(session: Session, target: Resolved, text: str, *, append: bool) -> WrittenText | None:
    """Insert a text into a password field. None if the field does not accept all of it: a box for one digit of several,
    whose page moves the focus on, needs keys. Raises `ElementNotInteractable` as `insert_vault_values` does."""
    if "\n" in text or "\t" in text:
        return None
    report = await _insert(session, target, FilledText(text), clear=not append, fits=True)
    return None if report["mode"] == "keys" else WrittenText(_notes(report, len(text)), _retained(session, target))


def _retained(session: Session, target: Resolved) -> TextEntry:
    return TextEntry(session, target, "", append=False).retained()


async def _insert(
    session: Session, target: Resolved, filled: FilledText, *, clear: bool, fits: bool = False
) -> InsertResponse:
    request: InsertRequest = {"cmd": "insert", "id": target.id, "text": filled.text, "origin": filled.origin}
    request |= {"clear": clear, "fits": fits, "code": filled.is_code}
    report: InsertResponse = await query_scanner(session.page, request, target.frame, session.deadline.remaining())
    if report.get("outcome") == "refused":
        raise ElementNotInteractable(
            f"the page did not keep the text put into the field: it held {report['length']} characters of "
            f"{len(filled.text)}, and has its previous content again",
            CHECK_FIELD,
        )
    return report


def _notes(report: InsertResponse, wanted: int) -> list[str]:
    return form_notes(report.get("outcome"), report.get("length", 0), wanted)


class WrittenText:
    """A text that was written into a field: the notes of the answer, and what must be true of the field then."""

    def __init__(self, notes: Sequence[str] = (), entry: TextEntry | None = None) -> None:
        self._notes = list(notes)
        self._entry = entry

    async def notes(self) -> list[str]:
        """Check the field now, and return the notes. Raises `NotDone` if it does not hold the text, and
        `ElementNotInteractable` if another frame received keys."""
        return self._notes if self._entry is None else [*self._notes, *await self._entry.check()]

    @property
    def expects(self) -> list[Postcondition]:
        """What must be true of the field when the page has settled."""
        return [self._entry.expected] if self._entry is not None and self._entry.is_checked else []

    async def report(self, action: Action, notes: Sequence[str] = ()) -> Answer:
        """Report what the action has changed, with the check of the field when the page has settled."""
        entry = self._entry
        if entry is None or not entry.is_checked:
            return await action.report([*notes, *self._notes, *(entry.notes if entry else ())])
        answer = await action.report(notes, expects=self.expects, again=entry.again)
        if entry.error is not None:
            answer.error = entry.error
        if answer.error is None:
            answer.notes += [*self._notes, *(entry.notes or written_notes(entry.text, action.verdicts))]
        return answer
