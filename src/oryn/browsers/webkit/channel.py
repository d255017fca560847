"""Commands to one tab of WebKit: to its page (Web Inspector's protocol), and to the browser about it (`Automation`).

The page is an inner target of the tab. A navigation may put another one in its place, in another process, so the
session changes; the browser's handle of the tab stays.

Commands fail at once while a dialog is open, and after the tab has crashed or closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.tab_commands import TabCommands
from oryn.browsers.common.tab_state import TabState
from oryn.core.error_text import round_up_seconds
from oryn.errors import DialogOpen, OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.webkit.session import InnerSession, WebKitSession
    from oryn.browsers.webkit.target import WebKitTarget

SLOW_SECONDS = 0.05
"""An answer of a page that takes longer is slow."""
MAX_SLOW_SECONDS = 1.0
"""The longest time between two reports of the same slow answer."""
RENDERER_METHODS = ("Runtime.", "DOM.", "Page.", "Console.", "Debugger.")
"""Methods that the page's process answers, and therefore not while a dialog is open."""


INPUT_METHODS = ("perform", "evaluate")
"""Methods of the domain `Automation` that the page's process answers."""


class SlowAnswer:
    """Reports an answer that does not come: after `SLOW_SECONDS`, then in growing distances, until `end`."""

    def __init__(self, report: Callable[[], None]) -> None:
        self._report = report
        self._delay = SLOW_SECONDS
        self._timer = asyncio.get_running_loop().call_later(self._delay, self._on_time)

    def _on_time(self) -> None:
        self._delay = min(2 * self._delay, MAX_SLOW_SECONDS)
        self._timer = asyncio.get_running_loop().call_later(self._delay, self._on_time)
        self._report()

    def end(self) -> None:
        self._timer.cancel()


class WebKitChannel(TabState, TabCommands["WebKitSession"]):
    """The state and the sessions of one tab.

    handle: the browser's name of the tab in the domain `Automation`."""

    def __init__(self, target: WebKitTarget, handle: str) -> None:
        super().__init__()
        self.target = target
        self.handle = handle
        """Another one after the browser has begun its domain `Automation` anew, as it does after a crash."""
        self._automated: dict[asyncio.Future[Answer], str] = {}
        """The commands of the domain `Automation` about this tab that wait for their answers, with their methods."""
        self.on_slow: Callable[[], None] | None = None
        """Called again and again while the page does not answer a command, from `SLOW_SECONDS` on: a dialog may be
        open that nothing reports."""

    @property
    def automation(self) -> WebKitSession:
        """The present session of the domain `Automation`, for all tabs."""
        return self.target.inspector.connection.automation

    @property
    def session(self) -> InnerSession:  # type: ignore[override]  # it changes with the target's
        """The session of the page that is shown."""
        assert self.target.session is not None, "a page is created after its inspector"
        return self.target.session

    @property
    def sessions(self) -> Sequence[WebKitSession]:
        """The sessions that a feature has been attached to: there is one for all frames."""
        return [self.session]

    async def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: WebKitSession | None = None,
        timeout: float = 30,
    ) -> Answer:
        if self.on_slow is None:
            return await super().call(method, params, session=session, timeout=timeout)
        watch = SlowAnswer(self.on_slow)
        try:
            return await super().call(method, params, session=session, timeout=timeout)
        finally:
            watch.end()

    async def automate(self, method: str, params: dict[str, Any] | None = None, *, timeout: float = 30) -> Answer:
        """Send a command of the domain `Automation` about this tab and wait at most `timeout`
        seconds; the parameters need not name the tab.

        Raises `Timeout`, `DialogOpen`, `PageCrashed`, and the errors of `ProtocolSession.call`."""
        self.check_alive()
        answer = self.send_automation(method, params)
        self._automated[answer] = method
        try:
            async with asyncio.timeout(timeout):
                return await answer
        except TimeoutError:
            raise Timeout(
                f"the browser did not answer within {round_up_seconds(timeout):g} s",
                "The page may be busy: try again, or 'goto' another page.",
            ) from None
        finally:
            del self._automated[answer]

    def send_automation(self, method: str, params: dict[str, Any] | None = None) -> asyncio.Future[Answer]:
        """Send such a command without waiting. A failure that nobody awaits is dropped."""
        return self.automation.send(f"Automation.{method}", self._named(params))

    def _named(self, params: dict[str, Any] | None) -> dict[str, Any]:
        # Some commands have one name for the tab, some the other; what a command does not know is ignored.
        return {"handle": self.handle, "browsingContextHandle": self.handle, **(params or {})}

    def interrupt(self, reason: OrynError) -> None:
        is_dialog = isinstance(reason, DialogOpen)
        self.session.interrupt(reason, RENDERER_METHODS if is_dialog else ("",))
        for answer, method in self._automated.items():
            if not answer.done() and (not is_dialog or method.startswith(INPUT_METHODS)):
                answer.set_exception(reason)
