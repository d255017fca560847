"""The URLs that commands may open: a short list of schemes, and those files that a session's commands may read.

All other URLs belong to the browser's own pages (settings, history, passwords, extensions), some of which end it, or
are passed on to other programs. Every URL is checked here, whichever command or interface it comes from. Pure, except
that links of the file system are followed.

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
    from oryn.browsers.base import Browser
    from oryn.engine.file_access import Files

_ALLOWED_SCHEMES = frozenset({"http", "https", "data", "blob"})
_ALLOWED_ABOUT_PAGES = frozenset({"blank", "srcdoc", "version"})
_ALLOWED_BROWSER_PAGES = frozenset({"chrome://version", "chrome://crash"})
"""Pages of the browser that contain no secret and change nothing: its version, and one that makes its own tab crash."""
_VIEW_SOURCE = "view-source:"
# Characters that a URL parser drops: https://url.spec.whatwg.org/#concept-basic-url-parser
_EDGES = "".join(map(chr, range(0x21)))
_DROPPED = str.maketrans("", "", "\t\n\r")


def check_address(url: str, files: Files, mode: str = "headless") -> None:
    """Check that commands may open a URL.

    Raises `UrlNotAllowed`; in the user's own browser (`mode` remote) `CannotAccessPage` instead, as the errors of that
    mode require (docs/spec/extension-protocol.md#errors). Raises `PathNotAllowed` for a file that `files` does not
    allow."""
    inner = normalize(url)
    viewed = inner[: len(_VIEW_SOURCE)].lower() == _VIEW_SOURCE
    if viewed:
        inner = inner[len(_VIEW_SOURCE) :]
    scheme, _, rest = inner.partition(":")
    scheme = scheme.lower()
    if scheme == "file":
        files.check(file_path(inner))
    elif scheme in _ALLOWED_SCHEMES or (not viewed and _is_listed(scheme, rest)):
        return
    elif mode == "remote":
        raise CannotAccessPage
    else:
        name = f"{_VIEW_SOURCE if viewed else ''}{scheme}:" if scheme.replace("-", "").isalnum() else "this"
        raise UrlNotAllowed(f"{name} is no address that commands open")


def is_file(url: str) -> bool:
    """Whether a URL is that of a file, or of a file's source."""
    return normalize(url).lower().removeprefix(_VIEW_SOURCE).startswith("file:")


def require_file_limits(browser: Browser) -> None:
    """Check that a browser can be held to the files that commands may open; if not, it opens none.

    Raises `PathNotAllowed`; in the user's own browser `CannotAccessPage`, as `check_address` does."""
    if browser.can_restrict_files:
        return
    if browser.mode == "remote":
        raise CannotAccessPage
    raise PathNotAllowed(
        "this browser can't be held to the files that commands may open, so it opens none",
        "Use a headless session, or serve the folder: python3 -m http.server --bind 127.0.0.1.",
    )


def normalize(url: str) -> str:
    """Return the URL as a browser reads it: without the characters that its parser drops."""
    return url.strip(_EDGES).translate(_DROPPED)


def file_path(url: str) -> Path:
    """Return the path of a `file:` URL, as a browser resolves it. Raises `PathNotAllowed` if it is not a local file.

    `..` is resolved before links are followed, as in a URL parser, so that the result is a normalized path."""
    rest = normalize(url)[5:].partition("#")[0].partition("?")[0].replace("\\", "/")
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
        return place in _ALLOWED_ABOUT_PAGES
    return f"{scheme}:{place.rstrip('/')}" in _ALLOWED_BROWSER_PAGES
