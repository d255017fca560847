"""What is kept of a session, and its form in `sessions.json` (seed 004, Session restore). Pure.

    {"version": 1, "sessions": {"work": {"profile": "work-profile" | null, "backend": "headless", "headful": false,
     "last_url": "https://news.ycombinator.com/", "updated_at": 1748286042.123, "tabs": ["https://…", …], "current": 0,
     "generation": 18, "started": "2026-01-24T10:30:00Z", "settings": {…}, "secrets": ["shop.password"]}}}

Cookies and storage are in a file of the session's own, in the form of `engine.saved_state`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from oryn.browsers.base import Cookie
from oryn.browsers.base.storage import Area, Areas
from oryn.engine.checked import Checked, damaged
from oryn.engine.saved_state import OriginState, SavedState
from oryn.errors import FileError
from oryn.paths import SESSION_NAME
from oryn.records import Record

VERSION = 1

LONGEST_URL = 65_536
"""Characters of a URL that is kept; a `data:` URL may hold a film."""

# `file:` too: the session was there, on this computer, with the same rights. `blob:`, `javascript:` and the browser's
# own pages belong to a browser that is gone.
_KEPT_URL = re.compile(r"(https?|file|data):", re.IGNORECASE)

BLANK = "about:blank"


class OpenTab(Record):
    """A tab's URL, and what the documents that it has shown stored in it."""

    url: str
    areas: tuple[Area, ...] = ()


class Standing(Record):
    """Where a session stands: all that has to be put back so that it can go on."""

    tabs: tuple[OpenTab, ...] = ()
    current: int = 0
    """The position of the current tab."""
    cookies: tuple[Cookie, ...] = ()
    local: Areas = MappingProxyType({})


class Kept(Record):
    """A row of `sessions.json`."""

    name: str
    backend: str
    """The browser's mode."""
    profile: str | None
    headful: bool
    settings: Mapping[str, Any]
    """Those in which the session differs from its host."""
    started: str
    """In UTC, `2026-01-24T10:30:00Z`."""
    tabs: tuple[str, ...]
    current: int
    generation: int
    updated_at: float = 0.0
    """Unix time, for readers: nothing is decided by it."""
    secrets: tuple[str, ...] = ()
    """The names of the values of the vault that it was given, and shows nowhere."""

    @property
    def last_url(self) -> str:
        return self.tabs[self.current] if self.tabs else BLANK


def is_kept(url: str) -> bool:
    """Whether a page can be come back to by its URL."""
    return len(url) <= LONGEST_URL and (url == BLANK or _KEPT_URL.match(url) is not None)


# --- a session's state ---


def state_of(standing: Standing, created: str) -> SavedState:
    origins = [OriginState(origin, entries) for origin, entries in standing.local.items() if entries]
    return SavedState(created, None, standing.cookies, origins, [tab.areas for tab in standing.tabs])


def standing_of(kept: Kept, state: SavedState | None) -> Standing:
    """What the two files say together; without a state, there is nothing but URLs."""
    if state is None:
        return Standing(tuple(map(OpenTab, kept.tabs)), kept.current)
    areas = [tuple(tab) for tab in state.tabs] + [()] * len(kept.tabs)
    return Standing(
        tuple(map(OpenTab, kept.tabs, areas)),
        kept.current,
        tuple(state.cookies),
        {each.origin: each.local for each in state.origins or ()},
    )


# --- the file of all sessions ---


def encode(sessions: Iterable[Kept]) -> str:
    rows = {kept.name: _data(kept) for kept in sessions}
    return json.dumps({"version": VERSION, "sessions": rows}, indent=1, default=str) + "\n"


def _data(kept: Kept) -> dict[str, Any]:
    data = kept.values() | {
        "last_url": kept.last_url,
        "tabs": list(kept.tabs),
        "secrets": list(kept.secrets),
        "settings": dict(kept.settings),
    }
    del data["name"]
    return data


def decode(text: str) -> tuple[list[Kept], list[str]]:
    """The sessions of a file, and what is wrong with those that are damaged. Raises `FileError` where all of it is."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged("it is not JSON") from None
    file = Checked(data, "")
    if file.data.get("version") != VERSION:
        raise FileError(f"it has version {str(file.data.get('version'))[:20]}, and this Oryn reads version {VERSION}")
    found, wrong = [], []
    for name, row in file.mapping("sessions").data.items():
        try:
            found.append(_kept(name, Checked(row, f"sessions[{json.dumps(name[:40])}]")))
        except FileError as error:
            wrong.append(error.message)
    return found, wrong


def _kept(name: str, row: Checked) -> Kept:
    if SESSION_NAME.fullmatch(name) is None:  # it is the name of a file
        raise damaged(f"{json.dumps(name[:40])} is no name of a session")
    tabs = tuple(row.strings("tabs"))
    current = row.count("current")
    if any(not is_kept(url) for url in tabs) or current >= max(1, len(tabs)):
        raise damaged(f"the tabs of {name} are none")
    return Kept(
        name,
        row.text("backend"),
        row.optional_text("profile"),
        row.flag("headful"),
        row.mapping("settings").data,
        row.text("started"),
        tabs,
        current,
        row.count("generation"),
        row.number("updated_at") or 0.0,
        tuple(row.strings("secrets")) if "secrets" in row.data else (),
    )
