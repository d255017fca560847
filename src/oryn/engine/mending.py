"""A tab that has crashed, in a session that its host keeps: what it showed is loaded again before the next command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine import escape
from oryn.errors import PageCrashed

if TYPE_CHECKING:
    from oryn.engine.session import Session


async def load_again(session: Session) -> None:
    """Put another tab in the place of the crashed one, on the same page, and say so in the next answer. Raises what
    loading a page does; a page that makes its tab crash does it again."""
    url = session.page.url
    try:
        await _load(session, url)
    except PageCrashed:
        # The browser may have given the new tab a renderer that died along with the old one's.
        await _load(session, url)
    session.frame = None
    session.view.forget()
    session.news.append(
        f"the tab had crashed, and shows {escape.url(url)} again; numbers and references from before are void"
    )


async def _load(session: Session, url: str) -> None:
    await session.browser.revive()
    if url and url != "about:blank":
        from oryn.engine.execute.moving import destination

        url = await destination(session, url)  # what the tab showed may be nothing that a command opens
        await session.page.goto(url, timeout=session.remaining())
