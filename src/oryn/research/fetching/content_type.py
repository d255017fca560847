"""The kind of a body: by its `Content-Type`, and by its first bytes if that says nothing.

https://mimesniff.spec.whatwg.org/ in the simple form."""

from __future__ import annotations

import re
from typing import Literal

ContentKind = Literal["html", "pdf", "docx", "epub", "text", "other"]

DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EPUB_TYPE = "application/epub+zip"

SNIFF_BYTES = 1024

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = frozenset(
    {
        "application/json",
        "application/xml",
        "application/rss+xml",
        "application/atom+xml",
        "application/javascript",
        "application/x-yaml",
        "application/yaml",
        "application/toml",
        "application/x-sh",
        "application/sql",
        "application/rtf",
    }
)
_UNSPECIFIED = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "application/unknown", "*/*"}
)
_TAG = re.compile(
    rb"\s*+(?:<!--.*?-->\s*+|<\?xml[^>]*+>\s*+)*+<(?:!doctype\s+html|html|head|body|title|meta|script|h1|div|p|table|article)[\s>]",
    re.I | re.S,
)
_ZIP = b"PK\x03\x04"
_MARKS = (
    (b"\x89PNG\r\n", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"BM", "a picture"),
    (_ZIP, "an archive"),
    (b"\x1f\x8b", "an archive"),
    (b"Rar!", "an archive"),
    (b"7z\xbc\xaf", "an archive"),
    (b"BZh", "an archive"),
    (b"\xfd7zXZ", "an archive"),
    (b"OggS", "a recording"),
    (b"ID3", "a recording"),
    (b"\x1aE\xdf\xa3", "a film"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"wOF", "a font"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def essence(content_type: str) -> str:
    """The media type without parameters: `text/html` of `Text/HTML; charset=utf-8`."""
    return content_type.partition(";")[0].strip().lower()


def kind_of(content_type: str, body: bytes) -> ContentKind:
    """The kind of content that `body` is. A PDF is recognized by its first bytes, whatever its type."""
    media_type, start = essence(content_type), body[:SNIFF_BYTES]
    if b"%PDF-" in start and not _TAG.match(start):
        return "pdf"
    if body.startswith(_ZIP) and media_type in (DOCX_TYPE, EPUB_TYPE):
        return "docx" if media_type == DOCX_TYPE else "epub"
    if media_type in _HTML:
        return "other" if start.startswith(tuple(mark for mark, _ in _MARKS)) else "html"
    # Text has control characters in no charset but UTF-16, which is recognized by its type or its byte order mark.
    is_utf16 = "utf-16" in content_type.lower() or start.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not is_utf16 and _CONTROLS.search(start):
        return "other"
    if media_type in _UNSPECIFIED or media_type in ("application/xml", "text/xml"):
        return "html" if _TAG.match(start) else "text"
    is_text = media_type.startswith("text/") or media_type in _TEXT or media_type.endswith(("+json", "+xml"))
    return "text" if is_text and not media_type.startswith("image/") else "other"


def name_of(content_type: str, body: bytes) -> str:
    """A name for content without text: `a picture`, `an archive`, else its type."""
    media_type = essence(content_type)
    for kind, name in (("image/", "a picture"), ("audio/", "a recording"), ("video/", "a film"), ("font/", "a font")):
        if media_type.startswith(kind):
            return name
    if media_type.endswith(("zip", "x-tar", "x-7z-compressed", "x-rar-compressed")):
        return "an archive"
    return next((name for mark, name in _MARKS if body.startswith(mark)), media_type or "no text")
