"""Tries a secret as a session would get it, and says in words what was found: never a value, and no code is used up."""

from __future__ import annotations

import asyncio
import http.client
import ssl
import time
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from oryn.core.text_safety import quoted
from oryn.core.vault_secret import SecretBinding, SecretRequest
from oryn.errors import SecretCodeMissing, SecretNotFound
from oryn.vault.mail_codes import look_for_codes
from oryn.vault.mail_settings import MAIL_ACCOUNTS, MAIL_PREFIX, MailAccount, MailCode
from oryn.vault.sources import is_reference, parse_reference
from oryn.vault.totp import MIN_REMAINING_SECONDS, OneTimePassword, is_uri, parse_one_time_password
from oryn.vault.vault import Vault

SOURCE_SECONDS = 60.0
"""How long a password manager may take: it may ask its user."""
MAX_CLOCK_SECONDS = 30.0
"""How far a clock may be off: sites accept the code of the window before and after."""
SITE_SECONDS = 5.0
"""How long a site may take to say what time it is."""
DAY = 86_400.0


async def try_secret(vault: Vault, name: str) -> str:
    """Return in a few words what there is under a name: a secret's, a reference, or `mail:` and an account.

    Raises the errors that a command would get: `SecretNotFound`, `SecretSourceFailed`, `SecretNotAllowed`; and
    `SecretCodeMissing` if the clock is so far off that no site accepts a code."""
    if name.startswith(MAIL_PREFIX):
        return await _try_account(vault, name.removeprefix(MAIL_PREFIX))
    if is_reference(name):
        return await _try_source(vault, name)
    found = await vault.stored(name)
    match found.value.kind:
        case "totp":
            password = parse_one_time_password(found.value.value)
            said = f"{password}; {await _compared_clocks(found.binding, password)}"
        case "mail":
            code = MailCode.decode(found.value.value)
            said = await _looked_into(vault.account(found.content, code.account), code)
        case _:
            said = "stored"
    return f"{said}; {_destination(found.binding)}"


async def _try_account(vault: Vault, name: str) -> str:
    content = await asyncio.to_thread(vault.content_file.read)
    data = content.section(MAIL_ACCOUNTS).get(name)
    if data is None:
        raise SecretNotFound(f"the vault has no mail account {quoted(name[:60])}", "Store it: oryn vault mail.")
    account = MailAccount.decode(name, data)
    await asyncio.to_thread(look_for_codes, account, MailCode(name, ()), time.time())
    return f"{account} can be read"


async def _try_source(vault: Vault, name: str) -> str:
    binding, value = await vault.read_source(name, SecretRequest(remaining=lambda: SOURCE_SECONDS))
    if is_uri(value):
        password = parse_one_time_password(value)
        return f"{password}; {await _compared_clocks(binding, password)}; {_destination(binding)}"
    return f"{parse_reference(name).manager} has it; {_destination(binding)}"


async def _looked_into(account: MailAccount, code: MailCode) -> str:
    messages, codes = await asyncio.to_thread(look_for_codes, account, code, time.time() - DAY)
    senders = ", ".join(code.senders)
    return f"{account.name} can be read: {messages} messages of {senders} in the last day, {codes} with a code"


async def _compared_clocks(binding: SecretBinding, password: OneTimePassword) -> str:
    for origin in binding.origins:
        difference = await asyncio.to_thread(clock_difference, origin)
        if difference is None:
            continue
        if abs(difference) > max(MAX_CLOCK_SECONDS, password.period) - MIN_REMAINING_SECONDS:
            way = "ahead of" if difference > 0 else "behind"
            raise SecretCodeMissing(
                f"this computer's clock is {abs(difference):.0f} s {way} that of {origin}: its codes are refused",
                "Set the clock, such as with 'timedatectl set-ntp true'.",
            )
        return f"the clock is that of {origin}, to {max(1, round(abs(difference)))} s"
    return "there is no site to compare the clock with"


def _destination(binding: SecretBinding) -> str:
    return f"for {' '.join(binding.origins)}" if binding.origins else "for any site"


def clock_difference(origin: str) -> float | None:
    """Return how many seconds this computer's clock is ahead of the one at `origin`, to a second or two. None if the
    site does not say. Blocks."""
    parts = urlsplit(origin)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(
            parts.hostname or "", parts.port, timeout=SITE_SECONDS, context=context
        )
    else:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=SITE_SECONDS)
    try:
        began = time.time()
        connection.request("HEAD", "/")
        told = connection.getresponse().headers["Date"]
        middle = (began + time.time()) / 2
        return None if told is None else middle - parsedate_to_datetime(told).timestamp() - 0.5
    except (OSError, http.client.HTTPException, ValueError, TypeError):
        return None
    finally:
        connection.close()
