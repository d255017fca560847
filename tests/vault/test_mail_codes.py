"""Login codes in messages, at a real mail server: the right one of old and new messages, once, and what goes wrong."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.core.vault_secret import SecretBinding, SecretRequest
from oryn.errors import SecretCodeMissing, SecretNotAllowed, SecretSourceFailed
from oryn.system import encryption, paths
from oryn.vault import Vault
from oryn.vault.mail_settings import MailCode
from oryn.vault.trial import try_secret
from tests.vault.mail_server import DOVECOT, MailServer, mail_server, message

pytestmark = [
    pytest.mark.skipif(DOVECOT is None, reason="Dovecot is not installed"),
]

SHOP = "Shop <no-reply@shop.example>"
ROUNDS = 50


@pytest.fixture(autouse=True)
def quick_key_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vault is written for each code, in a millisecond instead of a tenth of a second."""
    monkeypatch.setattr(encryption, "_SCRYPT_COST", 2**4)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailServer]:
    with mail_server(tmp_path_factory.mktemp("mail")) as found:
        yield found


@pytest.fixture
def vault(server: MailServer, tmp_path: Path) -> Vault:
    server.clear()
    found = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {})
    found.store_mail_account(server.account())
    found.store_mail_code("shop.mail-code", MailCode("work", ("no-reply@shop.example",)), ["https://shop.example"])
    return found


def request(seconds: float = 8, ago: float = 0) -> SecretRequest:
    """What a command of so many seconds asks, the press before it so many seconds ago."""
    end = time.monotonic() + seconds
    return SecretRequest(since=time.time() - ago, remaining=lambda: end - time.monotonic())


FORMS = (
    ("Your code", "Your verification code is {}.\nIt is valid for 10 minutes.", ""),
    ("{} is your Shop code", "Order 448812 is on its way. Questions? +1 555 123 4567", ""),
    ("Anmeldung", "Ihr Bestätigungscode lautet: {}\nBestellnummer 98765432, Tel. 030 1234567", ""),
    ("Sign in", "View this message as HTML.", "<style>.c1{{color:#123456}}</style><p>Use this code:</p><h1>{}</h1>"),
    ("ログイン", "認証コード：{}\n有効期限 10分", ""),
    ("Código", "Tu código de acceso", "<table><tr><td>Tu código de verificación es</td></tr><tr><td><b>{}</b></table>"),
)
NOISE = (
    ("Order 7{n:05} is on its way", "Order no. 7{n:05} was sent on 29 November 2026. Call 0800 {n:06}."),
    ("Save 20 %", "Use promo code SAVE{n:04} until 31 Dec 2026."),
    ("Your invoice", "Invoice 2026-{n:05}, total 1{n:03} EUR"),
)


def any_code(chance: random.Random) -> str:
    return f"{chance.randint(0, 10**6 - 1):06}"


def other_messages(chance: random.Random) -> list[object]:
    """Messages that are not the one: of the shop without a code, and of others with one."""
    number = chance.randint(0, 9999)
    subject, text = chance.choice(NOISE)
    return [
        message(SHOP, subject.format(n=number), text.format(n=number)),
        message("Bank <no-reply@bank.example>", "Your code", f"Your code is {any_code(chance)}"),
        message("no-reply@shop.example.evil.example", "Your code", f"Your code is {any_code(chance)}"),
    ]


async def test_the_right_one_of_ten_messages(server: MailServer, vault: Vault) -> None:
    chance = random.Random(46)
    right = 0
    for round_ in range(ROUNDS):
        subject, text, html = FORMS[round_ % len(FORMS)]
        code = any_code(chance)
        old = [message(SHOP, "Your code", f"Your code is {any_code(chance)}") for _ in range(3)]
        await asyncio.to_thread(server.deliver, *old, age=chance.choice((30, 300, 80_000)))
        since = request()
        new = other_messages(chance) + other_messages(chance)
        new.insert(chance.randint(0, 6), message(SHOP, subject.format(code), text.format(code), html.format(code)))
        if round_ % 2:
            await asyncio.to_thread(server.deliver, *new)
            found = await vault.secret("shop.mail-code", since)
        else:
            waiting = asyncio.create_task(vault.secret("shop.mail-code", since))
            await asyncio.to_thread(server.deliver, *new)
            found = await waiting
        right += found.value == code and found.is_code
    assert right == ROUNDS


