"""Keys of one-time passwords from pictures of QR codes."""

from __future__ import annotations

from pathlib import Path

import pytest
import segno
from PIL import Image

from oryn.errors import InvalidValue
from oryn.vault.key_input import one_time_password_of, read_qr_code

URI = "otpauth://totp/Shop:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Shop"


def qr_code(file: Path, text: str = URI, **options: object) -> Path:
    segno.make(text, error="m").save(str(file), scale=6, **options)
    return file


@pytest.mark.parametrize("way", ["plain", "transparent", "inverted", "jpeg", "page", "slanted"])
def test_a_picture_of_a_page(tmp_path: Path, way: str) -> None:
    file = qr_code(tmp_path / "code.png", **({"light": None} if way == "transparent" else {}))
    if way == "inverted":
        qr_code(file, dark="white", light="black")
    if way in ("jpeg", "page", "slanted"):
        code = Image.open(file).convert("RGB")
        page = Image.new("RGB", (1280, 900), "#f4f4f0")
        page.paste(code if way != "slanted" else code.rotate(20, expand=True, fillcolor="#f4f4f0"), (500, 240))
        file = tmp_path / "page.jpg"
        (code if way == "jpeg" else page).save(file, quality=70)
    assert read_qr_code(file) == URI
    key = one_time_password_of("shop.totp", read_qr_code(file))
    assert key is not None and key.key == b"12345678901234567890"


def test_a_picture_without_one_code(tmp_path: Path) -> None:
    blank = tmp_path / "blank.png"
    Image.new("RGB", (300, 300), "white").save(blank)
    both = Image.new("RGB", (1600, 800), "white")
    for at, text in enumerate((URI, "something else")):
        both.paste(Image.open(qr_code(tmp_path / f"{at}.png", text)).convert("RGB"), (at * 800, 0))
    both.save(tmp_path / "both.png")
    (tmp_path / "text.png").write_text("no picture")
    for name, what in (
        ("blank.png", "no QR code"),
        ("both.png", "several QR codes"),
        ("text.png", "not a picture"),
        ("absent.png", "there is no file"),
    ):
        with pytest.raises(InvalidValue, match=what):
            read_qr_code(tmp_path / name)


def test_what_is_a_key() -> None:
    assert one_time_password_of("shop.password", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") is None
    assert one_time_password_of("shop.password", URI) is not None
    assert one_time_password_of("shop.code", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", forced=True, digits=8).digits == 8  # type: ignore[union-attr]
    with pytest.raises(InvalidValue, match="not base32"):
        one_time_password_of("shop.totp", "correct horse!")
