"""What must be true of an element after an act, and the check of that.

An act declares its postconditions (`Action.report(expects=…)`); the report checks them when the page has settled, and
is an error (`NOT_DONE`) if one does not hold by then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.core.text_safety import phrase, plain, quoted
from oryn.engine.output.changes import PageChange
from oryn.engine.output.elements import HIGHLIGHT_MODIFIERS, Element, signature
from oryn.engine.output.text_difference import describe_written
from oryn.engine.page.scanner import FRAME_GONE, Resolved, query_scanner
from oryn.errors import DialogOpen, ElementNotFound, NotDone, ScannerFailed

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import Expectation, PressFate, VerifyRequest, VerifyResponse

SLOW_SECONDS = 2.5
"""How long a page has that shows the effect of an act late, without any sign that it is about to: a switch that asks
its server first."""


class Postcondition(Record):
    """What must be true of one element: the scanner's `verify` judges it."""

    target: Resolved
    expects: Expectation
    patience: float = 0
    """Seconds from the act on that the page has until it must hold. A page that is busy has `Options.action_wait`."""
    lasts: bool = False
    """Whether it must still hold when the grace period is over, though the page has reacted earlier."""
    label: str | None = None
    """What messages call the element, such as the name of a field; None means its own name."""
    hint: str | None = None
    """What to do if it does not hold."""
    repeats: tuple[str, ...] = ()
    """What may be true after the act that the same act, done once more, puts right (`VerifyResponse.now`)."""

    @property
    def name(self) -> str:
        if self.label is not None:
            return quoted(self.label)
        text = self.target.element["text"] if self.target.element else ""
        return quoted(text) if text else f"[{self.target.id}]"


def pressed(target: Resolved) -> Postcondition:
    """The press that was made last has reached an element, its label or what it contains."""
    return Postcondition(target, {"kind": "pressed"}, hint="Run 'observe', then press it where it is now.")


class Verdict(Record):
    """Whether a postcondition holds."""

    postcondition: Postcondition
    response: VerifyResponse

    @property
    def is_unmet(self) -> bool:
        """Whether it does not hold. Of an element that has gone nothing is claimed."""
        return not self.response["holds"] and not self.response.get("gone")

    @property
    def asks_again(self) -> bool:
        """Whether the act may be done once more: it was lost, or has put right only the first half."""
        return self.response.get("again", False) or self.response.get("now") in self.postcondition.repeats

    def is_answered(self, found: Sequence[PageChange], subject: tuple[Element | None, Element | None]) -> bool:
        """Whether these changes of the page show that it has reacted to the act in another way: to a press that did not
        become a click, as menus do that open when the mouse goes down; or to files, which it has taken already. Text
        alone is no answer to a press: a field that has lost the focus may have told what is wrong with it.

        subject: the element before and after."""
        if self.postcondition.expects["kind"] in _ANSWERED_BY_ANY:
            return bool(found)
        fate = self.response.get("fate")
        if fate is None or fate == "missed":
            return False
        before, after = subject
        if before and after and signature(before, HIGHLIGHT_MODIFIERS) != signature(after, HIGHLIGHT_MODIFIERS):
            return True
        return any(_is_answer(change, fate) for change in found)

    @property
    def error(self) -> NotDone:
        """The error for the answer, with what is true now."""
        return NotDone(_message(self.postcondition, self.response), self.postcondition.hint)


Repetition = Callable[[Sequence[Verdict]], Awaitable[bool]]
"""Acts once more if the verdicts, of what does not hold, say that this is right. Returns whether it did."""


def repeating(act: Callable[[], Awaitable[None]]) -> Repetition:
    """Return the repetition of an act that was lost, or has put right only the first half."""

    async def again(unmet: Sequence[Verdict]) -> bool:
        if not any(verdict.asks_again for verdict in unmet):
            return False
        await act()
        return True

    return again


_ANSWERED_BY_ANY = frozenset({"dropped", "files"})
"""Kinds of expectations that a page may fulfil in its own way, if it shows anything."""
_EVENTS = frozenset({"dialog", "download", "page", "tab", "tab_closed", "url"})
_LAYERS = frozenset({"alertdialog", "dialog", "listbox", "menu", "menuitem", "option", "tooltip"})


def _is_answer(change: PageChange, fate: PressFate) -> bool:
    kind = change.data["change"]
    if kind != "appeared":
        return kind in _EVENTS
    # What has moved the pressed element away may hold links; what lies over it now was opened by the press.
    return fate != "moved" or change.data["element"].get("role") in _LAYERS


def _message(postcondition: Postcondition, response: VerifyResponse) -> str:
    name, now = postcondition.name, response.get("now", "")
    expects = postcondition.expects
    match expects["kind"]:
        case "checked":
            return f"the page kept {name} {phrase(now)}"
        case "chosen":
            texts = ", ".join(map(quoted, expects["texts"]))
            return f"{name} shows {quoted(now) if now else 'nothing'} instead of {texts}"
        case "pressed":
            return f"the press did not reach {name}: {phrase(now)}"
        case "value":
            return describe_written(name, response["written"])
        case "hovered":
            return f"the mouse is not over {name}: {phrase(now)}"
        case "in_view":
            return f"{name} is not in view: {phrase(now)}"
        case "dropped":
            return f"{name} was not dropped: {phrase(now)}"
        case "files":
            return f"{name} holds {plain(now) or 'no files'}"
        case "focused":
            return f"{name} does not have the focus: {f'it is on {phrase(now)}' if now else 'nothing has it'}"


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
