"""HTML as lxml's tree, whatever the bytes are, in bounded time and depth.

libxml2 leaves out what is nested deeper than 256 elements (without `huge_tree`), so that nothing that walks the tree
can recurse further than that.
"""

from __future__ import annotations

import codecs
import re

from lxml.etree import LxmlError
from lxml.html import HtmlElement, HTMLParser, document_fromstring

LARGEST = 5_000_000
"""Characters of a page that are read; the rest is cut off."""

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding
_DECLARED = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_GROUP = re.compile(
    r"</?(?:div|section|center|table|tbody|tr|td|ul|ol|li|dl|dd|dt|blockquote)(?=[\s>/])[^>]*>", re.IGNORECASE
)
_STYLE = re.compile(r"</?(?:font|b|i|u|em|strong|small|big|span|tt|strike)(?=[\s>/])[^>]*>", re.IGNORECASE)
# libxml2 takes time with the square of an element's attributes.
_LADEN = re.compile(r"<\w++(?:\s++[^\s<>]++){10000,}+[^<>]*+>?")
# What XML has no character for: lxml takes no tree's text with it.
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def decoded(html: bytes | str, charset: str = "") -> str:
    """A page's characters: by its byte order mark, `charset` (of the HTTP header, say), its own declaration, UTF-8
    where it is that, and Windows-1252, which takes all bytes. What is wrong in it becomes U+FFFD."""
    if isinstance(html, str):
        return html
    for mark, name in _BOMS:
        if html.startswith(mark):
            return html[len(mark) :].decode(name, "replace")
    declared = _DECLARED.search(html[:4096])
    for name in (charset, declared[1].decode("ascii", "replace") if declared else "", "utf-8"):
        try:
            text = html.decode(_web_name(name)) if name else None
        except (LookupError, UnicodeError):
            continue
        if text is not None:
            return text
    known = charset or (declared[1].decode("ascii", "replace") if declared else "")
    try:
        return html.decode(_web_name(known) if known else "windows-1252", "replace")
    except (LookupError, UnicodeError):
        return html.decode("windows-1252", "replace")


def _web_name(name: str) -> str:
    """The codec that browsers use for a label (https://encoding.spec.whatwg.org/#names-and-labels)."""
    codec = codecs.lookup(name.strip()).name
    return {"iso8859-1": "windows-1252", "ascii": "windows-1252", "gb2312": "gb18030", "gbk": "gb18030"}.get(
        codec, codec
    )


def parse(html: bytes | str, charset: str = "") -> HtmlElement | None:
    """The page's tree; None when there is nothing to make one of. Where elements are nested too deeply, those that only
    group or style are read as paragraphs, so that what is inside is not lost."""
    text = _NO_CHARACTER.sub("", _XML_DECLARATION.sub("", decoded(html, charset)[:LARGEST]))
    text = _LADEN.sub("<p>", text)
    tree, too_deep = _parsed(text)
    return _parsed(_STYLE.sub(" ", _GROUP.sub("<p>", text)))[0] if too_deep else tree


def _parsed(text: str) -> tuple[HtmlElement | None, bool]:
    """The tree, and whether the parser stopped at its limit of depth."""
    if not text.strip():
        return None, False
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    try:
        tree: HtmlElement = document_fromstring(text.encode("utf-8"), parser=parser)
    except (LxmlError, ValueError):
        return None, False
    return tree, any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)
