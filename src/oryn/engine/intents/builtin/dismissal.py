"""`dismiss …` and `accept_cookies`: close overlays of the page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted, shortened
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin.popups import PopupKind, PopupLayer, close_popup, find_popups
from oryn.engine.intents.builtin.steps import by_text, element_by_number, scan_page
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import click_element, resolve
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import pressed, repeating
from oryn.errors import ElementNotFound, NoReaction
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
    "×",
    "✕",
    "Got it",
    "OK",
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

_SEVERAL = frozenset({"popups", "modals"})
_KINDS: dict[str, PopupKind] = {
    "popup": "popup", "popups": "popup", "modal": "modal", "modals": "modal", "banner": "banner",
}  # fmt: skip


@handles(Dismiss)
@overridable
async def dismiss(session: Session, command: Dismiss) -> Answer:
    """`modal(s)`: a dialog over the page, or a small box that floats over it; `banner`: the cookie banner; `popup(s)`:
    any of these; otherwise the layer with that text. A layer is closed by its button, Escape, or a press beside it,
    never by a button that accepts something. The notes say which of these has closed it.

    Raises `ElementNotFound` if no such layer is open; the answer is `NoReaction` if none of them can be closed."""
    require_no_dialog(session)
    action = await Action.begin(session)
    kind = _KINDS.get(command.what.lower())
    text = None if kind else command.what
    notes: list[str] = []
    stuck: dict[str, str] = {}
    layer: PopupLayer | None = None
    hint = ""
    while len(notes) < (MAX_LAYERS if command.what.lower() in _SEVERAL else 1) and len(stuck) < MAX_LAYERS:
        await scan_page(session)
        layers = await find_popups(session, kind or "popup", text)
        layer = next((each for each in layers if each.data["mark"] not in stuck), None)
        if layer is None:
            break
        how, tried = await close_popup(session, layer)
        if how is None:
            stuck[layer.data["mark"]] = f"{layer.label} stays open after {', '.join(tried)}"
            hint = hint or _choices(layer)
            continue
        notes.append(f"closed {layer.label} with {how}")
        if session.page.dialog is not None or session.page.document != action.document:
            break
    if notes:
        return await action.report([*notes, *stuck.values()])
    if stuck:
        return await action.report(error=NoReaction("; ".join(stuck.values()), hint))
    if text is None:
        raise ElementNotFound(f"no {command.what.lower().removesuffix('s')} is open", OBSERVE_HINT)
    return await _press_and_report(session, action, await _closer_of(session, text))


OBSERVE_HINT = "Run 'observe' to see what is there."


def _choices(layer: PopupLayer) -> str:
    names = ", ".join(quoted(name) for name in layer.data["buttons"])
    if not names:
        return OBSERVE_HINT
    accept = ", or run 'accept cookies'" if layer.data["cookie"] else ""
    return f"Its buttons: {names}. Press the one that you want{accept}."


async def _closer_of(session: Session, name: str) -> Resolved:
    """Return the element that closes what has the text `name` and does not lie over the page: a button inside it, or
    the element of that name if it is such a button. Raises `ElementNotFound`."""
    for closer in CLOSE_TEXTS:
        try:
            return await resolve(session, RelatedTarget(TextTarget(closer), "inside", TextTarget(name)), "click")
        except ElementNotFound:
            continue
    if name.casefold() not in (text.casefold() for text in CLOSE_TEXTS):
        raise ElementNotFound(f"no popup with the text {quoted(shortened(name, 100))} is open", OBSERVE_HINT)
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
    return await _press_and_report(session, action, target)


async def _press_and_report(session: Session, action: Action, target: Resolved) -> Answer:
    press = partial(click_element, session, target)
    await press()
    return await action.report(expects=[pressed(target)], again=repeating(press))
