"""Follows the tabs of one session, from the moment the browser lists them until they close.

The browser names a tab twice: by the number of its inspector in the list of targets, and by a handle in the domain
`Automation`. No message connects the two, so they are paired here.

If a process of the browser dies, the automation session ends, and another one is started in its place. Cookies stay.
The inspectors of tabs whose process has died never answer again, so these tabs are replaced by new ones."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from oryn.browsers.common.events import Deadline, Signal
from oryn.browsers.common.tab_state import page_crashed
from oryn.browsers.webkit import error_mapping
from oryn.browsers.webkit.connection import RemoteTarget, WebKitConnection
from oryn.browsers.webkit.page import WebKitPage, WebKitPageSettings
from oryn.browsers.webkit.tabs import WebKitTabs
from oryn.browsers.webkit.target import WebKitTarget
from oryn.errors import BrowserFailed, NotSupported, OrynError, TabLimit, TabNotFound

ANSWER_SECONDS = 5.0
OPEN_SECONDS = 5.0
"""How long a tab may take to open."""
PAIR_SECONDS = 1.0
"""How long a new page may take to answer, where two tabs of one address are told apart."""
MARKED_DOCUMENTS = 3
"""How many documents of a new tab are looked at for that."""
NAME_SECONDS = 0.3
"""How long a new tab may be without its address."""
POLL_SECONDS = 0.02
"""The time between two questions for what no event reports."""
_BLANK = "about:blank"
_OPEN = "function(url) { open(url, '_blank', 'noopener'); }"
_UNNAME = f"location.hash && history.replaceState(null, '', '{_BLANK}')"
_MARK = "Object.defineProperty(globalThis, '%s', { configurable: true, value: 1 }); 0"
_UNMARK = "delete globalThis['%s']"
_HAS = "function(name) { return name in globalThis; }"

Context = Mapping[str, Any]
"""A tab as the domain `Automation` has it: `handle`, `url`, ….
https://github.com/WebKit/WebKit/blob/main/Source/WebKit/UIProcess/Automation/Automation.json"""


