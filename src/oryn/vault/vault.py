"""The secrets of one user: stored by the user, and given to sessions."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.core.vault_secret import SecretBinding, SecretRequest, VaultSecret
from oryn.errors import InvalidValue, SecretNotFound, SecretSourceFailed
from oryn.vault.entries import SecretKind, SecretValue, VaultContent, VaultEntry, with_value, without
from oryn.vault.file import VaultFile
from oryn.vault.inventory import SecretListing, listings
from oryn.vault.mail_settings import MAIL_ACCOUNTS, MAIL_PREFIX, MailAccount, MailCode
from oryn.vault.sources import SOURCES, SourceReference, bind_reference, is_reference, parse_reference
from oryn.vault.totp import OneTimePassword, is_uri, parse_one_time_password
from oryn.vault.used_codes import USES, claimed_codes, last_step, reserve_step

if TYPE_CHECKING:
    from oryn.settings.types import VaultUse
    from oryn.system.paths import Paths

MAX_LISTED_NAMES = 20


@dataclass(frozen=True, slots=True)
class StoredSecret:
    """A secret as it is stored, and what its code is computed with."""

    binding: SecretBinding
    value: SecretValue
    content: VaultContent


class Vault:
    """The secrets of one user. `use` selects the location of the key for new content (`VaultFile`).

    All methods raise `VaultKeyWrong` if the vault can't be opened."""

    def __init__(
        self,
        paths: Paths,
        use: VaultUse = "auto",
        environment: Mapping[str, str] = os.environ,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.content_file = VaultFile(paths, use, environment)
        self._environment = environment
        self._clock = clock
        self._sleep = sleep

    @property
    def file(self) -> Path:
        """The path of the file."""
        return self.content_file.path

    # --- for the user ---

    def store(self, name: str, value: str, origins: Sequence[str] = (), kind: SecretKind = "text") -> None:
        """Store a secret; it replaces one of the same name. `origins` replace those of its entry, unless they are
        empty. Raises `InvalidValue`."""
        self._store_value(name, SecretValue(value, _now(), kind), origins)

    def store_one_time_password(self, name: str, password: OneTimePassword, origins: Sequence[str] = ()) -> None:
        """Store a key whose codes are the values of `name`. Raises `InvalidValue`."""
        self.store(name, password.uri, origins, "totp")

    def store_mail_code(self, name: str, code: MailCode, origins: Sequence[str] = ()) -> None:
        """Store that the values of `name` are codes in messages. Raises `InvalidValue`, and `SecretNotFound` if the
        vault has no such mail account."""
        self.account(self.content_file.read(), code.account)
        self.store(name, code.encode(), origins, "mail")

    def _store_value(self, name: str, value: SecretValue, origins: Sequence[str]) -> None:
        with self.content_file.changing() as change:
            entries = with_value(change.content.entries, name, value, tuple(dict.fromkeys(origins)))
            change.content = VaultContent(entries, change.content.records)

    def delete(self, name: str) -> None:
        """Delete a secret, all secrets of an entry if `name` is an entry's, an allowed source, or with `mail:` before
        its name a mail account. Raises `SecretNotFound`."""
        if name.startswith(MAIL_PREFIX):
            self._delete_record(MAIL_ACCOUNTS, name.removeprefix(MAIL_PREFIX))
            return
        if is_reference(name):
            self._delete_record(SOURCES, str(parse_reference(name)))
            return
        with self.content_file.changing() as change:
            left = without(change.content.entries, name)
            if left is None:
                raise _not_found(change.content, name)
            change.content = VaultContent(left, change.content.records)

    def allow_source(self, reference: SourceReference, origins: Sequence[str]) -> None:
        """Allow the secrets of a password manager that the reference is the beginning of, for these origins alone."""
        if not origins:
            raise InvalidValue("no origin is named", "Say where its secrets may go: --origin https://shop.example.")
        self._store_record(SOURCES, str(reference), {"origins": list(dict.fromkeys(origins)), "set": _now()})

    def store_mail_account(self, account: MailAccount) -> None:
        """Store a mail account; it replaces one of the same name."""
        self._store_record(MAIL_ACCOUNTS, account.name, account.encode(_now()))

    def _store_record(self, section: str, name: str, record: Mapping[str, Any]) -> None:
        with self.content_file.changing() as change:
            change.content = change.content.with_section(section, {**change.content.section(section), name: record})

    def _delete_record(self, section: str, name: str) -> None:
        with self.content_file.changing() as change:
            records = change.content.section(section)
            if name not in records:
                raise SecretNotFound(f"the vault has no {quoted(name[:60])}", f"It has {_join_names(sorted(records))}.")
            left = {each: value for each, value in records.items() if each != name}
            change.content = change.content.with_section(section, left)

    def listed(self) -> list[SecretListing]:
        """Return everything in the vault, without its value."""
        return list(listings(self.content_file.read()))

    # --- for a session (`oryn.core.vault_secret.SecretVault`) ---

    async def secret(self, name: str, request: SecretRequest | None = None) -> VaultSecret:
        """Return the value of this name: what is stored, the current code of a key, that of a message, or what a
        password manager has. Raises `SecretNotFound`, which lists the available names."""
        request = request or SecretRequest()
        if is_reference(name):
            return await self._external(name, request)
        found = await self.stored(name)
        request.permit(found.binding)
        match found.value.kind:
            case "totp":
                value = await self._current_code(parse_one_time_password(found.value.value), request)
            case "mail":
                value = await self._mailed_code(found, request)
            case _:
                return VaultSecret(name, found.value.value, found.binding.origins)
        return VaultSecret(name, value, found.binding.origins, True)

    async def values_to_mask(self, name: str) -> tuple[VaultSecret, ...]:
        """Return the values that a session may have been given under this name: of a key, the last codes."""
        if is_reference(name):
            binding, value = await self.read_source(name, SecretRequest())
            codes = await self._last_codes(_password(value)) if is_uri(value) else (value,)
            return tuple(VaultSecret(name, code, binding.origins) for code in codes)
        found = await self.stored(name)
        match found.value.kind:
            case "totp":
                values = await self._last_codes(parse_one_time_password(found.value.value))
            case "mail":
                values = claimed_codes(found.content.section(USES), name)
            case _:
                values = (found.value.value,)
        return tuple(VaultSecret(name, value, found.binding.origins, found.value.kind != "text") for value in values)

    async def stored(self, name: str) -> StoredSecret:
        """Return what is stored under a name. Raises `SecretNotFound`."""
        # A keyring may prompt the user, and deriving a key is slow on purpose.
        content = await asyncio.to_thread(self.content_file.read)
        entry, _, key = name.partition(".")
        found = content.entries.get(entry, VaultEntry())
        if key not in found.fields:
            raise _not_found(content, name)
        return StoredSecret(SecretBinding(name, found.origins), found.fields[key], content)

    # --- codes ---

    async def _current_code(self, password: OneTimePassword, request: SecretRequest) -> str:
        """Return the code of the first window that none was used of, waiting until it begins."""
        step = await asyncio.to_thread(reserve_step, self.content_file, password, self._clock())
        while (wait := step * password.period - self._clock()) > 0:
            request.prolong(wait)
            await self._sleep(wait)
        return password.code(step)

    async def _last_codes(self, password: OneTimePassword) -> tuple[str, ...]:
        content = await asyncio.to_thread(self.content_file.read)
        step = last_step(content.section(USES), password)
        return () if step is None else tuple(password.code(each) for each in (step, step - 1))

    async def _mailed_code(self, found: StoredSecret, request: SecretRequest) -> str:
        from oryn.vault.mail_codes import wait_for_code

        code = MailCode.decode(found.value.value)
        account = self.account(found.content, code.account)
        return await wait_for_code(self.content_file, found.binding.name, account, code, request)

    @staticmethod
    def account(content: VaultContent, name: str) -> MailAccount:
        """Return a mail account. Raises `SecretNotFound`."""
        accounts = content.section(MAIL_ACCOUNTS)
        if name not in accounts:
            raise SecretNotFound(
                f"the vault has no mail account {quoted(name[:60])}",
                f"Store it: oryn vault mail {name if name.isidentifier() else 'NAME'} --server HOST --user ADDRESS.",
            )
        return MailAccount.decode(name, accounts[name])

    # --- password managers ---

    async def _external(self, name: str, request: SecretRequest) -> VaultSecret:
        binding, value = await self.read_source(name, request)
        if not is_uri(value):
            return VaultSecret(name, value, binding.origins)
        return VaultSecret(name, await self._current_code(_password(value), request), binding.origins, True)

    async def read_source(self, name: str, request: SecretRequest) -> tuple[SecretBinding, str]:
        """Return what a password manager has for a reference, such as the otpauth URI of its codes, and where that may
        go. Raises the errors of `secret`."""
        from oryn.vault.password_managers import default_environment, read_reference

        try:
            reference = parse_reference(name)
        except InvalidValue as error:
            raise SecretNotFound(error.message, error.hint) from None
        content = await asyncio.to_thread(self.content_file.read)
        binding = bind_reference(reference, content.section(SOURCES))
        request.permit(binding)
        value = await read_reference(reference, request.remaining(), default_environment(self._environment))
        if not value.strip():
            raise SecretSourceFailed(f"{quoted(name[:80])} is empty", "Check the item in the password manager.")
        return binding, value


def _password(uri: str) -> OneTimePassword:
    """Parse the otpauth URI of a password manager. Raises `SecretSourceFailed`."""
    try:
        return parse_one_time_password(uri)
    except InvalidValue as error:
        raise SecretSourceFailed(f"what the password manager has is {error.message}", error.hint) from None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _not_found(content: VaultContent, name: str) -> SecretNotFound:
    entry, dot, _ = name.partition(".")
    if not dot and entry in content.entries:
        return SecretNotFound(
            f"{quoted(name)} is an entry of the vault, and names no field of it",
            f"Name one: {_join_names(_names(content, entry))}.",
        )
    names = [*_names(content), *sorted(content.section(SOURCES))]
    hint = (
        f"It has {_join_names(names)}."
        if names
        else "It is empty: only the user can store something, oryn vault set NAME."
    )
    return SecretNotFound(f"the vault has no {quoted(name[:60])}", hint)


def _names(content: VaultContent, only: str | None = None) -> list[str]:
    entries = content.entries.items()
    return [f"{entry}.{key}" for entry, each in entries if only in (None, entry) for key in sorted(each.fields)]


def _join_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_LISTED_NAMES} more" if len(names) > MAX_LISTED_NAMES else ""
    return ", ".join(names[:MAX_LISTED_NAMES]) + more
