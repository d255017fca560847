"""`oryn pairings …` and `oryn daemon pair`, as they are run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.extension_server.keys import KeyStore
from oryn.system.paths import find
from tests.cli.shell import Shell
from tests.remote.fake_extension import FakeExtension

SECRET = "ab" * 32


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path / "home", tmp_path)
    yield shell
    shell.close()


@pytest.fixture
def keys(shell: Shell) -> KeyStore:
    return KeyStore(find({"ORYN_HOME": str(shell.home)}).remote_keys)


@pytest.mark.slow
def test_pairings_are_listed_without_their_secrets_and_revoked(shell: Shell, keys: KeyStore) -> None:
    assert shell.ok("pairings", "list").startswith("No browser is paired.")
    for id in ("0123abcd", "0123abce", "0123abcf"):
        keys.save(id, SECRET, "Chrome/156.0", 8080)
    listed = shell.ok("pairings", "list")
    assert "0123abcd" in listed and "8080" in listed and "Chrome/156.0" in listed and SECRET not in listed
    as_json = shell.ok("pairings", "list", "--json")
    assert [sorted(each) for each in json.loads(as_json)] == [["browser", "id", "last_used", "port", "since"]] * 3
    assert SECRET not in as_json
    assert shell.ok("pairings", "revoke", "0123abce") == "forgotten: 0123abce\n"
    gone = shell("pairings", "revoke", "0123abce")
    assert (gone.code, gone.out) == (2, "") and "no pairing has the key 0123abce" in gone.err
    assert shell("pairings", "revoke").code == shell("pairings", "revoke", "0123abcd", "--all").code == 2
    assert shell.ok("pairings", "revoke", "--all") == "forgotten: 0123abcd, 0123abcf\n"
    assert shell.ok("pairings", "revoke", "--all") == "No browser is paired.\n"


async def test_verbs_reach_a_browser_that_was_paired_with_the_daemon(shell: Shell, keys: KeyStore) -> None:
    wrong = shell("daemon", "pair", "K7P")
    assert wrong.code == 2 and "a pairing code has six letters and digits" in wrong.err
    told = shell.ok("daemon", "pair", "k7p 2qx")
    url = told.split()[-1]
    assert told == f"the daemon has the code; press Connect in the extension, whose endpoint is {url}\n"
    missing = shell("--backend", "remote", "observe")
    assert missing.code == 3 and "no browser is connected" in missing.err
    async with FakeExtension("K7P2QX").connected(url) as browser:
        process = shell.start("--backend", "remote", "click", "Sign in")
        out, _ = await asyncio.to_thread(process.communicate)
        assert (process.returncode, out) == (0, 'ok click "Sign in"\n')
        assert browser.commands == ['click "Sign in"']
    assert [key.browser for key in keys.all()] == ["Chrome/156.0"]
