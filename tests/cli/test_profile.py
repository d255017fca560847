"""`oryn profile …`, as it is run."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from oryn.profiles.lock import hold
from oryn.sessions.registry import register
from oryn.sessions.registry_db import FILE, RegistryDatabase, RegistryRow


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "oryn"


def run(home: Path, *arguments: str, ok: bool = True) -> str:
    """What the command prints; of one that fails, its error."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORYN_", "XDG_"))}
    environment = {**kept, "ORYN_HOME": str(home), "HOME": str(home.parent), "NO_COLOR": "1", "COLUMNS": "120"}
    ended = subprocess.run(
        [sys.executable, "-m", "oryn", "profile", *arguments],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode == 0) is ok, ended
    return ended.stdout if ok else ended.stderr


@pytest.fixture
def chromium(tmp_path: Path) -> Path:
    """The user data of an installed Chromium, as far as a copy looks at it."""
    folder = tmp_path / ".config" / "chromium"
    (folder / "Profile 1").mkdir(parents=True)
    (folder / "Local State").write_text(
        '{"profile": {"info_cache": {"Profile 1": {"name": "Ada"}}, "last_used": "Profile 1"}}'
    )
    (folder / "Profile 1" / "Preferences").write_text("{}")
    with closing(sqlite3.connect(folder / "Profile 1" / "Cookies")) as database, database:
        database.execute("CREATE TABLE cookies (name TEXT, encrypted_value BLOB)")
        database.execute("INSERT INTO cookies VALUES ('a', x'763131'), ('b', x'763130')")
    return folder


@pytest.mark.slow
def test_without_profiles(home: Path) -> None:
    assert run(home, "list") == (
        "No profiles. 'oryn profile create <name>' makes one, 'oryn profile copy <name>' a browser's copy.\n"
    )
    assert json.loads(run(home, "list", "--json")) == []
    assert run(home, "delete", "shop", ok=False) == (
        "error profile delete: there is no profile shop\n\n# hint\nMake one with 'oryn profile create <name>'.\n"
    )


@pytest.mark.slow
def test_a_profile_is_made_listed_and_deleted(home: Path) -> None:
    folder = home / "data" / "profiles" / "shop"
    assert run(home, "create", "shop") == "The profile shop is made: use it with --profile shop.\n"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert run(home, "create", "shop", ok=False) == (
        "error profile create: there is a profile shop already\n\n"
        "# hint\nChoose another name, or run 'oryn profile delete shop' first.\n"
    )
    head, row = run(home, "list").splitlines()
    assert head == "name  size    last used  in use by  copy of"
    assert row.split() == ["shop", "0.0", "MB", "-", "-", "-"]
    assert run(home, "delete", "shop") == "The profile shop is deleted.\n"
    assert not folder.exists()
    assert json.loads(run(home, "create", "shop", "--json")) == {"name": "shop", "folder": str(folder)}
    assert json.loads(run(home, "delete", "shop", "--yes", "--json")) == {"name": "shop", "deleted": True}


@pytest.mark.slow
def test_a_profile_that_is_in_use_says_by_whom_and_stays(home: Path) -> None:
    folder = home / "data" / "profiles" / "shop"
    held = hold(folder)
    (home / "sessions").mkdir(mode=0o700)
    session = register(home / "sessions", "work")
    assert session is not None
    RegistryDatabase(home / "data" / FILE).put(
        [RegistryRow("work", "shop", os.getpid(), None, False, "2026-01-24T10:30:00Z")]
    )
    assert "session work" in run(home, "list")
    [told] = json.loads(run(home, "list", "--json"))
    assert told["in_use"] == {"process": os.getpid(), "session": "work"}
    assert run(home, "delete", "shop", ok=False) == (
        f"error profile delete: the profile shop is in use by process {os.getpid()}\n\n"
        "# hint\nClose the session that uses it, or choose another profile.\n"
    )
    session.release()
    assert f"process {os.getpid()}" in run(home, "list")
    held.end()
    [told] = json.loads(run(home, "list", "--json"))
    assert told["in_use"] is None
    assert told["last_use"].endswith("Z")
    assert run(home, "delete", "shop") == "The profile shop is deleted.\n"


@pytest.mark.slow
def test_a_copy_of_an_installed_browsers_profile(home: Path, chromium: Path) -> None:
    source = chromium / "Profile 1"
    said = run(home, "copy", "shop")
    assert said == (
        f"The profile shop is a copy of {source}, with 2 cookies: use it with --profile shop.\n"
        "note: 1 cookies are encrypted with this desktop's key: they are read in Chromium only\n"
    )
    assert (home / "data" / "profiles" / "shop" / "Default" / "Cookies").is_file()
    assert "Chromium: Profile 1" in run(home, "list")
    told = json.loads(run(home, "copy", "again", "--browser", "CHROMIUM", "--from", "Ada", "--json"))
    assert {name: told[name] for name in ("name", "from", "browser", "cookies")} == {
        "name": "again", "from": str(source), "browser": "Chromium", "cookies": 2,
    }  # fmt: skip
    told = json.loads(run(home, "copy", "third", "--from", str(source), "--json"))
    assert told["browser"] is None
    assert "already" in run(home, "copy", "shop", ok=False)
    assert sorted(path.name for path in (home / "data" / "profiles").iterdir()) == ["again", "shop", "third"]


@pytest.mark.slow
def test_a_browser_that_runs_is_noted(home: Path, chromium: Path) -> None:
    (chromium / "SingletonLock").symlink_to(f"{socket.gethostname()}-{os.getpid()}")
    assert "note: the browser is running: the copy lacks data that it has not written to disk yet\n" in run(
        home, "copy", "x"
    )


def test_a_copy_that_fails_leaves_nothing(home: Path, chromium: Path) -> None:
    (chromium / "Profile 1" / "Cookies").write_bytes(b"no database" * 100)
    assert run(home, "copy", "shop", ok=False) == (
        f"error profile copy: {chromium / 'Profile 1' / 'Cookies'} is damaged, or written to without a pause\n\n"
        "# hint\nClose the browser and copy again.\n"
    )
    assert list((home / "data" / "profiles").iterdir()) == []


@pytest.mark.slow
def test_bad_names_and_sources(home: Path) -> None:
    for name in ("../etc", "a/b", "", ".hidden", "new"):
        for command in ("create", "copy", "delete"):
            assert "invalid value for 'NAME'" in run(home, command, name, ok=False)
    assert run(home, "copy", "shop", ok=False) == (
        "error profile copy: there is no profile of a browser of Chrome's family\n\n"
        "# hint\nGive --from the folder of a profile.\n"
    )
    assert "no browser is called 'netscape'" in run(home, "copy", "shop", "--browser", "netscape", ok=False)
    assert "is no browser's profile" in run(home, "copy", "shop", "--from", str(home.parent), ok=False)
