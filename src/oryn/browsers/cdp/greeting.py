"""The first words to a browser: what it shall tell us, and the tab that one of our own begins with.

Sent before anything else is imported: a browser that is starting reads them as soon as it can.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oryn.browsers.cdp.connection import Answer, Session

BLANK = {"url": "about:blank"}
PAGES = [{"type": "page"}, {"exclude": True}]


def greet(root: Session, *, new_tab: bool) -> asyncio.Future[Answer] | None:
    """Have tabs attached as they come. The future of a first tab that was asked for, or None."""
    root.send("Target.setDiscoverTargets", {"discover": True, "filter": PAGES})
    # Nothing runs in a blank tab, so the first one need not wait for us, which would delay its renderer.
    attach_tabs(root, hold=not new_tab)
    return ask_for_tab(root) if new_tab else None


def ask_for_tab(root: Session, context: Mapping[str, str] | None = None) -> asyncio.Future[Answer]:
    """A tab that shows nothing, in a context (default: the default one)."""
    return root.send("Target.createTarget", {**BLANK, **(context or {})})


def tell_downloads(
    root: Session, folder: Path | None, context: Mapping[str, str] | None = None, *, without: str = "default"
) -> None:
    """Have the downloads of a context (default: the default one) told, and kept in `folder`; `without` one they are
    treated by `default` or `deny`."""
    behaviour: dict[str, Any] = {"behavior": without, "eventsEnabled": True, **(context or {})}
    if folder is not None:
        # Under a name of its own, so that a page can't choose where it lands.
        behaviour |= {"behavior": "allowAndName", "downloadPath": str(folder)}
    root.send("Browser.setDownloadBehavior", behaviour)


def attach_tabs(root: Session, *, hold: bool) -> None:
    """Attach every tab as it comes; `hold` it until it is set up, so that nothing of it is missed."""
    params = {"autoAttach": True, "waitForDebuggerOnStart": hold, "flatten": True, "filter": PAGES}
    root.send("Target.setAutoAttach", params)
