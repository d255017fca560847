"""Passkeys in the vault: what is kept of those that pages make and use, and for whom."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from oryn.core.passkey import Passkey
from oryn.errors import InvalidValue, OrynError, PasskeyNotFound, PasskeysInUse, VaultKeyWrong
from oryn.system import encryption, paths
from oryn.vault import Vault
from oryn.vault.file import VaultFile
from oryn.vault.passkeys import (
    MAX_PASSKEYS,
    SECTION,
    SIGN_COUNT_GAP,
    PasskeySet,
    StoredPasskeys,
    add_origins,
    decode_set,
    delete_passkeys,
    list_passkeys,
    short_id,
)

KEY = "MIGHAgEAMBMGByqGSM49AgEG"
SHOP = Passkey("AbC/+123456789==", "shop.example", KEY, 1, True, "YW5u", "ann", "Ann")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "_SCRYPT_COST", 2)


@pytest.fixture
def file(tmp_path: Path) -> VaultFile:
    found = VaultFile(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {})
    add_origins(found, "shop", ["https://login.shop.example:8443"])
    return found


def store(file: VaultFile, name: str = "shop") -> StoredPasskeys:
    return StoredPasskeys(file, name, file.path.parent / "passkeys")


def ignore(_: object) -> None:
    pass


def stored(file: VaultFile, name: str = "shop") -> PasskeySet:
    return decode_set(file.read().section(SECTION)[name])


async def test_what_a_page_makes_is_kept_and_counted(file: VaultFile) -> None:
    passkeys, notes = store(file), list[str]()
    await passkeys.open("a")
    passkeys.add(SHOP, ignore, notes.append)
    passkeys.count(SHOP.id, 7, ignore)
    passkeys.count(SHOP.id, 3, ignore)  # a number never falls
    passkeys.count("another", 9, ignore)
    await passkeys.close("a")
    assert notes == ["a page has made a passkey for shop.example: it is kept in the vault, in shop"]
    (found,) = stored(file).passkeys.values()
    assert (found.sign_count, found.user_name, found.private_key, bool(found.used)) == (7, "ann", KEY, True)
    again = store(file)
    await again.open("b")
    assert list(again.usable()) == [SHOP.replace(sign_count=7 + SIGN_COUNT_GAP)]
    await again.close("b")


async def test_others_hear_of_what_is_made_and_used(file: VaultFile) -> None:
    passkeys = store(file)
    await passkeys.open("a")
    heard: dict[str, list[int]] = {"a": [], "b": [], "c": []}
    listeners = {name: (lambda one, name=name: heard[name].append(one.sign_count)) for name in heard}
    for listener in listeners.values():
        passkeys.subscribe(listener)
    passkeys.add(SHOP, listeners["a"], ignore)
    passkeys.unsubscribe(listeners["c"])
    passkeys.count(SHOP.id, 2, listeners["b"])
    await passkeys.close("a")
    assert heard == {"a": [2], "b": [1], "c": [1]}


@pytest.mark.parametrize(
    ("party", "usable"),
    [
        ("shop.example", True),
        ("login.shop.example", True),
        ("op.example", False),
        ("www.login.shop.example", False),
        ("evil.example", False),
        ("", False),
    ],
)
async def test_only_passkeys_of_the_sites_are_used(file: VaultFile, party: str, usable: bool) -> None:
    passkeys, notes = store(file), list[str]()
    await passkeys.open("a")
    passkeys.add(SHOP.replace(relying_party=party), ignore, notes.append)
    assert bool(passkeys.usable()) is usable
    await passkeys.close("a")
    assert ("no site of shop" in notes[0]) is not usable
    assert [each.usable for each in list_passkeys(file)] == [usable]  # it is kept all the same
    again = store(file)
    await again.open("b")
    assert bool(again.usable()) is usable
    await again.close("b")
    if party == "evil.example":
        add_origins(file, "shop", ["https://evil.example"])
        await again.open("b")
        assert again.usable()
        await again.close("b")


async def test_a_page_that_makes_one_after_the_other_fills_no_disk(file: VaultFile) -> None:
    passkeys, notes = store(file), list[str]()
    await passkeys.open("a")
    for number in range(MAX_PASSKEYS + 5):
        passkeys.add(SHOP.replace(id=f"{number}"), ignore, notes.append)
    await passkeys.close("a")
    assert len(stored(file).passkeys) == MAX_PASSKEYS
    assert [note for note in notes if "is not kept" in note] == notes[-5:]


async def test_what_the_user_deletes_stays_deleted(file: VaultFile) -> None:
    passkeys = store(file)
    await passkeys.open("a")
    passkeys.add(SHOP, ignore, ignore)
    await passkeys.close("a")
    await passkeys.open("a")
    delete_passkeys(file, "shop", short_id(SHOP.id))
    passkeys.count(SHOP.id, 500, ignore)
    await passkeys.close("a")
    assert not stored(file).passkeys
    assert [each.id for each in list_passkeys(file)] == [""]
    delete_passkeys(file, "shop")
    assert list_passkeys(file) == []


async def test_a_vault_that_can_not_be_written_is_told(file: VaultFile) -> None:
    passkeys, notes = store(file), list[str]()
    await passkeys.open("a")
    file.path.write_text("broken")
    passkeys.add(SHOP, ignore, notes.append)
    await passkeys.close("a")
    assert notes[1].startswith("a page has made a passkey for shop.example, but the vault is damaged")


async def test_one_process_at_a_time(file: VaultFile, tmp_path: Path) -> None:
    """The system releases the lock of a process that is killed."""
    code = f"""import asyncio, sys
