"""The file of the vault: what it keeps, for whom, and what happens when it can't."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringLocked

from oryn.errors import ConfigurationError, InvalidValue, OrynError, SecretNotFound, VaultKeyWrong
from oryn.system import paths
from oryn.vault import Vault
from oryn.vault.file import has_keyring

PASSWORD = "correct horse"


@pytest.fixture
def folders(tmp_path: Path) -> paths.Paths:
    return paths.find({"ORYN_HOME": str(tmp_path)})


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of whoever runs the tests is none of their business."""
    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)


class TestKeyring(KeyringBackend):
    """A system's keyring, as far as we ask it."""

    priority = 5.0  # type: ignore[assignment]
    __test__ = False

    def __init__(self) -> None:
        super().__init__()
        self.passwords: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("locked")
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.passwords[service, username] = password


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> TestKeyring:
    backend = TestKeyring()
    for name in ("get_password", "set_password"):
        monkeypatch.setattr(keyring, name, getattr(backend, name))
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    return backend


def key_of(vault: Vault) -> str:
    key: str = json.loads(vault.file.read_text())["sealed"]["key"]
    return key


def message_of(caught: pytest.ExceptionInfo[Any]) -> str:
    error: OrynError = caught.value
    return f"{error.message}: {error.hint}"


@pytest.mark.slow
async def test_stored_value_is_found_by_name_and_listed_without_value(folders: paths.Paths) -> None:
    vault = Vault(folders, environment={})
    vault.store("shop.password", PASSWORD, ["https://shop.example"])
    vault.store("shop.user", "ann")
    vault.store("api.token", "ümlaut\nsecond line")
    found = await vault.secret("shop.password")
    assert (found.name, found.value, found.origins) == ("shop.password", PASSWORD, ("https://shop.example",))
    assert (await vault.secret("shop.user")).origins == ("https://shop.example",)
    assert (await vault.secret("api.token")).value == "ümlaut\nsecond line"
    assert [each.name for each in vault.listed()] == ["api.token", "shop.password", "shop.user"]
    assert PASSWORD not in repr(vault.listed()) + repr(found)


@pytest.mark.slow
async def test_a_secret_is_replaced_and_deleted(folders: paths.Paths) -> None:
    vault = Vault(folders, environment={})
    vault.store("shop.password", "first one", ["https://shop.example"])
    vault.store("shop.password", "second one", ["https://a.example", "https://b.example", "https://a.example"])
    found = await vault.secret("shop.password")
    assert (found.value, found.origins) == ("second one", ("https://a.example", "https://b.example"))
    vault.store("shop.user", "ann")
    vault.delete("shop.user")
    assert [each.name for each in vault.listed()] == ["shop.password"]
    vault.store("shop.user", "ann")
    vault.delete("shop")
    assert vault.listed() == []
    vault.store("shop.password", PASSWORD)
    assert vault.listed()[0].origins == ()  # what is deleted binds nothing


async def test_nothing_is_readable_on_disk_and_all_of_it_is_the_owners_alone(folders: paths.Paths) -> None:
    vault = Vault(folders, environment={})
    vault.store("shop.password", PASSWORD, ["https://shop.example"])
    files = [file for file in folders.data.parent.rglob("*") if file.is_file()]
    assert {file.name for file in files} == {"vault.json", "vault.key", "vault.lock"}
    for file in files:
        assert file.stat().st_mode & 0o777 == 0o600
        assert not any(text in file.read_text() for text in (PASSWORD, "shop"))


async def test_names_that_are_not_there_say_which_are(folders: paths.Paths) -> None:
    vault = Vault(folders, environment={})
    with pytest.raises(SecretNotFound) as caught:
        await vault.secret("shop.password")
    assert message_of(caught) == (
        'the vault has no "shop.password": It is empty: only the user can store something, oryn vault set NAME.'
    )
    vault.store("shop.password", PASSWORD)
    vault.store("bank.pin", "1234")
    with pytest.raises(SecretNotFound) as caught:
        vault.delete("shop.user")
    assert message_of(caught) == 'the vault has no "shop.user": It has bank.pin, shop.password.'
    with pytest.raises(SecretNotFound) as caught:
        await vault.secret("shop")
    assert message_of(caught) == '"shop" is an entry of the vault, and names no field of it: Name one: shop.password.'


@pytest.mark.parametrize(
    "name", ["shop", "", ".", "shop.", ".password", "a.b.c", "a b.c", "shop.pass\nword", "é.b", "x" * 70 + ".y"]
)
def test_names_that_can_be_none(folders: paths.Paths, name: str) -> None:
    with pytest.raises(InvalidValue, match="not the name of a secret"):
        Vault(folders, environment={}).store(name, PASSWORD)


