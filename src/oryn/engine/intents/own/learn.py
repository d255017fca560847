"""`learn status|show|save|discard`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.reading import read_definition
from oryn.errors import IntentNotFound
from oryn.language import Learn, LearnDiscard, LearnSave

if TYPE_CHECKING:
    from oryn.engine.intents.own.learning import Proposal
    from oryn.engine.session import Session


@handles(Learn, browser=False)
async def learn(session: Session, command: Learn) -> Answer:
    proposals = _proposals(session)
    if command.action == "status":
        rows = [{"name": each.name, "steps": each.steps, "seen": each.seen} for each in proposals]
        lines = [f"{each.name}: {each.steps} steps, seen {each.seen} times" for each in proposals]
        watched = len(session.history.done)
        return Answer(
            lines=[
                f"{len(proposals)} proposal{'' if len(proposals) == 1 else 's'}, {watched} commands watched",
                *lines,
            ],
            data={"proposals": rows, "commands": watched},
        )
    if not proposals:
        return Answer(lines=["no proposals"], data=[])
    texts = [session.own.library.write(each.data).rstrip("\n") for each in proposals]
    return Answer(block="\n---\n".join(texts), data=[each.data for each in proposals])


@handles(LearnSave, browser=False)
async def save(session: Session, command: LearnSave) -> Answer:
    """Under its own name, or any: where there is only one, which is meant is clear."""
    proposals = _proposals(session)
    chosen = next((each for each in proposals if each.name == command.name), None)
    if chosen is None:
        chosen = _only(proposals, command.name)
    definition = read_definition({**chosen.data, "name": command.name})
    place = session.own.library.save(definition)
    session.own.lessons.discard(chosen)
    return Answer(lines=[f"saved {place}", definition.usage], data={"path": place, "usage": definition.usage})


def _only(proposals: list[Proposal], name: str) -> Proposal:
    if len(proposals) == 1:
        return proposals[0]
    if not proposals:
        raise IntentNotFound("nothing was learnt yet", "What is done twice on pages of one kind becomes a proposal.")
    names = ", ".join(each.name for each in proposals)
    raise IntentNotFound(
        f"which proposal is to be {name}?", f"There are {names}: save one by its name, or discard the others."
    )


@handles(LearnDiscard, browser=False)
async def discard(session: Session, command: LearnDiscard) -> Answer:
    proposals = _proposals(session)
    chosen = [each for each in proposals if command.name in (None, each.name)]
    if not chosen and command.name is not None:
        names = ", ".join(each.name for each in proposals)
        raise IntentNotFound(f"no proposal {command.name}", f"Proposals: {names}." if names else "There are none.")
    for each in chosen:
        session.own.lessons.discard(each)
    return Answer(lines=[f"{len(chosen)} dropped"], data=[each.name for each in chosen])


def _proposals(session: Session) -> list[Proposal]:
    return session.own.lessons.proposals(list(session.history.done))
