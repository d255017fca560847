"""What documents begin with once a tab comes to them: the storage of pages that are not there yet.

A script before the page's own writes it, into the document of the right origin in the right place, once: what a page
has cleared stays cleared.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from oryn.browsers.cdp.features import Feature
from oryn.browsers.cdp.frames import WORLD_NAME
from oryn.records import Record, field

if TYPE_CHECKING:
    from oryn.browsers.base.storage import Area
    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.frames import Node
    from oryn.browsers.cdp.page import CdpPage

_ADD = "Page.addScriptToEvaluateOnNewDocument"
_REMOVE = "Page.removeScriptToEvaluateOnNewDocument"

# A page may be denied its storage, or have less room than it had: it then begins without.
_BEGIN = """(() => {
  const around = location.ancestorOrigins;
  if (location.origin !== %(origin)s) return;
  if ((around.length ? around[around.length - 1] : location.origin) !== %(top)s) return;
  for (const [name, entries] of [['sessionStorage', %(session)s], ['localStorage', %(local)s]]) {
    try {
      const area = globalThis[name];
      if (!area.length) for (const [key, value] of entries) area.setItem(key, value);
    } catch {}
  }
})()"""


class Expected(Record, frozen=False):
    area: Area
    installed: dict[Session, asyncio.Future[Answer]] = field(factory=dict)
    """By target, the answer with the browser's own name for the script."""

    def install(self, session: Session) -> None:
        # JSON in ASCII is JavaScript.
        source = _BEGIN % {
            "origin": json.dumps(self.area.origin),
            "top": json.dumps(self.area.top),
            "session": json.dumps(list(self.area.session.items())),
            "local": json.dumps(list(self.area.local.items())),
        }
        self.installed[session] = session.send(_ADD, {"source": source, "worldName": WORLD_NAME})

    def remove(self) -> None:
        for session, answer in self.installed.items():
            answer.add_done_callback(partial(_remove, session))


def _remove(session: Session, answer: asyncio.Future[Answer]) -> None:
    if not answer.cancelled() and answer.exception() is None and session.ended is None:
        session.send(_REMOVE, {"identifier": answer.result()["identifier"]})


class Returning(Feature):
    def __init__(self) -> None:
        self._expected: dict[CdpPage, list[Expected]] = {}

    # --- targets that come and go ---

    def attach(self, page: CdpPage, session: Session) -> None:
        for one in self._expected.get(page, ()):
            one.install(session)

    def detach(self, page: CdpPage, session: Session) -> None:
        if session is page.channel.session:
            self._expected.pop(page, None)
        for one in self._expected.get(page, ()):
            one.installed.pop(session, None)

    # --- what is expected ---

    async def expect(self, page: CdpPage, areas: Sequence[Area], timeout: float) -> None:
        """Raises `Timeout`, and what keeps the tab from answering."""
        self._expected = {each: kept for each, kept in self._expected.items() if each.channel.failure is None}
        if page not in self._expected:
            self._expected[page] = []
            page.frame_tree.on_commit.append(partial(self._committed, page))
        sent: list[asyncio.Future[Answer]] = []
        for area in areas:
            one = Expected(area)
            self._expected[page].append(one)
            for session in page.channel.sessions:
                one.install(session)
            sent += one.installed.values()
        await page.channel.pipeline(sent, timeout)

    def forget(self, origin: str) -> None:
        """Nothing is expected any more of top documents of this origin."""
        for page, one in list(self._all()):
            if one.area.origin == one.area.top == origin:
                self._drop(page, one)

    def _all(self) -> Iterator[tuple[CdpPage, Expected]]:
        for page, waiting in self._expected.items():
            for one in waiting:
                yield page, one

    def _committed(self, page: CdpPage, node: Node) -> None:
        top = page.frame_tree.top
        for one in list(self._expected.get(page, ())):
            if (
                one.area.origin == node.origin
                and one.area.top == top.origin
                and (node is top or one.area.top != node.origin)
            ):
                self._drop(page, one)

    def _drop(self, page: CdpPage, one: Expected) -> None:
        self._expected[page].remove(one)
        one.remove()
