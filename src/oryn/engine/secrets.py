"""Values of the vault in a session: put in where a command writes, never before, and shown nowhere from then on.

`{{vault:shop.password}}` stays what it is in commands, so that their echo, traces, histories and learnt intents have
the reference. A value that is bound to origins is given to no other page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from oryn.engine.disguises import Disguises, Hidden
from oryn.engine.escape import plain, quoted
from oryn.errors import SecretNotAllowed, SecretNotFound
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
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.session import Session

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

_PORTS = {"http": 80, "https": 443}
SHORTEST_MASKED = 4
"""Characters; a shorter value is a user's name (`Secret.is_name`)."""


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


def refers(text: object) -> bool:
    """Whether a text names a value of the vault."""
    return isinstance(text, str) and VAULT_REFERENCE.search(text) is not None


def check_places(command: Command) -> None:
    """Raises `SecretNotAllowed` for a reference where nothing would be put in its place, or where it would be told."""
    places = PLACES.get(type(command), frozenset())
    for name, value in command.values().items():
        if name not in places and any(map(refers, _texts(value))):
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

    async def for_frame(self, text: str, frame: Frame | None) -> str:
        """The text with its values, to be written into a document of the page."""
        return await self.for_page(text, self.place(frame))

    def place(self, frame: Frame | None) -> str:
        """The URL of a frame as it is now; None is the top one."""
        page = self._session.page
        return page.url if frame is None else next((each.url for each in page.frames() if each.id == frame.id), "")

    def require(self, frame: Frame | None, url: str) -> None:
        """Raises `SecretNotAllowed` when the frame has gone to another origin than that of `url`: keys go to whatever
        has the focus."""
        if origin_of(self.place(frame)) != origin_of(url):
            raise SecretNotAllowed(
                "the page went elsewhere meanwhile: no value of the vault was typed",
                "Run 'observe' to see where it is.",
            )

    async def for_page(self, text: str, url: str) -> str:
        """Raises `SecretNotFound`, `VaultKeyWrong`; `SecretNotAllowed` for a value that is bound to other origins."""
        origin = origin_of(url)

        def check(secret: Secret) -> None:
            if secret.origins and origin not in secret.origins:
                raise _elsewhere(secret, f"not for {quoted(origin)}" if origin else "not for a page without an origin")

        return await self._put_in(text, check)

    async def for_domain(self, text: str, domain: str | None) -> str:
        """For every request to a domain and those below it; None is every domain."""

        def check(secret: Secret) -> None:
            hosts = {urlsplit(origin).netloc for origin in secret.origins}
            if hosts and domain not in hosts:
                raise _elsewhere(secret, f"not for {quoted(domain)}" if domain else "not for every server")

        return await self._put_in(text, check)

    async def for_servers(self, text: str) -> tuple[str, tuple[str, ...]]:
        """With the origins that alone may have it; none are all."""
        origins: list[str] = []
        filled = await self._put_in(text, lambda secret: origins.extend(secret.origins))
        return filled, tuple(origins)

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
        hidden = Hidden(secret.value, word=secret.is_name)
        if len(secret.value) >= SHORTEST_MASKED and hidden not in self._hidden:
            self._hidden[hidden] = None
            self._disguises = Disguises(self._hidden)

    def withheld(self, text: str) -> str:
        """The text with dots in the place of every value."""
        return text if self._disguises is None else self._disguises.masked(text)

    def withheld_data(self, data: Any, *, numbers: bool = True) -> Any:
        """JSON data likewise, names included, and with `numbers` what is one; what holds no value is the very same."""
        match data:
            case str():
                return self.withheld(data)
            case Mapping():
                made = {
                    self.withheld(str(name)): self.withheld_data(each, numbers=numbers) for name, each in data.items()
                }
                return data if all(map(_same, made.items(), data.items())) else made
            case list() | tuple():
                items = [self.withheld_data(each, numbers=numbers) for each in data]
                return data if all(made is each for made, each in zip(items, data, strict=True)) else items
            case int() | float() if numbers and self._disguises is not None and self._disguises.is_one(str(data)):
                return MASK
        return data


def _same(made: tuple[str, Any], item: tuple[str, Any]) -> bool:
    return made[0] == item[0] and made[1] is item[1]


def _elsewhere(secret: Secret, what: str) -> SecretNotAllowed:
    return SecretNotAllowed(
        f"{secret.name} of the vault is {what}: nothing was written",
        f"It may go to {', '.join(map(plain, secret.origins))}. If this page asks for it, do not trust the page.",
    )
