"""The record of a saved session, and its form in `sessions.json` (docs/spec/daemon-files.md#saved-sessions). Pure.

    {"version": 1, "sessions": {"work": {"profile": "work-profile" | null, "backend": "headless", "headful": false,
     "last_url": "https://news.ycombinator.com/", "updated_at": 1748286042.123, "tabs": ["https://…", …], "current": 0,
     "generation": 18, "started": "2026-01-24T10:30:00Z", "settings": {…}, "secrets": ["shop.password"]}}}

Optional members of a row: `"ids"` of its tabs, `"entered"` and `"shown"` and `"notes"`
(`SessionRecord`), and `"behind": true`, `"placement"` (`Placement`), `"owner"`.
Cookies and storage are in a separate file for each session, in the form of `engine.state.state_file`.

`sessions.journal` has the changes since then, one per line. `{"session": "work", "tabs": […], "generation": 19}` has
members of a row, all of them for a new session. `{"session": "work", "closed": true}` ends a session. Lines state
values and not operations: reading one twice changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from oryn.browsers.base import Cookie
from oryn.browsers.base.placement import Placement
from oryn.browsers.base.storage import OriginStorage, StorageByOrigin
from oryn.core.records import Record, field
from oryn.core.urls import origin_of
from oryn.engine.state.state_file import OriginState, SavedState
from oryn.engine.state.validation import JsonReader, damaged_state
from oryn.errors import FileError
from oryn.system.paths import SESSION_NAME

VERSION = 1

MAX_URL_CHARACTERS = 65_536
"""Maximum length of a saved URL; a `data:` URL may contain a whole video."""

# `file:` is included: the session has opened it on this computer, with the same rights. `blob:`, `javascript:` and
# internal pages belong to the browser process that has ended.
_RESTORABLE_URL = re.compile(r"(https?|file|data):", re.IGNORECASE)

BLANK = "about:blank"


class TabSnapshot(Record):
    """A tab's URL, and the storage of the documents that it has shown."""

    url: str
    areas: tuple[OriginStorage, ...] = ()


class SessionSnapshot(Record):
    """The state of a session that is restored."""

    tabs: tuple[TabSnapshot, ...] = ()
    current: int = 0
    """The position of the current tab."""
    cookies: tuple[Cookie, ...] = ()
    local: StorageByOrigin = MappingProxyType({})


class SessionRecord(Record):
    """A row of `sessions.json`."""

    name: str
    backend: str
    """The browser's mode."""
    profile: str | None
    headful: bool
    settings: Mapping[str, Any]
    """The settings in which the session differs from its host."""
    started: str
    """In UTC, `2026-01-24T10:30:00Z`."""
    tabs: tuple[str, ...]
    current: int
    generation: int
    updated_at: float = 0.0
    """Unix time, for readers only: Oryn does not use it."""
    secrets: tuple[str, ...] = ()
    """The names of the vault values that the session was given, which it masks everywhere."""
    ids: tuple[int, ...] = ()
    """An identifier for each tab, unique within the session. It matches the tab with its part of the state file."""
    entered: tuple[int, ...] = ()
    """The positions of the tabs whose page something was typed into or chosen on."""
    shown: tuple[str, ...] = ()
    """For each tab, the URL that it showed if that can't be restored, shortened, else empty. The tuple is empty if all
    URLs can be restored."""
    behind: bool = False
    """Whether commands have run since cookies and storage were saved."""
    placement: Placement | None = None
    """Where its browser runs, if a provider has opened it."""
    notes: tuple[Mapping[str, Any], ...] = ()
    """The notes of a person, as `PersonNotes.saved` has them."""
    owner: str | None = None
    """The caller that has opened the session for itself alone."""

    @property
    def last_url(self) -> str:
        """The URL of the current tab; `about:blank` without tabs."""
        return self.tabs[self.current] if self.tabs else BLANK

    @property
    def listed_url(self) -> str:
        """The URL for lists of sessions: that of the current tab. Its origin alone if the session was given values of
        the vault, which can't be masked before it opens."""
        return (origin_of(self.last_url) or BLANK) if self.secrets else self.last_url


def is_restorable(url: str) -> bool:
    """Whether loading the URL again restores the page."""
    return len(url) <= MAX_URL_CHARACTERS and (url == BLANK or _RESTORABLE_URL.match(url) is not None)


# --- a session's state ---


def to_saved_state(snapshot: SessionSnapshot, created: str, ids: Sequence[int] = ()) -> SavedState:
    """The content of a session's state file. `created` is the time in ISO 8601; `ids` are the tabs' identifiers, in
    their order."""
    origins = [OriginState(origin, entries) for origin, entries in snapshot.local.items() if entries]
    return SavedState(created, None, snapshot.cookies, origins, [tab.areas for tab in snapshot.tabs], ids)


def snapshot_of(record: SessionRecord, state: SavedState | None) -> SessionSnapshot:
    """Combine a session's row with its saved state; without a state, the snapshot has only URLs.

    The two are not of the same moment. A tab that is only in the row has no storage; storage of a tab that is only in
    the state is dropped."""
    if state is None:
        return SessionSnapshot(tuple(map(TabSnapshot, record.tabs)), record.current)
    if record.ids and state.ids:
        stored = dict(zip(state.ids, state.tabs, strict=False))
        areas = [tuple(stored.get(each, ())) for each in record.ids]
    else:
        areas = [tuple(tab) for tab in state.tabs]
    areas += [()] * len(record.tabs)
    return SessionSnapshot(
        tuple(map(TabSnapshot, record.tabs, areas)),
        record.current,
        tuple(state.cookies),
        {each.origin: each.local for each in state.origins or ()},
    )


