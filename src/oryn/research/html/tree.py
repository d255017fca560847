"""HTML of any bytes as a tree, in bounded time and depth.

libxml2 leaves out what is nested deeper than 256 elements (without `huge_tree`), so that nothing that walks the tree
can recurse further than that."""

from __future__ import annotations

import re

from lxml.etree import ElementDefaultClassLookup, LxmlError
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from oryn.research.fetching.charset import charset_of, codec, decode_body

MAX_CHARACTERS = 5_000_000
"""Characters of a page that are read; the rest is cut off."""

MAX_SCRIPT_CHARACTERS = 1_000_000
"""Longer scripts are not read."""

SCRIPT_SAMPLE_CHARACTERS = 20_000
"""Characters of a longer script that stay, which show that there is one."""

_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
# Both patterns stop at the next `<`: tags that never end would cost the square of their number.
_GROUP = re.compile(
    r"</?(?:div|section|center|table|tbody|tr|td|ul|ol|li|dl|dd|dt|blockquote|"
    r"template(?=\s+shadowroot)|[a-z][\w.]*-[\w.-]*)(?=[\s>/])[^<>]*>",
    re.IGNORECASE,
)
_STYLE = re.compile(r"</?(?:font|b|i|u|em|strong|small|big|span|tt|strike)(?=[\s>/])[^<>]*>", re.IGNORECASE)
# What XML has no character for: lxml takes no tree's text with it.
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,8})|([0-9]{1,9}));?")

MAX_ATTRIBUTES = 256
"""Attributes of an element that are read: libxml2 takes time with the square of their number."""

# As HTML has them, quotes around `<` and `>` included. Each part takes all that it can and gives nothing back, and what
# is matched is never looked at again: the time is linear, whatever the text.
# https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state
_ATTRIBUTE = re.compile(
    r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?+)?+"""
)
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?:script|style)(?=[\s/>])(?:" + _ATTRIBUTE.pattern + r")*+[\s/]*+(?:>.*?(?:</(?:script|style)|\Z)|\Z)"
    r"|<[a-z][^\s/>]*+(?:" + _ATTRIBUTE.pattern + r")*+",
    re.IGNORECASE | re.DOTALL,
)
_MIN_CHARACTERS = 2 * MAX_ATTRIBUTES
"""Characters of a tag that has more."""
_NAME = re.compile(r"<[^\s/>]*+")


def parse_html(html: bytes | str, charset: str = "") -> HtmlElement | None:
    """The tree of a page; None if there is nothing to parse. `charset` takes precedence over what the page declares. If
    elements are nested too deeply, those that only group or style are parsed as paragraphs, so that their content is
    not lost."""
    text = html if isinstance(html, str) else decode_body(html, codec(charset) or charset_of(html))
    text = _without_long_scripts(text)[:MAX_CHARACTERS]
    text = _NO_CHARACTER.sub("", _XML_DECLARATION.sub("", text))
    text = limit_attributes(_REFERENCE.sub(_without_control, text))
    tree, too_deep = _parse(text)
    return _parse(_STYLE.sub(" ", _GROUP.sub("<p>", text)))[0] if too_deep else tree


def _without_long_scripts(text: str) -> str:
    """The page with only the beginning of scripts that are longer than any that says something about it: they would be
    copied with each copy of the tree."""
    if len(text) < MAX_SCRIPT_CHARACTERS:
        return text
    folded = text.lower()
    if len(folded) != len(text):
        # Characters that grow if they are folded: places would not be the same.
        folded = text
    parts, begin, position = [], 0, 0
    while (start := folded.find("<script", position)) >= 0:
        opened = folded.find(">", start) + 1
        end = folded.find("</script", opened)
        if not opened or end < 0:
            break
        if end - opened > MAX_SCRIPT_CHARACTERS:
            parts.append(text[begin : opened + SCRIPT_SAMPLE_CHARACTERS])
            begin = end
        position = end
    return "".join(parts) + text[begin:]


def _without_control(reference: re.Match[str]) -> str:
    """A reference to what XML has no character for is left out; others stay."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    return "" if code > 0x10FFFF or code == 0 or _NO_CHARACTER.match(chr(code)) else reference[0]


def _parse(text: str) -> tuple[HtmlElement | None, bool]:
    """The tree, and whether the parser has stopped at its depth limit."""
    if not text.strip():
        return None, False
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    # One class for all elements: to choose one by the name runs Python each time that an element is looked at.
    parser.set_element_class_lookup(ElementDefaultClassLookup(element=HtmlElement))
    try:
        tree: HtmlElement = document_fromstring(text.encode("utf-8"), parser=parser)
    except (LxmlError, ValueError):
        return None, False
    return tree, any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)


def limit_attributes(html: str) -> str:
    """The page with at most `MAX_ATTRIBUTES` attributes of each element, the first ones."""
    return _TAG.sub(_limit_tag, html)


def _limit_tag(tag: re.Match[str]) -> str:
    """A start tag without its excess attributes."""
    text = tag[0]
    if len(text) < _MIN_CHARACTERS or text.startswith("<!--"):
        return text
    end = _NAME.match(text)
    assert end is not None
    position = end.end()
    for _ in range(MAX_ATTRIBUTES):
        found = _ATTRIBUTE.match(text, position)
        if found is None:
            return text
        position = found.end()
    rest = position
    while (found := _ATTRIBUTE.match(text, rest)) is not None:
        rest = found.end()
    return text[:position] + text[rest:]
