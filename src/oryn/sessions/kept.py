"""What is kept of a session, and its form in `sessions.json` (seed 004, Session restore). Pure.

    {"version": 1, "sessions": {"work": {"profile": "work-profile" | null, "backend": "headless", "headful": false,
     "last_url": "https://news.ycombinator.com/", "updated_at": 1748286042.123, "tabs": ["https://…", …], "current": 0,
     "generation": 18, "started": "2026-01-24T10:30:00Z", "settings": {…}, "secrets": ["shop.password"]}}}

A row has besides, where there is something to say: `"ids"` of its tabs, `"entered"` and `"shown"` (`Kept`), and
`"behind": true`. Cookies and storage are in a file of the session's own, in the form of `engine.saved_state`.

What has changed since is in `sessions.journal`, a line each: `{"session": "work", "tabs": […], "generation": 19}` has
members of a row, all of them for a session that is new, and `{"session": "work", "closed": true}` ends one. A line says
what is, not what was done: to read one twice changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from oryn.browsers.base import Cookie
from oryn.browsers.base.storage import Area, Areas
from oryn.engine.checked import Checked, damaged
from oryn.engine.saved_state import OriginState, SavedState
from oryn.errors import FileError
from oryn.paths import SESSION_NAME
from oryn.records import Record, field

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
    ids: tuple[int, ...] = ()
    """One for each tab, which no other tab of the session has had: which of its state belongs to which tab."""
    entered: tuple[int, ...] = ()
    """The positions of the tabs whose page something was typed into or chosen on."""
    shown: tuple[str, ...] = ()
    """What the tabs showed that can't be come back to, shortened; empty for a tab that showed its URL. None at all
    where every tab did."""
    behind: bool = False
    """Commands have run since cookies and storage were kept."""

    @property
    def last_url(self) -> str:
        return self.tabs[self.current] if self.tabs else BLANK


def is_kept(url: str) -> bool:
    """Whether a page can be come back to by its URL."""
    return len(url) <= LONGEST_URL and (url == BLANK or _KEPT_URL.match(url) is not None)


# --- a session's state ---


def state_of(standing: Standing, created: str, ids: Sequence[int] = ()) -> SavedState:
    origins = [OriginState(origin, entries) for origin, entries in standing.local.items() if entries]
    return SavedState(created, None, standing.cookies, origins, [tab.areas for tab in standing.tabs], ids)


def standing_of(kept: Kept, state: SavedState | None) -> Standing:
    """What the two files say together; without a state, there is nothing but URLs. They are not of one moment: a tab
    that has come since has stored nothing, and what one had that has gone is nobody's."""
    if state is None:
        return Standing(tuple(map(OpenTab, kept.tabs)), kept.current)
    if kept.ids and state.ids:
        stored = dict(zip(state.ids, state.tabs, strict=False))
        areas = [tuple(stored.get(each, ())) for each in kept.ids]
    else:
        areas = [tuple(tab) for tab in state.tabs]
    areas += [()] * len(kept.tabs)
    return Standing(
        tuple(map(OpenTab, kept.tabs, areas)),
        kept.current,
        tuple(state.cookies),
        {each.origin: each.local for each in state.origins or ()},
    )


# --- the file of all sessions ---

Row = dict[str, Any]
"""What a file says of a session, its name aside."""

_SELDOM = ("ids", "entered", "shown", "behind")
"""Members of a row that are left out where they are empty."""


def encode(sessions: Iterable[Kept]) -> str:
    rows = {kept.name: _without_empty(row_of(kept)) for kept in sessions}
    return json.dumps({"version": VERSION, "sessions": rows}, indent=1, default=str) + "\n"


def row_of(kept: Kept) -> Row:
    """With every member."""
    row = kept.values() | {"last_url": kept.last_url, "settings": dict(kept.settings)}
    del row["name"]
    return row


def _without_empty(row: Row) -> Row:
    return {name: value for name, value in row.items() if value or name not in _SELDOM}


def decode(text: str) -> tuple[list[Kept], list[str]]:
    """The sessions of a file, and what is wrong with those that are damaged. Raises `FileError` where all of it is."""
    return kept_in(rows_in(text))


def rows_in(text: str) -> dict[str, Row]:
    """The rows of a file. Raises `FileError`."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged("it is not JSON") from None
    file = Checked(data, "")
    if file.data.get("version") != VERSION:
        raise FileError(f"it has version {str(file.data.get('version'))[:20]}, and this Oryn reads version {VERSION}")
    return file.mapping("sessions").data


def kept_in(rows: Mapping[str, Row]) -> tuple[list[Kept], list[str]]:
    """The sessions of these rows, and what is wrong with the others."""
    found, wrong = [], []
    for name, row in rows.items():
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
    seldom = {each: row.data[each] for each in _SELDOM if row.data.get(each)}
    for each in ("ids", "entered"):
        seldom[each] = tuple(row.counts(each)) if each in seldom else ()
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
        seldom["ids"],
        seldom["entered"],
        tuple(row.strings("shown")) if "shown" in seldom else (),
        row.flag("behind") if "behind" in seldom else False,
    )


# --- the journal ---


def line(name: str, members: Mapping[str, Any]) -> bytes:
    """A line of the journal, its end with it."""
    return (json.dumps({"session": name, **members}, separators=(",", ":"), default=str) + "\n").encode()


CLOSED: Mapping[str, Any] = MappingProxyType({"closed": True})


class Replayed(Record, frozen=False):
    """What a journal makes of the rows before it."""

    rows: dict[str, Row]
    closed: set[str] = field(factory=set)
    """The sessions that it ended and that are none."""
    wrong: list[str] = field(factory=list)
    """What is the matter with lines of it."""

    def take(self, said: Any) -> bool:
        """Whether it is a line of a journal."""
        match said:
            case {"session": str(name), "closed": True}:
                self.rows.pop(name, None)
                self.closed.add(name)
            case {"session": str(name)}:
                del said["session"]
                self.rows[name] = self.rows.get(name, {}) | said
                self.closed.discard(name)
            case _:
                return False
        return True


def replayed(rows: Mapping[str, Row], journal: str) -> Replayed:
    """The rows as the journal has them by now. A last line without an end was being written when its host died, and
    says nothing."""
    now = Replayed(dict(rows))
    *lines, _ = journal.split("\n")
    for number, text in enumerate(lines, 1):
        if not text:
            continue
        try:
            taken = now.take(json.loads(text))
        except (ValueError, RecursionError):
            taken = False
        if not taken:
            now.wrong.append(f"line {number} is none")
    return now
