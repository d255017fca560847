"""The file of `state save` and `state load`: cookies and web storage as JSON, read whole and checked before use. Pure.

    {"version": 1, "created": "2026-11-22T09:30:00Z", "domain": "example.org" | null,
     "cookies": [{"name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite", "priority",
                  "sourceScheme", "sourcePort", "partitionKey"}, …],
     "origins": [{"origin", "localStorage": {…}, "sessionStorage"?: {…}}, …] | null}

`origins` is null in a file of cookies alone. What a host keeps of its sessions has besides, tab by tab, what the
documents in it store: `"tabs": [[{"origin", "top", "sessionStorage", "localStorage"}, …], …]`, and which tabs they
are: `"ids": [1, …]`. A sealed file has `"sealed"`, what the host's `Sealing` made of all this, in the place of the
rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from oryn.browsers.base import Cookie
from oryn.browsers.base.storage import Area
from oryn.engine.checked import Checked, damaged
from oryn.errors import FileError, StateKeyWrong
from oryn.language.brackets import json_depth

VERSION = 1
DEEPEST = 20
"""Brackets nest so deep at most; ours nest five deep."""


@dataclass(frozen=True, slots=True)
class OriginState:
    """What one origin stores. `session` is None where session storage was not saved: it is read from open pages
    only."""

    origin: str
    local: Mapping[str, str]
    session: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SavedState:
    """`domain` is the one that it was limited to; `origins` is None when only cookies were saved."""

    created: str
    domain: str | None
    cookies: Sequence[Cookie]
    origins: Sequence[OriginState] | None
    tabs: Sequence[Sequence[Area]] = ()
    ids: Sequence[int] = ()
    """Of `tabs`, in their order, in the file of a host."""


class Sealing(Protocol):
    """Encryption of states with a key that the engine does not know. The host gives it."""

    @property
    def on(self) -> bool:
        """Whether states are to be saved encrypted."""

    async def seal(self, content: bytes) -> dict[str, Any]:
        """What to write instead, as JSON data. Raises `StateKeyWrong`."""

    async def unseal(self, sealed: dict[str, Any]) -> bytes:
        """The content again. Raises `StateKeyWrong`, also for content that has been changed."""


# --- what belongs to a domain ---


def within(host: str, domain: str | None) -> bool:
    """Whether a host (or a cookie's domain) is `domain` or below it. No domain has every host."""
    if domain is None:
        return True
    host, domain = host.lower().lstrip("."), domain.lower().lstrip(".")
    return host == domain or host.endswith(f".{domain}")


def origin_within(origin: str, domain: str | None) -> bool:
    return within(urlsplit(origin).hostname or "", domain)


# --- writing ---


def encode(state: SavedState) -> bytes:
    """The file's content, with a line for each cookie and origin."""
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


async def sealed(state: SavedState, sealing: Sealing) -> bytes:
    """The same, encrypted. Raises `StateKeyWrong`."""
    file = {"version": VERSION, "created": state.created, "sealed": await sealing.seal(encode(state))}
    return (json.dumps(file, indent=1) + "\n").encode()


def _rows(items: Sequence[Any]) -> str:
    # ASCII only: a value of a page may hold what is no Unicode.
    return "[" + ",".join(f"\n  {json.dumps(item)}" for item in items) + ("\n ]" if items else "]")


def _origin_data(state: OriginState) -> dict[str, Any]:
    session = {} if state.session is None else {"sessionStorage": dict(state.session)}
    return {"origin": state.origin, "localStorage": dict(state.local), **session}


def _area_data(area: Area) -> dict[str, Any]:
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


async def unsealed(content: bytes, sealing: Sealing | None) -> SavedState:
    """The state that a file holds, encrypted or not, if all of it is right.

    Raises `FileError` for what is damaged or of another version, `StateKeyWrong`."""
    data = _read(content)
    if "sealed" in data:
        if sealing is None:
            raise StateKeyWrong("the state is encrypted, and this program has no keys", "Load it with 'oryn headless'.")
        data = _read(await sealing.unseal(Checked(data, "").mapping("sealed").data))
    return _state(Checked(data, ""))


def decode(content: bytes) -> SavedState:
    """The state that a plain file holds. Raises `FileError`."""
    return _state(Checked(_read(content), ""))


def _state(file: Checked) -> SavedState:
    origins = file.data.get("origins")
    return SavedState(
        file.text("created"),
        file.optional_text("domain"),
        [_cookie(each) for each in file.parts("cookies")],
        None if origins is None else [_origin(each) for each in file.parts("origins")],
        [[_area(each) for each in tab] for tab in file.lists("tabs")] if "tabs" in file.data else (),
        file.counts("ids") if "ids" in file.data else (),
    )


def _read(content: bytes) -> dict[str, Any]:
    """The JSON object of a file of our version."""
    try:
        text = content.decode()
        # The parser recurses, and where the stack is small (WebAssembly) it does not come back from that.
        if json_depth(text) > DEEPEST:
            raise damaged("it is nested too deep")
        data = json.loads(text)
    except ValueError:
        raise damaged("it is not JSON") from None
    if not isinstance(data, dict) or "version" not in data:
        raise damaged("it has no version")
    if data["version"] != VERSION or isinstance(data["version"], bool):
        raise FileError(
            f"the state has version {str(data['version'])[:20]}, and this Oryn reads version {VERSION}",
            "Nothing was changed. Save the state again with this Oryn.",
        )
    return data


def _cookie(part: Checked) -> Cookie:
    path = part.text("path")
    domain = part.text("domain")
    if not domain.strip(".") or not path.startswith("/"):
        raise damaged(f"a cookie can't have the domain {json.dumps(domain[:60])} and the path {json.dumps(path[:60])}")
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


def _area(part: Checked) -> Area:
    return Area(
        _right_origin(part.text("origin")),
        _right_origin(part.text("top")),
        part.texts("sessionStorage"),
        part.texts("localStorage"),
    )


def _origin(part: Checked) -> OriginState:
    origin = _right_origin(part.text("origin"))
    session = None if part.data.get("sessionStorage") is None else part.texts("sessionStorage")
    return OriginState(origin, part.texts("localStorage"), session)


def _right_origin(origin: str) -> str:
    try:
        url = urlsplit(origin)
        right = url.scheme in ("http", "https") and bool(url.hostname) and f"{url.scheme}://{url.netloc}" == origin
    except ValueError:
        right = False
    if not right or "@" in origin:
        raise damaged(f"{json.dumps(origin[:100])} is no origin")
    return origin
