"""HTML as lxml's tree, whatever the bytes are, in bounded time and depth.

libxml2 leaves out what is nested deeper than 256 elements (without `huge_tree`), so that nothing that walks the tree
can recurse further than that.
"""

from __future__ import annotations

import re

from lxml.etree import LxmlError
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from oryn.research.fetching.attributes import unladen
from oryn.research.fetching.decoding import charset_of, codec, text_of

LARGEST = 5_000_000
"""Characters of a page that are read; the rest is cut off."""

_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_GROUP = re.compile(
    r"</?(?:div|section|center|table|tbody|tr|td|ul|ol|li|dl|dd|dt|blockquote)(?=[\s>/])[^>]*>", re.IGNORECASE
)
_STYLE = re.compile(r"</?(?:font|b|i|u|em|strong|small|big|span|tt|strike)(?=[\s>/])[^>]*>", re.IGNORECASE)
# What XML has no character for: lxml takes no tree's text with it.
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse(html: bytes | str, charset: str = "") -> HtmlElement | None:
    """The page's tree; None when there is nothing to make one of. `charset` goes before what the page declares. Where
    elements are nested too deeply, those that only group or style are read as paragraphs, so that what is inside is
    not lost."""
    text = html if isinstance(html, str) else text_of(html, codec(charset) or charset_of(html))
    text = _NO_CHARACTER.sub("", _XML_DECLARATION.sub("", text[:LARGEST]))
    text = unladen(text)
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
