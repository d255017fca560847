"""Keys that stay pressed: `keydown`, `keyup`, `keys`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.language import KeyDown, Keys, KeyUp

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext


@handles(KeyDown)
async def key_down(context: PageContext, command: KeyDown) -> Answer:
    """The tab holds the key through its next pages. Another tab, or one after a crash, has its own keys."""
    require_no_dialog(context)
    action = await Action.begin(context, reacts=False)
    was_up = await context.page.keyboard.down(command.key)
    return await action.report([] if was_up else [f"{command.key} was held already: this repeats it"])


@handles(KeyUp)
async def key_up(context: PageContext, command: KeyUp) -> Answer:
    """Releasing a key that is not held is not an error, so that a script may end with `keyup all`."""
    require_no_dialog(context)
    held = context.page.keyboard.held
    # Release the keys in reverse order, as a person would.
    keys = held[::-1] if command.key == "all" else (command.key,)
    action = await Action.begin(context, reacts=False)
    await context.page.keyboard.up(keys)
    missing = command.key != "all" and command.key not in held
    return await action.report([f"{command.key} was not held"] if missing else [])


@handles(Keys)
async def keys(context: PageContext, command: Keys) -> Answer:
    held = context.page.keyboard.held
    return Answer(lines=[", ".join(held) or "none"], data=list(held))