async def test_a_message_is_used_once_and_stays_unread(server: MailServer, vault: Vault) -> None:
    await asyncio.to_thread(server.deliver, message(SHOP, "Code", "Your code is 482913"))
    unread = await asyncio.to_thread(server.unread)
    assert (await vault.secret("shop.mail-code", request(ago=5))).value == "482913"
    with pytest.raises(SecretCodeMissing, match="was used before"):
        await vault.secret("shop.mail-code", request(3, ago=5))
    assert await asyncio.to_thread(server.unread) == unread
    assert [each.value for each in await vault.values_to_mask("shop.mail-code")] == ["482913"]


async def test_an_old_message_is_no_answer(server: MailServer, vault: Vault) -> None:
    await asyncio.to_thread(server.deliver, message(SHOP, "Code", "Your code is 111111"), age=60)
    with pytest.raises(SecretCodeMissing, match=r"no message from no-reply@shop\.example came") as caught:
        await vault.secret("shop.mail-code", request(3))
    assert "111111" not in str(caught.value)


async def test_a_pattern_of_the_user(server: MailServer, vault: Vault) -> None:
    code = MailCode("work", ("@shop.example",), r"word: (\w+-\w+)")
    vault.store_mail_code("shop.word", code)
    text = "Your code is 123456, and the word: blue-heron"
    await asyncio.to_thread(server.deliver, message("ann@mail.shop.example", "Hello", text))
    assert (await vault.secret("shop.word", request(ago=5))).value == "blue-heron"


async def test_a_message_without_a_code(server: MailServer, vault: Vault) -> None:
    await asyncio.to_thread(server.deliver, message(SHOP, "Welcome", "We are glad to have you. Order 123456."))
    with pytest.raises(SecretCodeMissing, match="no code was found in it"):
        await vault.secret("shop.mail-code", request(3, ago=2))


async def test_a_foreign_site_is_refused_before_the_server_is_asked(vault: Vault, server: MailServer) -> None:
    def refuse(binding: SecretBinding) -> None:
        raise SecretNotAllowed(f"{binding.name} {binding.origins}")

    vault.store_mail_account(server.account(port=1))
    with pytest.raises(SecretNotAllowed, match=r"shop.mail-code .*https://shop.example"):
        await vault.secret("shop.mail-code", SecretRequest(permit=refuse))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"port": 1}, "does not answer"),
        ({"host": "absent.invalid"}, "there is no mail server absent.invalid"),
        ({"password": "wrong-password"}, "refuses the user or the password of the account work"),
        ({"folder": "Absent"}, "has no folder 'Absent'"),
        ({"authority": ""}, "a certificate that is not valid"),
        ({"authority": "/absent.pem"}, "absent.pem is missing"),
    ],
)
async def test_a_server_that_does_not_let_us_look(
    server: MailServer, vault: Vault, changes: dict[str, object], what: str
) -> None:
    vault.store_mail_account(server.account(**changes))
    for name in ("shop.mail-code", "mail:work"):
        with pytest.raises(SecretSourceFailed, match=what) as caught:
            await (try_secret(vault, name) if name.startswith("mail:") else vault.secret(name, request(5)))
        assert "wrong-password" not in f"{caught.value}{caught.value.hint}"


async def test_a_server_without_tls(vault: Vault, server: MailServer) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.sendall(b"* OK IMAP4rev1 ready\r\n")

        threading.Thread(target=answer, daemon=True).start()
        vault.store_mail_account(server.account(port=listener.getsockname()[1]))
        with pytest.raises(SecretSourceFailed, match="does not speak TLS"):
            await vault.secret("shop.mail-code", request(5))


async def test_a_trial_shows_no_code(server: MailServer, vault: Vault) -> None:
    await asyncio.to_thread(server.deliver, message(SHOP, "Code", "Your code is 592817"))
    said = await try_secret(vault, "shop.mail-code")
    assert "with a code; for https://shop.example" in said and "592817" not in said
    assert (await vault.secret("shop.mail-code", request(ago=5))).value == "592817"  # it was not used up
    assert await try_secret(vault, "mail:work") == f"ann@mail.example at 127.0.0.1:{server.port}, INBOX can be read"


async def test_a_server_that_restarts_meanwhile(server: MailServer, vault: Vault) -> None:
    waiting = asyncio.create_task(vault.secret("shop.mail-code", request(20)))
    await asyncio.to_thread(server.deliver, message(SHOP, "Welcome", "Glad to have you."))
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)
    await asyncio.to_thread(server.deliver, message(SHOP, "Code", "Your code is 739201"))
    try:
        assert (await waiting).value == "739201"
    except SecretSourceFailed as error:  # it was asked while it was down
        assert "127.0.0.1" in error.message
