"""Scripts of a session that run in every new document before the page's own scripts.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base.emulation import PageScript, PageScripts
from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.broadcast import wait_for_answers
from oryn.browsers.cdp.feature import TargetFeature
from oryn.errors import NameNotFound

if TYPE_CHECKING:
    import asyncio

    from oryn.browsers.cdp.broadcast import BroadcastTabs
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import CdpTarget
    from oryn.browsers.common.protocol_session import Answer

_ADD = "Page.addScriptToEvaluateOnNewDocument"
_REMOVE = "Page.removeScriptToEvaluateOnNewDocument"

# The browser runs the scripts in its own error pages, too, where one could press "Proceed (unsafe)". The block keeps
# `function` declarations from being hoisted out of the condition.
_GUARDED_SCRIPT = 'if (location.protocol !== "chrome-error:") {\n%s\n}'


class CdpPageScripts(TargetFeature, PageScripts):
    """The page scripts of one session, installed in every target."""

    def __init__(self, tabs: BroadcastTabs) -> None:
        self._tabs = tabs
        self._scripts: dict[int, PageScript] = {}
        self._installed: dict[CdpSession, dict[int, asyncio.Future[Answer]]] = {}
        """By target and number of the script, the answer with the browser's identifier of it."""
        self._next = 1

    # --- targets ---

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        self._installed[session] = {number: _install(session, script) for number, script in self._scripts.items()}

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        self._installed.pop(session, None)

    # --- scripts ---

    def all(self) -> Sequence[PageScript]:
        return list(self._scripts.values())

    async def add(self, name: str, source: str, *, timeout: float = 30) -> PageScript:
        await self._compile(source, timeout)
        script = PageScript(self._next, name, source)
        self._next += 1
        self._scripts[script.number] = script
        for session, installed in self._targets():
            installed[script.number] = _install(session, script)
        # A navigation to another process would lose a script that the target does not have yet.
        sent = {session: [installed[script.number]] for session, installed in self._targets()}
        await wait_for_answers(self._tabs, sent, timeout)
        return script

    async def remove(self, number: int, *, timeout: float = 30) -> PageScript:
        script = self._scripts.pop(number, None)
        if script is None:
            numbers = ", ".join(map(str, self._scripts)) or "none"
            raise NameNotFound(f"there is no script {number}", f"Scripts: {numbers}.")
        added = {session: installed.pop(number) for session, installed in self._targets() if number in installed}
        await wait_for_answers(self._tabs, {session: [answer] for session, answer in added.items()}, timeout)
        removed = [
            (session, session.send(_REMOVE, {"identifier": answer.result()["identifier"]}))
            for session, answer in added.items()
            if answer.done() and answer.exception() is None
        ]
        await wait_for_answers(self._tabs, {session: [answer] for session, answer in removed}, timeout)
        return script

    def _targets(self) -> list[tuple[CdpSession, dict[int, asyncio.Future[Answer]]]]:
        """The targets that exist, each with its scripts. The targets of a crashed browser were never detached."""
        self._installed = {session: scripts for session, scripts in self._installed.items() if session.ended is None}
        return list(self._installed.items())

    async def _compile(self, source: str, timeout: float) -> None:
        """Compile the source, first by itself, so that it can't close the block around it. Raises `ScriptError`."""
        for text in (source, _GUARDED_SCRIPT % source):
            params = {"expression": text, "sourceURL": "", "persistScript": False}
            answer = await self._tabs.get(None).channel.call("Runtime.compileScript", params, timeout=timeout)
            if "exceptionDetails" in answer:
                raise error_mapping.error_from_exception(answer["exceptionDetails"])


def _install(session: CdpSession, script: PageScript) -> asyncio.Future[Answer]:
    return session.send(_ADD, {"source": _GUARDED_SCRIPT % script.source})
