"""Seeds web storage of origins that no tab has open; applied when a document of that origin loads.

A script that runs before the page's own writes the entries into the document of the right origin in the right frame,
only once, so that storage which the page clears stays cleared.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from oryn.browsers.cdp.feature import TargetFeature
from oryn.browsers.cdp.frames import WORLD_NAME
from oryn.browsers.common.storage import fits, seed_script
from oryn.core.records import Record, field

if TYPE_CHECKING:
    from oryn.browsers.base.storage import OriginStorage
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import CdpTarget
    from oryn.browsers.cdp.frames import CdpFrameNode
    from oryn.browsers.chromium.page import CdpPage
    from oryn.browsers.common.protocol_session import Answer

_ADD = "Page.addScriptToEvaluateOnNewDocument"
_REMOVE = "Page.removeScriptToEvaluateOnNewDocument"


class PendingSeed(Record, frozen=False):
    """Storage of an origin that waits for a document of that origin in one tab."""

    area: OriginStorage
    installed: dict[CdpSession, asyncio.Future[Answer]] = field(factory=dict)
    """By session, the answer with the browser's identifier of the script."""

    def install(self, session: CdpSession) -> None:
        self.installed[session] = session.send(_ADD, {"source": seed_script(self.area), "worldName": WORLD_NAME})

    def remove(self) -> None:
        for session, answer in self.installed.items():
            answer.add_done_callback(partial(_remove, session))


def _remove(session: CdpSession, answer: asyncio.Future[Answer]) -> None:
    if not answer.cancelled() and answer.exception() is None and session.ended is None:
        session.send(_REMOVE, {"identifier": answer.result()["identifier"]})


class StorageSeeder(TargetFeature):
    """Seeds the storage of documents that tabs load later."""

    def __init__(self) -> None:
        self._pending: dict[CdpTarget, list[PendingSeed]] = {}

    # --- targets ---

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        for seed in self._pending.get(page, ()):
            seed.install(session)

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        if session is page.channel.session:
            self._pending.pop(page, None)
        for seed in self._pending.get(page, ()):
            seed.installed.pop(session, None)

    # --- pending seeds ---

    async def add(self, page: CdpPage, areas: Sequence[OriginStorage], timeout: float) -> None:
        """Seed `areas` when `page` loads documents of their origins. Raises `Timeout`, and errors of the tab."""
        self._pending = {each: seeds for each, seeds in self._pending.items() if each.channel.session.ended is None}
        if page not in self._pending:
            self._pending[page] = []
            page.frame_tree.on_commit.append(partial(self._on_committed, page))
        sent: list[asyncio.Future[Answer]] = []
        for area in areas:
            seed = PendingSeed(area)
            self._pending[page].append(seed)
            for session in page.channel.sessions:
                seed.install(session)
            sent += seed.installed.values()
        await page.channel.pipeline(sent, timeout)

    def forget(self, origin: str) -> None:
        """Drop pending seeds for top documents of this origin."""
        for page, seed in [(page, seed) for page, seeds in self._pending.items() for seed in seeds]:
            if seed.area.origin == seed.area.top == origin:
                self._drop(page, seed)

    def _on_committed(self, page: CdpPage, node: CdpFrameNode) -> None:
        for seed in list(self._pending.get(page, ())):
            if fits(seed.area, node, page.frame_tree.top):
                self._drop(page, seed)

    def _drop(self, page: CdpTarget, seed: PendingSeed) -> None:
        self._pending[page].remove(seed)
        seed.remove()
