"""`eval`, `help`, `output`, `exit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer, value_text
from oryn.engine.page.context import require_no_dialog
from oryn.language import Eval, Exit, Help, Output, help_text

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Eval)
async def evaluate(session: Session, command: Eval) -> Answer:
    require_no_dialog(session)
    action = await Action.begin(session, reacts=False)
    value = await session.page.evaluate(command.script, session.frame, timeout=session.deadline.remaining())
    answer = await action.report()
    answer.data, answer.block = value, value_text(value)
    return answer


@handles(Help, browser=False)
async def show_help(session: Session, command: Help) -> Answer:
    text = help_text(command.command)
    return Answer(lines=text.split("\n"), data=text)


@handles(Output, browser=False)
async def output(session: Session, command: Output) -> Answer:
    session.json = command.format == "json"
    return Answer()


@handles(Exit, browser=False)
async def leave(session: Session, command: Exit) -> Answer:
    return Answer(exit=True)
