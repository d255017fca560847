"""`dismiss …` and `accept_cookies`: gets what covers the page out of the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import overridable
from oryn.engine.intents.steps import by_text, known, look, settle
from oryn.engine.pointing import press_element
from oryn.engine.resolve import Resolved, resolve
from oryn.errors import ElementNotFound
from oryn.language import AcceptCookies, Dismiss, Related, Text

if TYPE_CHECKING:
    from oryn.engine.session import Session

CLOSERS = (
    "Close",
    "Dismiss",
    "No thanks",
    "No, thanks",
    "Not now",
    "Maybe later",
    "Skip",
    "Cancel",
    "Got it",
    "OK",
    "×",
    "✕",
)
ACCEPTERS = ("Accept all", "Accept cookies", "Accept", "Allow all", "Allow cookies", "I agree", "Agree", "Got it", "OK")
REPEATED = 5
"""How many layers `popups` and `modals` close at most: one may open behind the other."""

_SEVERAL = frozenset({"popup", "popups", "modals"})
_KINDS = frozenset({"popup", "popups", "modal", "modals", "banner"})


@handles(Dismiss)
@overridable
async def dismiss(session: Session, command: Dismiss) -> Answer:
    """`modal(s)`: a dialog over the page; `banner`: the cookie banner; `popup(s)`: either; else what says so."""
    require_no_dialog(session)
    action = await Action.begin(session)
    what = command.what.lower()
    if what not in _KINDS:
        await press_element(session, await _closer_of(session, command.what))
        return await action.report()
    closed = 0
    while closed < (REPEATED if what in _SEVERAL else 1):
        mark = session.page.mark()
        if not await _dismiss_one(session, what):
            break
        closed += 1
        await settle(session, mark)
        if session.page.dialog is not None or session.page.document != action.document:
            break
    if not closed:
        raise ElementNotFound(f"no {what.removesuffix('s')} is open", "Run 'observe' to see what is there.")
    return await action.report()


async def _dismiss_one(session: Session, what: str) -> bool:
    """Press what closes the topmost layer of the kind; a dialog without such a button takes Escape."""
    patterns = (await look(session)).patterns
    banner, modal = patterns.get("cookie_banner"), patterns.get("modal")
    if banner and what in ("banner", "popup", "popups"):
        number = banner.get("reject") or banner.get("close") or banner.get("accept")
        if number:
            await press_element(session, known(session, number))
            return True
    if modal and what != "banner":
        if number := modal.get("close"):
            await press_element(session, known(session, number))
        else:
            await session.page.press(["escape"])
        return True
    return False


async def _closer_of(session: Session, name: str) -> Resolved:
    """What closes the layer that says `name`: a button inside it, else the element of that name itself."""
    for closer in CLOSERS:
        try:
            return await resolve(session, Related(Text(closer), "inside", Text(name)), "click")
        except ElementNotFound:
            continue
    return await resolve(session, Text(name), "click")


@handles(AcceptCookies)
@overridable
async def accept_cookies(session: Session, command: AcceptCookies) -> Answer:
    require_no_dialog(session)
    action = await Action.begin(session)
    banner = (await look(session)).patterns.get("cookie_banner", {})
    number = banner.get("accept")
    target = known(session, number) if number else await by_text(session, *ACCEPTERS)
    if target is None:
        raise ElementNotFound("no cookie banner on this page", "Run 'observe' to see what is there.")
    await press_element(session, target)
    return await action.report()
