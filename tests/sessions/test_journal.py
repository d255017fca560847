"""What is added to `sessions.json` between two writings of it, and read again after any end of its host: no browser."""

# The files are small and on this machine: nothing waits for them.
# ruff: noqa: ASYNC240

from __future__ import annotations

import json
import os
import random
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oryn.sessions.journal import Journal
from oryn.sessions.keeping import Keeper, listed
from oryn.sessions.kept import CLOSED, Kept, OpenTab, Standing, encode, line, replayed, row_of, standing_of, state_of

HERE = "https://example.org"
ROW = Kept("work", "headless", None, False, {}, "2026-01-24T10:30:00Z", (f"{HERE}/",), 0, 1, ids=(1,))


def at(page: int, name: str = "work", **changes: object) -> Kept:
    return ROW.replace(name=name, tabs=(f"{HERE}/{page}",), generation=page, **changes)


def known(folder: Path) -> dict[str, Kept]:
    return {kept.name: kept.replace(updated_at=0.0) for kept in listed(folder)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "daemon"


@pytest.fixture
def keeper(folder: Path) -> Keeper:
    return Keeper(folder, folder.parent / "profiles")


# --- the lines ---


def test_a_row_is_on_disk_when_it_is_noted(keeper: Keeper, folder: Path) -> None:
    keeper.note(at(1))
    keeper.note(at(2))
    assert known(folder) == {"work": at(2)}
    assert not (folder / "sessions.json").exists()
    first, second = map(json.loads, (folder / "sessions.journal").read_text().splitlines())
    assert first == {"session": "work", **json.loads(json.dumps(row_of(at(1))))}
    assert second == {"session": "work", "tabs": [f"{HERE}/2"], "generation": 2, "last_url": f"{HERE}/2"}
    keeper.note(at(2, updated_at=5.0))
    assert (folder / "sessions.journal").read_text().count("\n") == 2  # the time alone is nothing new


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_it_is_for_the_owner_alone(keeper: Keeper, folder: Path) -> None:
    before = os.umask(0)
    try:
        keeper.note(at(1))
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "sessions.journal").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_line_says_what_is_so_that_it_may_be_read_twice() -> None:
    lines = [line("work", row_of(at(1))), line("work", {"generation": 2}), line("work", CLOSED)]
    lines += [line("work", row_of(at(3))), line("other", row_of(at(4, "other"))), line("work", {"generation": 9})]
    journal = b"".join(lines).decode()
    once = replayed({}, journal)
    assert once.wrong == []
    assert once.closed == set()
    for begin in range(len(lines)):
        assert replayed(once.rows, b"".join(lines[begin:]).decode()).rows == once.rows


@pytest.mark.parametrize("torn", ["{", '{"session": "work", "closed": true}', "\udcff", "[" * 100_000])
def test_a_last_line_without_an_end_says_nothing(torn: str) -> None:
    now = replayed({}, line("work", row_of(at(1))).decode() + torn)
    assert list(now.rows) == ["work"]
    assert now.wrong == []


async def test_whatever_happened_it_is_what_it_was_or_what_was_written_last(keeper: Keeper, folder: Path) -> None:
    """A host may die between any two bytes."""
    chance = random.Random(4)
    states = [dict[str, Kept]()]
    for page in range(200):
        name = chance.choice(("a", "b", "c"))
        match chance.randrange(8):
            case 0:
                await keeper.forget(name)
            case 1:
                await keeper.put(at(page, name))
            case _:
                keeper.note(at(page, name, behind=chance.random() < 0.3, shown=("blob:x",) * (page % 2)))
        states.append({each: kept for each in keeper.names if (kept := keeper.get(each))})
        assert known(folder) == states[-1]
    journal = folder / "sessions.journal"
    content = journal.read_bytes()
    index = {kept.name: kept for kept in listed_without(folder)}
    for end in range(len(content)):
        journal.write_bytes(content[:end])
        assert known(folder) in (*states, index)


def listed_without(folder: Path) -> list[Kept]:
    """What the index alone says."""
    journal = folder / "sessions.journal"
    content = journal.read_bytes()
    journal.unlink()
    try:
        return [kept.replace(updated_at=0.0) for kept in listed(folder)]
    finally:
        journal.write_bytes(content)


# --- a host that died ---


def test_the_next_host_writes_it_into_one_file_again(keeper: Keeper, folder: Path) -> None:
    keeper.note(at(1))
    keeper.note(at(2, "other"))
    later = Keeper(folder, folder)
    assert later.names == ["other", "work"]
    assert not (folder / "sessions.journal").exists()
    assert json.loads((folder / "sessions.json").read_text())["sessions"].keys() == {"work", "other"}