class WebKitTargets:
    """Follows the tabs of one browser and keeps `tabs` up to date.

    max_tabs: tabs that may be open; 0 means no limit."""

    def __init__(
        self, connection: WebKitConnection, tabs: WebKitTabs, settings: WebKitPageSettings, *, max_tabs: int = 0
    ) -> None:
        self._connection = connection
        self._tabs = tabs
        self._settings = settings
        self._max_tabs = max_tabs
        self._handles: dict[int, str] = {}
        """The handles of the tabs that have been paired, by their numbers."""
        self._has_one_view = False
        """Whether the browser creates no further tab by itself: then pages open them."""
        self._first = 0
        """The number of the browser's first tab."""
        self._keeper: str | None = None
        """The handle of a blank tab that is none of the session's, in which tabs are opened."""
        self._adoptions: dict[int, asyncio.Task[None]] = {}
        """The listed tabs that are or have been adopted, by number."""
        self._adopting = asyncio.Lock()
        self._creating = asyncio.Lock()
        self._awaited: dict[str, asyncio.Future[tuple[WebKitTarget, str]]] = {}
        """The tabs that we are opening, by address or handle."""
        self._hidden: dict[WebKitTarget, str] = {}
        self._listed = Signal()
        """Notified after each list of the browser."""
        self._crashed = Signal()
        """Notified when the automation session ends."""
        self._recovery: asyncio.Task[None] | None = None
        self._ended = False

    async def start(self) -> None:
        """Follow the tabs; one is open after that. Raises `BrowserFailed`."""
        self._connection.on_automation_lost = self._on_automation_lost
        self._tabs.on_refresh = self.refresh
        before = await self._contexts()
        # The inspector of a tab that has no process yet stays deaf in WebKit 2.54: it is opened after this answer.
        created = await self._automate("createBrowsingContext")
        self._has_one_view = any(context["handle"] == created["handle"] for context in before)
        self._connection.on_targets_changed.append(self._on_targets)
        self._on_targets()
        if not await self._tabs.changed.until(lambda: self._tabs.current is not None, ANSWER_SECONDS):
            raise BrowserFailed("the browser did not open its first tab", "Run 'goto' again.")
        self._first = min(self._adoptions)

    async def _automate(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self._connection.automation.call(f"Automation.{method}", params, timeout=ANSWER_SECONDS)

    async def _contexts(self) -> list[Context]:
        contexts: list[Context] = (await self._automate("getBrowsingContexts"))["contexts"]
        return contexts

    # --- open and close ---

    async def open_within_limit(self) -> WebKitPage:
        """Open a blank tab unless the limit is reached. Raises `TabLimit`, `NotSupported`, `BrowserFailed`."""
        if self._full:
            raise TabLimit(f"{len(self._tabs)} tabs are open already")
        return await self.open()

    async def open(self) -> WebKitPage:
        """Open a blank tab. Raises `NotSupported` if the pages of the session may open none, `BrowserFailed`."""
        target, handle = await self._open_target()
        page = WebKitPage(target, handle, self._tabs, self._settings)
        self._tabs.add(page, None)
        return page

    async def open_hidden(self) -> WebKitTarget:
        """Open a blank tab that is none of the session's. Raises as `open`."""
        target, handle = await self._open_target()
        self._hidden[target] = handle
        return target

    def close_hidden(self, target: WebKitTarget) -> None:
        """Close a tab of `open_hidden`."""
        if (handle := self._hidden.pop(target, None)) is not None:
            self._close(handle)
            self._connection.detach(target, error_mapping.tab_closed())

    async def _open_target(self) -> tuple[WebKitTarget, str]:
        await self.recovered()
        async with self._creating:
            if not self._has_one_view:
                created = await self._automate("createBrowsingContext", {"presentationHint": "Tab"})
                return await self._await_target(created["handle"])
            # Nobody else knows this address, so no page's tab is mistaken for it.
            url = f"{_BLANK}#{secrets.token_hex(8)}"
            openers: list[WebKitPage | None] = [None] if self._keeper else [*self._openers()]
            for opener in openers:
                self._open_by(opener, url)
                with suppress(TimeoutError):
                    return await self._await_target(url)
        raise NotSupported(hint="This page may open no tabs: 'goto' another one first.")

    def _openers(self) -> list[WebKitPage]:
        """The tabs that can open others, the current one first."""
        usable = [page for page in self._tabs if page.channel.failure is None and page.channel.blocked is None]
        return sorted(usable, key=lambda page: page is not self._tabs.current)

    def _open_by(self, opener: WebKitPage | None, url: str) -> None:
        if opener is None:
            params = {
                "browsingContextHandle": self._keeper,
                "function": _OPEN,
                "arguments": [json.dumps(url)],
                "forceUserGesture": True,
            }
            self._connection.automation.send("Automation.evaluateJavaScriptFunction", params)
        else:
            expression = f"({_OPEN})({json.dumps(url)})"
            params = {"expression": expression, "emulateUserGesture": True}
            opener.channel.session.send("Runtime.evaluate", params)

    async def _await_target(self, name: str) -> tuple[WebKitTarget, str]:
        """The tab with this address or handle, once it is there. Raises `TimeoutError`."""
        awaited: asyncio.Future[tuple[WebKitTarget, str]] = asyncio.get_running_loop().create_future()
        self._awaited[name] = awaited
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                return await awaited
        finally:
            del self._awaited[name]

    async def replace(self, page: WebKitPage) -> None:
        """Put a new tab in the place of one that is no longer usable."""
        new = await self.open()
        self._tabs.replace(page, new)
        if page.channel.failure is None:
            self.close(page)

    def close(self, page: WebKitPage) -> None:
        if self._has_one_view and page.channel.target.id == self._first:
            self._hide(page)
        else:
            self._close(page.channel.handle)

    def _hide(self, page: WebKitPage) -> None:
        """Close the tab of the browser's own view. The view stays, blank, as it is what remains after a crash."""
        self._keeper = handle = page.channel.handle
        self._remove(page, error_mapping.tab_closed())
        self._connection.detach(page.channel.target, error_mapping.tab_closed())
        self._connection.automation.send("Automation.navigateBrowsingContext", {"handle": handle, "url": _BLANK})

    def _close(self, handle: str) -> None:
        self._connection.automation.send("Automation.closeBrowsingContext", {"handle": handle})

    @property
    def _full(self) -> bool:
        return 0 < self._max_tabs <= len(self._tabs)

    # --- the list of tabs ---

    async def refresh(self) -> None:
        """Wait until every tab that the browser has now is in `tabs`."""
        await self.recovered()
        deadline = Deadline(OPEN_SECONDS)
        with suppress(OrynError):
            while not self._ended and deadline.left:
                contexts = await self._contexts()
                if self._adoptions:
                    await asyncio.wait(self._adoptions.values(), timeout=deadline.left)
                if {context["handle"] for context in contexts} <= {*self._handles.values(), self._keeper}:
                    break
                await self._listed.until(lambda: False, POLL_SECONDS)  # the list comes soon after

    def _on_targets(self) -> None:
        """The browser has listed its tabs."""
        if self._ended:
            return
        rows = {row.id: row for row in self._connection.tabs}
        for number in [number for number in self._adoptions if number not in rows]:
            del self._adoptions[number]
            self._handles.pop(number, None)
        for page in list(self._tabs):
            row = rows.get(page.channel.target.id)
            if row is None:
                self._remove(page, error_mapping.tab_closed())
            elif row.name and row.name != page.title:
                page.title = row.name
                for other in self._tabs:
                    other.channel.signal.notify()
        for row in rows.values():
            if row.id not in self._adoptions:
                self._adoptions[row.id] = asyncio.ensure_future(self._adopt(row))
        self._listed.notify()

    async def _adopt(self, row: RemoteTarget) -> None:
        """Follow a tab that the browser has listed for the first time."""
        async with self._adopting:
            try:
                target = self._connection.attach(row)
                await target.wait_for_session(ANSWER_SECONDS)
                context = await self._context_of(target, row)
            except OrynError:
                return  # it has closed, or the browser has ended
            if context is None or self._ended:
                return
            handle = self._handles[row.id] = context["handle"]
        awaited = await self._awaited_as(handle, row.id)
        if awaited is not None and not awaited.done():
            await self._show_blank(target)
            awaited.set_result((target, handle))
            return
        url = await self._loaded_url(handle) if len(self._tabs) and not self._full else _BLANK
        page = None if self._full else WebKitPage(target, handle, self._tabs, self._settings)
        if page is not None and len(self._tabs):
            await page.frame_tree.refresh()  # until then its document is an empty one
        if page is None or self._full:
            # A loop that opens tabs would exhaust memory.
            self._close(handle)
            self._connection.detach(target, TabLimit("the tab is one too many"))
        elif target.ended is None and not self._ended:
            self._add_opened(page, url)

    async def _awaited_as(self, handle: str, number: int) -> asyncio.Future[tuple[WebKitTarget, str]] | None:
        """Who awaits a new tab. It is listed as an empty one before it has its address."""

        def url() -> str:
            row = self._connection.targets.get(number)
            return row.url if row is not None else ""

        if handle not in self._awaited and self._awaited:
            await self._listed.until(lambda: url() != _BLANK or not self._awaited, OPEN_SECONDS)
        return self._awaited.get(handle) or self._awaited.get(url())

    async def _show_blank(self, target: WebKitTarget) -> None:
        """Take the name by which a new tab was found from its address."""
        with suppress(OrynError):
            session = await target.wait_for_session(PAIR_SECONDS)
            await session.call("Runtime.evaluate", {"expression": _UNNAME}, timeout=PAIR_SECONDS)

    async def _loaded_url(self, handle: str) -> str:
        """What a tab that a page has opened loads; an empty one may stay empty."""
        deadline = Deadline(NAME_SECONDS)
        url = ""
        while url in ("", _BLANK) and deadline.left:
            try:
                answer = await self._automate("getBrowsingContext", {"handle": handle})
            except OrynError:
                break  # it has closed
            url = answer["context"]["url"]
            await self._listed.until(lambda: False, min(POLL_SECONDS, deadline.left) if url in ("", _BLANK) else 0)
        return url

    def _add_opened(self, page: WebKitPage, url: str) -> None:
        """Add a tab that a page has opened, or the browser's first one. `url` is what it loads."""
        opener = self._tabs.current
        self._tabs.add(page, opener)
        if url in ("", _BLANK) and page.navigations.pending is not None:
            url = page.navigations.pending.url
        if opener is not None:
            if url not in ("", _BLANK):  # else it may load a page yet
                opener.requested_tabs.record(opener.channel.moment, url)
            opener.opened_tabs.record(opener.channel.moment, page)
            opener.channel.signal.notify()
            if opener.command_running:
                self._tabs.bring_to_front(opener)

    async def _context_of(self, target: WebKitTarget, row: RemoteTarget) -> Context | None:
        """The tab of a target in the domain `Automation`."""
        taken = {*self._handles.values(), self._keeper}
        found = [context for context in await self._contexts() if context["handle"] not in taken]
        if len(found) > 1:
            for _ in range(MARKED_DOCUMENTS):
                for context in await self._marked(target, found):
                    return context
            # The page does not run scripts now.
            found.sort(key=lambda context: bool(context["url"] != row.url))
        return found[0] if found else None

    async def _marked(self, target: WebKitTarget, contexts: list[Context]) -> list[Context]:
        """Those of `contexts` whose document has a name that is defined in the document of `target` for a moment: one,
        or none if another document has come meanwhile."""
        name = secrets.token_hex(8)
        try:
            session = await target.wait_for_session(PAIR_SECONDS)
            await session.call("Runtime.evaluate", {"expression": _MARK % name}, timeout=PAIR_SECONDS)
            answers = await asyncio.gather(*(self._has(context, name) for context in contexts))
            session.send("Runtime.evaluate", {"expression": _UNMARK % name})
        except OrynError:
            return []
        return [context for context, has_it in zip(contexts, answers, strict=True) if has_it]

    async def _has(self, context: Context, name: str) -> bool:
        function = {
            "browsingContextHandle": context["handle"],
            "function": _HAS,
            "arguments": [json.dumps(name)],
        }
        try:
            answer = await self._connection.automation.call(
                "Automation.evaluateJavaScriptFunction", function, timeout=PAIR_SECONDS
            )
        except OrynError:
            return False
        return bool(answer["result"] == "true")

    def _remove(self, page: WebKitPage, reason: OrynError) -> None:
        """Remove a tab that is gone."""
        self._tabs.remove(page)
        page.channel.fail(reason)
        for session in page.channel.sessions:
            for feature in self._settings.features:
                feature.detach(page, session)

    # --- deaths of processes ---

    def _on_automation_lost(self) -> None:
        if not self._ended:
            self._recovery = asyncio.ensure_future(self._recover())
            self._crashed.notify()

    async def recovered(self) -> None:
        """Wait until the automation session works again, if it has ended. Raises `BrowserFailed`."""
        if self._recovery is not None:
            await asyncio.shield(self._recovery)

    async def wait_for_crash(self) -> None:
        """Wait until the browser has noticed that a process was killed, and works again. Raises `BrowserFailed`."""
        await self._crashed.until(lambda: self._recovery is not None and not self._recovery.done(), ANSWER_SECONDS)
        await self.recovered()

    async def _recover(self) -> None:
        """Start another automation session, and find out which tabs still live."""
        self._handles.clear()
        self._keeper = None
        await self._connection.start_automation()
        has_living = bool(await self._contexts())
        for page in list(self._tabs):
            handle = await self._pair_again(page.channel.target) if has_living else None
            if handle is None:
                page.channel.on_crashed()
            else:
                page.follow_automation(handle)
        for target in list(self._hidden):
            handle = await self._pair_again(target) if has_living else None
            if handle is None:
                del self._hidden[target]
                self._connection.detach(target, page_crashed())
            else:
                self._hidden[target] = handle
        if self._has_one_view:
            await self._find_view(start=not has_living)
        self._tabs.changed.notify()

    async def _pair_again(self, target: WebKitTarget) -> str | None:
        """The new handle of a tab, or None if its process has died."""
        row = self._connection.targets.get(target.id)
        context = None if row is None else await self._context_of(target, row)
        if context is not None:
            self._handles[target.id] = context["handle"]
        return self._handles.get(target.id)

    async def _find_view(self, *, start: bool) -> None:
        """Find the browser's own view, unless it is a tab of the session: its inspector may be deaf, but it can open
        tabs. `start` starts a process for it. Raises `BrowserFailed` if it has closed."""
        handle = (await self._automate("createBrowsingContext"))["handle"]
        if handle in self._handles.values():
            return
        self._keeper = handle
        if start:
            await self._automate("navigateBrowsingContext", {"handle": handle, "url": _BLANK})

    def on_lost(self, reason: OrynError) -> None:
        """Fail all tabs, because the browser is gone."""
        for page in self._tabs:
            page.channel.fail(reason)
        self._tabs.changed.notify()

    def end(self) -> None:
        """Stop following the tabs: commands to them fail, and their events are ignored."""
        self._ended = True
        self._tabs.on_refresh = None
        for page in list(self._tabs):
            self._remove(page, TabNotFound("the session is closed"))
        for task in [*self._adoptions.values(), *filter(None, [self._recovery])]:
            task.cancel()
