"""The interface of a session's browser.

Features of the whole session are separate interfaces: `network`, `console`, `device`, …. Each keeps its settings when
the browser is restarted, and applies them to every tab, including tabs opened later."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base.page import Page
from oryn.browsers.base.types import BrowserInfo, Cookie, DialogPolicy, Download, Navigation, Tab
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.emulation import Device, DeviceDescriptor, PageScripts
    from oryn.browsers.base.leases import LeaseHolder, SessionLeases
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.placement import BrowserSource
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.base.storage import Clipboard, Storage
    from oryn.core.urls import DomainPolicy, DomainRefusal


class Browser:
    """One session's browser."""

    mode: ClassVar[str]
    """The name of the mode in answers: `headless`, `embedded`, `playwright`, `remote`."""

    is_external: bool = False
    """Whether the browser belongs to somebody else: then hosts save neither its tabs nor its cookies and storage, and
    answers contain notices about input (`Page.take_notices`)."""

    has_foreign_tabs: bool = False
    """Whether the session is in the context of the browser's user: `tabs` lists tabs that it did not open, and the
    cookies and storage are the user's. What would end or replace those then waits for a person's confirmation."""

    forwards_headers: ClassVar[bool] = False
    """Whether headers that are for one domain, or for one navigation, go along when the server redirects elsewhere."""

    shares_tabs: ClassVar[bool] = False
    """Whether another tab may become current between commands, because a person or another session uses the browser
    too: then each command begins with `before_command`."""

    on_note: Callable[[str], object] | None = None
    """Called with what the next answer should say: a page has made a passkey."""

    @property
    def page(self) -> Page:
        """The current tab. Raises `BrowserFailed` if the browser has ended and can't be started again."""
        raise NotSupported

    @property
    def offers_tools(self) -> bool:
        """Whether the current page offers tools, as far as is known without a round trip. Raises `BrowserFailed` if
        there is no page."""
        return bool(self.page.tools.names())

    def subscribe_tools(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` whenever tools of the current page come or go. Returns a function that ends the
        subscription. Raises `BrowserFailed` if there is no page."""
        return self.page.tools.subscribe(listener)

    async def start(self) -> None:
        """Start the browser unless it runs. Raises `BrowserNotFound`, `BrowserFailed`."""
        raise NotSupported

    @property
    def lost(self) -> bool:
        """Whether the browser was started and has died, with all its tabs. No round trip."""
        return False

    source: BrowserSource | None = None
    """What opens the browser, if that is not this process alone."""
    resumed: bool = False
    """Whether the last `start` found the pages that the session had left: only the connection was lost."""

    async def before_command(self) -> None:
        """Select the tab for a command that begins: in a browser that a person uses too, that is the active tab. Does
        nothing unless `shares_tabs`. Raises `TabNotFound` if the session's tab has closed."""

    def identify(self, holder: LeaseHolder) -> None:
        """Set who the session is for others in the same browser. Does nothing in a browser that no other uses."""

    @property
    def leases(self) -> SessionLeases | None:
        """Who may act on which tab; None if the session is alone in its browser. No round trip."""
        return None

    async def revive(self) -> None:
        """Make `page` usable again after a crash of the tab or the browser, or if its renderer hangs. `goto` calls it
        first; it costs nothing if `page` is usable."""
        raise NotSupported

    async def close(self) -> None:
        """End the browser and remove its temporary files. Idempotent."""
        raise NotSupported

    async def version(self) -> str:
        """Product and version, such as `Chrome/156.0.8078.79`."""
        raise NotSupported

    @property
    def info(self) -> BrowserInfo:
        """Where the browser runs. No round trip; some fields are set once it has started."""
        return BrowserInfo()

    def require_uploads(self) -> None:
        """Check that pages can get files of this computer, before anything happens. Raises `NotSupported`."""
        if not self.info.here:
            raise NotSupported(
                "the browser runs on another computer and sees no files of this one", "Upload them there."
            )

    @property
    def ignores_certificate_errors(self) -> bool:
        """Whether it accepts servers with invalid certificates."""
        return False

    # --- recording ---

    @property
    def tracing(self) -> Tracing:
        """The browser's own trace."""
        raise NotSupported

    # --- tabs ---

    async def tabs(self) -> list[Tab]:
        """All tabs of the session."""
        raise NotSupported

    def open_tabs(self) -> list[Tab]:
        """The tabs according to events so far, with the titles of the last `tabs`. No round trip. Raises `NotSupported`
        if the backend gets no events."""
        raise NotSupported

    def on_tabs_changed(self, callback: Callable[[], None]) -> None:
        """Call `callback` from now on whenever a tab opens, closes, or shows another URL, also after a restart of the
        browser. Does nothing if the backend gets no events."""

    async def wait_for_tabs(self, holds: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        """Wait until `holds` is true of the open tabs, at most `timeout` seconds; whether it is. It is called whenever
        a tab opens, closes, or shows another URL; with no tabs once the browser has ended."""
        raise NotSupported

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        """Open a tab, make it current and go to `url`."""
        raise NotSupported

    async def switch_tab(self, number: int) -> None:
        """Raises `TabNotFound`."""
        raise NotSupported

    async def close_tab(self, number: int | None = None) -> None:
        """Close a tab (default: the current one); its opener or its neighbour becomes current. Raises `TabNotFound`,
        `LastTab`."""
        raise NotSupported

    async def blank_tab(self) -> int:
        """Open a blank tab in the background; its number. The current tab stays current. Raises `TabLimit`."""
        raise NotSupported

    def page_of(self, number: int) -> Page:
        """The tab with this number, current or not. Raises `TabNotFound`. No round trip."""
        raise NotSupported

    def select_tab(self, number: int) -> None:
        """Make a tab current without bringing it to the front. Raises `TabNotFound`. No round trip."""
        raise NotSupported

    # --- downloads ---

    def configure_downloads(self, save: Callable[[Path, str], Path], limit: int) -> None:
        """Set how downloads are stored from now on. `save` is called in a thread with a finished file and the name that
        the page gives it; it moves the file and returns its new path, or raises `FileError`. A download larger than
        `limit` bytes (0: no limit) is cancelled and deleted. Does nothing in a backend without downloads."""

    def downloads(self) -> list[Download]:
        """The session's latest downloads in their present state, oldest first. No round trip."""
        return []

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        """Wait until these downloads have ended, at most `timeout` seconds. Never raises."""

    @property
    def clipboard(self) -> Clipboard:
        """The text that the session's pages copy and paste."""
        raise NotSupported

    # --- dialogs ---

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        """None is the default: `alert` and `beforeunload` are accepted and reported, `confirm` and `prompt` wait."""
        raise NotSupported

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        raise NotSupported

    # --- features with interfaces of their own ---

    @property
    def device(self) -> Device:
        """The emulated device, location and language."""
        raise NotSupported

    def device_models(self) -> Mapping[str, DeviceDescriptor]:
        """Devices by name that the backend lists besides those of the engine. No round trip."""
        return {}

    @property
    def page_scripts(self) -> PageScripts:
        """Scripts that run before each page's own."""
        raise NotSupported

    @property
    def storage(self) -> Storage:
        """The web storage of the session's origins."""
        raise NotSupported

    # --- cookies ---

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        """All cookies of the session, or those that a request to `url` would carry."""
        raise NotSupported

    async def set_cookies(self, cookies: Sequence[Cookie]) -> None:
        """Set cookies; those with the same name, domain and path are replaced."""
        raise NotSupported

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        """Delete these cookies."""
        raise NotSupported

    async def clear_cookies(self) -> None:
        """Delete all cookies of the session."""
        raise NotSupported

    # --- network and console ---

    @property
    def network(self) -> Network:
        """The session's requests and responses."""
        raise NotSupported

    def restrict(self, domains: DomainPolicy) -> None:
        """Refuse requests that `domains` does not allow, from the first one on: navigations and each hop of their
        redirects, frames, scripts and workers, in every tab. A refused request fails in the page. A refused navigation
        leaves the page as it is, and raises `DomainNotAllowed` from the call that waits for it."""
        raise NotSupported

    @property
    def can_restrict_files(self) -> bool:
        """Whether `restrict_files` is supported. If it is not, commands open and show no files. No round trip."""
        return type(self).restrict_files is not Browser.restrict_files

    async def restrict_files(self, allows: Callable[[str], bool]) -> None:
        """Refuse `file:` URLs that `allows` rejects, from now on: pages, frames and resources, in any tab. A refused
        request fails as with `restrict`; a navigation raises `PathNotAllowed`."""
        raise NotSupported

    def take_refusals(self) -> Mapping[DomainRefusal, int]:
        """How many requests `restrict` and `restrict_files` have refused since the last call, by reason, in order of
        occurrence."""
        return {}

    @property
    def console(self) -> Console:
        """The console messages and the errors of pages."""
        raise NotSupported