@pytest.mark.parametrize(("value", "why"), [("", "empty"), ("abc", "shorter than 4"), ("x" * 4097, "longer than 4096")])
def test_values_that_are_not_kept(folders: paths.Paths, value: str, why: str) -> None:
    vault = Vault(folders, environment={})
    with pytest.raises(InvalidValue, match=why):
        vault.store("shop.password", value)
    assert not vault.file.exists()


# --- where the key is ---


async def test_a_passphrase_in_the_environment(folders: paths.Paths) -> None:
    Vault(folders, environment={"ORYN_VAULT_KEY": "pass phrase"}).store("shop.password", PASSWORD)
    with pytest.raises(VaultKeyWrong, match="ORYN_VAULT_KEY is not set"):
        await Vault(folders, environment={}).secret("shop.password")
    with pytest.raises(VaultKeyWrong, match="its key is another one"):
        await Vault(folders, environment={"ORYN_VAULT_KEY": "other"}).secret("shop.password")
    with pytest.raises(VaultKeyWrong):
        Vault(folders, environment={"ORYN_VAULT_KEY": "other"}).store("shop.password", "lost")
    again = Vault(folders, environment={"ORYN_VAULT_KEY": "pass phrase"})
    assert (await again.secret("shop.password")).value == PASSWORD
    assert not (folders.config / "vault.key").exists()


async def test_a_vault_moves_to_the_passphrase_when_it_is_written_with_one(folders: paths.Paths) -> None:
    Vault(folders, environment={}).store("shop.password", PASSWORD)
    vault = Vault(folders, environment={"ORYN_VAULT_KEY": "pass phrase"})
    assert (await vault.secret("shop.password")).value == PASSWORD
    assert key_of(vault) == "file"
    vault.store("shop.user", "ann")
    assert key_of(vault) == "environment"
    assert (await vault.secret("shop.password")).value == PASSWORD


async def test_the_key_file_is_needed(folders: paths.Paths) -> None:
    vault = Vault(folders, environment={})
    vault.store("shop.password", PASSWORD)
    key = folders.config / "vault.key"
    kept = key.read_text()
    key.unlink()
    with pytest.raises(VaultKeyWrong, match=r"vault\.key is missing"):
        await vault.secret("shop.password")
    key.write_bytes(b"\xff\xfe")
    with pytest.raises(VaultKeyWrong, match="can't be read"):
        await vault.secret("shop.password")
    key.write_text(kept)
    assert (await vault.secret("shop.password")).value == PASSWORD


async def test_the_systems_keyring_keeps_the_key_where_there_is_one(folders: paths.Paths, system: TestKeyring) -> None:
    vault = Vault(folders, environment={})
    vault.store("shop.password", PASSWORD)
    assert key_of(vault) == "keyring"
    assert list(system.passwords) == [("oryn", "vault")]
    assert not (folders.config / "vault.key").exists()
    assert (await vault.secret("shop.password")).value == PASSWORD
    system.locked = True
    with pytest.raises(VaultKeyWrong) as caught:
        await vault.secret("shop.password")
    assert message_of(caught).startswith("the system's keyring does not answer (KeyringLocked): Unlock it")
    system.locked = False
    system.passwords.clear()
    with pytest.raises(VaultKeyWrong, match="the system's keyring has no key of the vault"):
        await vault.secret("shop.password")


@pytest.mark.slow
async def test_the_setting_moves_the_key(folders: paths.Paths, system: TestKeyring) -> None:
    Vault(folders, "file", {}).store("shop.password", PASSWORD)
    vault = Vault(folders, "auto", {})
    vault.store("shop.user", "ann")
    assert key_of(vault) == "file"  # where it was
    Vault(folders, "keyring", {}).store("shop.user", "bea")
    assert key_of(vault) == "keyring"
    assert (await vault.secret("shop.password")).value == PASSWORD


@pytest.mark.parametrize("priority", [0.0, 0.5, -1.0])
def test_unusable_keyring_backend_is_ignored(
    folders: paths.Paths, system: TestKeyring, monkeypatch: pytest.MonkeyPatch, priority: float
) -> None:
    monkeypatch.setattr(TestKeyring, "priority", priority)
    assert not has_keyring()
    with pytest.raises(ConfigurationError, match="no keyring that keeps secrets"):
        Vault(folders, "keyring", {}).store("shop.password", PASSWORD)
    vault = Vault(folders, "auto", {})
    vault.store("shop.password", PASSWORD)
    assert key_of(vault) == "file"
    assert system.passwords == {}


