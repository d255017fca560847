"""States of other programs: Playwright's storage state, cookies of Netscape's format, and the cookies of a `curl`
command. Pure.

* https://playwright.dev/python/docs/auth#reuse-signed-in-state
* `cookies.txt`, as curl, wget and browsers' export extensions write it: https://curl.se/docs/http-cookies.html
* *Copy as cURL* of a browser's developer tools: the header `Cookie` of a request, for the host of its URL"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from oryn.browsers.base import Cookie
from oryn.engine.state.state_file import SavedState, state_of_rows
from oryn.engine.state.validation import damaged_state

_HTTP_ONLY = "#HttpOnly_"
_FIELDS = 7
_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}
_COOKIE_OPTIONS = ("-b", "--cookie")
_HEADER_OPTIONS = ("-H", "--header")


def read_foreign(content: bytes, now: str) -> SavedState | None:
    """Return the state in a file of another program; None if it is of no such format.

    now: the time of reading, in UTC (ISO 8601), as these formats have no date. Raises `FileError` if the file is of
    such a format and damaged."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    start = text.lstrip()
    if start.startswith("{"):
        return _playwright(start, now)
    if start.startswith("curl "):
        return SavedState(now, None, list(_of_curl(start)), None)
    rows = [line for line in text.splitlines() if line.count("\t") == _FIELDS - 1]
    if not rows or not all(_is_row(line) or not line.strip() or line.startswith("#") for line in text.splitlines()):
        return None
    return SavedState(now, None, [_netscape(line) for line in rows], None)


def write_playwright(state: SavedState) -> bytes:
    """Return a state as Playwright's `storage_state` reads it. It has no session storage and no partitioned
    cookies."""
    cookies = [
        {
            "name": each.name,
            "value": each.value,
            "domain": each.domain,
            "path": each.path,
            "expires": -1 if each.expires is None else each.expires,
            "httpOnly": each.http_only,
            "secure": each.secure,
            "sameSite": each.same_site or "Lax",
        }
        for each in state.cookies
        if each.partition is None
    ]
    origins = [
        {
            "origin": each.origin,
            "localStorage": [{"name": key, "value": value} for key, value in each.local.items()],
            **({"indexedDB": list(each.databases)} if each.databases else {}),
        }
        for each in state.origins or ()
        if each.local or each.databases
    ]
    return (json.dumps({"cookies": cookies, "origins": origins}, indent=2) + "\n").encode()


# --- Playwright ---


def _playwright(text: str, now: str) -> SavedState | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or "version" in data or not {"cookies", "origins"} <= set(data):
        return None
    origins = data["origins"]
    if not isinstance(data["cookies"], list) or not isinstance(origins, list):
        raise damaged_state("its cookies or origins are not a list")
    return state_of_rows(now, [_our_cookie(each) for each in data["cookies"]], [_our_origin(each) for each in origins])


def _our_cookie(row: Any) -> Any:
    """Return a cookie's row as our files have it. What is wrong with it, the reader of our files says."""
    if not isinstance(row, dict):
        return row
    same_site = str(row.get("sameSite") or "").lower()
    expires = row.get("expires")
    return {
        "name": row.get("name"),
        "value": row.get("value"),
        "domain": row.get("domain"),
        "path": row.get("path") or "/",
        "expires": None if expires == -1 else expires,
        "httpOnly": row.get("httpOnly", False),
        "secure": row.get("secure", False),
        "sameSite": _SAME_SITE.get(same_site),
    }


def _our_origin(row: Any) -> Any:
    if not isinstance(row, dict) or not isinstance(row.get("localStorage", []), list):
        return row
    items = row.get("localStorage", [])
    if not all(isinstance(each, dict) and isinstance(each.get("name"), str) for each in items):
        raise damaged_state("its localStorage is not a list of names and values")
    local = {each["name"]: each.get("value") for each in items}
    return {"origin": row.get("origin"), "localStorage": local, "indexedDB": row.get("indexedDB")}


# --- Netscape and curl ---

_SECONDS = re.compile(r"-?[0-9]{1,20}")
_PART = re.compile(r"""[^\s'"\\]++|\\.|'[^']*+'|"(?:[^"\\]++|\\.)*+\"""", re.DOTALL)
_WORD = re.compile(rf"((?:{_PART.pattern})*+)(?:\s++|\Z)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r'\\([\\"])')


def _is_row(line: str) -> bool:
    return line.count("\t") == _FIELDS - 1 and (not line.startswith("#") or line.startswith(_HTTP_ONLY))


def _netscape(line: str) -> Cookie:
    http_only = line.startswith(_HTTP_ONLY)
    domain, subdomains, path, secure, expires, name, value = line.removeprefix(_HTTP_ONLY).split("\t")
    bare = domain.lstrip(".")
    if not bare or not path.startswith("/") or not _SECONDS.fullmatch(expires):
        raise damaged_state(f"a line of it is not a cookie: {json.dumps(line[:60])}")
    seconds = int(expires)
    return Cookie(
        name,
        value,
        f".{bare}" if subdomains.upper() == "TRUE" else bare,
        path,
        float(seconds) if 0 < seconds < 1e12 else None,
        secure.upper() == "TRUE",
        http_only,
    )


def _shell_words(text: str) -> Iterator[str]:
    """Yield the words of a command of a POSIX shell. `shlex` takes time that grows with the square of a word's length.

    https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02"""
    at = 0
    while at < len(text):
        word = _WORD.match(text, at)
        if word is None:
            raise damaged_state("the curl command has a quote that does not end")
        if word[1]:
            yield "".join(_unquoted(part) for part in _PART.findall(word[1]))
        at = word.end()


def _unquoted(part: str) -> str:
    if part[0] == "'":
        return part[1:-1]
    if part[0] == '"':
        return _QUOTED_ESCAPE.sub(r"\1", part[1:-1])
    return part[1:] if part[0] == "\\" else part


def _of_curl(text: str) -> Iterator[Cookie]:
    words = _shell_words(text.replace("\\\r\n", " ").replace("\\\n", " "))
    host, secure, cookies = "", False, ""
    for before, word in pairwise(words):
        if before in _COOKIE_OPTIONS:
            cookies = word
        elif before in _HEADER_OPTIONS and word.lower().startswith("cookie:"):
            cookies = word.partition(":")[2]
        elif word.startswith(("http://", "https://")) and not host:
            url = urlsplit(word)
            host, secure = url.hostname or "", url.scheme == "https"
    if not host or not cookies.strip():
        raise damaged_state("the curl command has no URL, or no cookies")
    for pair in cookies.split(";"):
        name, equals, value = pair.strip().partition("=")
        if equals and name:
            yield Cookie(name, value, domain=host, secure=secure)
