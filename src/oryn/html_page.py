"""HTML documents that need nothing else: no network, no script. Pure.

Whoever writes one escapes what a page or a model said. The policy in the head lets nothing run or be loaded if it did
not, but the document's own style: https://www.w3.org/TR/CSP3/.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from html import escape

END = "</body>\n</html>\n"
"""After the contents of the body."""


def style_source(style: str) -> str:
    """What lets a policy's `style-src` take this style, and no other."""
    return f"'sha256-{b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"


def head(title: str, style: str, *, pictures: bool = False, drawing: str | None = None) -> str:
    """Up to the contents of the body. `pictures` may stand in the document as `data:` URLs; a `drawing` is SVG in it
    with this style, whose elements may have a `style` of their own."""
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
