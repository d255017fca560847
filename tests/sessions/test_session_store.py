"""What is kept of sessions, and its files: no browser."""

# The files are small and on this machine: nothing waits for them.
# ruff: noqa: ASYNC240

from __future__ import annotations

import asyncio
import errno
import json
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import Browser, Cookie, Tab
from oryn.browsers.base.storage import OriginStorage, Storage
from oryn.engine import Options, Session
from oryn.engine.state.state_file import decode as decode_state
from oryn.engine.state.state_file import encode as encode_state
from oryn.errors import FileError, StateKeyWrong, Timeout
from oryn.language import parse
from oryn.sessions.persistence.capture import MAX_AREAS, SnapshotReader
from oryn.sessions.persistence.models import (
    MAX_URL_CHARACTERS,
    SessionRecord,
    SessionSnapshot,
    TabSnapshot,
    decode_index,
    encode_index,
    is_restorable,
    snapshot_of,
    to_saved_state,
)
from oryn.sessions.persistence.store import SessionStore
from oryn.sessions.sessions import Sessions
from oryn.system.encryption import StateEncryptor

HERE = "https://example.org"
KEY_VARIABLE = "ORYN_STATE_KEY"
COOKIE = Cookie("who", "ada", "example.org", http_only=True)
ROW = SessionRecord(
    "work",
    "headless",
    "work-profile",
    True,
    {"profile": "work-profile", "headful": True},
    "2026-01-24T10:30:00Z",
    (f"{HERE}/", "about:blank"),
    0,
    18,
    1748286042.123,
)


# --- the form ---


def test_the_file_has_the_seeds_form() -> None:
    row = json.loads(encode_index([ROW]))["sessions"]["work"]
    assert not row.pop("secrets", None)
    assert row == {
        "profile": "work-profile",
        "backend": "headless",
        "headful": True,
        "last_url": "https://example.org/",
        "updated_at": 1748286042.123,
        "tabs": ["https://example.org/", "about:blank"],
        "current": 0,
        "generation": 18,
        "started": "2026-01-24T10:30:00Z",
        "settings": {"profile": "work-profile", "headful": True},
    }
    assert decode_index(encode_index([ROW, ROW.replace(name="other", tabs=(), current=0)])) == (
        [ROW, ROW.replace(name="other", tabs=(), current=0)],
        [],
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "is not an object"),
        ('{"version": 2, "sessions": {}}', "it has version 2, and this Oryn reads version 1"),
        ('{"version": 1}', "sessions is not an object"),
    ],
)
def test_a_file_that_is_none(text: str, why: str) -> None:
    with pytest.raises(FileError) as raised:
        decode_index(text)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"generation": -1}, "generation is below 0"),
        ({"generation": True}, "generation is not a number"),
        ({"tabs": "x"}, "tabs is not a list"),
        ({"tabs": [1]}, "tabs is not a list of strings"),
        ({"tabs": ["javascript:alert(1)"]}, "the tabs of work are invalid"),
        ({"current": 2}, "the tabs of work are invalid"),
        ({"profile": 5}, "profile is not a string"),
        ({"headful": "yes"}, "headful is not true or false"),
        ({"settings": []}, "is not an object"),
        ({"backend": None}, "backend is not a string"),
    ],
)
def test_a_row_that_is_damaged_costs_no_other(change: dict[str, Any], why: str) -> None:
    data = json.loads(encode_index([ROW, ROW.replace(name="other")]))
    data["sessions"]["work"] |= change
    found, wrong = decode_index(json.dumps(data))
    assert [row.name for row in found] == ["other"]
    assert len(wrong) == 1
    assert why in wrong[0]


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a.json", "1", "a b"])
def test_a_name_is_the_name_of_a_file(name: str) -> None:
    data = json.loads(encode_index([ROW]))
    data["sessions"][name] = data["sessions"].pop("work")
    assert decode_index(json.dumps(data))[0] == []


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.org/a?b#c", True),
        ("http://localhost:8000/", True),
        ("file:///home/ada/page.html", True),
        ("data:text/html,<p>x", True),
        ("about:blank", True),
        ("blob:https://example.org/1", False),
        ("javascript:alert(1)", False),
        ("chrome://settings", False),
        ("chrome-error://chromewebdata/", False),
        ("", False),
        ("data:," + "x" * MAX_URL_CHARACTERS, False),
    ],
)
def test_which_pages_can_be_come_back_to(url: str, kept: bool) -> None:
    assert is_restorable(url) is kept


