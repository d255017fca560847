"""Standalone HTML documents without network access or scripts, and the stylesheet of all of Oryn's pages, `oryn.css`.

Callers must escape text that came from a page or a model. If they forget, the content security policy in the head
still blocks every script and resource except the document's own style: https://www.w3.org/TR/CSP3/."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from html import escape
from importlib.resources import files
from typing import Literal

DOCUMENT_END = "</body>\n</html>\n"
"""The end of the document, after the contents of the body."""

STYLESHEET = "oryn.css"
"""The name of the stylesheet's file."""

_COLOUR = re.compile(r"(?<![\w-])--([\w-]++): (#[0-9a-f]{6});")


@cache
def stylesheet() -> str:
    """The CSS that all pages share."""
    return (files("oryn.core") / STYLESHEET).read_text(encoding="utf-8")


@cache
def colours(scheme: Literal["light", "dark"]) -> dict[str, str]:
    """The colours of the stylesheet as `#rrggbb`, by the names of their custom properties without `--`.

    They are for pictures, which also open in programs that don't support custom properties."""
    light, _, dark = stylesheet().partition("@media (prefers-color-scheme: dark)")
    found = dict(_COLOUR.findall(light))
    return found if scheme == "light" else found | dict(_COLOUR.findall(dark))


def style_source(style: str) -> str:
    """The source that allows this style, and no other, in a policy's `style-src`."""
    return f"'sha256-{b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"


def document_style(style: str) -> str:
    """The whole CSS of a document: the shared stylesheet, then the document's own `style`."""
    return f"\n{stylesheet()}{style}"


def document_head(
    title: str, style: str = "", *, wide: bool = False, images: bool = False, drawing: str | None = None
) -> str:
    """The document up to the contents of its body.

    `style`: the CSS that only this document needs. `wide`: the body has the width for tables and pictures, instead of
    that for text. `images`: allow images as `data:` URLs. `drawing`: the CSS of SVG in the document."""
    whole = document_style(style)
    styles = [whole] if drawing is None else [whole, drawing]
    policy = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    if images:
        policy.append("img-src data:")
    policy.append(f"style-src {' '.join(map(style_source, styles))}")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{"; ".join(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<style>{whole}</style>
</head>
<body class="{"wide document" if wide else "document"}">
"""
