"""*State*: cookies, storage, sessions, saved state, headers."""

from __future__ import annotations

from typing import Literal, Self

from oryn.language.command import Command, argument, flag, mask_secret, names_credential, option, overwrite_flag
from oryn.language.kinds import DOMAIN, HEADERS, NAME, OUTPUT, PATH, SESSION_NAME, ChoiceKind, NameKind, StringKind

__all__ = [
    "CookiesClear",
    "CookiesDelete",
    "CookiesGet",
    "CookiesList",
    "CookiesSet",
    "HeadersClear",
    "HeadersSet",
    "HeadersShow",
    "SessionClose",
    "SessionNew",
    "SessionShow",
    "SessionSwitch",
    "Sessions",
    "StateLoad",
    "StateSave",
    "StorageClear",
    "StorageCommand",
    "StorageDelete",
    "StorageGet",
    "StorageList",
    "StorageSet",
]

_FAMILY = "State"
_KEY = NameKind("key")
_VALUE = StringKind("value")
_AREAS = (("local", "session"),)

StateFormat = Literal["oryn", "playwright"]
Mode = Literal["embedded", "headless", "playwright", "remote"]


class CookiesList(
    Command,
    path="cookies list",
    family=_FAMILY,
    result="list[CookieRow]",
    safe=True,
    reads=True,
    help="List the page's cookies",
):
    """The cookies that a request to the current page would carry."""


class CookiesGet(
    Command,
    path="cookies get",
    family=_FAMILY,
    result="str",
    safe=True,
    reads=True,
    help="Show a cookie",
    example="cookies get session_id",
):
    """One cookie by name."""

    name: str = argument(NAME, "the cookie")


class CookiesSet(
    Command,
    path="cookies set",
    family=_FAMILY,
    effects=("cookies",),
    help="Set a cookie",
    example='cookies set theme "dark"',
):
    """A session cookie of the current page's host."""

    name: str = argument(NAME, "the cookie")
    value: str = argument(_VALUE, "its value")

    def masked(self) -> Self:
        value = mask_secret(self.value) if names_credential(self.name) else self.value
        return self.replace(value=value) if value != self.value else self


class CookiesDelete(Command, path="cookies delete", family=_FAMILY, effects=("cookies",), help="Delete a cookie"):
    """One cookie by name."""

    name: str = argument(NAME, "the cookie")


class CookiesClear(Command, path="cookies clear", family=_FAMILY, effects=("cookies",), help="Delete all cookies"):
    """Every cookie of the session."""


class StorageCommand(Command, kw_only=True):
    """Base of the commands of web storage. Neither flag means `local`."""

    local: bool = flag("use localStorage; this is the default")
    session: bool = flag("use sessionStorage")


class StorageList(
    StorageCommand,
    path="storage list",
    family=_FAMILY,
    result="dict[str, str]",
    safe=True,
    reads=True,
    help="List the stored values",
    conflicts=_AREAS,
):
    """Keys and values."""


class StorageGet(
    StorageCommand,
    path="storage get",
    family=_FAMILY,
    result="str",
    safe=True,
    reads=True,
    help="Show a stored value",
    conflicts=_AREAS,
):
    """One value by key."""

    key: str = argument(_KEY, "the key")


class StorageSet(
    StorageCommand,
    path="storage set",
    family=_FAMILY,
    effects=("storage",),
    help="Store a value",
    conflicts=_AREAS,
    example='storage set lang "en" --session',
):
    """One value by key."""

    key: str = argument(_KEY, "the key")
    value: str = argument(_VALUE, "its value")

    def masked(self) -> Self:
        value = mask_secret(self.value) if names_credential(self.key) else self.value
        return self.replace(value=value) if value != self.value else self


class StorageDelete(
    StorageCommand,
    path="storage delete",
    family=_FAMILY,
    effects=("storage",),
    help="Delete a stored value",
    conflicts=_AREAS,
):
    """One value by key."""

    key: str = argument(_KEY, "the key")


class StorageClear(
    StorageCommand,
    path="storage clear",
    family=_FAMILY,
    effects=("storage",),
    help="Delete all stored values",
    conflicts=_AREAS,
):
    """Every value of the page's origin."""


class Sessions(
    Command, path="sessions", family=_FAMILY, result="list[SessionRow]", safe=True, reads=True, help="List the sessions"
):
    """Every named session."""


class SessionShow(
    Command,
    path="session",
    family=_FAMILY,
    result="SessionDetails",
    safe=True,
    reads=True,
    help="Show the current session",
):
    """Name, mode, start, pages and URL."""


class SessionSwitch(
    Command,
    path="session",
    family=_FAMILY,
    safe=True,
    scope="conversation",
    help="Make another session the current one",
):
    """`session work`. With a command behind the name, that one command runs there (`Line.session`)."""

    name: str = argument(SESSION_NAME, "the session", source="sessions")


class SessionNew(
    Command,
    path="session new",
    family=_FAMILY,
    safe=True,
    help="Start a session",
    example="session new work --mode headless",
):
    """A session of its own: browser, cookies, elements."""

    name: str = argument(SESSION_NAME, "its name")
    mode: Mode | None = option(
        ChoiceKind[Mode]("embedded", "headless", "playwright", "remote"),
        "its browser: WebKit, Chromium, Playwright's, or the user's own",
    )


class SessionClose(Command, path="session close", family=_FAMILY, safe=True, help="End a session"):
    """Close its browser."""

    name: str = argument(SESSION_NAME, "the session", source="sessions")


class StateSave(
    Command,
    path="state save",
    family=_FAMILY,
    result="StateSummary",
    safe=True,
    help="Save cookies and storage to a file",
):
    """Cookies and local storage."""

    path: str = argument(OUTPUT, "the file to write")
    overwrite: bool = overwrite_flag()
    cookies_only: bool = flag("skip web storage")
    domain: str | None = option(StringKind("domain"), "only this domain")
    include_session: bool = flag("include session storage")
    include_indexeddb: bool = flag("include IndexedDB")
    format: StateFormat | None = option(
        ChoiceKind[StateFormat]("oryn", "playwright"),
        "the file's format; oryn, the default, stores the most and can be encrypted",
    )


class StateLoad(
    Command,
    path="state load",
    family=_FAMILY,
    effects=("cookies", "storage"),
    result="StateSummary",
    help="Load cookies and storage from a file",
):
    """Replaces what is there unless `merge`. Also Playwright's storage state, a Netscape cookie file, and a file with a
    `curl` command."""

    path: str = argument(PATH, "the file to read")
    merge: bool = flag("keep existing cookies and storage")
    cookies_only: bool = flag("skip web storage")


class HeadersShow(
    Command,
    path="headers",
    family=_FAMILY,
    result="dict[str, dict[str, str]]",
    safe=True,
    reads=True,
    help="Show the extra request headers",
):
    """All of them, or those for one domain."""

    domain: str | None = argument(DOMAIN, "only for this domain", default=None)


class HeadersSet(
    Command,
    path="headers set",
    family=_FAMILY,
    effects=("request",),
    help="Send extra headers with every request",
    example='headers set api.example.com {"X-Key": "1"}',
):
    """For every request, or those to one domain."""

    domain: str | None = argument(DOMAIN, "only to this domain", default=None, kw_only=True)
    headers: dict[str, str] = argument(HEADERS, "names and values")


class HeadersClear(
    Command, path="headers clear", family=_FAMILY, effects=("request",), help="Stop sending extra headers"
):
    """All of them, or those for one domain."""

    domain: str | None = argument(DOMAIN, "only for this domain", default=None)
