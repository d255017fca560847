"""Values of the vault in a session: put in where a command writes, never before, and shown nowhere from then on.

`{{vault:shop.password}}` stays what it is in commands, so that their echo, traces, histories and learnt intents have
the reference. A value that is bound to origins is given to no other page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from oryn.engine.disguises import Disguises, Hidden
from oryn.engine.escape import plain, quoted
from oryn.errors import SecretNotAllowed, SecretNotFound
from oryn.language import MASK, VAULT_REFERENCE
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.session import Session

_PORTS = {"http": 80, "https": 443}
SHORTEST_MASKED = 4
"""Characters. A shorter value would be found in every other word of a page; only the name of a user (`Secret.is_name`)
may be so short, and is not masked then."""
LEAST_LINE = 8
"""Characters of a line, of a value that has several, which is masked where it stands alone."""


class Secret(Record):
    """One value of the vault. `origins` are the only ones that it may go to; none means all."""

    name: str
    value: str
    origins: tuple[str, ...] = ()

    @property
    def is_name(self) -> bool:
        """Whether it is a user's name, which may be short, and a part of other words."""
        return self.name.endswith(".user")

    def __repr__(self) -> str:
        return f"Secret({self.name!r})"


class Filled(Record):
    """A text with its values, for a document of the page."""

    text: str
    origin: str | None = None
    """The only origin that the document may have; None where no value is bound to any."""

    def __repr__(self) -> str:
        return f"Filled({self.origin!r})"

    @property
    def limits(self) -> dict[str, str]:
        """What a request to the scanner has besides, so that nothing is done in a document that came meanwhile."""
        return {} if self.origin is None else {"origin": self.origin}


class Vault(Protocol):
    """Where values are kept: `oryn.vault`. The host gives it."""

    async def secret(self, name: str) -> Secret:
        """Raises `SecretNotFound`, `VaultKeyWrong`."""


def origin_of(url: str) -> str | None:
    """`https://shop.example` of a URL of the web, as the vault binds values to it; None for any other.

    https://html.spec.whatwg.org/multipage/browsers.html#origin"""
    try:
        parts = urlsplit(url)
        host = (
            (parts.hostname or "").encode("idna").decode() if not (parts.hostname or "").isascii() else parts.hostname
        )
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not host:
        return None
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")


