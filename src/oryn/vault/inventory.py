"""What a list of the vault shows: names, where they may go, and never a value. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oryn.vault.entries import SecretValue, VaultContent
from oryn.vault.mail_settings import MAIL_ACCOUNTS, MAIL_PREFIX, MailAccount, MailCode
from oryn.vault.sources import SOURCES
from oryn.vault.totp import parse_one_time_password


@dataclass(frozen=True, slots=True)
class SecretListing:
    """A secret, a source of secrets or a mail account, without its value. `set` is in UTC, ISO 8601; `kind` says in a
    few words what it is."""

    name: str
    origins: tuple[str, ...]
    set: str
    kind: str = "text"


def listings(content: VaultContent) -> Iterator[SecretListing]:
    """Yield everything in the vault that has a name."""
    for entry, each in content.entries.items():
        for key, value in sorted(each.fields.items()):
            yield SecretListing(f"{entry}.{key}", each.origins, value.set, _kind(value))
    for name, rule in sorted(content.section(SOURCES).items()):
        yield SecretListing(name, tuple(rule["origins"]), rule["set"], "source")
    for name, data in sorted(content.section(MAIL_ACCOUNTS).items()):
        yield SecretListing(f"{MAIL_PREFIX}{name}", (), data["set"], f"mail account, {MailAccount.decode(name, data)}")


def _kind(value: SecretValue) -> str:
    if value.kind == "totp":
        return str(parse_one_time_password(value.value))
    return str(MailCode.decode(value.value)) if value.kind == "mail" else "text"
