"""`run <name>`: performs an intent, and answers with its transcript and what changed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from oryn.engine.actions import Action, page_info
from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import BUILTIN, builtin_command
from oryn.engine.intents.own.library import Found, page_url
from oryn.engine.intents.own.parameters import Bound
from oryn.engine.intents.own.running import Performance
from oryn.errors import IntentNotFound, OrynError
from oryn.language import Command, Run
from oryn.language.suggestions import did_you_mean

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Run)
async def run(session: Session, command: Run) -> Answer:
    url = page_url(session)
    found = session.own.find(command.name, url)
    if found is not None:
        return await run_definition(session, found, command.parameters, command)
    if command.name in BUILTIN:
        return await session.perform(builtin_command(command.name, command.parameters))
    raise _not_found(session, command.name, url)


async def run_definition(session: Session, found: Found, given: Iterable[tuple[str, str]], command: Command) -> Answer:
    """Perform a definition. One that another calls tells its steps in the other's answer."""
    definition = found.definition
    performance = Performance(session, definition, Bound(definition, given))
    if performance.parent is not None:
        limit = definition.time_limit
        with session.within(limit) if limit else nullcontext():
            await performance.run()
        return Answer()
    if definition.time_limit is not None and command.timeout is None:
        session.allow(definition.time_limit)
    action = None if session.page.dialog is not None else await Action.begin(session)
    error: OrynError | None = None
    try:
        await performance.run()
    except OrynError as failure:
        error = failure
    answer = await _report(session, action, performance)
    answer.error = error
    answer.lines = performance.transcript.lines()
    answer.block = performance.transcript.block()
    answer.data = {"intent": definition.name, "from": found.origin, "steps": performance.transcript.data()}
    return answer


async def _report(session: Session, action: Action | None, performance: Performance) -> Answer:
    """What all steps together changed; what the page can't tell any more is left out."""
    try:
        if action is None:
            return Answer(page=None if session.page.dialog is not None else await page_info(session))
        if performance.numbered is not None:
            # The numbers of before mean nothing now: changes are told from the step that gave new ones.
            action.before = dict(performance.numbered)
        return await action.report()
    except OrynError as error:
        return Answer(notes=[f"what changed is not known: {error.message}"])


def _not_found(session: Session, name: str, url: str) -> IntentNotFound:
    for pack in session.own.library.packs().values():
        if name in pack.shelf.definitions:
            if pack.name in session.own.loaded:
                return IntentNotFound(
                    f"no intent {name} for this page", f"Pack {pack.name} has it for: {', '.join(pack.urls)}"
                )
            return IntentNotFound(f"no intent {name}", f"Pack {pack.name} has it: pack load {pack.name}")
    names = [*(each.definition.name for each in session.own.all(url)), *BUILTIN]
    return IntentNotFound(f"no intent {name}", did_you_mean(name, names))