# --- the file of all sessions ---

RecordData = dict[str, Any]
"""The members of a session's row, without its name."""

_OPTIONAL_MEMBERS = ("ids", "entered", "shown", "behind", "placement", "notes", "owner")
"""Members of a row that are left out if they are empty."""


def encode_index(sessions: Iterable[SessionRecord]) -> str:
    """Encode the content of `sessions.json`. Optional members that are empty are left out."""
    rows = {
        record.name: {
            name: value for name, value in record_data(record).items() if value or name not in _OPTIONAL_MEMBERS
        }
        for record in sessions
    }
    return json.dumps({"version": VERSION, "sessions": rows}, indent=1, default=str) + "\n"


def record_data(record: SessionRecord) -> RecordData:
    """A session's row with every member."""
    row = record.values() | {"last_url": record.last_url, "settings": dict(record.settings)}
    del row["name"]
    if record.placement is not None:
        row["placement"] = record.placement.values() | {"labels": dict(record.placement.labels)}
    return row


def decode_index(text: str) -> tuple[list[SessionRecord], list[str]]:
    """Parse the index: its sessions, and the problems of damaged ones. Raises `FileError` if the whole file is
    damaged."""
    return parse_records(parse_index(text))


def parse_index(text: str) -> dict[str, RecordData]:
    """The rows of an index. Raises `FileError`."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged_state("it is not JSON") from None
    file = JsonReader(data, "")
    if file.data.get("version") != VERSION:
        raise FileError(f"it has version {str(file.data.get('version'))[:20]}, and this Oryn reads version {VERSION}")
    return file.mapping("sessions").data


def parse_records(rows: Mapping[str, RecordData]) -> tuple[list[SessionRecord], list[str]]:
    """Parse rows into sessions; return these and the problems of the damaged rows."""
    found, wrong = [], []
    for name, row in rows.items():
        try:
            found.append(_parse_record(name, JsonReader(row, f"sessions[{json.dumps(name[:40])}]")))
        except FileError as error:
            wrong.append(error.message)
    return found, wrong


def _parse_record(name: str, row: JsonReader) -> SessionRecord:
    if SESSION_NAME.fullmatch(name) is None:  # as it is the name of a file
        raise damaged_state(f"{json.dumps(name[:40])} is not the name of a session")
    tabs = tuple(row.strings("tabs"))
    current = row.count("current")
    if any(not is_restorable(url) for url in tabs) or current >= max(1, len(tabs)):
        raise damaged_state(f"the tabs of {name} are invalid")
    seldom = {each: row.data[each] for each in _OPTIONAL_MEMBERS if row.data.get(each)}
    for each in ("ids", "entered"):
        seldom[each] = tuple(row.counts(each)) if each in seldom else ()
    return SessionRecord(
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
        _placement(seldom.get("placement")),
        tuple(each for each in _list(seldom.get("notes")) if isinstance(each, dict)),
        row.optional_text("owner") if "owner" in seldom else None,
    )


def _placement(value: Any) -> Placement | None:
    match value:
        case {"provider": str(provider), "reference": str(reference), "where": str(where), "labels": dict(labels)}:
            return Placement(provider, reference, where, {str(name): str(text) for name, text in labels.items()})
    return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# --- the journal ---


def journal_line(name: str, changes: Mapping[str, Any]) -> bytes:
    """Encode a line of the journal, with its end. `changes` are the changed fields of the session's row, by name."""
    return (json.dumps({"session": name, **changes}, separators=(",", ":"), default=str) + "\n").encode()


CLOSED: Mapping[str, Any] = MappingProxyType({"closed": True})


class JournalReplay(Record, frozen=False):
    """The rows of the index with a journal applied to them."""

    rows: dict[str, RecordData]
    closed: set[str] = field(factory=set)
    """The sessions that the journal closed and did not open again."""
    wrong: list[str] = field(factory=list)
    """The problems of damaged lines."""

    def apply(self, entry: Any) -> bool:
        """Apply one entry of the journal; return False if it is not a valid entry."""
        match entry:
            case {"session": str(name), "closed": True}:
                self.rows.pop(name, None)
                self.closed.add(name)
            case {"session": str(name)}:
                del entry["session"]
                self.rows[name] = self.rows.get(name, {}) | entry
                self.closed.discard(name)
            case _:
                return False
        return True


def replay_journal(rows: Mapping[str, RecordData], journal: str) -> JournalReplay:
    """Apply a journal to the rows of the index.

    A last line without an end is ignored: its host died while writing it."""
    now = JournalReplay(dict(rows))
    *lines, _ = journal.split("\n")
    for number, text in enumerate(lines, 1):
        if not text:
            continue
        try:
            taken = now.apply(json.loads(text))
        except (ValueError, RecursionError):
            taken = False
        if not taken:
            now.wrong.append(f"line {number} is invalid")
    return now
