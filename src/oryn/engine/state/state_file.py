"""The file of `state save` and `state load`: cookies and web storage as JSON, read whole, validated before use. Pure.

    {"version": 1, "created": "2026-11-22T09:30:00Z", "domain": "example.org" | null,
     "cookies": [{"name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite", "priority",
                  "sourceScheme", "sourcePort", "partitionKey"}, …],
     "origins": [{"origin", "localStorage": {…}, "sessionStorage"?: {…}, "indexedDB"?: […]}, …] | null}

`origins` is null in a file of cookies alone. A host's saved session also has the storage of each tab's documents,
`"tabs": [[{"origin", "top", "sessionStorage", "localStorage"}, …], …]`, and the tabs' numbers, `"ids": [1, …]`. In an
encrypted file, `"sealed"` replaces all parts but version and date; the host's `StateEncryption` creates it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from oryn.browsers.base import Cookie
from oryn.browsers.base.storage import OriginStorage
from oryn.engine.state.validation import JsonReader, damaged_state, read_databases
from oryn.errors import FileError, StateKeyWrong
from oryn.language.lexer import nests_deeper

Argument = TypeVar("Argument")
Result = TypeVar("Result")

VERSION = 1
MAX_JSON_DEPTH = 100
"""Maximum nesting of brackets. Values in IndexedDB nest up to twenty levels, of four brackets each if encoded."""


@dataclass(frozen=True, slots=True)
class OriginState:
    """The storage of one origin. `session` is None if session storage was not saved; it can only be read from open
    pages."""

    origin: str
    local: Mapping[str, str]
    session: Mapping[str, str] | None = None
    databases: Sequence[Any] | None = None
    """IndexedDB, as `browsers.base.storage.OriginDatabases` has it; None if it was not saved."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """A saved state. `domain` is the domain that it is limited to; `origins` is None if only cookies were saved."""

    created: str
    domain: str | None
    cookies: Sequence[Cookie]
    origins: Sequence[OriginState] | None
    tabs: Sequence[Sequence[OriginStorage]] = ()
    ids: Sequence[int] = ()
    """The numbers of `tabs`, in the same order, in the file of a host."""


class StateEncryption(Protocol):
    """Encryption of states with a key that the engine does not know. The host provides it."""

    @property
    def on(self) -> bool:
        """Whether states are saved encrypted."""

    async def seal(self, content: bytes) -> dict[str, Any]:
        """Return the encrypted content as JSON data. Raises `StateKeyWrong`."""

    async def unseal(self, sealed: dict[str, Any]) -> bytes:
        """Return the decrypted content. Raises `StateKeyWrong`, also if the content was changed."""


# --- domains ---


def in_domain(host: str, domain: str | None) -> bool:
    """Return whether a host (or a cookie's domain) is `domain` or below it. None matches every host."""
    if domain is None:
        return True
    host, domain = host.lower().lstrip("."), domain.lower().lstrip(".")
    return host == domain or host.endswith(f".{domain}")


def origin_in_domain(origin: str, domain: str | None) -> bool:
    return in_domain(urlsplit(origin).hostname or "", domain)


# --- writing ---


def encode(state: SavedState) -> bytes:
    """Return the file's content, with a line for each cookie and origin."""
    origins = None if state.origins is None else [_origin_data(origin) for origin in state.origins]
    parts = {
        "version": str(VERSION),
        "created": json.dumps(state.created),
        "domain": json.dumps(state.domain),
        "cookies": _rows([_cookie_data(cookie) for cookie in state.cookies]),
        "origins": "null" if origins is None else _rows(origins),
    }
    if state.tabs:
        parts["tabs"] = _rows([[_area_data(area) for area in tab] for tab in state.tabs])
    if state.ids:
        parts["ids"] = json.dumps(list(state.ids))
    return ("{\n" + ",\n".join(f' "{name}": {value}' for name, value in parts.items()) + "\n}\n").encode()


async def encode_encrypted(state: SavedState, encryption: StateEncryption) -> bytes:
    """Return the file's content, encrypted. Raises `StateKeyWrong`."""
    file = {"version": VERSION, "created": state.created, "sealed": await encryption.seal(encode(state))}
    return (json.dumps(file, indent=1) + "\n").encode()


def _rows(items: Sequence[Any]) -> str:
    # ASCII only, because a page's value may contain lone surrogates.
    return "[" + ",".join(f"\n  {json.dumps(item)}" for item in items) + ("\n ]" if items else "]")


def _origin_data(state: OriginState) -> dict[str, Any]:
    session = {} if state.session is None else {"sessionStorage": dict(state.session)}
    databases = {} if state.databases is None else {"indexedDB": list(state.databases)}
    return {"origin": state.origin, "localStorage": dict(state.local), **session, **databases}


def _area_data(area: OriginStorage) -> dict[str, Any]:
    return {
        "origin": area.origin,
        "top": area.top,
        "sessionStorage": dict(area.session),
        "localStorage": dict(area.local),
    }


def _cookie_data(cookie: Cookie) -> dict[str, Any]:
    partition = None
    if cookie.partition is not None:
        partition = {"topLevelSite": cookie.partition[0], "hasCrossSiteAncestor": cookie.partition[1]}
    return {
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.domain,
        "path": cookie.path,
        "expires": cookie.expires,
        "httpOnly": cookie.http_only,
        "secure": cookie.secure,
        "sameSite": cookie.same_site,
        "priority": cookie.priority,
        "sourceScheme": cookie.source_scheme,
        "sourcePort": cookie.source_port,
        "partitionKey": partition,
    }


# --- reading ---


async def run_in_thread(function: Callable[[Argument], Result], argument: Argument) -> Result:
    """Call a function that reads a file, while other sessions of this process go on. Pyodide has no threads."""
    return function(argument) if sys.platform == "emscripten" else await asyncio.to_thread(function, argument)


async def decode_any(content: bytes, encryption: StateEncryption | None) -> SavedState:
    """Return the state of a file, encrypted or not, if all of it is valid.

    Raises `FileError` if it is damaged or has another version; `StateKeyWrong`."""
    data = await run_in_thread(_read, content)
    if "sealed" in data:
        if encryption is None:
            raise StateKeyWrong("the state is encrypted, and this program has no keys", "Load it with 'oryn headless'.")
        data = await run_in_thread(_read, await encryption.unseal(JsonReader(data, "").mapping("sealed").data))
    return await run_in_thread(_state, JsonReader(data, ""))


def decode(content: bytes) -> SavedState:
    """Return the state of a plain file. Raises `FileError`."""
    return _state(JsonReader(_read(content), ""))


def _state(file: JsonReader) -> SavedState:
    origins = file.data.get("origins")
    return SavedState(
        file.text("created"),
        file.optional_text("domain"),
        [_cookie(each) for each in file.parts("cookies")],
        None if origins is None else [_origin(each) for each in file.parts("origins")],
        [[_area(each) for each in tab] for tab in file.lists("tabs")] if "tabs" in file.data else (),
        file.counts("ids") if "ids" in file.data else (),
    )


def state_of_rows(created: str, cookies: Sequence[Any], origins: Sequence[Any]) -> SavedState:
    """Return the state of rows as a file has them, whatever they came from. Raises `FileError`."""
    return _state(JsonReader({"created": created, "cookies": list(cookies), "origins": list(origins)}, ""))


def _read(content: bytes) -> dict[str, Any]:
    """Return the JSON object of a file of the supported version."""
    try:
        text = content.decode()
        # The parser recurses, which crashes Python if the stack is small (WebAssembly).
        if nests_deeper(text, MAX_JSON_DEPTH):
            raise damaged_state("it is nested too deep")
        data = json.loads(text)
    except ValueError:
        raise damaged_state("it is not JSON") from None
    if not isinstance(data, dict) or "version" not in data:
        raise damaged_state("it has no version")
    if data["version"] != VERSION or isinstance(data["version"], bool):
        raise FileError(
            f"the state has version {str(data['version'])[:20]}, and this Oryn reads version {VERSION}",
            "Nothing was changed. Save the state again with this Oryn.",
        )
    return data


def _cookie(part: JsonReader) -> Cookie:
    path = part.text("path")
    domain = part.text("domain")
    if not domain.strip(".") or not path.startswith("/"):
        raise damaged_state(
            f"a cookie can't have the domain {json.dumps(domain[:60])} and the path {json.dumps(path[:60])}"
        )
    key = None if part.data.get("partitionKey") is None else part.mapping("partitionKey")
    return Cookie(
        part.text("name"),
        part.text("value"),
        domain,
        path,
        part.number("expires"),
        part.flag("secure"),
        part.flag("httpOnly"),
        part.choice("sameSite", "Strict", "Lax", "None"),
        part.choice("priority", "Low", "Medium", "High"),
        part.choice("sourceScheme", "Unset", "NonSecure", "Secure"),
        part.port("sourcePort"),
        None if key is None else (key.text("topLevelSite"), key.flag("hasCrossSiteAncestor")),
    )


def _area(part: JsonReader) -> OriginStorage:
    return OriginStorage(
        _valid_origin(part.text("origin")),
        _valid_origin(part.text("top")),
        part.texts("sessionStorage"),
        part.texts("localStorage"),
    )


def _origin(part: JsonReader) -> OriginState:
    origin = _valid_origin(part.text("origin"))
    session = None if part.data.get("sessionStorage") is None else part.texts("sessionStorage")
    databases = None if part.data.get("indexedDB") is None else read_databases(part)
    return OriginState(origin, part.texts("localStorage"), session, databases)


def _valid_origin(origin: str) -> str:
    try:
        url = urlsplit(origin)
        right = url.scheme in ("http", "https") and bool(url.hostname) and f"{url.scheme}://{url.netloc}" == origin
    except ValueError:
        right = False
    if not right or "@" in origin:
        raise damaged_state(f"{json.dumps(origin[:100])} is not an origin")
    return origin
