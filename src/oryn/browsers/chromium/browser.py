"""`ChromiumBrowser`: one session's browser, that is a browser context and its tabs, from start to close."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, ClassVar

from oryn.browsers.base import BrowserInfo, Cookie, Tab
from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.chromium.contexts import BrowserContext
from oryn.browsers.chromium.launch import PreparedLaunch, prepare_launch
from oryn.browsers.chromium.shared_browser import SharedBrowser
from oryn.browsers.chromium.tabs import CdpTabs, OwnTabs, no_tab_yet
from oryn.browsers.common.browser import CLOSE_SECONDS, BaseBrowser, not_running
from oryn.browsers.common.leases import SharedTabs
from oryn.browsers.process.browser_process import END_SECONDS
from oryn.browsers.process.run_folder import LaunchedProcess
from oryn.errors import OrynError

# Starting the browser takes longer than all else, so it comes first: modules that only pages need are imported
# meanwhile (in `_set_up`), and modules that are seldom needed on first use.
if TYPE_CHECKING:
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.emulation import Device, PageScripts
    from oryn.browsers.base.leases import LeaseHolder
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.placement import BrowserSource
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.base.storage import Clipboard, Storage
    from oryn.browsers.chromium.downloads import CdpDownloads
    from oryn.browsers.chromium.network_options import NetworkOptions
    from oryn.browsers.chromium.page import CdpPage
    from oryn.browsers.chromium.session_features import ChromiumFeatures, SharedTabInput
    from oryn.browsers.chromium.targets import CdpTargets
    from oryn.browsers.process.run_folder import RunFolder
    from oryn.core.passkey import PasskeyStore
    from oryn.core.urls import DomainPolicy, DomainRefusal

ANSWER_SECONDS = 2.0


class ChromiumBrowser(BaseBrowser["CdpPage"]):
    """Chromium or a browser of its family.

    executable: a path or a command; None for the best browser that `discovery` finds.
    profile: the folder of a profile to keep; None for a temporary profile.
    viewport: width and height in CSS pixels; not applied to a headful browser or one that runs already.
    runtime_dir: the folder for temporary files.
    load_timeout: seconds that a navigation started by an action may take.
    max_pages: tabs that may be open; 0 means no limit.
    endpoint: the address of a browser that runs already (`browser_url`). It keeps running after `close`.
    extra_args: more command-line flags, among them those of `network_options`.
    started: a process that was started with the same settings.
    network_options: how the browser reaches the network.
    extensions: folders of unpacked extensions.
    attachable: whether other clients can attach to the browser, through a port on loopback.
    sandbox: whether pages run in Chromium's sandbox, unless root runs the browser.
    passkeys: those that the session's pages may use without a person.
    shared_with: another session's browser. This session then runs in its process, in a browser context of its own, and
        the arguments that describe a process are ignored.
    source: what opens the browser, or gives leave to start one here; None for one that may start at any time. Then
        neither `endpoint` nor `shared_with` is set, unless the browser starts here.
    provided: with a `source`, whether the browser runs elsewhere.
    keeps_connection: whether the connection to the browser at `endpoint` outlives the session, if that browser runs on
        this computer.
    shares_context: with an `endpoint`, whether the session is in the context of the browser's user, with their cookies
        and beside their tabs, instead of in one of its own."""

    mode: ClassVar[str] = "headless"
    _tabs: CdpTabs
    _browser_type: ClassVar[type[SharedBrowser]] = SharedBrowser

    def __init__(
        self,
        executable: str | None = None,
        *,
        headful: bool = False,
        profile: Path | None = None,
        viewport: tuple[int, int] = (1280, 720),
        runtime_dir: Path,
        load_timeout: float = 30.0,
        max_pages: int = 0,
        endpoint: str | None = None,
        extra_args: Sequence[str] = (),
        started: LaunchedProcess | None = None,
        network_options: NetworkOptions | None = None,
        extensions: Sequence[Path] = (),
        attachable: bool = False,
        sandbox: bool = True,
        passkeys: PasskeyStore | None = None,
        shared_with: ChromiumBrowser | None = None,
        shares_context: bool = False,
        keeps_connection: bool = False,
        source: BrowserSource | None = None,
        provided: bool = False,
    ) -> None:
        super().__init__()

        def prepare(folder: RunFolder | None) -> PreparedLaunch:
            return prepare_launch(
                executable,
                headful=headful,
                profile=profile,
                viewport=viewport,
                runtime_dir=runtime_dir,
                extra_args=tuple(extra_args),
                extensions=tuple(extensions),
                attachable=attachable,
                sandbox=sandbox,
                folder=folder,
            )

        own = self._browser_type(
            prepare,
            runtime_dir=runtime_dir,
            persistent=profile is not None,
            endpoint=endpoint,
            keeps_connection=keeps_connection,
            provided=provided,
            launched=started,
            extensions=extensions,
            attachable=attachable,
        )
        self._shared: SharedBrowser = shared_with._shared if shared_with else own
        options: dict[str, Any] = dict(network_options.context_params()) if network_options else {}
        self.has_foreign_tabs = self.is_external = shares_context
        self.source = source
        keeps_pages = source is not None and source.keeps_pages
        is_alone = keeps_pages and not options
        if keeps_pages:
            options["disposeOnDetach"] = False  # a proxy may cut the connection
        self._context = self._create_context(own=bool(shared_with or endpoint or provided), options=options)
        self._context.is_alone = is_alone
        self._profile = profile.name if profile else None
        self._provided = provided
        self._headful = headful
        self._info: tuple[tuple[str | None, bool], BrowserInfo] | None = None
        """`info`, with the address and the place that it was made for."""
        # A window, and a browser started by others, keep their size.
        self._viewport = None if headful or self._shared.endpoint else viewport
        self._load_timeout = load_timeout
        self._max_pages = max_pages
        self._network_options = network_options
        self._passkeys = passkeys
        self._tabs = CdpTabs(shared=shares_context)
        self._own_tabs = OwnTabs(self._tabs)
        self._connection = CdpConnection()
        """The connection of the tabs; after a crash not that of the browser that was started since."""
        self._targets: CdpTargets | None = None
        self._downloads: CdpDownloads | None = None
        self._leases: SharedTabs | None = None
        self._world_name = f"oryn {token_hex(4)}"
        self._shared_input: SharedTabInput | None = None

    def identify(self, holder: LeaseHolder) -> None:
        self._leases = SharedTabs(self._shared.leases, holder, self._target_of, self._number_of)

    @property
    def leases(self) -> SharedTabs | None:
        return self._leases if self._context.is_shared else None

    def _target_of(self, number: int | None) -> str | None:
        """The target id of the tab with a number, or of the current one."""
        if number in self._tabs.foreign:
            return self._tabs.foreign[number].target_id
        page = self._tabs.current if number is None else self._tabs.get(number)
        return None if page is None else page.target_id

    def _number_of(self, target_id: Hashable) -> int | None:
        page = self._tabs.of_target(str(target_id))
        return self._tabs.foreign_number(str(target_id)) if page is None else self._tabs.number(page)

    def _create_context(self, *, own: bool, options: Mapping[str, Any]) -> BrowserContext:
        return BrowserContext(self._shared, own=own, options=options, shared=self.has_foreign_tabs)

    # --- start and close ---

    async def start(self) -> None:
        if self._targets is not None and self._connection.closed is None:
            return
        self.resumed = await self._open_source()
        if self.resumed:
            self._tabs.detach()
        else:
            self._tabs.clear()
        self._targets = None
        if self._passkeys is not None:
            await self._passkeys.open(self)
        try:
            first_tab = await self._context.enter(self._set_up, resumed=self.resumed)
            if self._targets is None:
                self._set_up()  # another session has started the browser, so `enter` did not call it
            await self._require_targets().wait_for_first(first_tab)
            self._shared.clean_up()
        except OrynError as error:
            reason = self._shared.explain_start_error(error)
            if self.source is not None:
                self.source.note_failure(reason)
            await self.close()
            raise reason from error

    async def _open_source(self) -> bool:
        """Have a browser from the source. Returns whether it is the one that the session had, with its pages."""
        if self.source is None:
            return False
        opened = await self.source.open()
        self.source.on_lost = self._shared.disconnect
        if opened.address is not None:
            self._shared.endpoint = opened.address
        waited, self.source.waited = self.source.waited, None
        if waited is not None:
            self._note(waited)
        return opened.resumed and self.source.keeps_pages and self._context.is_own

    @cached_property
    def _features(self) -> ChromiumFeatures:
        from oryn.browsers.chromium.session_features import ChromiumFeatures

        has_person = self._headful or (self._shared.endpoint is not None and not self._provided)
        passkeys = None if self._passkeys is None else (self._passkeys, self._note)
        return ChromiumFeatures(self._own_tabs, self._network_options, has_person=has_person, passkeys=passkeys)

    def _note(self, note: str) -> None:
        if self.on_note is not None:
            self.on_note(note)

    @property
    def ignores_certificate_errors(self) -> bool:
        return self._network_options is not None and self._network_options.ignore_certificate_errors

    def _set_up(self) -> None:
        """Follow the tabs of the context. Called before its first event."""
        from oryn import scanner
        from oryn.browsers.chromium.downloads import CdpDownloads
        from oryn.browsers.chromium.page import CdpPageSettings
        from oryn.browsers.chromium.scanner_client import ScannerScripts
        from oryn.browsers.chromium.targets import CdpTargets

        self._connection = connection = self._shared.connection
        scripts = ScannerScripts(
            scanner.bundle(), scanner.page_script("listeners"), scanner.page_script("path_listeners")
        )
        settings = CdpPageSettings(scripts, lambda: self._policy, self._viewport, self._load_timeout, self._features)
        if self._context.is_shared:
            settings = settings.replace(world_name=self._world_name)
        if self.leases is not None and self._shared_input is None:
            from oryn.browsers.chromium.session_features import SharedTabInput

            self._shared_input = self._features.register(SharedTabInput(self.leases, self._world_name))
            self._features.for_any_tab.append(self._shared_input)
        if self._downloads is not None:
            self._downloads.on_lost()
        self._downloads = CdpDownloads(
            connection.root,
            self._tabs,
            self._download_registry,
            self._context.params,
            is_local=self._shared.is_local,
        )
        router, is_shared = self._shared.router, self._context.is_shared
        self._targets = CdpTargets(
            connection,
            self._tabs,
            settings,
            context=self._context.params,
            router=router if is_shared else None,
            max_tabs=self._max_pages,
        )
        if not is_shared:
            router.add(self._context.id, self._targets)
        elif self.has_foreign_tabs:
            router.watch(self._targets)

    async def close(self) -> None:
        if self._leases is not None:
            self._leases.close()
        targets, self._targets = self._targets, None
        downloads, self._downloads = self._downloads, None
        if downloads is not None:
            await downloads.wait_until_moved(END_SECONDS)
            downloads.end()
        await self._context.leave(targets)
        if self.source is not None:
            await self.source.close()
        if self._passkeys is not None:
            await self._passkeys.close(self)

    async def version(self) -> str:
        answer = await self._connection.root.call("Browser.getVersion")
        product: str = answer["product"]
        return product

    @property
    def info(self) -> BrowserInfo:
        shared = self._shared
        place = shared.location or shared.address, shared.is_local
        if self._info is None or self._info[0] != place:
            self._info = place, self._create_info()
        return self._info[1]

    def _create_info(self) -> BrowserInfo:
        shared = self._shared
        if shared.endpoint is None:
            return BrowserInfo(self._profile, shared.address, headful=self._headful)
        from oryn.core.urls import redact_browser_url

        return BrowserInfo(endpoint=str(redact_browser_url(shared.location)), attached=True, here=shared.is_local)

    # --- the current tab ---

    @property
    def page(self) -> CdpPage:
        if self._tabs.current is None and self.has_foreign_tabs and self._targets is not None:
            raise no_tab_yet()
        return super().page

    def _require_targets(self) -> CdpTargets:
        if self._targets is None:
            raise not_running()
        return self._targets

    @property
    def lost(self) -> bool:
        return self._targets is not None and self._connection.closed is not None

    async def revive(self) -> None:
        # After the last tab has closed itself another one opens.
        if self._connection.closed is None and not self.has_foreign_tabs:
            await self._tabs.changed.until(lambda: self._tabs.current is not None, ANSWER_SECONDS)
        if self._connection.closed is not None or (self._tabs.current is None and not self.has_foreign_tabs):
            self._targets = None
            await self.start()
        if self.has_foreign_tabs:
            await self._revive_guest()
            return
        page = self._tabs.current
        assert page is not None
        if not await self._is_usable(page):
            await self._require_targets().replace(page)

    async def _revive_guest(self) -> None:
        """Have a tab of the session's own if there is no current one, or the user's current one is not usable."""
        page = self._tabs.current
        if page is None or (not page.own and page.channel.failure is not None):
            self._make_current(await self._require_targets().open_within_limit())
        elif page.own and not await self._is_usable(page):
            await self._require_targets().replace(page)

    async def _is_usable(self, page: CdpPage) -> bool:
        is_intact = page.channel.failure is None and not page.dialogs.is_flooded
        return is_intact and await self._responds(page)

    async def _responds(self, page: CdpPage) -> bool:
        """Whether the tab runs scripts. A script that loops could be terminated, but the page's next timer would start
        another before the tab has navigated."""
        if not page.frame_tree.is_initialized:
            return True  # the tab is new and has run none yet
        page.dialogs.dismiss()
        try:
            await page.channel.session.call("Runtime.evaluate", {"expression": "0"}, timeout=ANSWER_SECONDS)
        except OrynError:
            return False
        return True

    # --- recording ---

    @cached_property
    def tracing(self) -> Tracing:
        from oryn.browsers.chromium.tracing import CdpTracing

        if self.has_foreign_tabs:
            from oryn.browsers.chromium.foreign_tabs import not_for_whole_browser

            raise not_for_whole_browser("a trace")

        return CdpTracing(lambda: self.page.channel.session.connection.root)

    # --- tabs ---

    async def tabs(self) -> list[Tab]:
        await self._tabs.refresh_titles(self._connection.root)
        return self._tabs.rows()

    async def _open_tab(self) -> CdpPage:
        return await self._require_targets().open_within_limit()

    async def switch_tab(self, number: int) -> None:
        if number in self._tabs.foreign:
            await self._require_targets().borrow(number)
        await super().switch_tab(number)

    def _make_current(self, page: CdpPage) -> None:
        # The session leaves a tab that it has not opened when another one becomes current.
        previous, self._tabs.current = self._tabs.current, page
        if previous is not None and previous is not page and not previous.own:
            if self.leases is not None:
                self.leases.release(self._tabs.number(previous))  # nobody would notice that a person uses it
            self._require_targets().release(previous)

    async def close_tab(self, number: int | None = None) -> None:
        if number in self._tabs.foreign:
            assert number is not None
            await self._require_targets().close_foreign(number, CLOSE_SECONDS)
            return
        await super().close_tab(number)

    def _close_tab(self, page: CdpPage) -> None:
        self._require_targets().close(page)

    @property
    def clipboard(self) -> Clipboard:
        return self._features.clipboard

    # --- features ---

    @cached_property
    def device(self) -> Device:
        from oryn.browsers.cdp.emulation import CdpEmulation
        from oryn.browsers.chromium.contexts import ContextOverrides

        if self.has_foreign_tabs:
            from oryn.browsers.chromium.foreign_tabs import OwnTabsEmulation

            kind: type[CdpEmulation] = OwnTabsEmulation
        else:
            kind = CdpEmulation
        return self._features.register(kind(self._own_tabs, self._viewport, ContextOverrides(self._tabs)))

    @property
    def network(self) -> Network:
        return self._features.network

    def restrict(self, domains: DomainPolicy) -> None:
        self._features.interception.domains = domains

    async def restrict_files(self, allows: Callable[[str], bool]) -> None:
        self._features.interception.files = allows
        await self._features.interception.apply()

    def take_refusals(self) -> Mapping[DomainRefusal, int]:
        return self._features.interception.take_refusals()

    @property
    def console(self) -> Console:
        return self._features.console

    @cached_property
    def page_scripts(self) -> PageScripts:
        from oryn.browsers.cdp.page_scripts import CdpPageScripts

        return self._features.register(CdpPageScripts(self._own_tabs))

    @cached_property
    def storage(self) -> Storage:
        from oryn.browsers.chromium.storage import CdpStorage

        return CdpStorage(self._tabs, self._require_targets, self._features)

    # --- cookies ---

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        from oryn.browsers.chromium.cookies import cookies_for_url, session_cookies

        if url is None:
            return await session_cookies(self._connection.root, self._context.params)
        return await cookies_for_url(self.page.channel.session, url)

    async def set_cookies(self, cookies: Sequence[Cookie]) -> None:
        from oryn.browsers.chromium.cookies import set_cookies

        await set_cookies(self._connection.root, self._context.params, cookies, self.page.url)

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        from oryn.browsers.chromium.cookies import delete_cookies

        await delete_cookies(self.page.channel.session, cookies, self.page.url)

    async def clear_cookies(self) -> None:
        from oryn.browsers.chromium.cookies import clear_cookies

        await clear_cookies(self._connection.root, self._context.params)
