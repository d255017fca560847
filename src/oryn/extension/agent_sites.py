"""How the pages of chats are made: `chats.json` has the selectors of known sites, and what holds for all others.

What it does not say, or what finds nothing on a page any more, the page's structure tells (`extension/chat/`). Pure.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

Site = dict[str, Any]
"""`box`, `send`, `stop`, `message`, `ignore`: lists of CSS selectors, the first that fits counts. `send_words`,
`stop_words`: parts of a button's name, in small letters. `settled_ms`: how long an answer that ends with the keyword
stays as it is until it counts; `quiet_ms`: one that does not, once nothing writes any more; `silent_ms`: where no
button tells whether something writes. `ready_ms`: how long a button may take until it can be pressed; `wait_ms`: the
page for anything else."""


def site_of(url: str) -> Site:
    """What is known of the chat at a URL."""
    about = _chats()
    host = _host(url)
    own: Site = next((site for site in about["sites"] if _is_of(host, site["hosts"])), {})
    return {**about["generic"], **{key: value for key, value in own.items() if key not in ("name", "hosts")}}


def is_known(url: str) -> bool:
    """Whether the site at a URL is known to be a chat."""
    host = _host(url)
    return any(_is_of(host, site["hosts"]) for site in _chats()["sites"])


def may_chat(url: str) -> bool:
    """Whether a tab that shows this can be chosen at all."""
    return urlsplit(url).scheme in ("http", "https")


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _is_of(host: str, hosts: list[str]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in hosts)


@cache
def _chats() -> dict[str, Any]:
    about: dict[str, Any] = json.loads((files("oryn.extension") / "chats.json").read_text(encoding="utf-8"))
    return about
