"""Scripts that run before each page's own.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base.page_scripts import PageScript, PageScripts
from oryn.browsers.cdp import failures
from oryn.browsers.cdp.features import Feature
from oryn.browsers.cdp.telling import answered
from oryn.errors import NameNotFound

if TYPE_CHECKING:
    import asyncio

    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.features import Target
    from oryn.browsers.cdp.telling import Tabs

_ADD = "Page.addScriptToEvaluateOnNewDocument"
_REMOVE = "Page.removeScriptToEvaluateOnNewDocument"

# The browser runs them in its own pages, too, where one could press "Proceed (unsafe)". In a block, for what a script
# declares with `function` would else be there before its first statement runs.
_ELSEWHERE = 'if (location.protocol !== "chrome-error:") {\n%s\n}'


class CdpPageScripts(Feature, PageScripts):
    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._scripts: dict[int, PageScript] = {}
        self._installed: dict[Session, dict[int, asyncio.Future[Answer]]] = {}
        """By target and number, the answer with the browser's own name for it."""
        self._next = 1

    # --- targets that come and go ---

    def attach(self, page: Target, session: Session) -> None:
        self._installed[session] = {number: _install(session, script) for number, script in self._scripts.items()}

    def detach(self, page: Target, session: Session) -> None:
        self._installed.pop(session, None)

    # --- the contract ---

    def all(self) -> Sequence[PageScript]:
        return list(self._scripts.values())

    async def add(self, name: str, source: str, *, timeout: float = 30) -> PageScript:
        await self._compile(source, timeout)
        script = PageScript(self._next, name, source)
        self._next += 1
        self._scripts[script.number] = script
        for session, installed in self._targets():
            installed[script.number] = _install(session, script)
        # Until a target has it, a navigation to another process would leave it behind.
        sent = {session: [installed[script.number]] for session, installed in self._targets()}
        await answered(self._tabs, sent, timeout)
        return script

    async def remove(self, number: int, *, timeout: float = 30) -> PageScript:
        script = self._scripts.pop(number, None)
        if script is None:
            known = ", ".join(map(str, self._scripts)) or "none"
            raise NameNotFound(f"there is no script {number}", f"Scripts: {known}.")
        added = {session: installed.pop(number) for session, installed in self._targets() if number in installed}
        await answered(self._tabs, {session: [answer] for session, answer in added.items()}, timeout)
        removed = [
            (session, session.send(_REMOVE, {"identifier": answer.result()["identifier"]}))
            for session, answer in added.items()
            if answer.done() and answer.exception() is None
        ]
        await answered(self._tabs, {session: [answer] for session, answer in removed}, timeout)
        return script

    def _targets(self) -> list[tuple[Session, dict[int, asyncio.Future[Answer]]]]:
        """Those that are there, each with what it has. A browser that died took its own along without a word."""
        self._installed = {session: has for session, has in self._installed.items() if session.ended is None}
        return list(self._installed.items())

    async def _compile(self, source: str, timeout: float) -> None:
        """Raises `ScriptError`. By itself, so that it can't end its block, and in it."""
        for text in (source, _ELSEWHERE % source):
            params = {"expression": text, "sourceURL": "", "persistScript": False}
            answer = await self._tabs.get(None).channel.call("Runtime.compileScript", params, timeout=timeout)
            if "exceptionDetails" in answer:
                raise failures.from_exception(answer["exceptionDetails"])


def _install(session: Session, script: PageScript) -> asyncio.Future[Answer]:
    return session.send(_ADD, {"source": _ELSEWHERE % script.source})
