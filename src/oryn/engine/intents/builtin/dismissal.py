"""`dismiss …` and `accept_cookies`: close overlays of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action, require_no_dialog
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin.steps import by_text, element_by_number, scan_page, settle
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.resolve import Resolved, click_element, resolve
from oryn.errors import ElementNotFound
from oryn.language import AcceptCookies, Dismiss, RelatedTarget, TextTarget

if TYPE_CHECKING:
    from oryn.engine.session import Session

CLOSE_TEXTS = (
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
ACCEPT_TEXTS = (
    "Accept all",
    "Accept cookies",
    "Accept",
    "Allow all",
    "Allow cookies",
    "I agree",
    "Agree",
    "Got it",
    "OK",
)
MAX_LAYERS = 5
"""Maximum number of layers that `popups` and `modals` close; one may open behind the other."""

_SEVERAL = frozenset({"popup", "popups", "modals"})
_KINDS = frozenset({"popup", "popups", "modal", "modals", "banner"})


@handles(Dismiss)
@overridable
async def dismiss(session: Session, command: Dismiss) -> Answer:
    """`modal(s)`: a dialog over the page; `banner`: the cookie banner; `popup(s)`: either; otherwise the layer with
    that text."""
    require_no_dialog(session)
    action = await Action.begin(session)
    what = command.what.lower()
    if what not in _KINDS:
        await click_element(session, await _closer_of(session, command.what))
        return await action.report()
    closed = 0
    while closed < (MAX_LAYERS if what in _SEVERAL else 1):
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
    """Click the button that closes the topmost layer of the kind; for a dialog without such a button, press Escape."""
    patterns = (await scan_page(session)).patterns
    banner, modal = patterns.get("cookie_banner"), patterns.get("modal")
    if banner and what in ("banner", "popup", "popups"):
        number = banner.get("reject") or banner.get("close") or banner.get("accept")
        if number:
            await click_element(session, element_by_number(session, number))
            return True
    if modal and what != "banner":
        if number := modal.get("close"):
            await click_element(session, element_by_number(session, number))
        else:
            await session.page.keyboard.press(["escape"])
        return True
    return False


async def _closer_of(session: Session, name: str) -> Resolved:
    """Return the element that closes the layer with the text `name`: a button inside it, else the element
    of that name."""
    for closer in CLOSE_TEXTS:
        try:
            return await resolve(session, RelatedTarget(TextTarget(closer), "inside", TextTarget(name)), "click")
        except ElementNotFound:
            continue
    return await resolve(session, TextTarget(name), "click")


@handles(AcceptCookies)
@overridable
async def accept_cookies(session: Session, command: AcceptCookies) -> Answer:
    require_no_dialog(session)
    action = await Action.begin(session)
    banner = (await scan_page(session)).patterns.get("cookie_banner", {})
    number = banner.get("accept")
    target = element_by_number(session, number) if number else await by_text(session, *ACCEPT_TEXTS)
    if target is None:
        raise ElementNotFound("no cookie banner on this page", "Run 'observe' to see what is there.")
    await click_element(session, target)
    return await action.report()