def test_a_plaintext_file_is_no_keyring_whatever_it_says(system: TestKeyring, monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_keyring()
    monkeypatch.setattr(TestKeyring, "__module__", "keyrings.alt.file")
    assert not has_keyring()


def test_a_chain_of_keyrings_is_one_where_each_of_them_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from keyring.backends.chainer import ChainerBackend

    monkeypatch.setattr(keyring, "get_keyring", ChainerBackend)
    for members, expected in (((TestKeyring(),), True), ((TestKeyring(), fail.Keyring()), False), ((), False)):
        monkeypatch.setattr(ChainerBackend, "backends", list(members))
        assert has_keyring() is expected


def test_without_the_packages_it_says_what_to_install(folders: paths.Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert not has_keyring()
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(VaultKeyWrong) as caught:
        Vault(folders, environment={}).store("shop.password", PASSWORD)
    assert "pip install 'oryn-browser[encryption]'" in message_of(caught)


# --- what can go wrong with the file ---


def changed(part: str) -> Any:
    def change(text: str) -> str:
        data = json.loads(text)
        value = data["sealed"][part]
        data["sealed"][part] = ("B" if value[0] == "A" else "A") + value[1:]
        return json.dumps(data)

    return change


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (changed("data"), "the file was changed"),
        (changed("salt"), "the file was changed"),
        (changed("nonce"), "the file was changed"),
        (changed("cipher"), "a way that this Oryn does not know"),
        (changed("key"), "a way that this Oryn does not know"),
        (lambda text: text[:-20], "is not a vault file"),
        (lambda text: "", "is not a vault file"),
        (lambda text: "[]", "is not a vault file"),
        (lambda text: '{"sealed": 3}', "is not a vault file"),
        (lambda text: text.replace('"data": "', '"data": "?'), "is not base64"),
    ],
)
async def test_a_damaged_file_is_refused_and_stays(folders: paths.Paths, damage: Any, why: str) -> None:
    vault = Vault(folders, environment={})
    vault.store("shop.password", PASSWORD)
    vault.file.write_text(damage(vault.file.read_text()))
    before = vault.file.read_text()
    for attempt in (vault.listed, lambda: vault.store("a.b", PASSWORD), lambda: vault.delete("shop")):
        with pytest.raises(VaultKeyWrong, match=why):
            attempt()
    assert vault.file.read_text() == before


async def test_a_saved_state_can_not_take_its_place(folders: paths.Paths) -> None:
    """Whoever may write the file has no key, but may have other things that were encrypted with it."""
    from oryn.system.encryption import STATE_PROFILE, Encryptor

    environment = {"ORYN_VAULT_KEY": "same", "ORYN_STATE_KEY": "same"}
    vault = Vault(folders, environment=environment)
    vault.store("shop.password", PASSWORD)
    vault.file.write_text(json.dumps({"sealed": Encryptor(STATE_PROFILE, environment).seal(b"{}", "environment")}))
    with pytest.raises(VaultKeyWrong, match="can't be decrypted"):
        vault.listed()


@pytest.mark.parametrize(
    "content", [b"[]", b"{}", b'{"version": 1, "entries": {"a": 1}}', b'{"version": 1, "entries": []}']
)
def test_content_that_is_something_else(content: bytes) -> None:
    from oryn.vault.entries import decode

    with pytest.raises(VaultKeyWrong, match="damaged"):
        decode(content)


def test_content_of_another_version() -> None:
    from oryn.vault.entries import decode

    with pytest.raises(VaultKeyWrong, match="version 3, and this Oryn reads versions up to 2"):
        decode(b'{"version": 3}')


def test_a_folder_that_can_not_be_written(folders: paths.Paths) -> None:
    vault = Vault(folders, environment={})
    vault.store("shop.password", PASSWORD)
    lock = vault.file.with_name("vault.lock")
    lock.unlink()
    lock.mkdir()
    with pytest.raises(VaultKeyWrong, match="can't be written: Is a directory"):
        vault.store("shop.user", "ann")
    assert [each.name for each in vault.listed()] == ["shop.password"]


def test_a_file_that_can_not_be_replaced(folders: paths.Paths) -> None:
    vault = Vault(folders, environment={})
    paths.private_folder(vault.file)
    with pytest.raises(VaultKeyWrong, match="can't be read"):
        vault.store("shop.password", PASSWORD)


WRITER = """
import sys
from oryn.system import paths
from oryn.vault import Vault
vault = Vault(paths.find({"ORYN_HOME": sys.argv[1]}), environment={})
sys.stdin.readline()
for number in range(5):
    vault.store(f"{sys.argv[2]}{number}.password", "correct horse")
"""


@pytest.mark.slow
def test_processes_that_write_at_once_lose_nothing(tmp_path: Path, folders: paths.Paths) -> None:
    environment = {**os.environ, "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [
        subprocess.Popen([*command, name], env=environment, stdin=subprocess.PIPE, text=True) for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.wait(120) for writer in writers] == [0, 0]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    names = [each.name for each in Vault(folders, environment={}).listed()]
    assert names == [f"{name}{number}.password" for name in ("one", "two") for number in range(5)]
