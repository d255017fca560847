"""What kind of thing a body is."""

from __future__ import annotations

import pytest

from oryn.research.fetching.content_type import ContentKind, essence, kind_of, name_of


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html", b"<p>x", "html"),
        ("Text/HTML; charset=x", b"no tags", "html"),
        ("application/xhtml+xml", b"<html>", "html"),
        ("text/html", b"a few \0\0 zeros <p>x", "html"),
        ("text/html", b"\x89PNG\r\n\x1a\n", "other"),
        ("", b"<!DOCTYPE html><p>x", "html"),
        ("application/octet-stream", b" <!-- hi --> <HTML lang=en>", "html"),
        ("", b"just words", "text"),
        ("", b"\0\1\2", "other"),
        ("text/plain", b"<html> as it is written", "text"),
        ("text/plain", b"\0\1\2", "other"),
        ("text/plain; charset=utf-16", b"a\0b\0", "text"),
        ("text/markdown", b"# x", "text"),
        ("application/json", b"{}", "text"),
        ("application/ld+json", b"{}", "text"),
        ("application/rss+xml", b"<rss>", "text"),
        ("application/xml", b"<?xml version='1.0'?><html>", "html"),
        ("application/xml", b"<?xml version='1.0'?><rss>", "text"),
        ("image/svg+xml", b"<svg>", "other"),
        ("image/png", b"\x89PNG", "other"),
        ("application/zip", b"PK\x03\x04", "other"),
        ("application/pdf", b"%PDF-1.7", "pdf"),
        ("application/octet-stream", b"%PDF-1.7", "pdf"),
        ("text/html", b"%PDF-1.7\n", "pdf"),
        ("text/html", b"<html><p>%PDF-1.7", "html"),
        ("application/pdf", b"<html><p>log in first", "other"),
    ],
)
def test_kinds(content_type: str, body: bytes, kind: ContentKind) -> None:
    assert kind_of(content_type, body) == kind


@pytest.mark.parametrize(
    ("content_type", "body", "name"),
    [
        ("image/webp", b"", "a picture"),
        ("video/mp4", b"", "a film"),
        ("audio/ogg", b"", "a recording"),
        ("font/woff2", b"", "a font"),
        ("application/zip", b"", "an archive"),
        ("", b"GIF89a", "a picture"),
        ("application/octet-stream", b"\x7fELF", "a program"),
        ("application/x-thing; v=1", b"x", "application/x-thing"),
        ("", b"\0\0", "no text"),
    ],
)
def test_names(content_type: str, body: bytes, name: str) -> None:
    assert name_of(content_type, body) == name


def test_essence() -> None:
    assert essence(" Text/HTML ; charset=x") == "text/html"
