"""The login code in a message: of many languages and forms, and never one of the other numbers that messages have."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from oryn.vault.message_codes import MessageText, find_code, read_message

MESSAGES = [
    ("Your code", "Hi,\nYour verification code is 482913.\nIt expires in 10 minutes.\nOrder #123456, © 2026", "482913"),
    ("482 913 is your Acme code", "", "482913"),
    ("G-591022 is your Google verification code", "", "591022"),
    ("Sign in to Shop", "\n\n482913\n\nAcme Inc, 1600 Amphitheatre Parkway, CA 94043", "482913"),
    ("Bestätigung", "Ihr Bestätigungscode lautet: 7731\nBestellnummer 98765432", "7731"),
    ("Login", "Here is the code you need:\n\nRTXQK\n\nThis message was sent to you", "RTXQK"),
    ("login", "【Acme】您的验证码是 483920,5分钟内有效。", "483920"),
    ("login", "認証コード:０１２３４５（有効期限 10分）", "012345"),
    ("로그인", "인증번호는 [553217] 입니다.", "553217"),
    ("Your OTP", "Use 1234 5678 to log in on 29 November 2026 at 12:34", "12345678"),
    ("Verify", "Enter this code: A1B2-C3D4 ", "A1B2-C3D4"),
    ("Login", "Your login code is: 012 345 (valid 10 minutes)", "012345"),
    ("x", "Votre code de vérification : 998 877. Appelez le 01 23 45 67 89", "998877"),
    ("Acceso", "Tu clave es 55 12 09. Pedido 123456.", "551209"),
    ("Вход", "Код подтверждения: 120934\nТелефон: 8 800 555 35 35", "120934"),
    ("Security alert", "Someone signed in at 12:34 on 2026-11-29 from 192.168.1.2.\nCode: 774411", "774411"),
    ("Your PIN", "PIN 4821. Call (555) 123-4567 if you did not ask.", "4821"),
    ("Code", "Ticket 882211: your one-time code is 993322", "993322"),
    ("Login", "Do not share this code with anybody.\n  8 4 0 2 1 9  \nThe team", "840219"),
    ("Order 12345678", "Thanks for order 12345678. Call 0800 123 4567. Zip code 94105. Total 1234 €", None),
    ("News", "Save 20 with promo code SAVE2026 until 31 Dec 2026", None),
    ("Your parcel", "Tracking number 12345678, delivery on 30.11.2026 to 10115 Berlin", None),
    ("Meeting", "Dial +49 30 1234567, room 1204, at 14:30", None),
    ("Statistics", "In 2026 we had 120000 users and 4500 reviews.", None),
    ("Card", "Your card ending in 4242 was charged $1234.", None),
    ("Your code", "Open https://shop.example/verify/123456?t=998877 within 30 minutes", None),
    ("", "", None),
]


@pytest.mark.parametrize(("subject", "text", "code"), MESSAGES)
def test_the_code_of_a_message(subject: str, text: str, code: str | None) -> None:
    assert find_code(MessageText(subject, (text,))) == code


def test_html_in_any_encoding() -> None:
    message = EmailMessage()
    message["Subject"] = "=?utf-8?q?Best=C3=A4tigung?="
    message.set_content("Bitte HTML anzeigen.")
    message.add_alternative(
        "<html><head><title>111111</title><style>#c { color: #222222 }</style></head><body>"
        "<div style='display:none'>Ihr Code</div><table><tr><td>Ihr Sicherheitscode:</td></tr><tr><td>"
        "<span>4</span><span>7</span><span>1</span><span>1</span><span>0</span><span>8</span></td></tr></table>"
        "<p>Kundennummer&nbsp;555555</p></body></html>",
        subtype="html",
        charset="iso-8859-1",
        cte="quoted-printable",
    )
    assert find_code(read_message(message.as_bytes())) == "471108"


def test_what_can_not_be_decoded() -> None:
    head = b"Subject: Your code\r\nContent-Type: text/plain; charset=no-such\r\n\r\n"
    assert find_code(read_message(head + b"Your code is 482913 \xff\xfe")) == "482913"
    assert find_code(read_message(b"\x00\xff" * 1000)) is None


def test_a_pattern_replaces_the_rules() -> None:
    message = MessageText("Hello", ("Your code is 123456. The word is blue-heron.",))
    assert find_code(message, r"word is (\w+-\w+)") == "blue-heron"
    assert find_code(message, r"[a-z]+-[a-z]+") == "blue-heron"
    assert find_code(message, r"absent (\d+)") is None


def test_a_message_is_not_shown() -> None:
    assert "482913" not in repr(MessageText("482913", ("482913",)))
