"""Commands to one tab, which has a session for its top document and one for each frame in a process of its own.

Commands fail at once while a dialog is open, and after the tab has crashed or closed."""

from __future__ import annotations

from typing import TypeAlias

from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common import tab_commands
from oryn.browsers.common.tab_state import TabState
from oryn.errors import DialogOpen, OrynError

# Methods that the renderer answers, and therefore does not answer while a dialog is open.
RENDERER_METHODS = ("Runtime.", "Input.", "DOM.", "Page.captureScreenshot", "Page.createIsolatedWorld")

TabCommands: TypeAlias = tab_commands.TabCommands[CdpSession]


class CdpChannel(TabState, TabCommands):
    """The state and the sessions of one tab."""

    def __init__(self, session: CdpSession) -> None:
        super().__init__()
        self.session = session
        self.sessions: list[CdpSession] = [session]

    def interrupt(self, reason: OrynError) -> None:
        for session in self.sessions:
            if isinstance(reason, DialogOpen):
                session.interrupt(reason, RENDERER_METHODS)
            else:
                session.interrupt(reason)
