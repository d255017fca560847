"""Where a command may name a value of the vault. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from oryn.errors import SecretNotAllowed
from oryn.language import (
    VAULT_REFERENCE,
    Command,
    CookiesSet,
    Credentials,
    Define,
    DialogAccept,
    FillForm,
    Goto,
    HeadersSet,
    Login,
    Run,
    Search,
    StorageSet,
    Type,
)
from oryn.records import Record

PLACES: Mapping[type[Command], frozenset[str]] = {
    Type: frozenset({"text"}),
    Login: frozenset({"user", "password"}),
    FillForm: frozenset({"values_by_field"}),
    Search: frozenset({"query"}),
    DialogAccept: frozenset({"text"}),
    Goto: frozenset({"headers"}),
    HeadersSet: frozenset({"headers"}),
    CookiesSet: frozenset({"value"}),
    StorageSet: frozenset({"value"}),
    Credentials: frozenset({"user", "password"}),
    Run: frozenset({"parameters"}),
    Define: frozenset({"body"}),
}
"""Where a command may name a value of the vault: in what it gives to a page or its server, and in what becomes such
commands."""


def check_places(command: Command) -> None:
    """Raises `SecretNotAllowed` for a reference where nothing would be put in its place, or where it would be told."""
    places = PLACES.get(command.spec.type, frozenset())  # type: ignore[call-overload]
    for name, value in command.values().items():
        if name not in places and any(map(VAULT_REFERENCE.search, _texts(value))):
            raise SecretNotAllowed(
                f"{{{{vault:…}}}} can't stand in the {name.replace('_', ' ')} of {command.spec.name}",
                "A value of the vault goes into what is typed, filled in, or sent: type, login, fill_form, headers.",
            )


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Record():
            yield from _texts(list(value.values().values()))
        case Mapping():
            yield from _texts([*value, *value.values()])
        case tuple() | list():
            for each in value:
                yield from _texts(each)
