"""The background page of an extension in Firefox, looked into with the rights of the browser itself.

WebDriver BiDi lists no background pages. The browser's own window, which BiDi lists in the scope "chrome", may load a
script into any of its pages: that script evaluates as the developer tools do, so the extension's policy is no obstacle,
and only a look that waits for something counts as activity, which keeps the page alive so long.
https://firefox-source-docs.mozilla.org/devtools-user/debugger-api/"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from scripts.extension.bidi import BidiConnection, BidiFailed

WAIT = 60.0
"""Seconds that anything may take on a busy machine."""

_PAGE = """(token, expression) => {
  const text = (value) => sendAsyncMessage(token, value);
  const sandbox = Cu.Sandbox(Services.scriptSecurityManager.getSystemPrincipal(), {freshCompartment: true});
  ChromeUtils.importESModule('resource://gre/modules/jsdebugger.sys.mjs').addDebuggerToGlobal(sandbox);
  const debug = new sandbox.Debugger();
  const page = debug.addDebuggee(content);
  const described = (error) => JSON.stringify({error: String(error) + ' ' + String(error?.stack ?? '')});
  try {
    const done = page.executeInGlobal(expression);
    if (!done) throw new Error('the script was ended');
    if ('throw' in done) throw done.throw?.unsafeDereference?.() ?? done.throw;
    const json = page.executeInGlobal(`(value) => Promise.resolve(value).then(
      (each) => JSON.stringify({value: each ?? null}), (error) => JSON.stringify({error: String(error)}))`);
    json.return.call(null, done.return).return.unsafeDereference().then(text, (error) => text(described(error)));
  } catch (error) {
    text(described(error));
  } finally {
    debug.removeAllDebuggees();
  }
}"""
"""Runs beside the page. What is evaluated answers with JSON text."""

_ERRORS = """(token, root) => {
  const storage = Cc['@mozilla.org/consoleAPI-storage;1'].getService(Ci.nsIConsoleAPIStorage);
  const logged = storage.getEvents().filter(({level, filename}) => level === 'error' && filename.startsWith(root));
  const thrown = Services.console.getMessageArray().filter((each) => each instanceof Ci.nsIScriptError
    && !(each.flags & Ci.nsIScriptError.warningFlag) && each.sourceName.startsWith(root));
  storage.clearEvents();
  Services.console.reset();
  const found = [...logged.map(({arguments: words}) => Array.from(words, String).join(' ')), ...thrown.map(String)];
  sendAsyncMessage(token, JSON.stringify({value: found}));
}"""
"""What was logged as an error or thrown, and is then forgotten."""

_LOOK = """(async (id, script, argument) => {
  const {extension} = WebExtensionPolicy.getByID(id);
  if (extension.backgroundState !== 'running') await extension.wakeupBackground(); // it counts as activity
  const {messageManager} = [...extension.views].find(({viewType}) => viewType === 'background').xulBrowser;
  const token = 'look-' + Services.uuid.generateUUID();
  const awake = setInterval(() => extension.emit('background-script-reset-idle', {reason: token}), 300);
  return new Promise((resolve) => {
    messageManager.addMessageListener(token, function listener({data}) {
      messageManager.removeMessageListener(token, listener);
      clearInterval(awake);
      resolve(data);
    });
    const words = [token, argument].map((each) => JSON.stringify(each)).join();
    messageManager.loadFrameScript('data:,' + encodeURIComponent(`(${script})(${words})`), false);
  });
})"""
_STOP = """(async (id) => {
  const {extension} = WebExtensionPolicy.getByID(id);
  await extension.terminateBackground({ignoreDevToolsAttached: true, disableResetIdleForTest: true});
  return '{}';
})"""
_STATE = "(async (id) => JSON.stringify({value: WebExtensionPolicy.getByID(id)?.extension.backgroundState ?? null}))"
_PREFERENCE = "(async (name, value) => { Services.prefs.setIntPref(name, value); return '{}' })"


class BrowserWindow:
    """The window of Firefox itself, whose scripts may do what the browser may."""

    def __init__(self, connection: BidiConnection) -> None:
        self._connection = connection
        self._context = ""

    async def run(self, function: str, *arguments: Any) -> Any:
        """The JSON value that an asynchronous JavaScript function answers as text, `{"value": …}`. `AssertionError` if
        it throws or answers `{"error": …}`."""
        if not self._context:
            scope: dict[str, Any] = {"moz:scope": "chrome"}
            tree = await self._connection.call("browsingContext.getTree", **scope)
            self._context = tree["contexts"][0]["context"]
        answer = await self._connection.call(
            "script.evaluate",
            expression=f"{function}(...{json.dumps(arguments)})",
            target={"context": self._context},
            awaitPromise=True,
            timeout=WAIT,
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        result = json.loads(answer["result"]["value"])
        assert "error" not in result, result["error"]
        return result.get("value")

    async def set_preference(self, name: str, value: int) -> None:
        """Change a number of the preferences while the browser runs."""
        await self.run(_PREFERENCE, name, value)


class FirefoxBackground:
    """The background page of the extension `id`; `root` is the beginning of its URLs."""

    def __init__(self, window: BrowserWindow, id: str, root: str = "moz-extension:") -> None:
        self._window = window
        self.id = id
        self._root = root
        self.errors: list[str] = []
        """What the extension has logged as errors in this process, after `detach`."""

    async def evaluate(self, expression: str) -> Any:
        """The JSON value of a JavaScript expression; a promise is waited for. A page that is suspended is started.
        `AssertionError` if it throws."""
        return await self._window.run(_LOOK, self.id, _PAGE, expression)

    async def until(self, expression: str) -> Any:
        """The first true value of an expression."""
        async with asyncio.timeout(WAIT):
            while True:
                with suppress(BidiFailed):  # the page has just gone
                    if value := await self.evaluate(expression):
                        return value
                await asyncio.sleep(0.05)

    async def state(self) -> str | None:
        """ "running", "stopped", "starting", "suspending", or None if there is no such extension."""
        state: str | None = await self._window.run(_STATE, self.id)
        return state

    async def until_state(self, state: str) -> None:
        """Wait until the page is in a state, without waking it."""
        async with asyncio.timeout(WAIT):
            while await self.state() != state:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """Suspend the page, whatever it is doing, as Firefox does at its idle time-out."""
        await self._window.run(_STOP, self.id)
        await self.until_state("stopped")

    async def detach(self) -> None:
        """Look for the last time: fills `errors`."""
        self.errors += await self._window.run(_LOOK, self.id, _ERRORS, self._root)