def test_cookies_and_storage_go_into_a_state_and_back() -> None:
    area = OriginStorage(HERE, HERE, {"tab": "one"}, {})
    frame = OriginStorage("https://ads.example", HERE, {}, {"seen": "\ud800"})
    standing = SessionSnapshot(
        (TabSnapshot(f"{HERE}/", (area, frame)), TabSnapshot("about:blank")), 1, (COOKIE,), {HERE: {"where": "here"}}
    )
    state = decode_state(encode_state(to_saved_state(standing, "2026-01-24T10:30:00Z")))
    assert snapshot_of(ROW.replace(current=1), state) == standing
    assert snapshot_of(ROW, None) == SessionSnapshot((TabSnapshot(f"{HERE}/"), TabSnapshot("about:blank")), 0)
    # The two files are not written in one moment.
    more = snapshot_of(ROW.replace(tabs=(*ROW.tabs, f"{HERE}/3")), state)
    assert more.tabs[2] == TabSnapshot(f"{HERE}/3")


# --- what is known of a session that runs ---


class Pages(Browser, Storage):
    """A browser that says what a test wants."""

    mode = "headless"

    def __init__(self) -> None:
        self.rows = [Tab(1, f"{HERE}/", "Home", current=True)]
        self.jar: list[Cookie] = [COOKIE]
        self.shown: dict[int, list[OriginStorage]] = {1: [OriginStorage(HERE, HERE, {"tab": "one"}, {"where": "here"})]}
        self.visited: dict[str, int] = {HERE: 1}
        self.requests: list[list[str]] = []
        self.stored: dict[str, dict[str, str]] = {}
        self.dead = False
        self.starts = 0

    async def start(self) -> None:
        self.starts += 1

    async def close(self) -> None:
        pass

    async def tabs(self) -> list[Tab]:
        return self.rows

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        return self.jar

    @property
    def lost(self) -> bool:
        return self.dead

    @property
    def storage(self) -> Storage:
        return self

    def origin_versions(self) -> Mapping[str, int]:
        return self.visited

    async def local(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, dict[str, str]]:
        self.requests.append(list(origins))
        if not self.stored:
            raise Timeout("too slow")
        return {origin: self.stored[origin] for origin in origins}

    async def by_tab(self, *, timeout: float = 30) -> dict[int, list[OriginStorage]]:
        return self.shown


async def test_storage_of_open_pages_is_captured() -> None:
    browser, memory = Pages(), SnapshotReader()
    standing = await memory.refresh(browser)
    assert standing == SessionSnapshot(
        (TabSnapshot(f"{HERE}/", (OriginStorage(HERE, HERE, {"tab": "one"}, {}),)),),
        0,
        (COOKIE,),
        {HERE: {"where": "here"}},
    )
    assert await memory.refresh(browser) == standing
    assert browser.requests == []


async def test_storage_of_a_left_origin_is_read_once_more() -> None:
    browser, memory = Pages(), SnapshotReader()
    await memory.refresh(browser)
    browser.rows = [Tab(1, "https://other.org/", "", current=True)]
    browser.shown = {1: [OriginStorage("https://other.org", "https://other.org", {}, {})]}
    browser.visited |= {"https://passed.org": 2, "https://other.org": 3}
    assert (await memory.refresh(browser)).local == {HERE: {"where": "here"}}  # it could not be read: it is what it was
    browser.stored = {HERE: {"where": "there"}, "https://passed.org": {"by": "1"}}
    standing = await memory.refresh(browser)
    assert standing.local == {HERE: {"where": "there"}, "https://passed.org": {"by": "1"}}
    assert standing.tabs == (TabSnapshot("https://other.org/", (OriginStorage(HERE, HERE, {"tab": "one"}, {}),)),)
    await memory.refresh(browser)
    assert browser.requests == [[HERE, "https://passed.org"]] * 2
    browser.visited |= {"https://passed.org": 4}
    await memory.refresh(browser)
    assert browser.requests[2:] == [["https://passed.org"]]


