"""`logout`: clicks the logout control, opening the account menu first if necessary."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin.steps import by_text, settle
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import click_element
from oryn.engine.postcondition import pressed, repeating
from oryn.errors import ElementNotFound
from oryn.language import Logout

if TYPE_CHECKING:
    from oryn.engine.session import Session

LOGOUT_TEXTS = ("Log out", "Logout", "Sign out", "Signout", "Log off", "Abmelden", "Se déconnecter", "Cerrar sesión")
MENU_TEXTS = ("Account menu", "User menu", "My account", "Account", "Profile", "Mein Konto", "Mon compte", "Mi cuenta")


@handles(Logout)
@overridable
async def logout(session: Session, command: Logout) -> Answer:
    require_no_dialog(session)
    action = await Action.begin(session)
    target = await by_text(session, *LOGOUT_TEXTS)
    if target is None and (menu := await by_text(session, *MENU_TEXTS)) is not None:
        checkpoint = session.page.checkpoint()
        await click_element(session, menu)
        await settle(session, checkpoint)
        target = await by_text(session, *LOGOUT_TEXTS)
    if target is None:
        raise ElementNotFound("nothing on this page logs out", "Run 'observe' to see what is there.")
    press = partial(click_element, session, target)
    await press()
    return await action.report(expects=[pressed(target)], again=repeating(press))
