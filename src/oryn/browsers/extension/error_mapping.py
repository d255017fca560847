"""Maps the browser's messages about rejected calls to Oryn's errors; also says which pages are restricted, and defines
the errors for what needs the debugger.

Extension APIs have no error codes, so their messages are matched; what matches nothing is a `BrowserFailed` that quotes
the message. Every function here is total.
https://source.chromium.org/chromium/chromium/src/+/main:extensions/common/constants.cc
https://searchfox.org/mozilla-central/source/toolkit/components/extensions/ExtensionUtils.sys.mjs

No extension API reports dialogs: without the debugger a page's `alert` must be answered by its user, and while it is
open no script of the page runs, not even the scanner."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import (
    BrowserFailed,
    CannotAccessPage,
    FrameNotFound,
    NavigationError,
    NotSupported,
    OrynError,
    ScannerNotReady,
    TabNotFound,
)


class NoContentScript(ScannerNotReady):
    """No content script in a document takes messages: it is not injected yet, or may not be."""


class CaptureRateLimited(BrowserFailed):
    """The browser takes only so many screenshots a second."""


_Failure = tuple[type[OrynError], str, str]
_DOCUMENT: _Failure = (DocumentGone, "the document went away", "Run 'observe' to see what is there now.")
_FRAME: _Failure = (FrameNotFound, "the frame is gone", "Run 'frames' to see which there are.")
_TAB: _Failure = (TabNotFound, "the tab is closed", "Run 'tabs' to see which are open.")
_RESTRICTED: _Failure = (CannotAccessPage, "cannot access page", "")
_URL: _Failure = (NavigationError, "that is not a URL that the browser can open", "Check the spelling of the address.")
_HISTORY: _Failure = (NavigationError, "there is no page to go to", "Use 'goto <url>' to open a page.")
_MESSAGES: tuple[tuple[str, _Failure], ...] = (
    ("Could not establish connection", (NoContentScript, "scanner not ready", "")),
    ("port closed before a response", _DOCUMENT),
    ("message channel closed", _DOCUMENT),
    ("message channel is closed", _DOCUMENT),
    ("back/forward cache", _DOCUMENT),
    ("Extension context invalidated", _DOCUMENT),
    ("No document with id", _DOCUMENT),
    ("No documents", _DOCUMENT),
    ("Invalid documentId", _DOCUMENT),
    ("Message manager disconnected", _DOCUMENT),
    ("went out of scope", _DOCUMENT),
    ("on disconnected port", _DOCUMENT),
    ("No tab with id", _TAB),
    ("The tab was closed", _TAB),
    ("Invalid tab ID", _TAB),
    ("No frame with id", _FRAME),
    ("Invalid frame ID", _FRAME),
    ("was removed", _FRAME),
    ("error page", _RESTRICTED),
    ("Cannot access", _RESTRICTED),
    ("cannot be scripted", _RESTRICTED),
    ("Missing host permission", _RESTRICTED),
    ("permission is required", _RESTRICTED),
    ("without local file access", _RESTRICTED),
    ("Cannot navigate to", _RESTRICTED),
    ("Invalid url", _URL),
    ("Illegal URL", _URL),
    ("Cannot find a next page in history", _HISTORY),
    ("CALLS_PER_SECOND", (CaptureRateLimited, "the browser allows no more screenshots this second", "Try again.")),
    (
        "Tabs cannot be edited right now",
        (BrowserFailed, "the browser's tabs can't be changed while somebody drags one", "Try again."),
    ),
)


def from_chrome(message: str) -> OrynError:
    """The error for the message of a rejected call."""
    for part, (kind, text, hint) in _MESSAGES:
        if part in message:
            return kind(text, hint)
    return BrowserFailed(f"the browser refused: {message}", "Try again, or 'goto' another page.")


# https://developer.chrome.com/docs/extensions/develop/concepts/match-patterns
_SCRIPTABLE_SCHEMES = frozenset({"http", "https", "file", "data", "blob", "filesystem"})
_OPENABLE_SCHEMES = frozenset({"http", "https", "blob"})
_STORE_HOSTS = frozenset({"chromewebstore.google.com", "microsoftedge.microsoft.com"})


def is_restricted(url: str) -> bool:
    """Whether no extension may access the page at `url`: its own pages, its store, other extensions'
    (docs/spec/extension-protocol.md#commands)."""
    parts = urlsplit(url)
    if parts.scheme == "about":
        return parts.path not in ("blank", "srcdoc")
    if parts.scheme == "blob":
        return is_restricted(url.removeprefix("blob:"))
    if parts.hostname in _STORE_HOSTS:
        return True
    if parts.hostname == "chrome.google.com" and parts.path.startswith("/webstore"):
        return True
    return bool(parts.scheme) and parts.scheme not in _SCRIPTABLE_SCHEMES


def require_access(url: str, *, files: bool) -> None:
    """Raises `CannotAccessPage` if commands have no effect on the page at `url`. `files` says whether the server may
    read files of the browser's computer."""
    if is_restricted(url) or (urlsplit(url).scheme == "file" and not files):
        raise CannotAccessPage


def may_open(url: str) -> bool:
    """Whether a web page may open `url`. An extension may open more: files, pages of the browser, its own."""
    parts = urlsplit(url)
    return parts.scheme in _OPENABLE_SCHEMES or (parts.scheme == "about" and parts.path == "blank")


TRUSTED_INPUT_SETTING = "'Real keys and mouse', a setting of the extension in Chromium"
"""The name in the popup of the setting that allows the debugger."""
UNRESPONSIVE_HINT = f"A dialog may be open: close it in the browser. With {TRUSTED_INPUT_SETTING}, 'dialog' answers it."
"""The hint for a page that does not answer."""


def dialogs_not_supported() -> NotSupported:
    """The error for commands about dialogs."""
    return NotSupported(hint=f"Dialogs need {TRUSTED_INPUT_SETTING}.")


def debugger_required() -> NotSupported:
    """The error for commands that only the debugger can run."""
    return NotSupported(hint=f"It needs {TRUSTED_INPUT_SETTING}.")


def require_no_cookies(headers: Mapping[str, str]) -> None:
    """Raises `NotSupported` for headers with cookies, which are the user's."""
    if any(name.lower() == "cookie" for name in headers):
        raise NotSupported(hint="Cookies are the user's: no extension of Oryn reads or sends them.")
