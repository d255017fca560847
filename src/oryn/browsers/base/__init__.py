"""The interface between the engine and a browser.

A `Browser` is one session's browser with its tabs; a `Page` is one tab. A backend implements the methods that it
supports; the others raise `NotSupported` (`not supported in this mode`), as they do here. Standard library only: the
engine imports this module, also on Pyodide.

Times are seconds (`float`), lengths CSS pixels, points relative to the top-left corner of the tab's viewport. No method
may wait longer than its `timeout`: if a page hangs, loops or opens dialogs, it raises `errors.Timeout` or
`errors.DialogOpen` and never blocks.
"""

from __future__ import annotations

from oryn.browsers.base.browser import Browser
from oryn.browsers.base.input import Keyboard, Mouse
from oryn.browsers.base.page import Page
from oryn.browsers.base.types import (
    NO_CONTENT_STATUSES,
    BrowserInfo,
    Checkpoint,
    Cookie,
    Dialog,
    DialogKind,
    DialogPolicy,
    Download,
    FileChooser,
    Frame,
    FrameArea,
    ImageFormat,
    LoadState,
    MouseButton,
    Navigation,
    PageEffects,
    Rect,
    Tab,
)

__all__ = [
    "NO_CONTENT_STATUSES",
    "Browser",
    "BrowserInfo",
    "Checkpoint",
    "Cookie",
    "Dialog",
    "DialogKind",
    "DialogPolicy",
    "Download",
    "FileChooser",
    "Frame",
    "FrameArea",
    "ImageFormat",
    "Keyboard",
    "LoadState",
    "Mouse",
    "MouseButton",
    "Navigation",
    "Page",
    "PageEffects",
    "Rect",
    "Tab",
]
