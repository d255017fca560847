"""The first commands to a browser: discover and attach tabs, report downloads, open the first tab.

They are sent before other modules are imported, so that a browser that is starting can read them at once.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common.protocol_session import Answer

BLANK = {"url": "about:blank"}
PAGES = [{"type": "page"}, {"exclude": True}]


def enable_auto_attach(root: CdpSession, *, new_tab: bool) -> asyncio.Future[Answer] | None:
    """Attach every tab that opens. Returns the answer to the request for a first tab if `new_tab` is set, else None."""
    discover_tabs(root)
    # No script runs in a blank tab, so the first one is not paused, which would delay its renderer.
    set_auto_attach(root, pause=not new_tab)
    return request_blank_tab(root) if new_tab else None


def discover_tabs(root: CdpSession) -> None:
    """Report every tab that is open, opens, changes or closes, without attaching it."""
    root.send("Target.setDiscoverTargets", {"discover": True, "filter": PAGES})


def request_blank_tab(root: CdpSession, context: Mapping[str, str] | None = None) -> asyncio.Future[Answer]:
    """Open a blank tab in a browser context (default: the default context)."""
    return root.send("Target.createTarget", {**BLANK, **(context or {})})


def set_download_behavior(
    root: CdpSession, folder: Path | None, context: Mapping[str, str] | None = None, *, fallback: str = "default"
) -> None:
    """Report the downloads of a browser context (default: the default context), and store them in `folder`.

    fallback: the behaviour without a folder, `default` or `deny`."""
    params: dict[str, Any] = {"behavior": fallback, "eventsEnabled": True, **(context or {})}
    if folder is not None:
        # The browser makes up the file names, so that a page can't choose them.
        params |= {"behavior": "allowAndName", "downloadPath": str(folder)}
    root.send("Browser.setDownloadBehavior", params)


def set_auto_attach(root: CdpSession, *, pause: bool) -> None:
    """Attach every tab that opens; `pause` it until it is set up, so that no event of it is missed."""
    params = {"autoAttach": True, "waitForDebuggerOnStart": pause, "flatten": True, "filter": PAGES}
    root.send("Target.setAutoAttach", params)


def end_auto_attach(root: CdpSession) -> None:
    """Leave tabs that open alone from now on; those that were attached by themselves are detached."""
    root.send("Target.setAutoAttach", {"autoAttach": False, "waitForDebuggerOnStart": False, "flatten": True})