async def test_a_death_in_the_middle_of_a_writing(keeper: Keeper, folder: Path) -> None:
    keeper.note(at(1))
    await keeper.put(at(2))
    keeper.note(at(3, "other"))
    journal = (folder / "sessions.journal").read_bytes()
    # The index is there, the lines that it has are, too, and files that were begun.
    draft = folder / ".sessions.json.999999999"
    state = folder / "sessions" / ".work.json.999999999"
    state.parent.mkdir()
    for each in (draft, state):
        each.write_text("{")
    (folder / "sessions.json").write_text(encode([at(2), at(3, "other")]))
    (folder / "sessions.journal").write_bytes(line("work", row_of(at(1))) + line("work", row_of(at(2))) + journal)
    later = Keeper(folder, folder)
    assert later.get("work") == at(2)
    assert later.get("other") == at(3, "other")
    assert not draft.exists()
    assert not state.exists()


async def test_a_session_that_was_closed_stays_so_and_leaves_no_cookies(keeper: Keeper, folder: Path) -> None:
    await keeper.put(at(1))
    file = keeper.state_file("work")
    file.parent.mkdir()
    file.write_text("{}")
    keeper._drop("work")  # and the host is killed
    assert file.exists()
    assert Keeper(folder, folder).names == []
    assert not file.exists()


def test_a_damaged_line_costs_itself_alone(keeper: Keeper, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    keeper.note(at(1))
    with (folder / "sessions.journal").open("a") as journal:
        journal.write('nonsense\n[1]\n{"session": 5}\n')
    keeper.note(at(2))
    assert Keeper(folder, folder).get("work") == at(2)
    assert "line 2 is none; line 3 is none; line 4 is none" in caplog.text
    assert "nonsense" in (folder / "sessions.journal.damaged-1").read_text()


def test_a_line_after_one_that_was_cut_off_is_whole(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    (folder / "sessions.journal").write_bytes(line("work", row_of(at(1))) + b'{"session": "wo')
    journal = Journal(folder / "sessions.journal")
    journal.add(line("work", {"generation": 7}))
    journal.close()
    assert known(folder)["work"].generation == 7


# --- a journal that can't be written ---


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes: a write that would is cut off there, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_said_once_and_leaves_no_half_line(
    keeper: Keeper, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keeper.note(at(1))
    with room_for((folder / "sessions.journal").stat().st_size + 10):
        for page in (2, 3, 4):
            keeper.note(at(page))
            assert known(folder) == {"work": at(1)}
    assert caplog.text.count("sessions can't be kept") == 1
    keeper.note(at(4, behind=True))
    assert known(folder) == {"work": at(4, behind=True)}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
async def test_where_nothing_can_be_written_nothing_fails(
    keeper: Keeper, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.mkdir(mode=0o700)
    (folder / "sessions.journal").symlink_to("/dev/full")  # which is read without end
    keeper.note(at(1))
    assert "sessions can't be kept" in caplog.text
    await keeper.put(at(2))
    assert known(folder) == {"work": at(2)}
    await keeper.forget("work")
    assert known(folder) == {}


def test_a_journal_that_somebody_removes_begins_anew(keeper: Keeper, folder: Path) -> None:
    keeper.note(at(1))
    (folder / "sessions.journal").unlink()
    keeper.note(at(2))
    assert b'"generation":2' in (folder / "sessions.journal").read_bytes()


async def test_it_does_not_grow_for_ever(keeper: Keeper, folder: Path) -> None:
    for page in range(2000):
        keeper.note(at(page, behind=page % 2 == 0))
    assert (folder / "sessions.journal").stat().st_size > 100_000
    await keeper.put(at(2000, behind=True))
    assert (folder / "sessions.journal").read_bytes() == line("work", {"behind": True})
    assert known(folder) == {"work": at(2000, behind=True)}


def test_what_comes_while_the_index_is_written_stays(keeper: Keeper, folder: Path) -> None:
    keeper.note(at(1))
    size = keeper._journal.size
    keeper.note(at(2))
    keeper._journal.cut(size)
    assert b'"generation":1' not in (folder / "sessions.journal").read_bytes()
    keeper.note(at(3))
    (folder / "sessions.json").write_text(encode([at(1)]))
    assert known(folder) == {"work": at(3)}
    assert sorted(each.name for each in folder.iterdir()) == ["sessions.journal", "sessions.json"]


# --- which storage is whose ---


def test_storage_goes_to_the_tab_that_had_it() -> None:
    from oryn.browsers.base.storage import Area

    area = Area(HERE, HERE, {"who": "the second"}, {})
    state = state_of(Standing((OpenTab("about:blank"), OpenTab(f"{HERE}/2", (area,)))), "2026-01-24T10:30:00Z", (4, 7))
    closed = standing_of(ROW.replace(tabs=(f"{HERE}/2", f"{HERE}/3"), ids=(7, 8)), state)
    assert closed.tabs == (OpenTab(f"{HERE}/2", (area,)), OpenTab(f"{HERE}/3"))
    gone = standing_of(ROW.replace(tabs=(f"{HERE}/3", f"{HERE}/1"), ids=(8, 4)), state)
    assert gone.tabs == (OpenTab(f"{HERE}/3"), OpenTab(f"{HERE}/1"))
