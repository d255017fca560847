"""The charset of a page: as browsers determine it, and by inspecting the body if the declared one can't be right.

https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
https://encoding.spec.whatwg.org/#names-and-labels"""

from __future__ import annotations

import codecs
import re
from email.message import Message

DECLARATION_BYTES = 4096
"""Bytes in which a declaration is searched for. The specification says 1024; pages put scripts before it."""
SAMPLE_BYTES = 64 * 1024
"""The number of bytes by which a charset is guessed."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_META = re.compile(rb"<meta\b(?:[^<>]|<(?!meta\b))*?\bcharset\s*+=\s*+[\"']?\s*+([a-z0-9_:.()-]+)", re.I)
_XML = re.compile(rb"\s*+<\?xml\b[^>]*?\bencoding\s*+=\s*+[\"']([a-z0-9_:.-]+)", re.I)
_TAG = re.compile(rb"<(?:!doctype|html|head|meta|title|body|script|link|div|p|h1)[\s>]", re.I)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_CSS = re.compile(rb'@charset "([a-z0-9_:.-]+)"', re.I)

# What labels mean on the web is another thing than what they mean elsewhere; the larger set is read for the smaller.
_CODEC_OF_LABEL = {
    "ascii": "windows-1252",
    "us-ascii": "windows-1252",
    "iso8859-1": "windows-1252",
    "iso-8859-1": "windows-1252",
    "latin1": "windows-1252",
    "latin-1": "windows-1252",
    "iso-8859-9": "windows-1254",
    "iso-8859-11": "windows-874",
    "tis-620": "windows-874",
    "gb2312": "gb18030",
    "gb_2312-80": "gb18030",
    "x-gbk": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso-8859-8",
    "unicode-1-1-utf-8": "utf-8",
    "x-unicode20utf8": "utf-8",
    "unicode": "utf-16-le",
    "utf-16": "utf-16-le",
    "windows-874": "cp874",
}
# What Python knows besides, and no browser reads.
_NOT_ON_THE_WEB = frozenset({"idna", "punycode", "utf-7", "unicode-escape", "raw-unicode-escape", "undefined"})


def charset_of(body: bytes, content_type: str = "", *, html: bool = True) -> str:
    """The charset of `body`, by Python's name. `html`: also use a declaration in the document."""
    for mark, name in _BOMS:
        if body.startswith(mark) and _correct(body, name):
            return name
    declared = [codec(parameter(content_type, "charset"))]
    if html:
        declared.append(_declared(body))
    for name in declared:
        if name and (name := _correct(body, name)):
            return name
    return _guess(body)


def decode_body(body: bytes, charset: str) -> str:
    """The text of a body; bytes that can't be decoded become U+FFFD."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")) and not charset.startswith("utf-16"):
        body = body[2:]  # a mark that lies
    return body.decode(charset or "utf-8", errors="replace").removeprefix("\ufeff")


def codec(label: str) -> str:
    """Python's name of the charset that a label means on the web; empty if it means none."""
    label = label.strip().lower()
    try:
        canonical = codecs.lookup(_CODEC_OF_LABEL.get(label, label)).name
        name = codecs.lookup(_CODEC_OF_LABEL.get(canonical, canonical)).name
        b"a".decode(name, "replace")  # what is no charset, but base64 or such, can't
    except (LookupError, ValueError):
        return ""
    return "" if name in _NOT_ON_THE_WEB else name


def parameter(content_type: str, name: str) -> str:
    """A parameter of a `Content-Type`, or an empty string."""
    header = Message()
    header["Content-Type"] = content_type
    value = header.get_param(name)
    return value if isinstance(value, str) else ""


def _declared(body: bytes) -> str:
    """The charset that the document declares by `<meta>` or the XML declaration."""
    start = body[:DECLARATION_BYTES]
    found = _XML.match(start) or _META.search(_COMMENT.sub(b"", start)) or _CSS.match(start)
    if found is None:
        return ""
    name = codec(found[1].decode("ascii"))
    return "utf-8" if name.startswith("utf-16") else name  # it could not have been read so far


def _correct(body: bytes, name: str) -> str:
    """`name`, or the charset that a body declared so must have, or an empty string if it can't be that."""
    if name == "utf-8":
        return name if _is_utf8(body) or _mostly_utf8(body) else ""
    if name.startswith("utf-16"):
        # In UTF-16, no two characters of a tag would be two bytes.
        return "" if _TAG.search(body, 0, DECLARATION_BYTES) else name
    # Text of other charsets that happens to be valid UTF-8 is next to none (and ASCII is the same in all of these).
    if name.startswith(("windows", "cp125", "iso8859")) and not body.isascii() and _is_utf8(body):
        return "utf-8"
    return name


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _mostly_utf8(body: bytes) -> bool:
    """Whether most of the non-ASCII bytes can be decoded: a page with one broken comment."""
    sample = body[:SAMPLE_BYTES].decode("utf-8", errors="replace")
    broken = sample.count("\ufffd")
    return sum(not each.isascii() for each in sample) - broken > broken


def _guess(body: bytes) -> str:
    if _is_utf8(body):
        return "utf-8"
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    best = from_bytes(body[:SAMPLE_BYTES], enable_fallback=False).best()
    return codec(best.encoding) or "windows-1252" if best is not None else "windows-1252"
