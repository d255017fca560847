"""Which addresses commands open: a short list of schemes, and of `file:` what a session's commands may read.

What else a browser can open are its own pages (settings, history, passwords, extensions), some of which end it, and
what hands an address to other programs. Every address passes here, whichever command or door it comes by. Pure, but for
following links of the file system.
https://url.spec.whatwg.org/#url-parsing, https://chromium.googlesource.com/chromium/src/+/main/docs/webui_explainer.md
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from oryn.errors import CannotAccessPage, PathNotAllowed, UrlNotAllowed

if TYPE_CHECKING:
    from oryn.engine.files import Files

_OPENED = frozenset({"http", "https", "data", "blob"})
_ABOUT = frozenset({"blank", "srcdoc", "version"})
_OF_BROWSER = frozenset({"chrome://version", "chrome://crash"})
"""Pages of the browser that tell no secret and change nothing: its version, and one that makes its own tab crash."""
_AROUND = "view-source:"
# What a URL parser drops: https://url.spec.whatwg.org/#concept-basic-url-parser
_EDGES = "".join(map(chr, range(0x21)))
_DROPPED = str.maketrans("", "", "\t\n\r")


def check_address(url: str, files: Files, mode: str = "headless") -> None:
    """Raises `UrlNotAllowed`, in the user's own browser (`mode` remote) `CannotAccessPage` instead, as that mode's
    errors have it (seed 000, error messages); and for a file that `files` does not allow `PathNotAllowed`."""
    inner = cleaned(url)
    viewed = inner[: len(_AROUND)].lower() == _AROUND
    if viewed:
        inner = inner[len(_AROUND) :]
    scheme, _, rest = inner.partition(":")
    scheme = scheme.lower()
    if scheme == "file":
        files.check(path_of(inner))
    elif scheme in _OPENED or (not viewed and _is_listed(scheme, rest)):
        return
    elif mode == "remote":
        raise CannotAccessPage
    else:
        shown = f"{_AROUND if viewed else ''}{scheme}:" if scheme.replace("-", "").isalnum() else "this"
        raise UrlNotAllowed(f"{shown} is no address that commands open")


def is_file(url: str) -> bool:
    return cleaned(url)[:5].lower() == "file:"


def cleaned(url: str) -> str:
    """As a browser reads it: without what its parser drops."""
    return url.strip(_EDGES).translate(_DROPPED)


def path_of(url: str) -> Path:
    """The file that a `file:` URL means to a browser. Raises `PathNotAllowed` for one that means none here.

    `..` is taken away before links are followed, as a URL parser does, so the outcome is a path and not a way to it."""
    rest = cleaned(url)[5:].partition("#")[0].partition("?")[0].replace("\\", "/")
    host = ""
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        rest = slash + rest
    path = unquote_to_bytes(rest.encode("utf-8", "surrogatepass"))
    if host.lower() not in ("", "localhost") or b"\0" in path:
        raise PathNotAllowed("the file of another computer can't be opened", "Write file:// and the path here.")
    text = posixpath.normpath(f"/{os.fsdecode(path).lstrip('/')}")
    return Path(text.removeprefix("/")) if os.name == "nt" else Path(text)


def _is_listed(scheme: str, rest: str) -> bool:
    place = rest.partition("#")[0].partition("?")[0].lower()
    if scheme == "about":
        return place in _ABOUT
    return f"{scheme}:{place.rstrip('/')}" in _OF_BROWSER
