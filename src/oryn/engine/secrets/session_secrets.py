"""Vault values in a session: filled in only when a command writes, and masked in everything that leaves the session.

`{{vault:shop.password}}` stays a reference in commands, so that their echo, traces, histories and learned intents
contain the reference. A value that is bound to origins is filled in on no other page. `check_references` restricts
references to certain fields of certain commands. Text that a page displays to people keeps words that are prefixes of a
value by chance (`prefixes`); text that it logs, sends and stores does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from oryn.core.text_safety import plain, quoted
from oryn.core.urls import origin_of
from oryn.core.vault_secret import (
    MIN_MASKED_CHARACTERS,
    FilledText,
    SecretBinding,
    SecretRequest,
    SecretVault,
    VaultSecret,
)
from oryn.engine.output.changes import PageChange
from oryn.engine.secrets.masking import MaskedValue, SecretMasker
from oryn.errors import InvalidValue, SecretNotAllowed, SecretNotFound
from oryn.language import (
    MASK,
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
from oryn.language.command import texts_in

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Frame, Page
    from oryn.engine.deadline import CommandDeadline
    from oryn.engine.output.answer import Answer

REFERENCE_FIELDS: Mapping[type[Command], frozenset[str]] = {
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
"""The fields in which a command may reference the vault: those that it sends to a page or its server, and those that
become such commands."""


def check_references(command: Command) -> None:
    """Raise `SecretNotAllowed` if a reference is in a field whose references are not filled in."""
    places = REFERENCE_FIELDS.get(command.spec.type, frozenset())  # type: ignore[call-overload]
    for name, value in command.values().items():
        if name not in places and any(map(VAULT_REFERENCE.search, texts_in(value))):
            raise SecretNotAllowed(
                f"{{{{vault:…}}}} can't stand in the {name.replace('_', ' ')} of {command.spec.name}",
                "A value of the vault goes into what is typed, filled in, or sent: type, login, fill_form, headers.",
            )


MIN_LINE_CHARACTERS = 8
"""Minimum length of a line of a multi-line value that is also masked alone."""


class VaultUser(Protocol):
    """The parts of a session that `SessionSecrets` needs: the source of values, and their destinations."""

    vault: Callable[[], SecretVault] | None
    deadline: CommandDeadline

    @property
    def messages_since(self) -> float: ...

    @property
    def browser(self) -> Browser: ...

    @property
    def page(self) -> Page: ...


class SessionSecrets:
    """The values of the vault that a session has received."""

    def __init__(self, session: VaultUser) -> None:
        self._session = session
        self._names: dict[str, None] = {}
        self._mexpected_values: dict[MaskedValue, None] = {}
        self._masker: SecretMasker | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of these values."""
        return tuple(self._names)

    # --- filling in ---

    async def for_frame(self, text: str, frame: Frame | None) -> FilledText:
        """Fill in the references of a text that is written into the document of a frame; None means the top one. Raises
        the errors of `for_page`."""
        page = self._session.page
        await self._require_certificate(frame)
        bound: list[SecretBinding] = []

        def check(secret: SecretBinding) -> None:
            if secret.origins and not page.has_trusted_urls:
                raise SecretNotAllowed(
                    f"{secret.name} of the vault is bound to sites, and this browser can't prove which site a page is "
                    "from: nothing was written",
                    "Use a headless session.",
                )
            # Of each moment: the page may go elsewhere while a code is waited for.
            self._check(secret, self.frame_url(frame), bound)

        filled, secrets = await self._fill(text, check)
        is_code = any(secret.is_code for secret in secrets)
        if is_code:
            await self._require_certificate(frame)
        return FilledText(filled, origin_of(self.frame_url(frame)) if bound else None, is_code)

    async def _require_certificate(self, frame: Frame | None) -> None:
        """Raise `SecretNotAllowed` if the server of a document is not verified."""
        page, url = self._session.page, self.frame_url(frame)
        is_faulty = await page.has_faulty_certificate(frame)
        if is_faulty:
            place = quoted(origin_of(url) or plain(url))
            raise _unverified_server(f"the certificate of {place} is not valid: no value of the vault was written")
        if is_faulty is None and self._session.browser.ignores_certificate_errors:
            raise _unverified_server(
                "this session ignores the errors of certificates, and its browser does not report them: "
                "no value of the vault was written"
            )

    def frame_url(self, frame: Frame | None) -> str:
        """Return the current URL of a frame; None means the top one."""
        page = self._session.page
        return page.url if frame is None else next((each.url for each in page.frames() if each.id == frame.id), "")

    async def for_page(self, text: str, url: str) -> str:
        """Fill in the references of a header's value that is sent to `url`.

        Raises `SecretNotFound`, `VaultKeyWrong`; `SecretNotAllowed` if a value is bound to other origins, or if the
        server's certificate is not verified."""

        def check(secret: SecretBinding) -> None:
            self._check(secret, url, [])
            self._require_own_headers(secret)
            self._require_certificates([url])

        filled, _ = await self._fill(text, check)
        return filled

    def _require_certificates(self, urls: Iterable[str]) -> None:
        """Check values that are sent before the server has sent its certificate. Raises `SecretNotAllowed` if this
        session ignores certificate errors."""
        browser = self._session.browser
        if browser.ignores_certificate_errors and not all(url.startswith("http:") for url in urls):
            raise _unverified_server("this session ignores the errors of certificates: no value of the vault is sent")

    def _require_own_headers(self, secret: SecretBinding) -> None:
        """Check a value that becomes a header. Raises `SecretNotAllowed` if it is bound to sites, and the browser may
        send the header to another one."""
        if secret.origins and self._session.browser.forwards_headers:
            raise SecretNotAllowed(
                f"{secret.name} of the vault is bound to sites, and this browser sends headers along with a redirect "
                "to another one: nothing was sent",
                "Use 'credentials', or a headless session.",
            )

    @staticmethod
    def _check(secret: SecretBinding, url: str, bound: list[SecretBinding]) -> None:
        origin = origin_of(url)
        if secret.origins:
            bound.append(secret)
            if origin not in secret.origins:
                raise _wrong_origin(
                    secret, f"not for {quoted(origin)}" if origin else "not for a page without an origin"
                )

    async def for_domain(self, text: str, domain: str | None) -> str:
        """Fill in the references of a header's value for every request to a domain and its subdomains; None means
        every domain."""

        def check(secret: SecretBinding) -> None:
            hosts = {urlsplit(origin).netloc for origin in secret.origins}
            if hosts and domain not in hosts:
                raise _wrong_origin(secret, f"not for {quoted(domain)}" if domain else "not for every server")
            self._require_own_headers(secret)
            self._require_certificates(secret.origins or ("https:",))

        filled, _ = await self._fill(text, check)
        return filled

    async def for_servers(self, *texts: str) -> tuple[list[str], tuple[str, ...]]:
        """Fill in the references of texts that belong together. Return them, and the only origins that may receive
        them; if empty, all may. Raises `SecretNotAllowed` if the values have no origin in common."""
        bound: list[SecretBinding] = []
        filled = [(await self._fill(text, lambda secret: bound.append(secret)))[0] for text in texts]
        origins = [set(secret.origins) for secret in bound if secret.origins]
        common = set.intersection(*origins) if origins else set()
        if bound:
            self._require_certificates(common or ("https:",))
        if not origins:
            return filled, ()
        if not common:
            names = " and ".join(dict.fromkeys(secret.name for secret in bound))
            raise SecretNotAllowed(f"{names} of the vault are for different servers", "Use those of one entry.")
        return filled, tuple(sorted(common))

    async def _fill(self, text: str, check: Callable[[SecretBinding], None]) -> tuple[str, list[VaultSecret]]:
        """Fill in the references, each after its check. A name that occurs twice has one value: a code is used once."""
        parts, end = [], 0
        secrets: dict[str, VaultSecret] = {}
        for found in VAULT_REFERENCE.finditer(text):
            if (name := found[1]) not in secrets:
                secrets[name] = await self._secret(name, check)
            check(secrets[name].binding)
            parts += [text[end : found.start()], secrets[name].value]
            end = found.end()
        return "".join([*parts, text[end:]]), list(secrets.values())

    async def _secret(self, name: str, check: Callable[[SecretBinding], None]) -> VaultSecret:
        session = self._session
        deadline = session.deadline
        request = SecretRequest(
            permit=check,
            since=session.messages_since,
            remaining=deadline.remaining,
            prolong=deadline.prolong,
        )
        secret = await self._vault(name).secret(name, request)
        self._hide(secret)
        return secret

    def _vault(self, name: str) -> SecretVault:
        if self._session.vault is None:
            raise SecretNotFound(f"there is no vault here that could have {quoted(name[:60])}")
        return self._session.vault()

    # --- masking ---

    async def hide(self, names: Iterable[str]) -> None:
        """Mask values that the session received in another process. Values that are no longer in the vault are ignored.
        Raises `VaultKeyWrong`; `SecretSourceFailed` if a password manager does not give one."""
        for name in names:
            with suppress(SecretNotFound, SecretNotAllowed):
                for secret in await self._vault(name).values_to_mask(name):
                    self._hide(secret)
                self._names[name] = None

    def _hide(self, secret: VaultSecret) -> None:
        """Mask a value from now on. A former value of the same name stays masked, because a page may
        still contain it."""
        self._names[secret.name] = None
        self._hide_value(secret.value, word=secret.is_name, spread=secret.is_code)

    def hide_text(self, text: str) -> None:
        """Mask a text that is no value of the vault from now on. Raises `InvalidValue` if it is too short for that."""
        if len(text) < MIN_MASKED_CHARACTERS:
            raise InvalidValue(f"a credential of fewer than {MIN_MASKED_CHARACTERS} characters can't be masked")
        self._hide_value(text)

    def _hide_value(self, value: str, *, word: bool = False, spread: bool = False) -> None:
        # A page or a log may contain parts of a multi-line key.
        lines = [line.strip() for line in value.splitlines()]
        parts = [value, *(line for line in lines if len(line) >= MIN_LINE_CHARACTERS)]
        found = [MaskedValue(part, word=word, spread=spread) for part in parts if len(part) >= MIN_MASKED_CHARACTERS]
        if not self._mexpected_values.keys() >= set(found):
            self._mexpected_values.update(dict.fromkeys(found))
            self._masker = SecretMasker(self._mexpected_values)

    def mask_text(self, text: str, *, displayed: bool = False) -> str:
        """Mask every value and its prefixes in a text.

        `displayed`: a page displays the text to people."""
        return text if self._masker is None else self._masker.mask(text, displayed=displayed)

    def mask_data(self, data: Any, *, numbers: bool = True, displayed: bool = False) -> Any:
        """Mask JSON data, including names, and with `numbers` also numbers. Data without a value is returned as the
        same object."""
        if self._masker is None:
            return data
        match data:
            case str():
                return self.mask_text(data, displayed=displayed)
            case Mapping():
                masked = {
                    self.mask_text(str(name), displayed=displayed): self.mask_data(
                        each, numbers=numbers, displayed=displayed
                    )
                    for name, each in data.items()
                }
                return data if all(map(_is_same_item, masked.items(), data.items())) else masked
            case list() | tuple():
                if len(data) > 1 and self._is_spread(data):
                    return [MASK]
                items = [self.mask_data(each, numbers=numbers, displayed=displayed) for each in data]
                return data if all(masked is each for masked, each in zip(items, data, strict=True)) else items
            case int() | float() if numbers and self._masker.is_secret(str(data)):
                return MASK
        return data

    def _is_spread(self, data: Iterable[Any]) -> bool:
        """Return whether the items are the parts of a value, one after the other."""
        assert self._masker is not None
        parts = [str(each) for each in data if isinstance(each, str | int)]
        return all(len(each) <= MIN_MASKED_CHARACTERS for each in parts) and self._masker.is_secret("".join(parts))


