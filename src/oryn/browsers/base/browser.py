"""What one session's browser must offer.

What concerns the session as a whole comes in parts, each a contract of its own: `network`, `console`, `device`, …. A
part keeps what it was told when the browser is started again, and holds for every tab, also those that come later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base.page import Page
from oryn.browsers.base.values import Cookie, DialogPolicy, Download, Navigation, Place, Tab
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.base.clipboard import Clipboard
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.device import Device
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.page_scripts import PageScripts
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.base.storage import Storage
    from oryn.domains import Domains, Refusal


class Browser:
    """One session's browser."""

    mode: ClassVar[str]
    """The name of the mode in answers: `headless`, `embedded`, `remote`."""

    elsewhere: ClassVar[bool] = False
    """It is another's, who has its pages, its cookies and its storage: a host keeps nothing of them."""

    @property
    def page(self) -> Page:
        """The current tab. Raises `BrowserFailed` when the browser is gone and can't be started again."""
        raise NotSupported

    async def start(self) -> None:
        """Start the browser unless it runs, or raise `BrowserNotFound`, `BrowserFailed`."""
        raise NotSupported

    @property
    def lost(self) -> bool:
        """The browser was started and has died, all its tabs with it. No round trip."""
        return False

    async def attend(self) -> None:
        """A command begins, and with it perhaps another `page`: in a browser that a person uses too, it is for the tab
        that is in front by now. Raises `TabNotFound` for a session whose tab is gone."""

    async def revive(self) -> None:
        """Make `page` usable again after a crash of the tab or the browser, or when its renderer hangs. `goto` calls it
        first; it costs nothing when all is well."""
        raise NotSupported

    async def close(self) -> None:
        """End the browser and remove what it left behind. Safe to call twice."""
        raise NotSupported

    async def version(self) -> str:
        """`Chrome/156.0.8078.79`."""
        raise NotSupported

    @property
    def place(self) -> Place:
        """Where it lives. No round trip; some is known once it has started."""
        return Place()

    @property
    def ignores_certificate_errors(self) -> bool:
        """Whether it talks to servers with any certificate."""
        return False

    # --- recording ---

    @property
    def tracing(self) -> Tracing:
        """The browser's own trace."""
        raise NotSupported

    # --- tabs ---

    async def tabs(self) -> list[Tab]:
        raise NotSupported

    def open_tabs(self) -> list[Tab]:
        """The same as events have told them so far, each with the title of the last `tabs`. No round trip. Raises
        `NotSupported` for a browser that is not told."""
        raise NotSupported

    def on_moved(self, tell: Callable[[], None]) -> None:
        """Have `tell` called from now on whenever a tab comes, goes, or shows another URL, whoever caused it; after a
        start of the browser, too. A browser that is not told lets it be."""

    async def tabs_until(self, holds: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        """Wait until `holds` of the open tabs, at most `timeout` seconds; whether it did. It is asked again whenever a
        tab comes, goes, or shows another URL; of none, once the browser is gone."""
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
        """Open a tab that shows nothing, behind the others, and tell its number; the current one stays current. Raises
        `TabLimit`."""
        raise NotSupported

    def page_of(self, number: int) -> Page:
        """The tab with this number, current or not. Raises `TabNotFound`. No round trip."""
        raise NotSupported

    def work_on(self, number: int) -> None:
        """Make a tab current without bringing it to the front. Raises `TabNotFound`. No round trip."""
        raise NotSupported

    # --- downloads ---

    def keep_downloads(self, keep: Callable[[Path, str], Path], limit: int) -> None:
        """What becomes of downloads from now on. A finished file is handed to `keep`, in a thread, with the name that
        the page gives it; it moves the file and returns where it lies, or raises `FileError`. What is larger than
        `limit` bytes is broken off (0: no limit), and nothing is left of it. A backend without downloads lets it be."""

    def downloads(self) -> list[Download]:
        """The session's latest downloads as they stand now, oldest first. No round trip."""
        return []

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        """Wait until none of these runs any more, at most `timeout` seconds. Never raises."""

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

    # --- parts, each a contract of its own ---

    @property
    def device(self) -> Device:
        """What the browser pretends to be."""
        raise NotSupported

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
        raise NotSupported

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        raise NotSupported

    async def clear_cookies(self) -> None:
        raise NotSupported

    # --- parts ---

    @property
    def network(self) -> Network:
        """What the session sends and is answered."""
        raise NotSupported

    def restrict(self, domains: Domains) -> None:
        """Let no request leave for where `domains` lets nothing go, from the first one on: of navigations and each hop
        of their redirects, of frames, scripts and workers, in every tab. What is refused fails in the page; a refused
        navigation of a tab leaves its page as it is, and is `DomainNotAllowed` to whoever waits for it."""
        raise NotSupported

    async def hold_files(self, allows: Callable[[str], bool]) -> None:
        """Load no `file:` URL from now on that `allows` refuses: no page, frame or picture of one, in any tab. What is
        refused fails as with `restrict`; a navigation is `PathNotAllowed`."""
        raise NotSupported

    def refused(self) -> Mapping[Refusal, int]:
        """How many requests `restrict` and `hold_files` have kept back since this was last asked, by reason, the first
        one first."""
        return {}

    @property
    def console(self) -> Console:
        """What pages say on the console, and their errors."""
        raise NotSupported