async def test_a_tab_that_does_not_answer_stays_as_it_was_and_what_was_cleared_is_gone() -> None:
    browser, memory = Pages(), SnapshotReader()
    first = await memory.refresh(browser)
    browser.shown = {}
    browser.stored = {HERE: {"where": "here"}}
    assert await memory.refresh(browser) == first
    browser.shown = {1: [OriginStorage(HERE, HERE, {}, {})]}
    standing = await memory.refresh(browser)
    assert standing.tabs == (TabSnapshot(f"{HERE}/"),)
    assert standing.local == {}


async def test_pages_that_cannot_be_come_back_to_leave_the_one_before() -> None:
    browser, memory = Pages(), SnapshotReader()
    await memory.refresh(browser)
    browser.rows = [
        Tab(1, "chrome-error://chromewebdata/", "", current=False),
        Tab(3, "blob:https://example.org/1", "", current=True),
    ]
    standing = await memory.refresh(browser)
    assert [tab.url for tab in standing.tabs] == [f"{HERE}/", "about:blank"]
    assert standing.current == 1
    browser.rows = browser.rows[1:]
    assert len((await memory.refresh(browser)).tabs) == 1


async def test_a_tab_remembers_so_many_origins() -> None:
    browser, memory = Pages(), SnapshotReader()
    for number in range(MAX_AREAS + 10):
        browser.shown = {1: [OriginStorage(f"https://s{number}.org", f"https://s{number}.org", {"a": "b"}, {})]}
        standing = await memory.refresh(browser)
    origins = [area.origin for area in standing.tabs[0].areas]
    assert origins == [f"https://s{number}.org" for number in range(10, MAX_AREAS + 10)]


# --- files ---


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "daemon"


def sessions_in(folder: Path, browser: Pages | None = None, **options: Any) -> tuple[Sessions, SessionStore, Pages]:
    browser = browser or Pages()
    store = SessionStore(folder, folder.parent / "profiles")

    def make(name: str, settings: Mapping[str, Any]) -> Session:
        return Session(browser, name, Options(**options))

    return Sessions(make, store=store), store, browser


async def run(sessions: Sessions, line: str = "tabs", name: str = "work") -> None:
    answer = await sessions.execute_in(name, parse(line), {})
    assert answer.ok, answer.render()


async def test_a_host_that_ends_keeps_its_sessions_for_the_owner_alone(folder: Path) -> None:
    sessions, _, _ = sessions_in(folder)
    await run(sessions)
    await sessions.close()
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    assert files == [folder / "sessions" / "work.json", folder / "sessions.json"]
    if os.name != "nt":
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    later, _, _ = sessions_in(folder)
    assert later.dormant == ["work"]


async def test_an_ephemeral_session_is_not_kept(folder: Path) -> None:
    sessions, _, _ = sessions_in(folder, ephemeral=True)
    await run(sessions)
    await sessions.close()
    assert not folder.exists()


async def test_commands_close_together_are_one_write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions, store, _ = sessions_in(folder)
    written: list[str] = []
    original = SessionStore.write

    async def write(self: SessionStore, file: Path, text: str) -> bool:
        written.append(file.name)
        return await original(self, file, text)

    monkeypatch.setattr(SessionStore, "write", write)
    for _ in range(20):
        await run(sessions)
    task = store._autosavers["work"]._task
    assert task is not None
    await task
    assert written == ["sessions.json", "work.json"]
    await run(sessions)
    await sessions.close()
    assert written == ["sessions.json", "work.json"]  # nothing was another thing


async def test_a_browser_that_is_dead_is_not_looked_at(folder: Path) -> None:
    sessions, _, browser = sessions_in(folder)
    await run(sessions)
    browser.dead = True
    await sessions.close()
    assert not folder.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