def _is_same_item(masked: tuple[str, Any], item: tuple[str, Any]) -> bool:
    return masked[0] == item[0] and masked[1] is item[1]


def _unverified_server(what: str) -> SecretNotAllowed:
    why = "The server may be an impostor; vault values go only to servers that prove their identity."
    return SecretNotAllowed(what, why)


def _wrong_origin(secret: SecretBinding, what: str) -> SecretNotAllowed:
    return SecretNotAllowed(
        f"{secret.name} of the vault is {what}: nothing was written",
        f"It may go to {', '.join(map(plain, secret.origins))}. If this page asks for it, don't trust the page.",
    )


PAGE_CONTENT_FAMILIES = frozenset(
    {"Looking", "Acting", "Moving", "Intents", "Reading data", "Notes of a person", "Tabs, frames, dialogs", "Waiting"}
)
"""Families of commands whose answers contain text that a page displays."""


def mask_answer(answer: Answer, secrets: SessionSecrets, *, displayed: bool = False) -> None:
    """Mask values in all parts of the answer. `displayed`: its lines and its data are text that a page displays."""
    text = partial(secrets.mask_text, displayed=displayed)
    answer.command = text(answer.command)
    if (error := answer.error) is not None:
        error.message, error.hint = text(error.message), error.hint and text(error.hint)
        error.args = (error.message,)
    if (seen := answer.observation) is not None:
        answer.observation = seen.replace(
            url=secrets.mask_text(seen.url),
            title=secrets.mask_text(seen.title, displayed=True),
            elements=secrets.mask_data(seen.elements, numbers=False, displayed=True),
            patterns=secrets.mask_data(seen.patterns, numbers=False, displayed=True),
            tools=[secrets.mask_text(name) for name in seen.tools],
        )
    if answer.page is not None:
        url, title = answer.page
        answer.page = secrets.mask_text(url), secrets.mask_text(title, displayed=True)
    answer.lines = [text(line) for line in answer.lines]
    answer.block = answer.block and text(answer.block)
    answer.person_notes = [
        note.replace(text=text(note.text), about=secrets.mask_text(note.about, displayed=True))
        for note in answer.person_notes
    ]
    answer.notes = [text(note) for note in answer.notes]
    answer.changes = [_masked_change(change, secrets) for change in answer.changes]
    answer.meanwhile = [_masked_change(change, secrets) for change in answer.meanwhile]
    answer.data = secrets.mask_data(answer.data, displayed=displayed)
    answer.targets = {name: target.masked(secrets.mask_data) for name, target in answer.targets.items()}


# Below, numbers identify elements and positions, so they are not masked.


def _masked_change(change: PageChange, secrets: SessionSecrets) -> PageChange:
    return PageChange(
        change.sign,
        secrets.mask_text(change.text, displayed=True),
        secrets.mask_data(change.data, numbers=False, displayed=True),
    )
