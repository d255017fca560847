"""The script that runs in each document before the page's own: Oryn's part, which makes the scanner's own realm and
reports its handle (`scanner/entries/webkit.ts`), what other parts of Oryn need there, and the user's scripts.

A page has one such script: a change sends the whole of it again, which counts from the next document on.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Page.json (`setBootstrapScript`)"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from oryn.browsers.base.emulation import PageScript, PageScripts
from oryn.browsers.common.protocol_session import ProtocolSession
from oryn.browsers.common.target_feature import FeatureTarget, TargetFeature
from oryn.core.records import Record, field
from oryn.errors import NameNotFound, ScriptError, Timeout
from oryn.scanner import bundle, page_script

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer

PAGE_GLOBALS = (
    *("document", "window", "location", "navigator", "performance"),
    *("getComputedStyle", "requestAnimationFrame", "setTimeout", "clearTimeout", "createImageBitmap"),
    *("Event", "ClipboardEvent", "DragEvent", "InputEvent", "KeyboardEvent", "MouseEvent", "PointerEvent"),
    *("TouchEvent", "Touch", "WheelEvent", "DataTransfer", "MutationObserver", "MessageChannel"),
    *("Blob", "File", "OffscreenCanvas"),
)
"""What the scanner uses of the page's own realm: its document and window, functions of the window, and constructors of
what the page gets to see. All else is its own realm's."""
BOOTSTRAP_URL = "web-inspector://bootstrap.js"
"""What the browser calls the script."""
OTHERS_SECONDS = 1.0
"""The time that tabs in the background get to take a changed script in, because one of them may hang."""
_SOURCE_URL = "\n//# sourceURL="
_GLOBALS = json.dumps([*PAGE_GLOBALS, "Promise"])
_DESTRUCTURED = f"{{{','.join(PAGE_GLOBALS)}}}"
# The braces keep names from being declared twice, and `function` declarations in the block.
_GUARDED = "try {\n%s\n} catch (error) { reportError(error) }"


def _random() -> str:
    return secrets.token_hex(8)


class BootstrapNames(Record):
    """Random names of one session, which no page knows; see `Names` in `scanner/entries/webkit.ts`.

    frame: the name of the frame that the scanner's realm is made from. It is in the page for no time that a script of
    the page could notice, but the browser reports it."""

    token: str = field(factory=_random)
    frame: str = field(factory=_random)
    key: str = field(factory=_random)
    mark: str = field(factory=_random)

    def to_json(self, *, reports: bool = True) -> str:
        """As the script takes them; without `reports` it leaves the console alone."""
        return json.dumps(
            {"token": self.token if reports else "", "frame": self.frame, "key": self.key, "mark": self.mark}
        )


@cache
def _install() -> str:
    """A function of the session's names. The bundle begins in the first line, so that the lines of errors are right."""
    scanner = f"({_DESTRUCTURED},globalThis)=>{{{bundle().partition(_SOURCE_URL)[0]}\n}}"
    own = {
        "listeners": f"({_DESTRUCTURED},getEventListeners)=>{page_script('listeners')}",
        "path_listeners": f"({_DESTRUCTURED},getEventListeners)=>{page_script('path_listeners')}",
        "frame": f"({_DESTRUCTURED})=>{page_script('frame')}",
    }
    scripts = ",".join(f"{name}:{text}" for name, text in own.items())
    call = f"{page_script('webkit')}(names,{_GLOBALS},load,{{{scripts}}})"
    return f"(names=>{{'use strict';const load={scanner};return {call}}})"


def installation(names: BootstrapNames, *, reports: bool = True) -> str:
    """An expression that installs the scanner in a document. Its value is the handle; null if it is there already."""
    return f"{_install()}({names.to_json(reports=reports)})"


BootstrapTab = FeatureTarget[ProtocolSession]


