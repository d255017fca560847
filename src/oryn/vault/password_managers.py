"""Reads secrets with the command lines of password managers: 1Password's `op`, Bitwarden's `bw`, and `pass`.

What a program prints is its secret or may contain one, so that no message has any of it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable, Mapping
from typing import Any

from oryn.core.text_safety import quoted
from oryn.errors import SecretSourceFailed
from oryn.vault.sources import Manager, SourceReference
from oryn.vault.totp import SCHEME, is_uri

PROGRAMS: Mapping[Manager, str] = {"op": "1Password's command line, op", "bw": "Bitwarden's, bw", "pass": "pass"}
_UNLOCK: Mapping[Manager, str] = {
    "op": "Run 'op signin', or unlock the 1Password app; for a daemon, set OP_SERVICE_ACCOUNT_TOKEN where it starts.",
    "bw": "Run 'bw unlock', and start the daemon with the BW_SESSION that it prints.",
    "pass": "Unlock the key once, such as with 'pass show', so that gpg-agent has it.",
}
_LOCKED = re.compile(
    r"sign(?:ed)? ?in|signin|not logged in|unauthenticated|session expired|authoriz|vault is locked|is locked"
    r"|master password|decryption failed|pinentry|inappropriate ioctl|no secret key|no such device|cancell?ed",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"isn't an item|isn't a (?:vault|field|section)|not found|could(?:n't| not) find|is not in the password store"
    r"|does not have a field|no item",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"more than one (?:result|item)", re.IGNORECASE)
MAX_OUTPUT_BYTES = 1_000_000
_BATCH = re.compile(r'["%&|<>^!]')
"""Characters that Windows' command interpreter reads in the arguments of a batch file."""


async def read_reference(reference: SourceReference, seconds: float, environment: Mapping[str, str]) -> str:
    """Return the secret of a reference, or the otpauth URI of its codes, in at most so many seconds. Raises
    `SecretSourceFailed`."""
    match reference.manager:
        case "op":
            return await _run(reference, ["read", "--no-newline", str(reference)], seconds, environment)
        case "bw":
            item = await _run(reference, ["get", "item", reference.path[0], "--nointeraction"], seconds, environment)
            return _field_of_item(reference, item)
        case _:
            shown = await _run(reference, ["show", "/".join(reference.path)], seconds, environment)
            return _line_of_password(reference, shown)


async def _run(reference: SourceReference, arguments: list[str], seconds: float, environment: Mapping[str, str]) -> str:
    manager = reference.manager
    program = shutil.which(manager, path=environment.get("PATH"))
    if program is None:
        raise SecretSourceFailed(
            f"{PROGRAMS[manager]} is not installed, or not in the PATH of this process: "
            f"{quoted(str(reference)[:80])} was not read",
            "Install it where the daemon runs, and restart the daemon: oryn daemon restart.",
        )
    if program.lower().endswith((".cmd", ".bat")) and any(map(_BATCH.search, arguments)):
        raise SecretSourceFailed(f"{quoted(str(reference)[:80])} has characters that {manager} can't be given here")
    try:
        process = await asyncio.create_subprocess_exec(
            program, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=dict(environment)
        )
    except OSError as error:
        raise SecretSourceFailed(f"{manager} can't be started: {error.strerror}") from None
    try:
        async with asyncio.timeout(seconds):
            output, complaint = await process.communicate()
    except TimeoutError:
        raise SecretSourceFailed(
            f"{manager} did not answer within {seconds:.0f} s: it may be waiting to be unlocked", _UNLOCK[manager]
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode or len(output) > MAX_OUTPUT_BYTES:
        raise _failure(reference, complaint.decode(errors="replace"), process.returncode)
    try:
        return output.decode()
    except UnicodeDecodeError:
        raise SecretSourceFailed(f"what {manager} has for {quoted(str(reference)[:80])} is not a text") from None


def _failure(reference: SourceReference, complaint: str, status: int | None) -> SecretSourceFailed:
    """Return the error for what a program says when it fails. Its words are not repeated."""
    manager, name = reference.manager, quoted(str(reference)[:80])
    if _SEVERAL.search(complaint):
        return SecretSourceFailed(f"{manager} has several items for {name}", "Name it by its id.")
    if _ABSENT.search(complaint) and not re.search(r"locked|decryption", complaint, re.IGNORECASE):
        return _absent(reference)
    if _LOCKED.search(complaint):
        return SecretSourceFailed(f"{manager} is locked, or nobody is signed in: {name} was not read", _UNLOCK[manager])
    return SecretSourceFailed(
        f"{manager} failed with exit status {status}: {name} was not read",
        "Try it in a terminal; what it printed is not shown, for it may contain a secret.",
    )


def _absent(reference: SourceReference) -> SecretSourceFailed:
    return SecretSourceFailed(f"{reference.manager} has no {quoted(str(reference)[:80])}", "Check its name.")


def _field_of_item(reference: SourceReference, output: str) -> str:
    """Return a field of an item of Bitwarden's: those of a login, notes, or one of its own.
    https://bitwarden.com/help/cli/#get"""
    name = "/".join(reference.path[1:]) or "password"
    try:
        item: dict[str, Any] = json.loads(output)
        # `bw get` also finds items whose names only contain the words, or whose address does.
        is_same = reference.path[0].casefold() in (str(item["name"]).casefold(), str(item["id"]).casefold())
        login: dict[str, Any] = item.get("login") or {}
        own = {str(each["name"]): each["value"] for each in item.get("fields") or ()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SecretSourceFailed("bw answered something other than an item", "Update it.") from None
    if not is_same:
        raise SecretSourceFailed(
            f"bw has no item that is called {quoted(reference.path[0])}, only one like it", "Give its full name, or id."
        )
    value = own.get(name) or {"notes": item.get("notes")}.get(name) or login.get(name)
    if name in ("uri", "uris") or not isinstance(value, str) or not value:
        raise _absent(reference)
    if name == "totp" and not is_uri(value):
        return f"{SCHEME}totp/?secret={value}"  # the key alone
    return value


def _line_of_password(reference: SourceReference, text: str) -> str:
    """Return the first line of a password of pass's, or the value of a line such as `user: ann`; for `#totp` the line
    with an otpauth URI, as pass-otp keeps it."""
    first, *lines = text.splitlines() or [""]
    wanted = reference.field.casefold()
    if not wanted:
        found = first
    elif wanted in ("totp", "otp"):
        found = next((line.strip() for line in [first, *lines] if is_uri(line)), "")
    else:
        found = _named_value(lines, wanted)
    if not found:
        raise _absent(reference)
    return found


def _named_value(lines: Iterable[str], wanted: str) -> str:
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name.strip().casefold() == wanted:
            return value.strip()
    return ""


def default_environment(own: Mapping[str, str]) -> Mapping[str, str]:
    """The environment of the programs: that of this process, without Oryn's own variables."""
    return {name: value for name, value in own.items() if not name.startswith("ORYN_")}
