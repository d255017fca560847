"""Remembers which codes were given to a command, so that none is given twice: not to another session, and not after a
restart of the daemon, or when the same key is stored once more."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oryn.errors import SecretCodeMissing
from oryn.vault.file import VaultFile
from oryn.vault.totp import MAX_STEPS_AHEAD, OneTimePassword, choose_step

USES = "use"
"""The section of the vault's records that has the uses: the last window by a key's fingerprint, and the messages by
their folder."""
MAX_MESSAGES = 20
"""Messages of one folder that are remembered."""
MAX_AGE_SECONDS = 86_400.0
"""How long a use is remembered."""


def reserve_step(file: VaultFile, password: OneTimePassword, clock: float) -> int:
    """Return the window whose code may be used next, and record its use. `clock` is Unix time. Raises
    `SecretCodeMissing` if too many commands wait for theirs."""
    with file.changing() as change:
        uses = change.content.section(USES)
        used = uses.get(password.fingerprint, {}).get("step")
        step = choose_step(clock, password.period, used)
        if step > clock // password.period + MAX_STEPS_AHEAD:
            raise SecretCodeMissing(
                f"{MAX_STEPS_AHEAD} commands are already waiting for codes of this key, each for a window of its own",
                "Try again later: the key is locked for two minutes at the most.",
            )
        change.content = change.content.with_section(
            USES, {**_recent(uses, clock), password.fingerprint: {"step": step, "at": clock}}
        )
    return step


def last_step(uses: Mapping[str, Any], password: OneTimePassword) -> int | None:
    """Return the last window whose code was used."""
    step: int | None = uses.get(password.fingerprint, {}).get("step")
    return step


@dataclass(frozen=True, slots=True)
class CodeMessage:
    """A message with a code. `number` grows from message to message of its folder; `name` is the secret's that wants
    it."""

    folder: str
    number: int
    name: str
    code: str = field(repr=False)


def claim_message(file: VaultFile, messages: Sequence[CodeMessage]) -> CodeMessage | None:
    """Return the first of the messages, all of one folder, and record that its code is used. None if a code of it, or
    of a later one, was used before."""
    with file.changing() as change:
        now = time.time()
        uses = change.content.section(USES)
        first = messages[0]
        taken: list[list[Any]] = uses.get(first.folder, {}).get("messages", [])
        if first.number <= max((number for number, _, _ in taken), default=-1):
            return None
        use = {"messages": [*taken, [first.number, first.name, first.code]][-MAX_MESSAGES:], "at": now}
        change.content = change.content.with_section(USES, {**_recent(uses, now), first.folder: use})
    return first


def claimed_codes(uses: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the codes of messages that were used for a secret."""
    messages = [each for use in uses.values() for each in use.get("messages", [])]
    return tuple(code for _, for_name, code in messages if for_name == name)


def _recent(uses: Mapping[str, Any], now: float) -> dict[str, Any]:
    return {name: use for name, use in uses.items() if abs(now - use["at"]) < MAX_AGE_SECONDS}
