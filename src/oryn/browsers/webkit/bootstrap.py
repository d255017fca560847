"""The script that runs in each document before the page's own: Oryn's part, which makes the scanner's own realm and
reports its handle (`scanner/entries/webkit.ts`), and then the user's scripts.

https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Page.json (`setBootstrapScript`)"""

from __future__ import annotations

import json
import secrets
from functools import cache

from oryn.core.records import Record, field
from oryn.scanner import bundle, page_script

PAGE_GLOBALS = (
    *("document", "window", "location", "navigator", "performance"),
    *("getComputedStyle", "requestAnimationFrame", "setTimeout", "clearTimeout", "createImageBitmap"),
    *("Event", "ClipboardEvent", "DragEvent", "InputEvent", "KeyboardEvent", "MouseEvent", "PointerEvent"),
    *("TouchEvent", "Touch", "WheelEvent", "DataTransfer", "MutationObserver", "MessageChannel"),
    *("Blob", "File", "OffscreenCanvas"),
)
"""What the scanner uses of the page's own realm: its document and window, functions of the window, and constructors of
what the page gets to see. All else is its own realm's."""
_SOURCE_URL = "\n//# sourceURL="


def _random() -> str:
    return secrets.token_hex(8)


class BootstrapNames(Record):
    """Random names of one session, which no page knows.

    token: the first parameter of the console message that has the handle.
    frame: the name of the frame that the scanner's realm is made from. It is in the page for no time that a script of
    the page could notice, but the browser reports it.
    key: a property of that frame's element."""

    token: str = field(factory=_random)
    frame: str = field(factory=_random)
    key: str = field(factory=_random)


@cache
def _install() -> str:
    """A function of the session's names. The bundle begins in the first line, so that the lines of errors are right."""
    scanner = f"({{{','.join(PAGE_GLOBALS)}}},globalThis)=>{{{bundle().partition(_SOURCE_URL)[0]}\n}}"
    return f"(names=>{{'use strict';const load={scanner};return {page_script('webkit')}(names,{_GLOBALS},load)}})"


_GLOBALS = json.dumps([*PAGE_GLOBALS, "Promise"])


def expression(names: BootstrapNames) -> str:
    """An expression that installs the scanner in a document, and whose value is its handle."""
    return f"{_install()}({json.dumps({'token': names.token, 'frame': names.frame, 'key': names.key})})"
