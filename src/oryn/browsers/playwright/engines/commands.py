"""The commands of WebDriver, done by Playwright: how the pages of embedded mode drive Playwright's other engines.

There is no isolated world for scripts in Playwright's public interface, so they share the page's world, with the
defences that embedded mode has. https://www.w3.org/TR/webdriver2/#endpoints"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from oryn.browsers.playwright.engines.documents import DocumentLog
from oryn.browsers.playwright.error_mapping import driver_answer, is_closed_error
from oryn.browsers.webdriver import error_mapping
from oryn.browsers.webdriver.client import ELEMENT_KEY, DriverDocument
from oryn.browsers.webdriver.dialogs import MARK
from oryn.browsers.webdriver.input import KEY_VALUES
from oryn.browsers.webdriver.navigator import BLANK, ERROR_DOCUMENTS
from oryn.errors import NotSupported, OrynError, Timeout

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Dialog, ElementHandle, Frame, Page

_NODE = "ref: <"
"""What Playwright returns for an element."""
# Playwright's own script makes JSON of every answer, after ours has ended.
_CHECK = """if (!/native code/.test(Function.prototype.toString.call(JSON.stringify)))
  throw new TypeError('JSON.stringify is not a function of JavaScript');
"""
_SYNC = f"{_CHECK}(function () {{\n%s\n}})()"
_ASYNC = f"""{_CHECK}const answer = {{}};
answer.promise = new Promise((resolve) => {{ answer.resolve = resolve; }});
(function () {{
%s
}})(answer.resolve);
answer.promise"""
_FRAME = """(index) => {
  const wanted = window[index];
  const within = (root) => {
    for (const each of root.querySelectorAll('*')) {
      if (each.contentWindow && each.contentWindow === wanted) return each;
      const inner = each.shadowRoot && within(each.shadowRoot);
      if (inner) return inner;
    }
    return null;
  };
  return within(document);
}"""


_BUTTONS: dict[int, Literal["left", "middle", "right"]] = {0: "left", 1: "middle", 2: "right"}
_NAMES = {value: name for name, value in KEY_VALUES.items()}
_PAUSE = {"type": "pause"}


def _failure(code: str, **data: Any) -> OrynError:
    return error_mapping.from_answer({"error": code, **data})


class PlaywrightCommands:
    """One context of a browser. It is a `DriverClient`."""

    def __init__(self, context: BrowserContext, version: str) -> None:
        self.version = version
        self._context = context
        self._is_lost = False
        self._page: Page | None = None
        self._frame: Frame | None = None
        self._elements: dict[str, ElementHandle] = {}
        self._dialogs: dict[Page, Dialog] = {}
        self._documents = DocumentLog(context)
        self._printed: set[Page] = set()
        """The pages that Firefox has opened to print."""
        self._dialog_changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._input = InputActions()
        self._commands: dict[tuple[str, str], Callable[[dict[str, Any]], Awaitable[Any]]] = {
            ("GET", "/window/handles"): self._handles,
            ("POST", "/window"): self._select_window,
            ("DELETE", "/window"): self._close_window,
            ("POST", "/frame"): self._select_frame,
            ("GET", "/title"): lambda _: self._renderer(self._current().title()),
            ("GET", "/url"): self._url,
            ("POST", "/url"): self._goto,
            ("POST", "/back"): lambda _: self._begin(self._current().go_back(wait_until="commit", timeout=0)),
            ("POST", "/forward"): lambda _: self._begin(self._current().go_forward(wait_until="commit", timeout=0)),
            ("POST", "/refresh"): lambda _: self._begin(self._current().reload(wait_until="commit", timeout=0)),
            ("POST", "/execute/sync"): lambda body: self._execute(_SYNC % body["script"]),
            ("POST", "/execute/async"): lambda body: self._execute(_ASYNC % body["script"]),
            ("POST", "/actions"): lambda body: self._renderer(self._input.perform(self._current(), body["actions"])),
            ("GET", "/alert/text"): self._dialog_text,
            ("POST", "/alert/text"): self._set_dialog_text,
            ("POST", "/alert/accept"): lambda _: self._answer_dialog(True),
            ("POST", "/alert/dismiss"): lambda _: self._answer_dialog(False),
            ("GET", "/screenshot"): self._screenshot,
            ("POST", "/print"): self._print,
            ("GET", "/cookie"): self._cookies,
            ("POST", "/cookie"): self._add_cookie,
            ("DELETE", "/cookie"): self._clear_cookies,
        }
        self._prompt_text: str | None = None
        context.on("dialog", self._on_dialog)

    # --- the interface of `WebDriverClient` ---

    async def get(self, path: str, *, timeout: float = 30) -> Any:
        return await self._run("GET", path, {}, timeout)

    async def post(self, path: str, body: dict[str, Any] | None = None, *, timeout: float = 30) -> Any:
        return await self._run("POST", path, body or {}, timeout)

    async def delete(self, path: str, *, timeout: float = 30) -> Any:
        return await self._run("DELETE", path, {}, timeout)

    def document(self, window: str) -> DriverDocument | None:
        page = self.find_page(window)
        return None if page is None else self._documents.document(page)

    async def close(self, *, end_session: bool, timeout: float = 2.0) -> None:
        self._is_lost = True

    def on_lost(self) -> None:
        """The browser or the driver is gone: commands fail from now on."""
        self._is_lost = True

    async def _run(self, method: str, path: str, body: dict[str, Any], timeout: float) -> Any:
        if self._is_lost:
            raise error_mapping.driver_lost()
        page = self._page
        try:
            async with asyncio.timeout(timeout):
                return await self._find(method, path)(body)
        except TimeoutError:
            raise Timeout("the browser did not answer in time", "Try again, or 'goto' another page.") from None
        except OrynError:
            raise
        except Exception as error:  # whatever Playwright raises
            if page is not None and page.is_closed() and not self._is_lost:
                raise _failure("no such window") from error
            if is_closed_error(error):
                self._is_lost = True
                raise error_mapping.driver_lost() from error
            raise error_mapping.from_answer(driver_answer(error)) from error

    def _find(self, method: str, path: str) -> Callable[[dict[str, Any]], Awaitable[Any]]:
        if found := self._commands.get((method, path)):
            return found
        _, kind, *rest = path.split("/")
        if (method, kind) == ("DELETE", "cookie"):
            return lambda _: self._delete_cookie(unquote(rest[0]))
        if (method, kind, rest[1:]) == ("POST", "element", ["value"]):
            return lambda body: self._set_files(rest[0], body["text"].split("\n"))
        raise NotSupported

    # --- windows and frames ---

    def _current(self) -> Page:
        """The page of the current window. Raises `TabNotFound`, `AlertOpen`."""
        page = self._page
        if page is None or page.is_closed():
            raise _failure("no such window")
        if page in self._dialogs:
            raise _failure("unexpected alert open", data={"text": self._text_of(self._dialogs[page])})
        return page

    async def _handles(self, _: dict[str, Any]) -> list[str]:
        return [str(id(page)) for page in self.pages()]

    def pages(self) -> list[Page]:
        """The pages of the context, without those that Firefox opens to print and never closes."""
        return [page for page in self._context.pages if page not in self._printed]

    def find_page(self, window: str) -> Page | None:
        """The page of a window; None if it has closed."""
        return next((each for each in self.pages() if str(id(each)) == window), None)

    async def _select_window(self, body: dict[str, Any]) -> None:
        page = self.find_page(body["handle"])
        if page is None:
            raise _failure("no such window")
        self._page, self._frame = page, page.main_frame
        self._elements.clear()

    async def _close_window(self, _: dict[str, Any]) -> None:
        if self._page is not None:
            self._dialogs.pop(self._page, None)
            await self._page.close()

    async def _select_frame(self, body: dict[str, Any]) -> None:
        page, index = self._current(), body["id"]
        self._elements.clear()
        if index is None:
            self._frame = page.main_frame
            return
        assert self._frame is not None
        found = await self._renderer(self._frame.evaluate_handle(_FRAME, index))
        element = None if found is None else found.as_element()
        self._frame = None if element is None else await element.content_frame()
        if self._frame is None:
            self._frame = page.main_frame
            raise _failure("no such frame")

    # --- the page ---

    async def _url(self, _: dict[str, Any]) -> str:
        return str(self._current().url)

    async def _goto(self, body: dict[str, Any]) -> None:
        """A load that fails leaves an error page or an empty document, which the trackers know."""
        page, url = self._current(), body["url"]
        await self._begin(self._load(page, url))

    async def _load(self, page: Page, url: str) -> None:
        from playwright.async_api import Error

        try:
            await page.goto(url, wait_until="commit", timeout=0)
        except Error as error:
            text = str(error)
            if is_closed_error(error) or "interrupted" in text or "Download" in text or "aborted" in text.lower():
                return  # another navigation, or none
            if not page.url.startswith(ERROR_DOCUMENTS):
                await page.goto(BLANK)

    async def _begin(self, navigating: Awaitable[Any]) -> None:
        """Begin to navigate, and return at once: the documents report themselves."""
        self._keep(asyncio.ensure_future(navigating))

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)

        def ended(task: asyncio.Task[Any]) -> None:
            self._tasks.discard(task)
            if not task.cancelled():
                task.exception()

        task.add_done_callback(ended)

    async def _execute(self, expression: str) -> Any:
        self._current()
        assert self._frame is not None
        frame = self._frame
        value = await self._renderer(frame.evaluate(expression))
        if isinstance(value, str) and value.startswith(_NODE):
            found = await self._renderer(frame.evaluate_handle(expression))
            if found is not None and (element := found.as_element()) is not None:
                number = str(len(self._elements))
                self._elements[number] = element
                return {ELEMENT_KEY: number}
        return value

    async def _set_files(self, number: str, paths: list[str]) -> None:
        if (element := self._elements.get(number)) is None:
            raise _failure("stale element reference")
        await self._renderer(element.set_input_files(paths))

    async def _screenshot(self, _: dict[str, Any]) -> str:
        picture = await self._renderer(self._current().screenshot())
        return base64.b64encode(picture or b"").decode()

    async def _print(self, body: dict[str, Any]) -> str:
        page, margin = body["page"], f"{body['margin']['top']}cm"
        before = set(self._context.pages)
        printed = await self._renderer(
            self._current().pdf(
                width=f"{page['width']}cm",
                height=f"{page['height']}cm",
                margin={"top": margin, "right": margin, "bottom": margin, "left": margin},
                print_background=body["background"],
            )
        )
        for opened in set(self._context.pages) - before:
            if opened.url == BLANK and await opened.opener() is None:
                self._printed.add(opened)
        return base64.b64encode(printed or b"").decode()

    async def _renderer(self, work: Awaitable[Any]) -> Any:
        """The result of what the page has to answer; None if a dialog opens meanwhile, which the next command
        reports."""
        page = self._page
        task = asyncio.ensure_future(work)
        self._keep(task)

        async def opened() -> None:
            async with self._dialog_changed:
                await self._dialog_changed.wait_for(lambda: page in self._dialogs)

        dialog = asyncio.ensure_future(opened())
        try:
            await asyncio.wait({task, dialog}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            dialog.cancel()
        return task.result() if task.done() else None

    # --- dialogs ---

    def _on_dialog(self, dialog: Dialog) -> None:
        page = dialog.page
        if page is None or dialog.type == "beforeunload":
            self._keep(asyncio.ensure_future(dialog.accept()))
            return
        self._dialogs[page] = dialog
        self._keep(asyncio.ensure_future(self._notify()))

    async def _notify(self) -> None:
        async with self._dialog_changed:
            self._dialog_changed.notify_all()

    def _text_of(self, dialog: Dialog) -> str:
        message = str(dialog.message)
        return message if message.startswith(MARK) else MARK.join(("", dialog.type, dialog.default_value, message))

    async def _dialog_text(self, _: dict[str, Any]) -> str:
        return self._text_of(self._require_dialog())

    def _require_dialog(self) -> Dialog:
        dialog = None if self._page is None else self._dialogs.get(self._page)
        if dialog is None:
            raise _failure("no such alert")
        return dialog

    async def _set_dialog_text(self, body: dict[str, Any]) -> None:
        self._require_dialog()
        self._prompt_text = body["text"]

    async def _answer_dialog(self, accept: bool) -> None:
        dialog, text = self._require_dialog(), self._prompt_text
        self._prompt_text = None
        assert self._page is not None
        del self._dialogs[self._page]
        if not accept:
            await dialog.dismiss()
        elif text is None:
            await dialog.accept()
        else:
            await dialog.accept(text)

    # --- cookies ---

    async def _cookies(self, _: dict[str, Any]) -> list[dict[str, Any]]:
        found = await self._context.cookies([self._current().url])
        return [
            {**each, "expiry": each["expires"]} if each.get("expires", -1) >= 0 else dict(each)
            for each in found
        ]  # fmt: skip

    async def _add_cookie(self, body: dict[str, Any]) -> None:
        cookie = body["cookie"]
        place = {"domain": cookie["domain"], "path": cookie.get("path", "/")} if "domain" in cookie else {
            "url": self._current().url
        }  # fmt: skip
        await self._context.add_cookies([
            {
                "name": cookie["name"],
                "value": cookie["value"],
                **place,
                **({"expires": float(cookie["expiry"])} if "expiry" in cookie else {}),
                **({"sameSite": cookie["sameSite"]} if "sameSite" in cookie else {}),
                "secure": cookie.get("secure", False),
                "httpOnly": cookie.get("httpOnly", False),
            }
        ])  # fmt: skip

    async def _delete_cookie(self, name: str) -> None:
        for each in await self._context.cookies([self._current().url]):
            if each.get("name") == name:
                await self._context.clear_cookies(name=name, domain=each["domain"], path=each["path"])

    async def _clear_cookies(self, _: dict[str, Any]) -> None:
        await self._context.clear_cookies()


class InputActions:
    """Performs the actions of WebDriver by Playwright's mouse and keyboard.

    https://www.w3.org/TR/webdriver2/#actions, https://playwright.dev/python/docs/input"""

    async def perform(self, page: Page, sources: list[dict[str, Any]]) -> None:
        """Perform the actions of all sources, tick by tick."""
        for tick in zip_longest(*(source["actions"] for source in sources), fillvalue=_PAUSE):
            for action in tick:
                await self._perform_one(page, action)

    async def _perform_one(self, page: Page, action: dict[str, Any]) -> None:
        match action["type"]:
            case "pointerMove":
                await page.mouse.move(action["x"], action["y"])
            case "pointerDown":
                await page.mouse.down(button=_BUTTONS[action["button"]])
            case "pointerUp":
                await page.mouse.up(button=_BUTTONS[action["button"]])
            case "scroll":
                await page.mouse.wheel(action["deltaX"], action["deltaY"])
            case "keyDown":
                await self._press(page, action["value"])
            case "keyUp":
                if self._is_key(action["value"]):
                    await page.keyboard.up(_NAMES.get(action["value"], action["value"]))

    async def _press(self, page: Page, value: str) -> None:
        if self._is_key(value):
            await page.keyboard.down(_NAMES.get(value, value))
        else:
            await page.keyboard.insert_text(value)

    @staticmethod
    def _is_key(value: str) -> bool:
        """Whether Playwright's keyboard, which has American keys, has the key."""
        return value in _NAMES or (value.isascii() and value.isprintable())
