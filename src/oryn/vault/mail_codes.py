"""Waits for a message with a login code in a mail account, read by IMAP over TLS (RFC 3501). The folder is opened for
reading only: no message is marked as read."""

from __future__ import annotations

import asyncio
import imaplib
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default as headers_policy

from oryn.core.vault_secret import SecretRequest
from oryn.errors import SecretCodeMissing, SecretSourceFailed
from oryn.vault.file import VaultFile
from oryn.vault.mail_settings import MailAccount, MailCode
from oryn.vault.message_codes import find_code, read_message
from oryn.vault.used_codes import CodeMessage, claim_message

POLL_SECONDS = 1.0
"""The pause between two looks into the folder."""
OPERATION_SECONDS = 20.0
"""How long the server may take for one answer."""
ANSWER_SECONDS = 2.0
"""The part of a command's time that is left for what it does with the code."""
CLOCK_SECONDS = 1.0
"""How much earlier than the command a message may be: servers record whole seconds."""
MAX_MESSAGES = 100
"""How many of the latest messages are looked at."""
MAX_MESSAGE_BYTES = 512 * 1024

_NETWORK_ERRORS = (OSError, imaplib.IMAP4.error, EOFError)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message of a named sender, with what identifies it. `number` grows from message to message."""

    number: int
    code: str | None = field(repr=False)


class Mailbox:
    """The open folder of an account. All methods block, and raise `SecretSourceFailed`."""

    def __init__(self, account: MailAccount, code: MailCode, since: float, seconds: float) -> None:
        """Connect. Messages since `since` (Unix time) count; the server has `seconds` for each of its answers."""
        self._account, self._code, self._since = account, code, since
        self._seen: dict[int, Arrival | None] = {}
        self._imap = self._connect(seconds)
        try:
            self._log_in()
            self._first_new = self._open()
        except BaseException:
            self.close()
            raise

    def _connect(self, seconds: float) -> imaplib.IMAP4_SSL:
        account = self._account
        place = f"{account.host}:{account.port}"
        try:
            context = ssl.create_default_context(cafile=account.authority or None)
            return imaplib.IMAP4_SSL(account.host, account.port, ssl_context=context, timeout=seconds)
        except ssl.SSLCertVerificationError as error:
            raise SecretSourceFailed(
                f"the mail server {place} has a certificate that is not valid: {error.verify_message}",
                "Nothing was sent to it. For a server of your own, store the account with --ca FILE.",
            ) from None
        except ssl.SSLError:
            raise SecretSourceFailed(f"the mail server {place} does not speak TLS", "Use its port for IMAPS.") from None
        except socket.gaierror:
            raise SecretSourceFailed(f"there is no mail server {account.host}", "Check its name.") from None
        except FileNotFoundError:
            raise SecretSourceFailed(f"{account.authority} is missing: it has the certificates of {place}") from None
        except (*_NETWORK_ERRORS, TimeoutError) as error:
            raise SecretSourceFailed(
                f"the mail server {place} does not answer ({_reason(error)})", "Check that it is up, and the port."
            ) from None

    def _log_in(self) -> None:
        account = self._account
        try:
            self._imap.login(account.user, account.password)
        except UnicodeEncodeError:
            raise SecretSourceFailed("this mail account's password has characters that IMAP can't send") from None
        except (imaplib.IMAP4.abort, OSError) as error:
            raise self._lost(error) from None
        except imaplib.IMAP4.error:
            raise SecretSourceFailed(
                f"the mail server {account.host} refuses the user or the password of the account {account.name}",
                "Store it again: oryn vault mail. Many providers want an app password for IMAP.",
            ) from None

    def _open(self) -> int:
        """Open the folder, and return the number of the next message."""
        folder = self._account.folder
        name = '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'
        try:
            status, _ = self._imap.select(name, readonly=True)
            if status != "OK":
                raise SecretSourceFailed(f"the mail account {self._account.name} has no folder {folder!r}")
            self._validity = _number(self._imap.response("UIDVALIDITY"))
            return _number(self._imap.response("UIDNEXT"))
        except _NETWORK_ERRORS as error:
            raise self._lost(error) from None

    @property
    def folder(self) -> str:
        """Identifies the folder and its numbers of messages."""
        account = self._account
        return f"{account.user}@{account.host}:{account.port}/{account.folder}/{self._validity}"

    def arrivals(self) -> list[Arrival]:
        """Return the messages that count, the newest first."""
        try:
            self._imap.noop()
            for number in self._new_numbers():
                self._seen[number] = self._read(number)
        except _NETWORK_ERRORS as error:
            raise self._lost(error) from None
        return sorted(filter(None, self._seen.values()), key=lambda each: each.number, reverse=True)

    def _new_numbers(self) -> list[int]:
        day = time.strftime("%d-%b-%Y", time.gmtime(self._since - 86_400))  # servers compare days, in their own zone
        _, found = self._imap.uid("SEARCH", "SINCE", day)
        numbers = [int(each) for each in (found[0] or b"").split()]
        return [each for each in numbers[-MAX_MESSAGES:] if each not in self._seen]

    def _read(self, number: int) -> Arrival | None:
        """Return a message; None if it does not count. Only the text of those that count is fetched."""
        header = "(INTERNALDATE BODY.PEEK[HEADER.FIELDS (FROM)])"
        described, data = self._fetch(number, header)
        if number < self._first_new and _received(described) < self._since - CLOCK_SECONDS:
            return None
        sender = message_from_bytes(data, policy=headers_policy).get("From", "")
        if not self._code.is_from(str(sender)):
            return None
        _, data = self._fetch(number, f"(BODY.PEEK[]<0.{MAX_MESSAGE_BYTES}>)")
        return Arrival(number, find_code(read_message(data), self._code.pattern))

    def _fetch(self, number: int, what: str) -> tuple[bytes, bytes]:
        _, parts = self._imap.uid("FETCH", str(number), what)
        for part in parts:
            if isinstance(part, tuple):
                # Some servers put attributes behind the literal.
                rest = b"".join(each for each in parts if isinstance(each, bytes))
                return part[0] + rest, part[1]
        return b"", b""  # it was deleted meanwhile

    def _lost(self, error: BaseException) -> SecretSourceFailed:
        return SecretSourceFailed(
            f"the mail server {self._account.host} broke off ({_reason(error)})", "Check that it is up, and try again."
        )

    def close(self) -> None:
        """Close the connection."""
        with suppress(*_NETWORK_ERRORS):
            self._imap.logout()
        with suppress(*_NETWORK_ERRORS):
            self._imap.shutdown()


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else "protocol error"


def _number(response: tuple[str, list[bytes | None]]) -> int:
    _, data = response
    return int(data[0]) if data and data[0] else 0


def _received(described: bytes) -> float:
    """Return when the server received a message, as Unix time; 0 if it does not say."""
    found = imaplib.Internaldate2tuple(described)
    return time.mktime(found) if found else 0.0


async def wait_for_code(
    file: VaultFile, name: str, account: MailAccount, code: MailCode, request: SecretRequest
) -> str:
    """Return the code of the newest message of a named sender that came since the command began, waiting for it.

    The message counts as used then. Raises `SecretSourceFailed` if the server does not let us look, and
    `SecretCodeMissing` if no message came."""
    loop = asyncio.get_running_loop()
    end = loop.time() + max(1.0, request.remaining() - ANSWER_SECONDS)
    mailbox: Mailbox | None = None
    arrivals: list[Arrival] = []
    try:
        while True:
            left = max(1.0, end - loop.time())
            try:
                if mailbox is None:
                    mailbox = await asyncio.to_thread(
                        Mailbox, account, code, request.since, min(OPERATION_SECONDS, left)
                    )
                arrivals = await asyncio.to_thread(mailbox.arrivals)
            except SecretSourceFailed:
                if mailbox is None or loop.time() >= end:
                    raise
                await asyncio.to_thread(mailbox.close)
                mailbox = None
                continue
            found = list(_messages(mailbox, name, arrivals))
            if found and (taken := await asyncio.to_thread(claim_message, file, found)) is not None:
                return taken.code
            if loop.time() + POLL_SECONDS > end:
                raise _missing(name, account, code, arrivals)
            await asyncio.sleep(POLL_SECONDS)
    finally:
        if mailbox is not None:
            await asyncio.shield(asyncio.to_thread(mailbox.close))


def _messages(mailbox: Mailbox, name: str, arrivals: list[Arrival]) -> Iterator[CodeMessage]:
    for each in arrivals:
        if each.code is not None:
            yield CodeMessage(mailbox.folder, each.number, name, each.code)


def _missing(name: str, account: MailAccount, code: MailCode, arrivals: list[Arrival]) -> SecretCodeMissing:
    senders = ", ".join(code.senders)
    if not arrivals:
        return SecretCodeMissing(
            f"no message from {senders} came to {account.name} in time: {name} has no code",
            "Let the page send the code again, and give the command more time: --timeout 120s.",
        )
    if all(each.code is None for each in arrivals):
        return SecretCodeMissing(
            f"a message from {senders} came to {account.name}, and no code was found in it",
            f"The user can say what it looks like: oryn vault mail-code {name} --pattern REGEX.",
        )
    return SecretCodeMissing(
        f"the code of the last message from {senders} was used before", "Let the page send another one."
    )


def look_for_codes(account: MailAccount, code: MailCode, since: float) -> tuple[int, int]:
    """Return how many messages of the named senders came since `since`, and how many of them have a code. Blocks.
    Raises `SecretSourceFailed`."""
    mailbox = Mailbox(account, code, since, OPERATION_SECONDS)
    try:
        arrivals = mailbox.arrivals()
    finally:
        mailbox.close()
    return len(arrivals), sum(each.code is not None for each in arrivals)
