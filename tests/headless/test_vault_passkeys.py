"""Passkeys of the vault: sessions sign up and in with them at a real relying party, also after a restart, and nobody
else gets them."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.engine import Answer
from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system import paths
from oryn.vault.file import VaultFile
from oryn.vault.passkeys import SECTION, StoredPasskeys, add_origins, decode_set, delete_passkeys, short_id
from tests.headless.relying_party import RelyingParty

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_key_derivation")]


class Host:
    """A host that keeps its sessions in a folder; several may follow each other there."""

    def __init__(self, home: Path, restored: bool) -> None:
        self.restored = restored
        """Whether its sessions come back with the settings that they were opened with."""
        folders = paths.find({"ORYN_HOME": str(home)})
        self.sessions: Sessions = sessions_of(load({"timeout": 60}, folders, {}), keep=True)

    async def answer(self, line: str, name: str = "default", passkey: str = "shop") -> Answer:
        is_new = passkey and not self.restored and self.sessions.get(name) is None
        settings = {"passkey": passkey} if is_new else {}
        return await self.sessions.execute_in(name, parse(line), settings)

    async def ok(self, line: str, name: str = "default", passkey: str = "shop") -> str:
        answer = (await self.answer(line, name, passkey)).render()
        assert not answer.startswith("error"), answer
        return answer

    async def wait_for(self, text: str, name: str = "default") -> None:
        """Wait until the page tells something."""
        await self.ok(f'wait visible "{text}"', name)


@pytest.fixture
def party(pages: Any) -> RelyingParty:
    pages.bodies.clear()
    found = RelyingParty(lambda: pages.url("", host="localhost"))
    pages.bodies.update(found.pages())
    return found


@pytest.fixture
def file(tmp_path: Path, pages: Any) -> VaultFile:
    """The vault of the hosts, which has passkeys `shop` for the site."""
    found = VaultFile(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {})
    add_origins(found, "shop", [pages.url("", host="localhost")])
    return found


@pytest.fixture
def host(tmp_path: Path, run: Any, file: VaultFile) -> Iterator[Callable[..., Host]]:
    made: list[Host] = []

    def make(*, restored: bool = False) -> Host:
        made.append(Host(tmp_path, restored))
        return made[-1]

    yield make
    for each in made:
        run(each.sessions.close())


def stored(file: VaultFile, name: str = "shop") -> Any:
    return decode_set(file.read().section(SECTION)[name]).passkeys


def url(pages: Any, path: str = "/") -> str:
    return str(pages.url(path, host="localhost"))


async def sign_up(host: Host, pages: Any, user: str, name: str = "default", button: str = "Sign up") -> None:
    await host.ok(f"goto {url(pages)}", name)
    await host.ok(f'type "User" "{user}"', name)
    await host.ok(f'click "{button}"', name)
    await host.wait_for(f"Welcome, {user}", name)


async def sign_in(host: Host, pages: Any, user: str, name: str = "default") -> None:
    await host.ok(f"goto {url(pages)}", name)
    await host.ok(f'type "User" "{user}"', name)
    await host.ok('click "Sign in as this user"', name)
    await host.wait_for(f"Hello, {user}", name)


# --- sign-up and sign-in ---


@pytest.mark.slow
async def test_three_sessions_sign_up_and_in_and_do_so_after_a_restart(
    host: Callable[..., Host], party: RelyingParty, pages: Any, file: VaultFile
) -> None:
    first = host()
    users = ("ann", "bob", "cyd")
    await asyncio.gather(*(sign_up(first, pages, user, f"of_{user}") for user in users))
    for _ in range(2):
        await asyncio.gather(*(sign_in(first, pages, user, f"of_{user}") for user in users))
    assert sorted(party.logins) == sorted(2 * users)
    await first.sessions.close()
    assert {each.user_name for each in stored(file).values()} == set(users)
    second = host(restored=True)
    await asyncio.gather(*(sign_in(second, pages, user, f"of_{user}") for user in users))
    assert sorted(party.logins) == sorted(3 * users)


@pytest.mark.slow
async def test_sessions_with_one_passkey_count_on_together(
    host: Callable[..., Host], party: RelyingParty, pages: Any, file: VaultFile
) -> None:
    """The relying party refuses a number of signatures that is not above the last."""
    sessions = host()
    await sign_up(sessions, pages, "ann", "a")
    for name in ("a", "b", "c", "a", "c", "b"):
        await sign_in(sessions, pages, "ann", name)
    await sessions.ok(f"tab new {url(pages)}", "b")
    await sign_in(sessions, pages, "ann", "b")
    await sign_in(sessions, pages, "ann", "a")
    assert party.logins == ["ann"] * 8
    await sessions.sessions.close()
    (found,) = stored(file).values()
    assert found.sign_count == party.accounts["ann"].popitem()[1][1]


@pytest.mark.slow
async def test_a_crash_of_the_browser_and_lost_numbers_do_no_harm(
    host: Callable[..., Host], party: RelyingParty, pages: Any, file: VaultFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = host()
    await sign_up(first, pages, "ann")
    await sign_in(first, pages, "ann")
    browser: Any = first.sessions.get("default").browser
    browser._shared.process.kill()
    await first.answer("title")  # may be the one that learns of it
    await sign_in(first, pages, "ann")
    with monkeypatch.context() as patch:
        patch.setattr(StoredPasskeys, "count", lambda *_: None)  # as if it were killed before they are kept
        await sign_in(first, pages, "ann")
        await first.sessions.close()
    await sign_in(host(), pages, "ann")
    assert party.logins == ["ann"] * 4


@pytest.mark.slow
async def test_passkeys_of_each_kind_and_each_way_to_ask(
    host: Callable[..., Host], party: RelyingParty, pages: Any
) -> None:
    sessions = host()
    await sign_up(sessions, pages, "dee", button="Sign up without discovery")
    await sign_in(sessions, pages, "dee")
    await sign_up(sessions, pages, "ann")
    await sessions.ok('click "Sign in with a passkey"')
    await sessions.wait_for("Hello, ann")
    for path in ("/at-once", "/autofill"):
        await sessions.ok(f"goto {url(pages, path)}")
        await sessions.wait_for("Hello, ann")
    # A new tab, and a frame in another site's page.
    await sessions.ok(f"tab new {url(pages, '/at-once')}")
    await sessions.wait_for("Hello, ann")
    pages["/around"] = f"<iframe allow='publickey-credentials-get *' src='{url(pages, '/at-once')}'></iframe>"
    await sessions.ok(f"goto {pages.url('/around')}")
    await sessions.wait_for("Hello, ann")
    # The site excludes what it knows: the authenticator has a passkey of this user.
    await sessions.ok(f"goto {url(pages)}")
    await sessions.ok('type "User" "ann"')
    await sessions.ok('click "Sign up"')
    await sessions.wait_for("no passkey: InvalidStateError")


@pytest.mark.slow
async def test_the_agent_is_told_of_a_new_passkey(host: Callable[..., Host], party: RelyingParty, pages: Any) -> None:
    sessions = host()
    await sessions.ok(f"goto {url(pages)}")
    await sessions.ok('type "User" "ann"')
    answers = await sessions.ok('click "Sign up"') + await sessions.ok('wait visible "Welcome"')
    assert "a page has made a passkey for localhost: it is kept in the vault, in shop" in answers


# --- without a passkey ---


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/at-once", "/autofill"])
async def test_a_page_that_asks_holds_no_command(
    host: Callable[..., Host], party: RelyingParty, pages: Any, path: str
) -> None:
    sessions = host()
    for name, passkey in (("a", ""), ("b", "shop")):  # none at all, and none for this account
        await sessions.ok(f"goto {url(pages, path)}", name, passkey)
        await sessions.wait_for("no passkey: NotAllowedError", name)
        await sessions.ok(f"goto {url(pages)}", name)
        for _ in range(3):
            answer = await sessions.ok('click "Sign in with a passkey"', name)
            assert answer.startswith('ok click "Sign in with a passkey"')
        await sessions.wait_for("no passkey: NotAllowedError", name)


# --- attacks ---


@pytest.mark.slow
async def test_another_site_can_neither_use_nor_read_nor_replace_a_passkey(
    host: Callable[..., Host], party: RelyingParty, pages: Any, file: VaultFile
) -> None:
    sessions = host()
    await sign_up(sessions, pages, "ann")
    (id,) = party.accounts["ann"]
    pages["/evil"] = "<title>Evil</title><iframe allow='publickey-credentials-get *' src='/evil2'></iframe>"
    pages["/evil2"] = "<title>Evil</title>"
    host_name = "evil.localhost"
    await sessions.ok(f"goto {pages.url('/evil', host=host_name)}")
    page: Any = sessions.sessions.get("default").page
    known = f"[{{type: 'public-key', id: new Uint8Array({list(id)})}}]"
    for options in (
        "rpId: 'evil.localhost'",
        f"rpId: 'evil.localhost', allowCredentials: {known}",
        "rpId: 'localhost.'",
        f"rpId: 'other.localhost', allowCredentials: {known}",
    ):
        name = await page.evaluate(
            f"navigator.credentials.get({{publicKey: {{challenge: new Uint8Array(32), {options}}}}})"
            ".then(() => 'signed', (error) => error.name)"
        )
        assert name in ("NotAllowedError", "SecurityError"), options
    # What it makes for itself is kept, told, and used nowhere.
    made = await page.evaluate("""navigator.credentials.create({publicKey: {challenge: new Uint8Array(32),
        rp: {name: 'Evil', id: 'evil.localhost'}, user: {id: new Uint8Array(8), name: 'ann', displayName: 'Ann'},
        pubKeyCredParams: [{type: 'public-key', alg: -7}]}}).then((made) => made.id)""")
    assert "no site of shop" in await sessions.ok("title")
    assert (
        await page.evaluate("""navigator.credentials.get({publicKey: {challenge: new Uint8Array(32)}})
        .then(() => 'signed', (error) => error.name)""")
        == "NotAllowedError"
    )
    await sessions.sessions.close()
    parties = sorted(each.relying_party for each in stored(file).values())
    assert parties == ["evil.localhost", "localhost"]
    again = host()
    await again.ok(f"goto {pages.url('/evil', host=host_name)}")
    page = again.sessions.get("default").page
    assert made
    assert (
        await page.evaluate("""navigator.credentials.get({publicKey: {challenge: new Uint8Array(32)}})
        .then(() => 'signed', (error) => error.name)""")
        == "NotAllowedError"
    )


async def test_a_page_gets_public_parts_alone(host: Callable[..., Host], party: RelyingParty, pages: Any) -> None:
    sessions = host()
    await sessions.ok(f"goto {url(pages)}")
    page: Any = sessions.sessions.get("default").page
    names = await page.evaluate("""navigator.credentials.create({publicKey: {challenge: new Uint8Array(32),
        rp: {name: 'Shop'}, user: {id: new Uint8Array(8), name: 'ann', displayName: 'Ann'}, extensions: {prf: {}},
        pubKeyCredParams: [{type: 'public-key', alg: -7}]}}).then((made) => JSON.stringify(made.toJSON()))""")
    assert not {"privateKey", "key"} & set(json.loads(names)["response"])


@pytest.mark.slow
async def test_a_private_key_is_in_no_file_and_no_answer(
    host: Callable[..., Host],
    party: RelyingParty,
    pages: Any,
    file: VaultFile,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    sessions = host()
    answers = [await sessions.ok(f"goto {url(pages)}"), await sessions.ok("trace start")]
    await sign_up(sessions, pages, "ann")
    await sign_in(sessions, pages, "ann")
    for line in (
        f"state save {tmp_path / 'state.json'}",
        "trace stop",
        "console",
        "requests",
        "observe",
        "session show",
    ):
        answers.append((await sessions.answer(line)).render())
    session = sessions.sessions.get("default")
    answers += [caplog.text, repr(session.browser.__dict__)]
    await sessions.sessions.close()
    (key,) = (each.private_key for each in stored(file).values())
    secret = base64.b64decode(key)
    number = secret[secret.index(b"\x04\x20") + 2 :][:32]  # the scalar of the key, in PKCS#8
    forms = [key, base64.urlsafe_b64encode(secret).decode(), number.hex(), *(_base64_cores(number))]
    for form in forms:
        assert all(form not in answer for answer in answers)
    files = _files(tmp_path)
    assert any(each.name == "state.json" for each in files)
    for each in files:
        content = _unpacked(each)
        assert number not in content
        assert not [form for form in forms if form.encode() in content], each


def _base64_cores(data: bytes) -> list[str]:
    """The characters that base64 of a longer text has for these bytes, at each of three offsets."""
    return [base64.b64encode(b"\0" * offset + data).decode()[4:40] for offset in range(3)]


def _files(folder: Path) -> list[Path]:
    return [each for each in folder.rglob("*") if each.is_file()]


def _unpacked(file: Path) -> bytes:
    import zipfile

    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            return b"".join(packed.read(name) for name in packed.namelist())
    return file.read_bytes()


# --- names ---


@pytest.mark.slow
async def test_names_that_are_not_there_and_passkeys_in_use(
    host: Callable[..., Host], party: RelyingParty, pages: Any, file: VaultFile
) -> None:
    sessions = host()
    answer = await sessions.answer(f"goto {url(pages)}", passkey="shopp")
    assert 'the vault has no passkeys "shopp"' in answer.render()
    await sessions.sessions.close()
    first, second = host(), host()
    await first.ok(f"goto {url(pages)}")
    answer = await second.answer(f"goto {url(pages)}", "other")
    assert answer.error is not None
    assert answer.error.code == "PASSKEY_IN_USE"
    await first.sessions.close()
    await second.ok(f"goto {url(pages)}", "other")


@pytest.mark.slow
async def test_a_deleted_passkey_is_gone_at_the_next_start(
    host: Callable[..., Host], party: RelyingParty, pages: Any, file: VaultFile
) -> None:
    first = host()
    await sign_up(first, pages, "ann")
    await first.sessions.close()
    add_origins(file, "other", ["https://other.example"])
    delete_passkeys(file, "shop", short_id(next(iter(stored(file)))))
    second = host()
    await second.ok(f"goto {url(pages, '/at-once')}")
    await second.wait_for("no passkey: NotAllowedError")
    await second.ok("title", "third", "other")
    await second.ok(f"goto {url(pages, '/at-once')}", "third")
    await second.wait_for("no passkey: NotAllowedError", "third")