from pathlib import Path
from oryn.system import encryption, paths
from oryn.vault.file import VaultFile
from oryn.vault.passkeys import StoredPasskeys
encryption._SCRYPT_COST = 2
file = VaultFile(paths.find({{"ORYN_HOME": {str(tmp_path)!r}}}), "file", {{}})
passkeys = StoredPasskeys(file, "shop", file.path.parent / "passkeys")
asyncio.run(passkeys.open("x"))
print("open", flush=True)
sys.stdin.read()"""
    pipe = asyncio.subprocess.PIPE
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdin=pipe, stdout=pipe)
    passkeys = store(file)
    try:
        assert other.stdout is not None
        assert await other.stdout.readline() == b"open\n"
        with pytest.raises(PasskeysInUse, match=f"in use by process {other.pid}"):
            await passkeys.open("a")
    finally:
        other.kill()
        await other.communicate()
    await passkeys.open("a")
    await passkeys.open("b")
    await passkeys.close("a")
    with pytest.raises(PasskeysInUse):
        await store(file).open("c")  # "b" still uses them
    await passkeys.close("b")
    await passkeys.close("b")


async def test_names_and_ids_that_are_not_there(file: VaultFile) -> None:
    passkeys = store(file, "shopp")
    with pytest.raises(PasskeyNotFound, match='no passkeys "shopp"') as raised:
        await passkeys.open("a")
    assert raised.value.hint == "It has shop."
    with pytest.raises(PasskeyNotFound, match='"shop" has no passkey "zz"'):
        delete_passkeys(file, "shop", "zz")
    with pytest.raises(PasskeyNotFound, match="no origin says"):
        add_origins(file, "other", [])
    assert not list_passkeys(file)[0].id


def test_a_damaged_record_is_told(file: VaultFile) -> None:
    with file.changing() as change:
        change.content = change.content.with_section(SECTION, {"shop": {"origins": []}})
    with pytest.raises(VaultKeyWrong, match="its passkeys are something else"):
        list_passkeys(file)


async def test_no_reference_names_a_private_key(file: VaultFile, tmp_path: Path) -> None:
    passkeys = store(file)
    await passkeys.open("a")
    passkeys.add(SHOP, ignore, ignore)
    await passkeys.close("a")
    vault = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {})
    for name in ("shop.passkeys", "shop.private_key", f"shop.{SHOP.id}", "passkeys.shop", "shop"):
        with pytest.raises((OrynError, InvalidValue)) as raised:
            await vault.secret(name)
        assert KEY not in str(raised.value)
    assert KEY not in repr((SHOP, stored(file), list_passkeys(file), vault.listed()))
    assert KEY.encode() not in file.path.read_bytes()
