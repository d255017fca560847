"""A clipboard for each session of one browser, which has but one itself.

Pages tell what they copy, and before a paste the browser's clipboard gets the session's own text. A session that is
alone in its browser pastes what it copied as it was, pictures and formatting with it.
https://www.w3.org/TR/clipboard-apis/
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary, WeakSet

from oryn.browsers.base.clipboard import Clipboard
from oryn.browsers.cdp.calls import Calls
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.features import Feature

if TYPE_CHECKING:
    from oryn.browsers.cdp.features import Target

BINDING = "__oryn_copied"
LONGEST = 1_000_000
WORLD = "Oryn's clipboard"

# In the page's own world, before its scripts: `writeText` is a call that no event tells of. The proxies look like what
# they stand for. A page that spoils this spoils what it could have copied anyway.
_TELL = f"""(() => {{
  const tell = globalThis.{BINDING};
  delete globalThis.{BINDING};
  if (!tell) return;
  const copied = (text) => {{ if (typeof text === 'string') tell(text.slice(0, {LONGEST})) }};
  const selected = () => {{
    let active = document.activeElement;
    while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
    if (active && (active.localName === 'input' || active.localName === 'textarea') && active.selectionStart !== null)
      return active.type === 'password' ? '' : active.value.slice(active.selectionStart, active.selectionEnd);
    return String(getSelection() || '');
  }};
  const last = (event) => {{
    const text = event.defaultPrevented ? event.clipboardData.getData('text/plain') : selected();
    if (text || event.defaultPrevented) copied(text);
  }};
  // Added only when the event has come, so that it is heard after all listeners of the page.
  for (const kind of ['copy', 'cut'])
    addEventListener(kind, (event) => {{ if (event.isTrusted) addEventListener(kind, last, {{ once: true }}) }}, true);
  if (typeof Clipboard === 'undefined') return;
  const told = (name, note) => {{
    Clipboard.prototype[name] = new Proxy(Clipboard.prototype[name], {{
      apply(target, self, values) {{
        const done = Reflect.apply(target, self, values);
        done.then(() => note(values[0]), () => {{}});
        return done;
      }},
    }});
  }};
  told('writeText', (text) => copied(String(text)));
  told('write', async (items) => {{
    for (const item of items)
      if (item.types.includes('text/plain')) copied(await (await item.getType('text/plain')).text());
  }});
}})()"""

# In a world of its own, so that no page script can stop it or learn of it.
_WRITE = """(text) => {
  const give = (event) => {
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('copy', give, { capture: true });
  const done = document.execCommand('copy');
  removeEventListener('copy', give, { capture: true });
  return done;
}"""


class Pasted(Protocol):
    """A tab that something is pasted into."""

    @property
    def channel(self) -> Calls: ...
    @property
    def target_id(self) -> str: ...


class _Shared:
    """What the sessions of one browser's conversation share."""

    def __init__(self) -> None:
        self.users: WeakSet[CdpClipboard] = WeakSet()
        self.used = False
        """Something of a session's may be in the browser's clipboard."""
        self.pasting = asyncio.Lock()


_shared: WeakKeyDictionary[object, _Shared] = WeakKeyDictionary()


class CdpClipboard(Feature, Clipboard):
    """One session's clipboard. `whole` stands for the browser where each tab has a connection of its own."""

    def __init__(self, whole: object | None = None) -> None:
        self._whole = whole
        self._text = ""
        self._is_browsers = False
        """The browser's clipboard holds what this session copied last, unless another session is there too."""

    async def read(self) -> str:
        return self._text

    async def write(self, text: str) -> None:
        self._text, self._is_browsers = text, False

    def attach(self, page: Target, session: Session) -> None:
        self._of(session).users.add(self)
        session.on("Runtime.bindingCalled", self._told)
        session.send("Runtime.addBinding", {"name": BINDING})
        session.send("Page.addScriptToEvaluateOnNewDocument", {"source": _TELL, "runImmediately": True})

    def detach(self, page: Target, session: Session) -> None:
        """What was copied there can still be pasted elsewhere."""

    def _told(self, event: dict[str, Any]) -> None:
        if event["name"] == BINDING:
            self._text, self._is_browsers = event["payload"], True
            for shared in _shared.values():
                shared.used = shared.used or self in shared.users

    @asynccontextmanager
    async def pasting(self, page: Pasted) -> AsyncIterator[None]:
        """Keep the browser's clipboard ours for a paste. One that no session has used yet, which may be the user's own,
        is let be until there is something to paste."""
        shared = self._of(page.channel.session)
        async with shared.pasting:
            is_ours = self._is_browsers and len(shared.users) == 1
            if not is_ours and (self._text or shared.used):
                shared.used = True
                await self._fill(page)
            yield

    async def _fill(self, page: Pasted) -> None:
        made = await page.channel.call("Page.createIsolatedWorld", {"frameId": page.target_id, "worldName": WORLD})
        written = f"({_WRITE})({json.dumps(self._text)})"
        params = {"expression": written, "userGesture": True, "contextId": made["executionContextId"]}
        await page.channel.call("Runtime.evaluate", params)

    def _of(self, session: Session) -> _Shared:
        return _shared.setdefault(self._whole or session.connection, _Shared())
