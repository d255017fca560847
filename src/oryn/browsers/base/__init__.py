"""What a browser must offer to the engine, and nothing more.

A `Browser` is one session's browser with its tabs; a `Page` is one tab. Each method is implemented by a backend, or
left as it stands here, where it raises `NotSupported` (`not supported in this mode`). Standard library only: the engine
imports this module, also on Pyodide.

Times are seconds (`float`), lengths CSS pixels, points relative to the top-left corner of the tab's viewport. No method
may wait longer than its `timeout`; a page that hangs, loops or opens dialogs makes it raise `errors.Timeout` or
`errors.DialogOpen`, never block.
"""

from __future__ import annotations

from oryn.browsers.base.browser import Browser
from oryn.browsers.base.page import Page
from oryn.browsers.base.values import (
    Cookie,
    Dialog,
    DialogKind,
    DialogPolicy,
    Download,
    FileChooser,
    Frame,
    Happened,
    ImageFormat,
    LoadState,
    Mark,
    MouseButton,
    Navigation,
    Place,
    Rect,
    Tab,
)

__all__ = [
    "Browser",
    "Cookie",
    "Dialog",
    "DialogKind",
    "DialogPolicy",
    "Download",
    "FileChooser",
    "Frame",
    "Happened",
    "ImageFormat",
    "LoadState",
    "Mark",
    "MouseButton",
    "Navigation",
    "Page",
    "Place",
    "Rect",
    "Tab",
]
