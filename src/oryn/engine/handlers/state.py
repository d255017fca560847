"""`state save` and `state load`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.state.foreign_state import read_foreign, write_playwright
from oryn.engine.state.restore import origin_states, read_browser_state, restore, unexpired
from oryn.engine.state.state_file import (
    SavedState,
    StateEncryption,
    decode_any,
    encode,
    encode_encrypted,
    in_domain,
    run_in_thread,
)
from oryn.errors import FileError, InvalidValue
from oryn.language import StateLoad, StateSave

if TYPE_CHECKING:
    from oryn.engine.session import Session

MAX_STATE_BYTES = 64_000_000
"""Maximum size of a file."""
MAX_COOKIES = 4_000
"""Maximum number of cookies. Chromium keeps 3,300, Firefox 3,000."""


@handles(StateSave)
async def state_save(session: Session, command: StateSave) -> Answer:
    domain = command.domain
    if domain is not None and not domain.strip(".").replace(".", "").replace("-", "").isalnum():
        raise InvalidValue(f"{quoted(domain)} is no domain", "Give one such as example.org.")
    session.files.writable(command.path, overwrite=command.overwrite)  # check the path before any work
    storage = not command.cookies_only
    if command.include_session:
        require_no_dialog(session)
    now = await read_browser_state(
        session, storage=storage, tabs=command.include_session, databases=command.include_indexeddb
    )
    state = SavedState(
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        domain,
        [cookie for cookie in now.cookies if in_domain(cookie.domain, domain)],
        origin_states(now, domain) if storage else None,
    )
    encryption = _state_encryption(session)
    encrypt = encryption is not None and encryption.on
    if command.format == "playwright":
        encrypt, content = False, write_playwright(state)
    else:
        content = await encode_encrypted(state, encryption) if encryption and encrypt else encode(state)
    session.files.write_bytes(command.path, content)
    answer = _summary_answer(state)
    answer.data |= {"encrypted": encrypt}
    if now.skipped_records:
        answer.notes.append(
            f"{_count_text(now.skipped_records, 'record')} of IndexedDB with files, keys or the like can't be saved"
        )
    return answer


@handles(StateLoad)
async def state_load(session: Session, command: StateLoad) -> Answer:
    content = session.files.read_bytes(command.path, MAX_STATE_BYTES)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    state = await run_in_thread(partial(read_foreign, now=now), content)
    if state is None:
        state = await decode_any(content, _state_encryption(session))
    if len(state.cookies) > MAX_COOKIES:
        raise FileError(
            f"{quoted(command.path)} has {len(state.cookies)} cookies, and no browser keeps more than {MAX_COOKIES}",
            "Nothing was changed. Load a file with the cookies of fewer sites.",
        )
    if command.cookies_only:
        state = replace(state, origins=None)
    leaves_out = not session.browser.storage.has_databases and any(each.databases for each in state.origins or ())
    if leaves_out:
        state = replace(state, origins=[replace(each, databases=None) for each in state.origins or ()])
    await restore(session, state, merge=command.merge)
    answer = _summary_answer(replace(state, cookies=unexpired(state.cookies)))
    if expired := len(state.cookies) - len(unexpired(state.cookies)):
        answer.notes.append(f"{_count_text(expired, 'cookie')} had expired")
    if leaves_out:
        answer.notes.append("IndexedDB is not supported in this mode, and was left out")
    answer.notes.append("'refresh' to see this page with it")
    return answer


def _state_encryption(session: Session) -> StateEncryption | None:
    return session.state_encryption() if session.state_encryption else None


def _summary_answer(state: SavedState) -> Answer:
    """Return the answer with a summary: `3 cookies, storage of 2 origins`."""
    summary = _count_text(len(state.cookies), "cookie")
    if state.origins is not None:
        summary += f", storage of {_count_text(len(state.origins), 'origin')}"
    data = {
        "cookies": len(state.cookies),
        "origins": None if state.origins is None else [each.origin for each in state.origins],
        "created": state.created,
        "domain": state.domain,
    }
    return Answer(lines=[summary], data=data)


def _count_text(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
