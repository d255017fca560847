"""The key of one-time passwords as its user has it: an otpauth URI, base32, or the picture of a QR code.

A site shows the code once, beside the key in base32. Some show no key, so that a picture of the page is all that there
is. zxing-cpp finds a code anywhere in a picture, also a slanted, mirrored or inverted one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from oryn.errors import InvalidValue
from oryn.system.optional_dependencies import require_extra
from oryn.vault.entries import split_name
from oryn.vault.totp import OneTimePassword, parse_one_time_password

TOTP_FIELD = "totp"
"""The field that is always a key of one-time passwords."""
MAX_PICTURE_BYTES = 20_000_000
MAX_PICTURE_PIXELS = 50_000_000


def one_time_password_of(name: str, value: str, *, forced: bool = False, **parameters: Any) -> OneTimePassword | None:
    """Return the key that a value for `name` is: an otpauth URI, the value of a field called totp, or with `forced` any
    value. None if it is a plain secret. Raises `InvalidValue`."""
    is_key = forced or split_name(name)[1] == TOTP_FIELD or value.strip().lower().startswith("otpauth")
    return parse_one_time_password(value, **parameters) if is_key else None


def read_qr_code(file: Path) -> str:
    """Return the text of the only QR code in a picture: PNG, JPEG, WebP, GIF and what else Pillow reads.

    Raises `InvalidValue`, whose message contains nothing of the text; `NotSupported` without the extra."""
    with require_extra("qr", "reading a QR code"):
        import zxingcpp
        from PIL import Image
    try:
        if file.stat().st_size > MAX_PICTURE_BYTES:
            raise InvalidValue(f"{file} is larger than 20 MB", "Give a picture of the QR code alone.")
        with Image.open(file) as picture:
            if picture.width * picture.height > MAX_PICTURE_PIXELS:
                raise InvalidValue(f"{file} has too many pixels", "Give a picture of the QR code alone.")
            grey = _on_white(picture)
    except FileNotFoundError:
        raise InvalidValue(f"there is no file {file}", "Nothing was stored.") from None
    except (OSError, Image.DecompressionBombError) as error:
        raise InvalidValue(f"{file} is not a picture that can be read", "Give a PNG or JPEG file.") from error
    found = zxingcpp.read_barcodes(grey, formats=zxingcpp.BarcodeFormats((zxingcpp.BarcodeFormat.QRCode,)))
    texts = {str(each.text) for each in found}
    if len(texts) != 1:
        raise InvalidValue(
            f"{file} has {'several QR codes' if texts else 'no QR code'}", "Give a picture with the QR code alone."
        )
    return texts.pop()


def _on_white(picture: Any) -> Any:
    """Return a picture in shades of grey. What is transparent is white, as on the page that it was taken of."""
    from PIL import Image

    coloured = picture.convert("RGBA")
    page = Image.new("RGBA", coloured.size, "white")
    page.alpha_composite(coloured)
    return page.convert("L")
