"""Secrets of password managers: what the user has allowed, and what their programs say. `pass` is the real one, with a
real key; the others' programs are stand-ins that answer as those do."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from oryn.core.vault_secret import SecretBinding, SecretRequest
from oryn.errors import InvalidValue, SecretNotAllowed, SecretNotFound, SecretSourceFailed
from oryn.system import encryption, paths
from oryn.vault import Vault
from oryn.vault.sources import parse_reference
from oryn.vault.totp import parse_one_time_password
from oryn.vault.trial import try_secret

SHOP = "https://shop.example"
URI = "otpauth://totp/Shop:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
OP = """#!/bin/sh
[ "$1 $2" = "read --no-newline" ] || exit 9
case "$3" in
  op://Work/Shop/password) printf 'correct horse' ;;
  op://Work/Shop/totp) printf '%s' 'URI' ;;
  op://Work/Shop/locked) echo "[ERROR] You are not currently signed in. correct horse" >&2; exit 1 ;;
  op://Work/Shop/slow) exec sleep 60 ;;
  op://Work/Shop/broken) echo "panic: correct horse" >&2; exit 7 ;;
  op://Work/Shop/empty) ;;
  *) echo "[ERROR] could not read secret '$3': item 'Work/Shop' does not have a field" >&2; exit 1 ;;
esac
""".replace("URI", URI)
ITEM = {
    "id": "a1",
    "name": "Shop",
    "notes": "second line",
    "login": {"username": "ann", "password": "correct horse", "totp": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"},
    "fields": [{"name": "PIN", "value": "837261"}],
}
BW = f"""#!/bin/sh
[ "$1 $2 $4" = "get item --nointeraction" ] || exit 9
[ -n "$BW_SESSION" ] || {{ echo "Vault is locked." >&2; exit 1; }}
case "$3" in
  Shop|a1|Sho) cat <<'END'
{json.dumps(ITEM)}
END
  ;;
  Two) echo "More than one result was found. Try getting a specific object by id instead." >&2; exit 1 ;;
  *) echo "Not found." >&2; exit 1 ;;
