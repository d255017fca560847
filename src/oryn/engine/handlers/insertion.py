"""Inserts secrets into form fields, and checks that typed keys went to their field.

A key goes to the focused element of any frame at that moment; another site's frame may take the focus between two keys.
So the scanner inserts a vault value, or the content of a password field, in one step in the field's own frame. After
typing keys the field is checked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.core.text_safety import plain
from oryn.core.vault_secret import FilledText
from oryn.engine.handlers.editors import describe_difference
from oryn.engine.page.scanner import Resolved, query_scanner
from oryn.errors import ElementNotInteractable, InvalidValue, OrynError
from oryn.language import VAULT_REFERENCE

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import InsertRequest, InsertResponse, PreparedField, TypedContent, TypedResponse

_NO_LINE_BREAKS = "a field of one line holds no line breaks: enter was pressed instead"
_CHECK_FIELD = "Run 'observe' to see the field; the page may want it to be filled in another way."


async def insert_vault_values(session: Session, target: Resolved, text: str, *, append: bool) -> WrittenText:
    """Insert a text with values of the vault into a field. Line breaks at its end become Enter, pressed afterwards.

    Raises `SecretNotFound`, `SecretNotAllowed`, `VaultKeyWrong`; `ElementNotInteractable` if the page did not accept
    all of it, and then the field contains none of it."""
    if "\t" in VAULT_REFERENCE.sub("", text):
        raise InvalidValue("a tab leaves the field: a value of the vault goes into one field", "Type field by field.")
    is_line = target.element is None or target.element["type"] == "input"  # Enter ends the input
    written = text.rstrip("\r\n") if is_line else text
    filled = await session.secrets.for_frame(written, target.frame)
    report = await _insert(session, target, filled, clear=not append)
    if len(written) < len(text):
        await session.page.keyboard.press(["enter"])
    return WrittenText(_notes(report, len(filled.text)))


async def insert_password(session: Session, target: Resolved, text: str, *, append: bool) -> WrittenText | None:
    """Insert a text into a password field. None if the field does not accept all of it: a box for one digit of several,
    whose page moves the focus on, needs keys. Raises `ElementNotInteractable` as `insert_vault_values` does."""
    if "\n" in text or "\t" in text:
        return None
    report = await _insert(session, target, FilledText(text), clear=not append, fits=True)
    return None if report["mode"] == "keys" else WrittenText(_notes(report, len(text)))


async def _insert(
    session: Session, target: Resolved, filled: FilledText, *, clear: bool, fits: bool = False
) -> InsertResponse:
    request: InsertRequest = {"cmd": "insert", "id": target.id, "text": filled.text, "origin": filled.origin}
    request |= {"clear": clear, "fits": fits}
    report: InsertResponse = await query_scanner(session.page, request, target.frame, session.deadline.remaining())
    if report.get("outcome") == "refused":
        raise ElementNotInteractable(
            f"the page did not keep the text put into the field: it held {report['length']} characters of "
            f"{len(filled.text)}, and has its previous content again",
            _CHECK_FIELD,
        )
    return report


def _notes(report: InsertResponse | TypedContent, wanted: int) -> list[str]:
    match report.get("outcome"):
        case "formatted":
            return ["the field shows it in another form: the same letters and digits"]
        case "limited":
            return [f"the field takes {report['length']} characters: the rest of {wanted} is missing"]
    return []


class WrittenText:
    """A text that was written into a field, and the check of the field's content."""

    def __init__(
        self, notes: Sequence[str] = (), check: asyncio.Task[TypedResponse] | None = None, compares: bool = True
    ) -> None:
        self._notes = list(notes)
        self._check = check
        self._compares = compares

    @classmethod
    async def with_keys(
        cls, session: Session, target: Resolved, text: str, ready: PreparedField, *, compares: bool = True
    ) -> WrittenText:
        """Check the field in the background, so that the check costs no time: that it has the focus, and (`compares`)
        that it holds the text. `ready` is the scanner's answer to `prepare`. In a field of one line, each line break
        was Enter, which may have sent the form: it is not checked."""
        if session.page.dialog is not None:
            return cls()
        if "\n" in text and not ready["lines"]:
            return cls([_NO_LINE_BREAKS] if ready["control"] else ())
        request = query_scanner(
            session.page, {"cmd": "typed", "text": text}, target.frame, session.deadline.remaining()
        )
        check = asyncio.get_running_loop().create_task(request)
        check.add_done_callback(lambda done: done.cancelled() or done.exception())  # `notes` may never be called
        await asyncio.sleep(0)  # send the request before the next one
        return cls(check=check, compares=compares)

    async def notes(self) -> list[str]:
        """Return the notes for the answer. Raises `ElementNotInteractable` if another frame received keys. Within one
        document a moved focus is only a note, because pages may move it from box to box."""
        try:
            report: TypedResponse = {"lost": False} if self._check is None else await self._check
        except OrynError:  # the page has navigated, or a dialog blocks it: there is no field to report on
            report = {"lost": False}
        if not report["lost"]:
            return [*self._notes, *(_typed_notes(report) if self._compares else ())]
        place = plain(str(report["place"])) if report["place"] else None
        lost = f"the focus went to {place} while the text was typed" if place else "the focus was away for a while"
        held = f"the field holds {report['held']} of {report['length']} characters"
        if report["frame"]:
            raise ElementNotInteractable(
                f"{lost}: {held}, the others went there",
                "Run 'observe'. Typed text goes to the element that takes the focus.",
            )
        return [*self._notes, f"{lost}: {held}"]


def _typed_notes(report: TypedContent) -> list[str]:
    """Return how a field's content differs from the text that was typed. That of a password field is not in the
    report."""
    if report.get("outcome") != "other":
        return _notes(report, report.get("wanted", 0))
    if "held_text" not in report:
        return [f"the field took another text: it holds {report['length']} characters instead of {report['wanted']}"]
    return [f"the field took another text: {describe_difference(report['wanted_text'], report['held_text'])}"]