class Secrets:
    """The values that a session was given."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._names: dict[str, None] = {}
        self._hidden: dict[Hidden, None] = {}
        self._disguises: Disguises | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of those values."""
        return tuple(self._names)

    # --- putting in ---

    async def for_frame(self, text: str, frame: Frame | None) -> Filled:
        """The text with its values, to be written into the document in a frame; None is the top one. Raises what
        `for_page` raises."""
        url = self.place(frame)
        if await self._session.page.has_faulty_certificate(frame):
            place = quoted(origin_of(url) or plain(url))
            raise _unproven(f"the certificate of {place} is not valid: no value of the vault was written")
        bound: list[Secret] = []
        filled = await self._put_in(text, lambda secret: self._check(secret, url, bound))
        return Filled(filled, origin_of(url) if bound else None)

    def place(self, frame: Frame | None) -> str:
        """The URL of a frame as it is now; None is the top one."""
        page = self._session.page
        return page.url if frame is None else next((each.url for each in page.frames() if each.id == frame.id), "")

    async def for_page(self, text: str, url: str) -> str:
        """Raises `SecretNotFound`, `VaultKeyWrong`; `SecretNotAllowed` for a value that is bound to other origins, and
        for a server whose certificate nobody checks."""

        def check(secret: Secret) -> None:
            self._check(secret, url, [])
            self._require_certificates([url])

        return await self._put_in(text, check)

    def _require_certificates(self, urls: Iterable[str]) -> None:
        """For what is sent before the server has shown its certificate. Raises `SecretNotAllowed`."""
        browser = self._session.browser
        if browser.ignores_certificate_errors and not all(url.startswith("http:") for url in urls):
            raise _unproven("this session ignores the errors of certificates: no value of the vault is sent")

    @staticmethod
    def _check(secret: Secret, url: str, bound: list[Secret]) -> None:
        origin = origin_of(url)
        if secret.origins:
            bound.append(secret)
            if origin not in secret.origins:
                raise _elsewhere(secret, f"not for {quoted(origin)}" if origin else "not for a page without an origin")

    async def for_domain(self, text: str, domain: str | None) -> str:
        """For every request to a domain and those below it; None is every domain."""

        def check(secret: Secret) -> None:
            hosts = {urlsplit(origin).netloc for origin in secret.origins}
            if hosts and domain not in hosts:
                raise _elsewhere(secret, f"not for {quoted(domain)}" if domain else "not for every server")
            self._require_certificates(secret.origins or ("https:",))

        return await self._put_in(text, check)

    async def for_servers(self, *texts: str) -> tuple[list[str], tuple[str, ...]]:
        """Texts that go together, and the origins that alone may have them; none are all. Raises `SecretNotAllowed`
        where there is no origin that all of them may go to."""
        bound: list[Secret] = []
        filled = [await self._put_in(text, lambda secret: bound.append(secret)) for text in texts]
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

    async def _put_in(self, text: str, check: Callable[[Secret], None]) -> str:
        parts, end = [], 0
        for found in VAULT_REFERENCE.finditer(text):
            secret = await self._secret(found[1])
            check(secret)
            self._hide(secret)
            parts += [text[end : found.start()], secret.value]
            end = found.end()
        return "".join([*parts, text[end:]])

    async def _secret(self, name: str) -> Secret:
        if self._session.vault is None:
            raise SecretNotFound(f"there is no vault here that could have {quoted(name[:60])}")
        return await self._session.vault().secret(name)

    # --- hiding ---

    async def hide(self, names: Iterable[str]) -> None:
        """Hide values that the session was given when another process had it. Those that the vault has no more are
        passed over. Raises `VaultKeyWrong`."""
        for name in names:
            with suppress(SecretNotFound):
                self._hide(await self._secret(name))

    def _hide(self, secret: Secret) -> None:
        """A value that was changed meanwhile stays hidden: a page may still show it."""
        self._names[secret.name] = None
        # A page, or a log, may show a key of several lines in part.
        lines = [line.strip() for line in secret.value.splitlines()]
        parts = [secret.value, *(line for line in lines if len(line) >= LEAST_LINE)]
        found = [Hidden(part, word=secret.is_name) for part in parts if len(part) >= SHORTEST_MASKED]
        if not self._hidden.keys() >= set(found):
            self._hidden.update(dict.fromkeys(found))
            self._disguises = Disguises(self._hidden)

    def withheld(self, text: str, *, shown: bool = False) -> str:
        """The text with dots in the place of every value and of what one begins with. `shown`: by a page, to people."""
        return text if self._disguises is None else self._disguises.masked(text, shown=shown)

    def withheld_data(self, data: Any, *, numbers: bool = True, shown: bool = False) -> Any:
        """JSON data likewise, names included, and with `numbers` what is one; what holds no value is the very same."""
        if self._disguises is None:
            return data
        match data:
            case str():
                return self.withheld(data, shown=shown)
            case Mapping():
                made = {
                    self.withheld(str(name), shown=shown): self.withheld_data(each, numbers=numbers, shown=shown)
                    for name, each in data.items()
                }
                return data if all(map(_same, made.items(), data.items())) else made
            case list() | tuple():
                items = [self.withheld_data(each, numbers=numbers, shown=shown) for each in data]
                return data if all(made is each for made, each in zip(items, data, strict=True)) else items
            case int() | float() if numbers and self._disguises.is_one(str(data)):
                return MASK
        return data


def _same(made: tuple[str, Any], item: tuple[str, Any]) -> bool:
    return made[0] == item[0] and made[1] is item[1]


def _unproven(what: str) -> SecretNotAllowed:
    why = "Whoever answers there may be somebody else; a vault's values go to servers that prove who they are."
    return SecretNotAllowed(what, why)


def _elsewhere(secret: Secret, what: str) -> SecretNotAllowed:
    return SecretNotAllowed(
        f"{secret.name} of the vault is {what}: nothing was written",
        f"It may go to {', '.join(map(plain, secret.origins))}. If this page asks for it, do not trust the page.",
    )
