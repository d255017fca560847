"""`login "<user>" "<password>"`: fills the page's login form, also one that asks for the name first, and submits it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.filling import write
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import overridable
from oryn.engine.intents.steps import by_role, by_text, known, linger, look, settle
from oryn.engine.pointing import press_element
from oryn.engine.resolve import Resolved
from oryn.errors import ElementNotFound
from oryn.language import Login, of_entry

if TYPE_CHECKING:
    from oryn.engine.session import Session

NEXT = ("Next", "Continue")


@handles(Login)
@overridable
async def login(session: Session, command: Login) -> Answer:
    """Raises `ElementNotFound` when the page asks for no name or no password; then nothing was submitted.

    `{{vault:shop}}` alone means the entry's field `user`, or `password`."""
    require_no_dialog(session)
    action = await Action.begin(session)
    user, password, submit = await _form(session)
    notes = await (await write(session, user, of_entry(command.user, "user"))).notes()
    if password is None:
        password, submit = await _second_step(session, user)
    notes += await (await write(session, password, of_entry(command.password, "password"))).notes()
    if not command.no_submit:
        if submit is not None:
            await press_element(session, submit)
        else:
            await session.page.press(["enter"])
        if command.wait and session.page.url == action.url:
            await linger(session, command.wait)
    fields = f"user [{user.id}], password [{password.id}]" + _submitted(submit, command.no_submit)
    return await action.report([fields, *notes])


def _submitted(submit: Resolved | None, left: bool) -> str:
    if left:
        return ", not submitted"
    return f", submit [{submit.id}]" if submit is not None else ", submitted with enter"


async def _form(session: Session) -> tuple[Resolved, Resolved | None, Resolved | None]:
    """The fields of the form. The password is None where the name is asked first."""
    pattern = (await look(session)).patterns.get("login_form", {})
    if "password" in pattern:
        user = pattern.get("email", pattern.get("username"))
        submit = pattern.get("submit")
        return known(session, user), known(session, pattern["password"]), known(session, submit) if submit else None
    found = await by_role(session, "username", "email")
    if found is None:
        raise ElementNotFound("no login form on this page", "Go to the page that has it, or run 'observe'.")
    return found, await by_role(session, "password"), None


async def _second_step(session: Session, user: Resolved) -> tuple[Resolved, Resolved | None]:
    """Send the name, and find the password that is asked for then."""
    mark = session.page.mark()
    button = await by_text(session, *NEXT)
    if button is not None:
        await press_element(session, button)
    else:
        await session.page.press(["enter"])
    await settle(session, mark)
    password = await by_role(session, "password")
    if password is None:
        raise ElementNotFound("the page did not ask for a password", "Run 'observe' to see what it asks for.")
    submit = (await look(session)).patterns.get("login_form", {}).get("submit")
    return password, known(session, submit) if submit else await by_role(session, "submit", verb="click")
