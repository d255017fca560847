"""URLs as people write them (intent-language §2): `example.com` is `https://example.com`.

The rule about hosts is applied when the line is parsed; what is relative waits for the current page (`resolve_url`).
"""

from __future__ import annotations

import re

from oryn.errors import InvalidValue
from oryn.language.strings import shorten

# What a browser's URL parser drops before it looks at the scheme (https://url.spec.whatwg.org/#concept-basic-url-parser).
_EDGES = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")

_WHOLE = re.compile(r"[a-z][a-z0-9+.-]*+://|(?:about|data|blob|file):", re.IGNORECASE)
_RELATIVE = re.compile(r"[/?#]|\.\.?/")
_LOOPBACK = re.compile(
    r"(?:[^/?#]*@)?(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]*)?(?:[/?#]|$)", re.IGNORECASE
)


def holds_page(url: str) -> bool:
    """Whether a command's `url` is itself the page, whose scripts then are the caller's (`data:text/html,…`)."""
    return url[:5].lower() == "data:"


def is_relative(url: str) -> bool:
    """Whether it resolves against the current page: it starts with `/`, `?`, `#`, `./` or `../`."""
    return _RELATIVE.match(url) is not None


def complete_url(text: str, position: int | None = None) -> str:
    """`text` with its scheme; relative ones stay as they are. Raises `InvalidValue` for `javascript:` and `""`."""
    url = text.strip(_EDGES).translate(_BREAKS)
    if not url:
        raise InvalidValue("an empty URL", None, position)
    if url[:11].lower() == "javascript:":
        raise InvalidValue("javascript: URLs are refused", "run it with eval", position)
    if _WHOLE.match(url) or is_relative(url):
        return url
    return f"http://{url}" if _LOOPBACK.match(url) else f"https://{url}"


def resolve_url(url: str, base: str) -> str:
    """The whole URL of a command's `url`; `base` is the current page's. Raises `InvalidValue` when that is no place."""
    if not is_relative(url):
        return url
    # Imported here, for it would be a fifth of the time that `oryn parse` takes to start.
    from urllib.parse import urljoin

    try:
        resolved = urljoin(base, url)
    except ValueError as error:
        raise InvalidValue(f"not a URL: {shorten(url)} ({error})") from error
    if is_relative(resolved):
        message = f"{shorten(url)} is relative, and {shorten(base)} is no place to start from"
        raise InvalidValue(message, "write the whole URL")
    return resolved
