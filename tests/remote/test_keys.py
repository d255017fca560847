"""The keys of paired browsers, on disk."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.errors import ConfigurationError
from oryn.extension_server.keys import MAX_KEYS, KeyStore
from oryn.extension_server.pairing import PairingKey


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "remote-keys.json"


def test_a_key_is_kept_for_its_owner_alone(file: Path) -> None:
    key = PairingKey.new()
    KeyStore(file).save(key.id, key.secret, "Chrome/156.0")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    found = KeyStore(file).find(key.id)
    assert found is not None and (found.secret, found.browser) == (key.secret, "Chrome/156.0")
    assert key.secret not in repr(found)


def test_the_form_that_other_clients_read_and_write(file: Path) -> None:
    file.parent.mkdir()
    row = {
        "secret": "ab" * 32,
        "browser": "Chrome/1",
        "since": "2026-11-22T08:00:00Z",
        "last_used": "2026-11-22T08:00:00Z",
    }
    file.write_text(json.dumps({"version": 1, "keys": {"0123abcd": row}}))
    keys = KeyStore(file)
    keys.mark_used("0123abcd", "Chrome/2")
    written = json.loads(file.read_text())
    assert written["version"] == 1
    assert written["keys"]["0123abcd"] | {"last_used": ""} == row | {"browser": "Chrome/2", "last_used": ""}


def test_a_key_is_good_at_the_port_where_it_was_given(file: Path) -> None:
    keys, here, anywhere = KeyStore(file), PairingKey.new(), PairingKey.new()
    keys.save(here.id, here.secret, "Chrome/1", 8080)
    keys.save(anywhere.id, anywhere.secret, "Chrome/1")  # by a server that did not say where it listens
    keys.mark_used(here.id, "Chrome/2")
    assert "port" not in json.loads(file.read_text())["keys"][anywhere.id]
    assert [key is None for key in (keys.find(here.id, 8080), keys.find(here.id, 7720))] == [False, True]
    assert keys.find(here.id) is not None
    assert keys.find(anywhere.id, 7720) is not None


def test_a_key_is_revoked(file: Path) -> None:
    keys, first, second, third = KeyStore(file), PairingKey.new(), PairingKey.new(), PairingKey.new()
    for each in (first, second, third):
        keys.save(each.id, each.secret, "Chrome/1")
    assert [key.id for key in keys.revoke(second.id)] == [second.id]
    assert keys.revoke(second.id) == []
    assert keys.find(second.id) is None
    assert {key.id for key in keys.revoke()} == {first.id, third.id}
    assert keys.all() == []


def test_a_key_that_is_revoked_meanwhile_does_not_come_back_by_its_use(file: Path) -> None:
    keys, key = KeyStore(file), PairingKey.new()
    keys.save(key.id, key.secret, "Chrome/1")
    KeyStore(file).revoke()
    keys.mark_used(key.id, "Chrome/1")
    assert keys.all() == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"version": 2, "keys": {}}',
        '{"version": 1}',
        '{"version": 1, "keys": []}',
        "[" * 100_000,
        "\ufeff",
    ],
)
def test_a_damaged_file_has_no_keys_and_is_written_anew(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    keys, key = KeyStore(file), PairingKey.new()
    assert keys.all() == []
    keys.save(key.id, key.secret, "Chrome/1")
    assert [each.id for each in keys.all()] == [key.id]


def test_valid_keys_of_a_damaged_file_are_used(file: Path) -> None:
    good = {"secret": "ab" * 32, "browser": "Chrome/1", "since": "2026", "last_used": "2026"}
    rows = {
        "0123abcd": good,
        "../../x": good,
        "0123abce": good | {"secret": "short"},
        "0123abcf": good | {"browser": 7},
        "0123abc0": None,
    }
    file.parent.mkdir()
    file.write_text(json.dumps({"version": 1, "keys": rows}))
    assert [key.id for key in KeyStore(file).all()] == ["0123abcd"]


def test_number_of_keys_is_limited(file: Path) -> None:
    file.parent.mkdir()
    row = {"secret": "ab" * 32, "browser": "Chrome/1", "since": "2026", "last_used": "2026-01-01T00:00:00Z"}
    rows = {f"{number:08x}": row | {"last_used": f"2025-01-01T00:00:{number:04}Z"} for number in range(MAX_KEYS)}
    file.write_text(json.dumps({"version": 1, "keys": rows}))
    keys, key = KeyStore(file), PairingKey.new()
    keys.save(key.id, key.secret, "Chrome/1")
    assert len(keys.all()) == MAX_KEYS
    assert keys.find(key.id) is not None and keys.find("00000000") is None


def test_a_place_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError):
        KeyStore(tmp_path / "file" / "keys.json").save("0123abcd", "ab" * 32, "Chrome/1")


KEEPING = """
import sys
from pathlib import Path
from oryn.extension_server.keys import KeyStore
for number in range(20):
    KeyStore(Path(sys.argv[1])).save(f"{sys.argv[2]}{number:07x}", "ab" * 32, "Chrome/1")
"""


def test_two_processes_that_write_at_once_lose_nothing(file: Path) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", KEEPING, str(file), name]) for name in "abc"]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(KeyStore(file).all()) == 60
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_lock_whose_holder_has_died_holds_nobody_up(file: Path) -> None:
    file.parent.mkdir()
    left = file.with_name(f"{file.name}.taken")
    left.write_text("whoever")
    os.utime(left, (1, 1))
    KeyStore(file).save("0123abcd", "ab" * 32, "Chrome/1")
    assert [key.id for key in KeyStore(file).all()] == ["0123abcd"]
    assert not left.exists()
