"""Keys that stay pressed: `keydown`, `keyup`, `keys`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action, require_no_dialog
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.language import KeyDown, Keys, KeyUp

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(KeyDown)
async def key_down(session: Session, command: KeyDown) -> Answer:
    """The tab holds the key through its next pages. Another tab, or one after a crash, has its own keys."""
    require_no_dialog(session)
    action = await Action.begin(session, reacts=False)
    was_up = await session.page.keyboard.down(command.key)
    return await action.report([] if was_up else [f"{command.key} was held already: this repeats it"])


@handles(KeyUp)
async def key_up(session: Session, command: KeyUp) -> Answer:
    """Releasing a key that is not held is not an error, so that a script may end with `keyup all`."""
    require_no_dialog(session)
    held = session.page.keyboard.held
    # Release the keys in reverse order, as a person would.
    keys = held[::-1] if command.key == "all" else (command.key,)
    action = await Action.begin(session, reacts=False)
    await session.page.keyboard.up(keys)
    missing = command.key != "all" and command.key not in held
    return await action.report([f"{command.key} was not held"] if missing else [])


@handles(Keys)
async def keys(session: Session, command: Keys) -> Answer:
    held = session.page.keyboard.held
    return Answer(lines=[", ".join(held) or "none"], data=list(held))
