"""All of a page's text, in the shape that `blocks_of` reads: for pages on which nothing is found to be the content."""

from __future__ import annotations

from copy import deepcopy

from lxml.etree import strip_elements, strip_tags
from lxml.html import HtmlElement

# What has no words of the page, and what is on every page of a site.
_WITHOUT = (
    "script style noscript template svg math iframe object embed canvas audio video select datalist textarea button "
    "input head title nav footer dialog"
).split()
_INLINE = (
    "abbr acronym bdi bdo big center cite data dfn font ins label mark nobr q ruby s small span strike sub sup time u"
    " var wbr picture img"
).split()
_NAMES = {
    **{f"h{level}": ("head", {"rend": f"h{level}"}) for level in range(1, 7)},
    **dict.fromkeys(("b", "strong"), ("hi", {"rend": "#b"})),
    **dict.fromkeys(("i", "em"), ("hi", {"rend": "#i"})),
    **dict.fromkeys(("kbd", "samp", "tt"), ("hi", {"rend": "#t"})),
    **dict.fromkeys(("td", "th"), ("cell", {})),
    **dict.fromkeys(("li", "dt", "dd"), ("item", {})),
    **dict.fromkeys(("ul", "dl", "menu"), ("list", {"rend": "ul"})),
    "ol": ("list", {"rend": "ol"}),
    "blockquote": ("quote", {}),
    "pre": ("code", {}),
    "tr": ("row", {}),
    "br": ("lb", {}),
}


def whole(tree: HtmlElement) -> HtmlElement:
    """A copy of the tree with trafilatura's names for elements."""
    copied = deepcopy(tree)
    strip_elements(copied, *_WITHOUT, with_tail=False)
    strip_tags(copied, *_INLINE)
    for element in copied.iter("code"):
        if element.getparent() is not None and element.getparent().tag != "pre":
            element.tag, element.attrib["rend"] = "hi", "#t"
    strip_tags(copied, "code")
    for element in copied.iter():
        if element.tag == "a":
            target = element.get("href")
            element.tag = "ref"
            element.attrib.clear()
            element.attrib.update({"target": target} if target else {})
        elif element.tag in _NAMES:
            element.tag, attributes = _NAMES[element.tag]
            element.attrib.update(attributes)
    return copied