esac
"""


@pytest.fixture(autouse=True)
def quick_key_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "_SCRYPT_COST", 2**4)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("op", OP), ("bw", BW)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return {"PATH": f"{programs}:{os.environ['PATH']}", "BW_SESSION": "session", "ORYN_VAULT_KEY": "pass phrase"}


@pytest.fixture
def vault(tmp_path: Path, environment: dict[str, str]) -> Vault:
    found = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", environment)
    for each in ("op://Work/Shop", "bw:Shop", "bw:Two", "bw:Sho", "bw:Absent", "pass:web"):
        found.allow_source(parse_reference(each), [SHOP])
    return found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("op://Work/Shop/password", "correct horse"),
        ("bw:Shop/password", "correct horse"),
        ("bw:Shop", "correct horse"),
        ("bw:Shop/username", "ann"),
        ("bw:Shop/notes", "second line"),
        ("bw:Shop/PIN", "837261"),
    ],
)
async def test_a_value_for_the_allowed_origins(vault: Vault, name: str, value: str) -> None:
    found = await vault.secret(name)
    assert (found.value, found.origins, found.is_code) == (value, (SHOP,), False)
    assert [each.value for each in await vault.values_to_mask(name)] == [value]


@pytest.mark.parametrize("name", ["op://Work/Shop/totp", "op://Work/Shop/totp?attribute=otp", "bw:Shop/totp"])
async def test_a_key_of_a_manager_gives_codes_once(tmp_path: Path, environment: dict[str, str], name: str) -> None:
    now = 1_790_000_010.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    vault = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", environment, clock=lambda: now, sleep=sleep)
    for each in ("op://Work", "bw:Shop"):
        vault.allow_source(parse_reference(each), [SHOP])
    step, key = int(now // 30), parse_one_time_password(URI)
    found = [await vault.secret(name) for _ in range(3)]
    assert [each.value for each in found] == [key.code(step + at) for at in range(3)]
    assert all(each.is_code for each in found)
    assert {each.value for each in await vault.values_to_mask(name)} == {key.code(step + 1), key.code(step + 2)}


@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("op://Work/Shop/locked", "op is locked, or nobody is signed in", "op signin"),
        ("op://Work/Shop/absent", 'op has no "op://Work/Shop/absent"', "Check its name"),
        ("op://Work/Shop/broken", "failed with exit status 7", "Try it in a terminal"),
        ("op://Work/Shop/empty", "is empty", "Check the item"),
        ("bw:Two/password", "bw has several items", "by its id"),
        ("bw:Sho/password", "only one like it", "full name"),
        ("bw:Absent/password", "bw has no", "Check its name"),
        ("bw:Shop/absent", "bw has no", "Check its name"),
    ],
)
async def test_what_a_manager_does_not_give(vault: Vault, name: str, what: str, hint: str) -> None:
    for attempt in (vault.secret, lambda each: try_secret(vault, each)):
        with pytest.raises(SecretSourceFailed, match=what) as caught:
            await attempt(name)
        assert hint in str(caught.value.hint)
        assert "correct horse" not in f"{caught.value}{caught.value.hint}"


async def test_a_locked_or_absent_or_slow_manager(tmp_path: Path, environment: dict[str, str], vault: Vault) -> None:
    folders = paths.find({"ORYN_HOME": str(tmp_path)})
    locked = Vault(folders, "file", {**environment, "BW_SESSION": ""})
    with pytest.raises(SecretSourceFailed, match="bw is locked") as caught:
        await locked.secret("bw:Shop")
    assert "bw unlock" in str(caught.value.hint)
    absent = Vault(folders, "file", {**environment, "PATH": "/nowhere"})
    with pytest.raises(SecretSourceFailed, match="1Password's command line, op is not installed"):
        await absent.secret("op://Work/Shop/password")
    began = time.monotonic()
    with pytest.raises(SecretSourceFailed, match="did not answer within 1 s"):
        await vault.secret("op://Work/Shop/slow", SecretRequest(remaining=lambda: 0.6))
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "name",
    ["op://Work/Bank/password", "op://Work", "op://Private/Shop/password", "bw:Bank", "pass:bank", "pass:webmail"],
)
async def test_by_default_nothing_is_read(vault: Vault, name: str) -> None:
    with pytest.raises(SecretNotAllowed, match="is not a source that the user has allowed: nothing was read") as caught:
        await vault.secret(name)
    assert "oryn vault source" in str(caught.value.hint)


@pytest.mark.parametrize(
    "name",
    [
        "op:Work/Shop",
        "bw:--help",
        "pass:../../etc/passwd",
        "pass:web/../bank",
        "bw:",
        "file:///etc/passwd",
        "pass:a\nb",
    ],
)
async def test_what_is_no_reference(vault: Vault, name: str) -> None:
    with pytest.raises(InvalidValue):
        parse_reference(name)
    with pytest.raises(SecretNotFound):
        await vault.secret(name)


async def test_a_foreign_site_is_refused_before_anything_is_read(vault: Vault) -> None:
    asked: list[SecretBinding] = []

    def refuse(binding: SecretBinding) -> None:
        asked.append(binding)
        raise SecretNotAllowed("not for this site")

    with pytest.raises(SecretNotAllowed, match="not for this site"):
        await vault.secret("op://Work/Shop/slow", SecretRequest(permit=refuse))
    assert asked == [SecretBinding("op://Work/Shop/slow", (SHOP,))]


async def test_the_longest_rule_holds_and_a_source_is_listed_and_deleted(vault: Vault) -> None:
    vault.allow_source(parse_reference("op://work/shop/PASSWORD"), ["https://pay.example"])
    assert (await vault.secret("op://Work/Shop/password")).origins == ("https://pay.example",)
    assert ("op://Work/Shop", (SHOP,), "source") in [(e.name, e.origins, e.kind) for e in vault.listed()]
    vault.delete("op://Work/Shop")
    with pytest.raises(SecretNotAllowed):
        await vault.secret("op://Work/Shop/totp")
    with pytest.raises(InvalidValue, match="no origin"):
        vault.allow_source(parse_reference("op://Work/Shop"), [])


async def test_a_trial_shows_no_value(vault: Vault) -> None:
    assert await try_secret(vault, "op://Work/Shop/password") == f"op has it; for {SHOP}"
    assert (await try_secret(vault, "bw:Shop/totp")).startswith("totp, sha1, 6 digits, 30 s; ")


# --- pass ---

KEY = """Key-Type: RSA
Key-Length: 2048
Subkey-Type: RSA
Subkey-Length: 2048
Name-Email: ann@example.org
Passphrase: hush
Expire-Date: 0
%commit
"""


@pytest.fixture(scope="module")
def password_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a password store with a key that has a passphrase, which its agent has."""
    if not (shutil.which("pass") and shutil.which("gpg")):
        pytest.skip("pass is not installed")
    folder = tmp_path_factory.mktemp("g")
    home = folder / "gnupg"
    home.mkdir(mode=0o700)
    (home / "gpg-agent.conf").write_text(
        "allow-loopback-pinentry\nallow-preset-passphrase\npinentry-program /bin/false\n"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GNUPGHOME": str(home)}
    environment["PASSWORD_STORE_DIR"] = str(folder / "store")

    def run(*command: str, text: str = "") -> None:
        done = subprocess.run(command, env=environment, input=text, text=True, check=False, capture_output=True)
        assert not done.returncode, done.stderr

    run("gpg", "--batch", "--pinentry-mode", "loopback", "--gen-key", text=KEY)
    run("pass", "init", "ann@example.org")
    run("pass", "insert", "-m", "web/shop", text=f"correct horse\nuser: ann\nurl: {SHOP}\n{URI}\n")
    yield environment
    subprocess.run(["gpgconf", "--kill", "all"], env=environment, check=False)


async def test_pass(tmp_path: Path, password_store: dict[str, str]) -> None:
    vault = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {**password_store, "ORYN_VAULT_KEY": "x"})
    vault.allow_source(parse_reference("pass:web"), [SHOP])
    await asyncio.to_thread(subprocess.run, ["gpgconf", "--kill", "gpg-agent"], env=password_store, check=True)
    with pytest.raises(SecretSourceFailed, match="pass is locked"):
        await vault.secret("pass:web/shop", SecretRequest(remaining=lambda: 10))
    opened = {**password_store, "PASSWORD_STORE_GPG_OPTS": "--pinentry-mode loopback --passphrase hush"}
    show = partial(subprocess.run, ["pass", "show", "web/shop"], env=opened, check=True, capture_output=True)
    await asyncio.to_thread(show)  # the agent has it now
    assert (await vault.secret("pass:web/shop")).value == "correct horse"
    assert (await vault.secret("pass:web/shop#user")).value == "ann"
    assert (await vault.secret("pass:web/shop#totp")).is_code
    for name in ("pass:web/absent", "pass:web/shop#absent"):
        with pytest.raises(SecretSourceFailed, match="pass has no"):
            await vault.secret(name)