async def test_a_full_disk_leaves_what_was_kept_and_is_said_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sessions, _, _ = sessions_in(folder)
    await run(sessions)
    await sessions.close()
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    sessions, store, _ = sessions_in(folder)
    for file in before:
        file.with_name(f".{file.name}.{os.getpid()}").symlink_to("/dev/full")
    row = store.get("work")
    assert row is not None
    for generation in (100, 101):
        await store.save(row.replace(generation=generation))
        file = folder / "sessions.json"
        assert file.read_bytes() == before[file]
        (folder / f".sessions.json.{os.getpid()}").unlink(missing_ok=True)
        (folder / f".sessions.json.{os.getpid()}").symlink_to("/dev/full")
    assert caplog.text.count(os.strerror(errno.ENOSPC)) == 1
    (folder / f".sessions.json.{os.getpid()}").unlink()
    await store.save(row.replace(generation=102))
    assert json.loads((folder / "sessions.json").read_text())["sessions"]["work"]["generation"] == 102


async def test_a_folder_that_is_none_keeps_nothing_and_stops_nothing(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write_text("a file")
    sessions, _, _ = sessions_in(folder)
    await run(sessions)
    await sessions.close()
    assert "sessions can't be saved" in caplog.text
    assert folder.read_text() == "a file"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"version": 7, "sessions": {}}'])
def test_a_damaged_file_is_set_aside_each_time(folder: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir()
    for number in (1, 2):
        (folder / "sessions.json").write_bytes(content)
        assert SessionStore(folder, folder).names == []
        assert (folder / f"sessions.json.damaged-{number}").read_bytes() == content
        assert f"sessions.json.damaged-{number}" in caplog.text
    assert not (folder / "sessions.json").exists()


def test_valid_rows_of_a_damaged_file_are_used(folder: Path) -> None:
    folder.mkdir()
    data = json.loads(encode_index([ROW, ROW.replace(name="other")]))
    del data["sessions"]["work"]["tabs"]
    (folder / "sessions.json").write_text(json.dumps(data))
    assert SessionStore(folder, folder).names == ["other"]
    assert (folder / "sessions.json.damaged-1").exists()


async def test_session_closed_during_a_write_is_deleted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions, store, _ = sessions_in(folder)
    begun = asyncio.Event()
    original = SessionStore.write

    async def write(self: SessionStore, file: Path, text: str) -> bool:
        begun.set()
        return await original(self, file, text)

    monkeypatch.setattr(SessionStore, "write", write)
    await run(sessions)
    await begun.wait()
    await sessions.close_session("work")
    assert store.names == []
    assert json.loads((folder / "sessions.json").read_text())["sessions"] == {}
    assert not (folder / "sessions" / "work.json").exists()


async def test_states_are_sealed_where_that_is_wanted(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("cryptography")
    environment: dict[str, str] = {}
    sessions, store, _ = sessions_in(folder)
    await run(sessions, "help")
    session = sessions.get("work") or sessions.get_or_open("work", {})
    session.state_encryption = lambda: StateEncryptor("environment", environment)
    await run(sessions)
    task = store._autosavers["work"]._task
    assert task is not None
    await task
    assert not (folder / "sessions" / "work.json").exists()  # rather nothing than all of it in the open
    assert f"{KEY_VARIABLE} is not set" in caplog.text
    environment[KEY_VARIABLE] = "a key"
    await sessions.close()
    content = (folder / "sessions" / "work.json").read_text()
    assert "example.org" not in content
    assert "sealed" in json.loads(content)
    later, _, _ = sessions_in(folder)
    session = later.get_or_open("work", {})
    session.state_encryption = lambda: StateEncryptor("environment", {})
    for _ in range(2):
        answer = await later.execute_in("work", parse("tabs"), {})
        assert isinstance(answer.error, StateKeyWrong)
    assert (folder / "sessions" / "work.json").read_text() == content
    await later.close()
    assert (folder / "sessions" / "work.json").read_text() == content
