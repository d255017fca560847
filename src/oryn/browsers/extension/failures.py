"""The one place where what the browser says of a refused call becomes Oryn's errors.

Extension APIs have no error codes, so their messages are matched; what matches nothing is a `BrowserFailed` that quotes
the message. Every function here is total.
https://source.chromium.org/chromium/chromium/src/+/main:extensions/common/constants.cc
"""

from __future__ import annotations

from urllib.parse import urlsplit

from oryn.browsers.common.life import DocumentGone
from oryn.errors import (
    BrowserFailed,
    CannotAccessPage,
    FrameNotFound,
    NavigationError,
    OrynError,
    ScannerNotReady,
    TabNotFound,
)


class NobodyThere(ScannerNotReady):
    """No content script hears messages in a document: it is not there yet, or may not be."""


class TooSoon(BrowserFailed):
    """The browser takes so many pictures a second and no more."""


_Failure = tuple[type[OrynError], str, str]
_DOCUMENT: _Failure = (DocumentGone, "the document went away", "Run 'observe' to see what is there now.")
_FRAME: _Failure = (FrameNotFound, "the frame is gone", "Run 'frames' to see which there are.")
_TAB: _Failure = (TabNotFound, "the tab is closed", "Run 'tabs' to see which are open.")
_RESTRICTED: _Failure = (CannotAccessPage, "cannot access page", "")
_HISTORY: _Failure = (NavigationError, "there is no page to go to", "Use 'goto <url>' to open a page.")
_MESSAGES: tuple[tuple[str, _Failure], ...] = (
    ("Could not establish connection", (NobodyThere, "scanner not ready", "")),
    ("port closed before a response", _DOCUMENT),
    ("message channel closed", _DOCUMENT),
    ("message channel is closed", _DOCUMENT),
    ("back/forward cache", _DOCUMENT),
    ("Extension context invalidated", _DOCUMENT),
    ("No document with id", _DOCUMENT),
    ("No documents", _DOCUMENT),
    ("No tab with id", _TAB),
    ("The tab was closed", _TAB),
    ("Invalid tab ID", _TAB),
    ("No frame with id", _FRAME),
    ("was removed", _FRAME),
    ("error page", _RESTRICTED),
    ("Cannot access", _RESTRICTED),
    ("cannot be scripted", _RESTRICTED),
    ("Missing host permission", _RESTRICTED),
    ("permission is required", _RESTRICTED),
    ("without local file access", _RESTRICTED),
    ("Cannot navigate to", _RESTRICTED),
    ("Invalid url", (NavigationError, "that is no URL the browser can open", "Check the spelling of the address.")),
    ("Cannot find a next page in history", _HISTORY),
    ("CALLS_PER_SECOND", (TooSoon, "the browser takes no more pictures this second", "Try again.")),
    (
        "Tabs cannot be edited right now",
        (BrowserFailed, "the browser's tabs can't be changed while somebody drags one", "Try again."),
    ),
)


def from_chrome(message: str) -> OrynError:
    """What the message of a rejected call means."""
    for part, (kind, text, hint) in _MESSAGES:
        if part in message:
            return kind(text, hint)
    return BrowserFailed(f"the browser refused: {message}", "Try again, or 'goto' another page.")


# https://developer.chrome.com/docs/extensions/develop/concepts/match-patterns
_SCRIPTED = frozenset({"http", "https", "file", "data", "blob", "filesystem"})
_OPENED = frozenset({"http", "https", "blob"})
_STORES = frozenset({"chromewebstore.google.com", "microsoftedge.microsoft.com"})


def is_restricted(url: str) -> bool:
    """Whether a browser lets no extension into the page at `url`: its own pages, its store, other extensions' (seed 000
    §5.7)."""
    parts = urlsplit(url)
    if parts.scheme == "about":
        return parts.path not in ("blank", "srcdoc")
    if parts.scheme == "blob":
        return is_restricted(url.removeprefix("blob:"))
    if parts.hostname in _STORES:
        return True
    if parts.hostname == "chrome.google.com" and parts.path.startswith("/webstore"):
        return True
    return bool(parts.scheme) and parts.scheme not in _SCRIPTED


def require_access(url: str, *, files: bool) -> None:
    """`files` is whether the server may read files of the browser's computer. Raises `CannotAccessPage` for an address
    at which commands do nothing."""
    if is_restricted(url) or (urlsplit(url).scheme == "file" and not files):
        raise CannotAccessPage


def may_open(url: str) -> bool:
    """Whether every page of the web may have `url` opened. An extension may open more: files, pages of the browser, its
    own."""
    parts = urlsplit(url)
    return parts.scheme in _OPENED or (parts.scheme == "about" and parts.path == "blank")
