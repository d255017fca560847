"""`login "<user>" "<password>"`: fills in and submits the page's login form, also one that requires the name first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.handlers.forms import write_text
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin.steps import by_role, by_text, element_by_number, scan_page, settle, wait_for_departure
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import click_element
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import Postcondition, pressed, repeating
from oryn.errors import ElementNotFound, PageError, TargetError, Timeout
from oryn.language import Login, with_vault_field

if TYPE_CHECKING:
    from oryn.engine.session import Session

NEXT_TEXTS = ("Next", "Continue")


@handles(Login)
@overridable
async def login(session: Session, command: Login) -> Answer:
    """Raises `ElementNotFound` if the page has no field for the name. The answer to what fails later reports what has
    changed by then. `{{vault:shop}}` alone means the entry's field `user`, or `password`."""
    require_no_dialog(session)
    action = await Action.begin(session)
    user, password, submit = await _form(session)
    notes: list[str] = []
    expects: list[Postcondition] = []
    press: Callable[[], Awaitable[None]] | None = None
    try:
        notes += await (await write_text(session, user, with_vault_field(command.user, "user"))).notes()
        if password is None:
            password, submit = await _second_step(session, user)
        notes += await (await write_text(session, password, with_vault_field(command.password, "password"))).notes()
        if not command.no_submit and submit is not None:
            press, expects = partial(click_element, session, submit), [pressed(submit)]
            await press()
        elif not command.no_submit:
            await session.page.keyboard.press(["enter"])
        if not command.no_submit and command.wait and session.page.url == action.url:
            await wait_for_departure(session, command.wait)
    except Timeout:
        raise
    except (PageError, TargetError) as error:
        return await action.report(notes, error=error)
    fields = f"user [{user.id}], password [{password.id}]" + _submitted(submit, command.no_submit)
    return await action.report([fields, *notes], expects=expects, again=repeating(press) if press else None)


def _submitted(submit: Resolved | None, left: bool) -> str:
    if left:
        return ", not submitted"
    return f", submit [{submit.id}]" if submit is not None else ", submitted with enter"


async def _form(session: Session) -> tuple[Resolved, Resolved | None, Resolved | None]:
    """Return the fields of the form. The password is None if the page requires the name first."""
    pattern = (await scan_page(session)).patterns.get("login_form", {})
    if "password" in pattern:
        user = pattern.get("email", pattern.get("username"))
        submit = pattern.get("submit")
        return (
            element_by_number(session, user),
            element_by_number(session, pattern["password"]),
            element_by_number(session, submit) if submit else None,
        )
    found = await by_role(session, "username", "email")
    if found is None:
        raise ElementNotFound("no login form on this page", "Go to the page that has it, or run 'observe'.")
    return found, await by_role(session, "password"), None


async def _second_step(session: Session, user: Resolved) -> tuple[Resolved, Resolved | None]:
    """Submit the name, and find the password field that appears then."""
    checkpoint = session.page.checkpoint()
    button = await by_text(session, *NEXT_TEXTS)
    if button is not None:
        await click_element(session, button)
    else:
        await session.page.keyboard.press(["enter"])
    await settle(session, checkpoint)
    password = await by_role(session, "password")
    if password is None:
        raise ElementNotFound("the page did not ask for a password", "Run 'observe' to see what it asks for.")
    submit = (await scan_page(session)).patterns.get("login_form", {}).get("submit")
    return password, element_by_number(session, submit) if submit else await by_role(session, "submit", verb="click")
