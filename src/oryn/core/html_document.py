"""Standalone HTML documents without network access or scripts.

Callers must escape text that came from a page or a model. If they forget, the content security policy in the head
still blocks every script and resource except the document's own style: https://www.w3.org/TR/CSP3/."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from html import escape

DOCUMENT_END = "</body>\n</html>\n"
"""The end of the document, after the contents of the body."""


def style_source(style: str) -> str:
    """The source that allows this style, and no other, in a policy's `style-src`."""
    return f"'sha256-{b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"


def document_head(title: str, style: str, *, pictures: bool = False, drawing: str | None = None) -> str:
    """The document up to the contents of its body.

    `style`: the document's CSS. `pictures`: allow images as `data:` URLs. `drawing`: the CSS of SVG in the document,
    whose elements may have `style` attributes."""
    styles = [style_source(style)]
    policy = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    if pictures:
        policy.append("img-src data:")
    if drawing is not None:
        styles.append(style_source(drawing))
        policy.append("style-src-attr 'unsafe-inline'")
    policy.append(f"style-src {' '.join(styles)}")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{"; ".join(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
"""