class Bootstrap(TargetFeature[ProtocolSession]):
    """The script of one session, in all its tabs. Attach it before other features."""

    def __init__(self) -> None:
        self.names = BootstrapNames()
        self._parts: dict[str, str] = {}
        self._parts_of_tabs: WeakKeyDictionary[BootstrapTab, dict[str, str]] = WeakKeyDictionary()
        self._user_scripts: list[str] = []
        self._sessions: dict[ProtocolSession, BootstrapTab] = {}

    def attach(self, page: BootstrapTab, session: ProtocolSession) -> None:
        self._sessions[session] = page
        self._send(session)

    def install_late(self, session: ProtocolSession, context: int, group: str) -> asyncio.Future[Answer]:
        """Install the scanner in a document whose scripts have run already; the answer has its handle, in a group of
        objects. They may hear of the names of its frame, which are good for this once."""
        names = BootstrapNames()
        session.send("Page.setBootstrapScript", {"source": installation(names)})
        params = {"expression": installation(names, reports=False), "contextId": context, "objectGroup": group}
        answer = session.send("Runtime.evaluate", params)
        self._send(session)
        return answer

    def set(
        self, key: str, source: str | None, page: BootstrapTab | None = None
    ) -> dict[ProtocolSession, asyncio.Future[Answer]]:
        """Run `source`, one statement, in every new document before the page's scripts, and before the user's: in all
        tabs, or in one alone. `key` names it for later changes; None removes it. Returns the tabs' answers."""
        parts = self._parts if page is None else self._parts_of_tabs.setdefault(page, {})
        if source is None:
            parts.pop(key, None)
        else:
            parts[key] = source
        return self._send_all()

    def set_user_scripts(self, sources: Sequence[str]) -> dict[ProtocolSession, asyncio.Future[Answer]]:
        """The user's scripts from now on, in their order."""
        self._user_scripts = list(sources)
        return self._send_all()

    def _send_all(self) -> dict[ProtocolSession, asyncio.Future[Answer]]:
        self._sessions = {session: page for session, page in self._sessions.items() if session.ended is None}
        return {session: self._send(session) for session in self._sessions}

    def _send(self, session: ProtocolSession) -> asyncio.Future[Answer]:
        return session.send("Page.setBootstrapScript", {"source": self._source(self._sessions[session])})

    def _source(self, page: BootstrapTab) -> str:
        parts = [*self._parts.values(), *self._parts_of_tabs.get(page, {}).values(), *self._user_scripts]
        install = installation(self.names)
        if not parts:
            return install
        return "\n".join([f"if ({install}) {{", *(_GUARDED % part for part in parts), "}"])


class WebKitPageScripts(PageScripts):
    """The page scripts of one session. `current` returns the session of the tab that compiles them."""

    def __init__(self, bootstrap: Bootstrap, current: Callable[[], ProtocolSession]) -> None:
        self._bootstrap = bootstrap
        self._current = current
        self._scripts: dict[int, PageScript] = {}
        self._next = 1

    def all(self) -> Sequence[PageScript]:
        return list(self._scripts.values())

    async def add(self, name: str, source: str, *, timeout: float = 30) -> PageScript:
        await self._compile(source, timeout)
        script = PageScript(self._next, name, source)
        self._next += 1
        self._scripts[script.number] = script
        await self._apply(timeout)
        return script

    async def remove(self, number: int, *, timeout: float = 30) -> PageScript:
        script = self._scripts.pop(number, None)
        if script is None:
            numbers = ", ".join(map(str, self._scripts)) or "none"
            raise NameNotFound(f"there is no script {number}", f"Scripts: {numbers}.")
        await self._apply(timeout)
        return script

    async def _apply(self, timeout: float) -> None:
        sent = self._bootstrap.set_user_scripts([script.source for script in self._scripts.values()])
        own = sent.pop(self._current(), None)
        late = (await asyncio.wait([own], timeout=timeout))[1] if own is not None else ()
        if sent:
            await asyncio.wait(sent.values(), timeout=min(timeout, OTHERS_SECONDS))
        if late:
            raise Timeout(
                "the page did not answer", "It may be busy: 'goto' another page; the change applies from then on."
            )

    async def _compile(self, source: str, timeout: float) -> None:
        """Compile the source, first by itself, so that it can't close the block around it. Raises `ScriptError`."""
        for text in (source, _GUARDED % source):
            answer = await self._current().call("Runtime.parse", {"source": text}, timeout=timeout)
            if answer["result"] != "none":
                raise ScriptError(str(answer.get("message", "it is no JavaScript")))
