"""What the vault keeps of a mail account, and of the codes that a site sends to it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from email.utils import getaddresses
from typing import Any, Self

from oryn.errors import InvalidValue

MAIL_ACCOUNTS = "mail"
"""The section of the vault's records that has the accounts, by name."""
MAIL_PREFIX = "mail:"
"""What stands before the name of an account, where it could be that of an entry."""
IMAPS_PORT = 993
MAX_PATTERN_CHARACTERS = 200
_SENDER = re.compile(r"[^@\s]*@[^@\s]+")


@dataclass(frozen=True, slots=True)
class MailAccount:
    """A folder of a mailbox, read by IMAP over TLS.

    `authority`: a file with the certificates (PEM) that the server's must be signed by, instead of the system's; ""
    means these."""

    name: str
    host: str
    user: str
    password: str = field(repr=False)
    port: int = IMAPS_PORT
    folder: str = "INBOX"
    authority: str = ""

    def encode(self, set: str) -> dict[str, Any]:
        """Return the account as JSON data without its name; `set` is when it is stored."""
        data = asdict(self)
        del data["name"]
        return {**data, "set": set}

    @classmethod
    def decode(cls, name: str, data: Mapping[str, Any]) -> Self:
        """Return the account of `encode`'s data."""
        return cls(name, **{key: value for key, value in data.items() if key != "set"})

    def __str__(self) -> str:
        port = "" if self.port == IMAPS_PORT else f":{self.port}"
        return f"{self.user} at {self.host}{port}, {self.folder}"


@dataclass(frozen=True, slots=True)
class MailCode:
    """The codes that a site sends by mail: to which account, and from whom.

    A sender is an address, or `@` and a domain.

    `pattern`: a regular expression that finds the code; "" means the rules of `message_codes`."""

    account: str
    senders: tuple[str, ...]
    pattern: str = ""

    def encode(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def decode(cls, text: str) -> Self:
        """Return what `encode` returned."""
        data = json.loads(text)
        return cls(data["account"], tuple(data["senders"]), data["pattern"])

    def is_from(self, header: str) -> bool:
        """Return whether a message with this From header is from one of the senders."""
        found = [address.lower() for _, address in getaddresses([header])]
        return any(_matches(address, sender) for address in found for sender in self.senders)

    def __str__(self) -> str:
        pattern = ", own pattern" if self.pattern else ""
        return f"mail of {', '.join(self.senders)} to {self.account}{pattern}"


def _matches(address: str, sender: str) -> bool:
    if not sender.startswith("@"):
        return address == sender
    domain = address.rpartition("@")[2]
    return f"@{domain}" == sender or domain.endswith(f".{sender[1:]}")


def checked_mail_code(account: str, senders: tuple[str, ...], pattern: str) -> MailCode:
    """Return the settings after checking them. Raises `InvalidValue`."""
    if not senders:
        raise InvalidValue("no sender is named", "Name who sends the codes: --from no-reply@shop.example.")
    for each in senders:
        if not _SENDER.fullmatch(each):
            raise InvalidValue(f"not a sender: {each[:60]!r}", "Give an address, or @ and a domain: @shop.example.")
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise InvalidValue(f"the pattern is longer than {MAX_PATTERN_CHARACTERS} characters", "Nothing was stored.")
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise InvalidValue(f"the pattern is not a regular expression: {error}", "Nothing was stored.") from None
    if groups > 1:
        raise InvalidValue("the pattern has several groups", "Put the code alone in a group; use (?:…) for others.")
    return MailCode(account, tuple(dict.fromkeys(each.lower() for each in senders)), pattern)
