"""`state save` and `state load`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oryn.engine.actions import require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.escape import quoted
from oryn.engine.execute.registry import handles
from oryn.engine.restoring import as_origins, held, restore, unexpired
from oryn.engine.saved_state import SavedState, Sealing, encode, sealed, unsealed, within
from oryn.errors import InvalidValue
from oryn.language import StateLoad, StateSave

if TYPE_CHECKING:
    from oryn.engine.session import Session

LARGEST = 64_000_000
"""Bytes of a file."""


@handles(StateSave)
async def state_save(session: Session, command: StateSave) -> Answer:
    domain = command.domain
    if domain is not None and not domain.strip(".").replace(".", "").replace("-", "").isalnum():
        raise InvalidValue(f"{quoted(domain)} is no domain", "Give one such as example.org.")
    session.files.writable(command.path, overwrite=command.overwrite)  # before anything is read
    storage = not command.cookies_only
    if command.include_session:
        require_no_dialog(session)
    now = await held(session, storage=storage, tabs=command.include_session)
    state = SavedState(
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        domain,
        [cookie for cookie in now.cookies if within(cookie.domain, domain)],
        as_origins(now, domain) if storage else None,
    )
    sealing = _sealing(session)
    encrypt = sealing is not None and sealing.on
    session.files.write_bytes(command.path, await sealed(state, sealing) if sealing and encrypt else encode(state))
    answer = _told(state)
    answer.data |= {"encrypted": encrypt}
    return answer


@handles(StateLoad)
async def state_load(session: Session, command: StateLoad) -> Answer:
    state = await unsealed(session.files.read_bytes(command.path, LARGEST), _sealing(session))
    if command.cookies_only:
        state = replace(state, origins=None)
    await restore(session, state, merge=command.merge)
    answer = _told(replace(state, cookies=unexpired(state.cookies)))
    if expired := len(state.cookies) - len(unexpired(state.cookies)):
        answer.notes.append(f"{_counted(expired, 'cookie')} had expired")
    answer.notes.append("'refresh' to see this page with it")
    return answer


def _sealing(session: Session) -> Sealing | None:
    return session.sealing() if session.sealing else None


def _told(state: SavedState) -> Answer:
    """`3 cookies, storage of 2 origins`."""
    shown = _counted(len(state.cookies), "cookie")
    if state.origins is not None:
        shown += f", storage of {_counted(len(state.origins), 'origin')}"
    data = {
        "cookies": len(state.cookies),
        "origins": None if state.origins is None else [each.origin for each in state.origins],
        "created": state.created,
        "domain": state.domain,
    }
    return Answer(lines=[shown], data=data)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
