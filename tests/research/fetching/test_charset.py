"""Charsets: declared, declared wrongly, not declared."""

from __future__ import annotations

import codecs

import pytest

from oryn.research.fetching.charset import charset_of, codec, decode_body, parameter

GERMAN = "<p>Die Farne wachsen im Schatten großer Bäume, über Moos und Geröll, für Jahre unberührt."
RUSSIAN = "<p>Папоротники растут в тени больших деревьев, среди мха и камней, долгие годы нетронутые человеком."
JAPANESE = "<p>シダ植物は大きな木の陰に生え、苔や石の間で長年にわたり人の手に触れられずに育ちます。"
CHINESE = "<p>蕨类植物生长在大树的阴影下，在苔藓和石头之间，多年来不受人类的影响，安静地生长着。"
KOREAN = "<p>고사리는 큰 나무의 그늘에서 이끼와 돌 사이에서 오랫동안 사람의 손길이 닿지 않은 채 자랍니다."


def read(body: bytes, content_type: str = "") -> str:
    return decode_body(body, charset_of(body, content_type))


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("utf-8", GERMAN),
        ("iso-8859-1", GERMAN),
        ("latin1", GERMAN),
        ("windows-1252", GERMAN),
        ("windows-1251", RUSSIAN),
        ("koi8-r", RUSSIAN),
        ("iso-8859-5", RUSSIAN),
        ("shift_jis", JAPANESE),
        ("euc-jp", JAPANESE),
        ("iso-2022-jp", JAPANESE),
        ("gb2312", CHINESE),
        ("gbk", CHINESE),
        ("gb18030", CHINESE),
        ("euc-kr", KOREAN),
        ("ks_c_5601-1987", KOREAN),
    ],
)
def test_declared(charset: str, text: str) -> None:
    python = {"ks_c_5601-1987": "cp949", "gb2312": "gb18030"}.get(charset, charset)
    assert read(text.encode(python), f"text/html; charset={charset}") == text
    assert read(text.encode(python), f'text/html; Charset="{charset.upper()}"') == text
    for declaration in (
        f"<meta charset={charset}>",
        f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">',
    ):
        page = f"<html><head>{declaration}</head>{text}"
        assert read(page.encode(python), "text/html") == page


def test_the_xml_declaration() -> None:
    page = f'<?xml version="1.0" encoding="windows-1251"?><html>{RUSSIAN}'
    assert read(page.encode("windows-1251")) == page


@pytest.mark.parametrize("name", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_wins(name: str) -> None:
    assert read(GERMAN.encode(name), "text/html; charset=windows-1251") == GERMAN


def test_big_endian() -> None:
    assert read(codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be")) == GERMAN


def test_utf_16_without_a_mark() -> None:
    assert read(GERMAN.encode("utf-16-le"), "text/html; charset=utf-16") == GERMAN


def test_a_meta_element_that_was_read_is_not_utf_16() -> None:
    page = f"<meta charset=utf-16>{GERMAN}"
    assert read(page.encode()) == page


@pytest.mark.parametrize(
    "label", ["iso-8859-1", "windows-1252", "us-ascii", "utf-8859-1", "none", "x-user-defined", "base64"]
)
def test_utf_8_that_is_called_something_else(label: str) -> None:
    assert read(GERMAN.encode(), f"text/html; charset={label}") == GERMAN
    page = f"<meta charset={label}>{GERMAN}"
    assert read(page.encode()) == page


@pytest.mark.parametrize(
    ("text", "charset"), [(RUSSIAN, "windows-1251"), (JAPANESE, "shift_jis"), (GERMAN, "windows-1252")]
)
def test_something_else_that_is_called_utf_8(text: str, charset: str) -> None:
    body = text.encode("cp932" if charset == "shift_jis" else charset)
    assert read(body, f"text/html; charset={charset}") == text
    assert "\ufffd" not in read(body * 10, "text/html; charset=utf-8")


def test_the_header_is_wrong_and_the_page_right() -> None:
    page = f"<meta charset=windows-1251>{RUSSIAN}"
    assert read(page.encode("windows-1251"), "text/html; charset=utf-8") == page


def test_a_page_with_something_broken_in_it_stays_what_it_is() -> None:
    body = RUSSIAN.encode() + b"<p>\xff\xfe broken" + RUSSIAN.encode()
    assert charset_of(body, "text/html; charset=utf-8") == "utf-8"
    assert decode_body(body, "utf-8").count("\ufffd") == 2


def test_declarations_in_comments_and_far_away_do_not_count() -> None:
    page = f"<!-- <meta charset=windows-1251> --><html>{GERMAN}"
    assert read(page.encode()) == page
    assert charset_of((" " * 5000 + "<meta charset=koi8-r>" + "abc").encode()) == "utf-8"


@pytest.mark.parametrize(
    ("text", "charset"),
    [(RUSSIAN, "windows-1251"), (JAPANESE, "euc_jp"), (CHINESE, "gb18030"), (GERMAN, "windows-1252")],
)
def test_not_declared(text: str, charset: str) -> None:
    body = (text * 5).encode(charset)
    assert "\ufffd" not in read(body)
    assert charset_of(text.encode()) == "utf-8"


def test_ascii_is_utf_8() -> None:
    assert charset_of(b"plain") == "utf-8"
    assert charset_of(b"") == "utf-8"


def test_a_character_that_the_end_cuts() -> None:
    assert charset_of("Bäume".encode() + b"\xc3") == "utf-8"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("UTF8", "utf-8"),
        (" latin1 ", "cp1252"),
        ("gb2312", "gb18030"),
        ("rot13", ""),
        ("idna", ""),
        ("nonsense", ""),
        ("", ""),
        ("\0", ""),
    ],
)
def test_labels(label: str, name: str) -> None:
    assert codec(label) == name


def test_parameters() -> None:
    assert parameter("text/html;charset='x'; charset=y", "charset") in ("'x'", "x", "y")
    assert parameter("text/html", "charset") == ""
    assert parameter("", "charset") == ""
    assert parameter("text/html; charset*=utf-8''koi8-r", "charset") == ""
