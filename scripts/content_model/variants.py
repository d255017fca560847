"""Copies of pages as other sites would have made them, so that the model does not depend on words of class names."""

from __future__ import annotations

from lxml.html import HtmlElement

NAMES = ("class", "id", "role", "itemprop", "itemtype", "data-testid")


def without_names(tree: HtmlElement) -> None:
    """Take out what names elements, as pages of generated names are."""
    for element in tree.iter():
        for attribute in NAMES:
            element.attrib.pop(attribute, None)
