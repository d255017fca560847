"""`logout`: presses what ends the session, behind the account's menu if need be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import overridable
from oryn.engine.intents.steps import by_text, settle
from oryn.engine.pointing import press_element
from oryn.errors import ElementNotFound
from oryn.language import Logout

if TYPE_CHECKING:
    from oryn.engine.session import Session

WORDS = ("Log out", "Logout", "Sign out", "Signout", "Log off", "Abmelden", "Se déconnecter", "Cerrar sesión")
MENUS = ("Account menu", "User menu", "My account", "Account", "Profile", "Mein Konto", "Mon compte", "Mi cuenta")


@handles(Logout)
@overridable
async def logout(session: Session, command: Logout) -> Answer:
    require_no_dialog(session)
    action = await Action.begin(session)
    target = await by_text(session, *WORDS)
    if target is None and (menu := await by_text(session, *MENUS)) is not None:
        mark = session.page.mark()
        await press_element(session, menu)
        await settle(session, mark)
        target = await by_text(session, *WORDS)
    if target is None:
        raise ElementNotFound("nothing on this page logs out", "Run 'observe' to see what is there.")
    await press_element(session, target)
    return await action.report()
