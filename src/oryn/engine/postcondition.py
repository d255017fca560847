"""What must be true of an element after an act, and the check of that.

An act declares its postconditions (`Action.report(expects=…)`); the report checks them when the page has settled, and
is an error (`NOT_DONE`) if one does not hold by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.core.text_safety import plain, quoted
from oryn.engine.page.scanner import FRAME_GONE, Resolved, query_scanner
from oryn.errors import DialogOpen, ElementNotFound, NotDone, ScannerFailed

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import Expectation, VerifyRequest, VerifyResponse

SLOW_SECONDS = 2.5
"""How long a page has that shows the effect of an act late, without any sign that it is about to: a switch that asks
its server first."""


class Postcondition(Record):
    """What must be true of one element: the scanner's `verify` judges it."""

    target: Resolved
    expects: Expectation
    patience: float = 0
    """Seconds from the act on that the page has until it must hold. A page that is busy has `Options.action_wait`."""
    label: str | None = None
    """What messages call the element, such as the name of a field; None means its own name."""
    hint: str | None = None
    """What to do if it does not hold."""

    @property
    def name(self) -> str:
        if self.label is not None:
            return quoted(self.label)
        text = self.target.element["text"] if self.target.element else ""
        return quoted(text) if text else f"[{self.target.id}]"


class Verdict(Record):
    """Whether a postcondition holds."""

    postcondition: Postcondition
    response: VerifyResponse

    @property
    def is_unmet(self) -> bool:
        """Whether it does not hold. Of an element that has gone nothing is claimed."""
        return not self.response["holds"] and not self.response.get("gone")

    @property
    def error(self) -> NotDone:
        """The error for the answer, with what is true now."""
        return NotDone(_message(self.postcondition, plain(self.response.get("now", ""))), self.postcondition.hint)


def _message(postcondition: Postcondition, now: str) -> str:
    name = postcondition.name
    match postcondition.expects:
        case {"kind": "checked"}:
            return f"{name} is {now}"
        case {"kind": "focused"}:
            return f"{name} does not have the focus: {f'it is on {now}' if now else 'nothing has it'}"
    raise AssertionError(postcondition.expects)


async def verify(context: PageContext, postcondition: Postcondition) -> Verdict:
    """Ask the page whether a postcondition holds now. Of a document that was left, or that a dialog blocks, nothing is
    claimed."""
    target = postcondition.target
    request: VerifyRequest = {"cmd": "verify", "id": target.id, "expects": postcondition.expects}
    try:
        response: VerifyResponse = await query_scanner(
            context.page, request, target.frame, context.deadline.remaining()
        )
    except (*FRAME_GONE, DialogOpen, ElementNotFound, ScannerFailed):
        response = {"holds": False, "gone": True}
    return Verdict(postcondition, response)
