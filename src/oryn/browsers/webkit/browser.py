"""`WebKitBrowser`: one session's browser of WebKit's, with a process of its own, from start to close."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base import BrowserInfo, Cookie, Tab
from oryn.browsers.common.browser import BaseBrowser, not_running
from oryn.browsers.process.browser_process import END_SECONDS
from oryn.browsers.webkit.engines import ENGINES, EngineName
from oryn.browsers.webkit.error_mapping import connection_lost
from oryn.browsers.webkit.launch import SIZE, LaunchedWebKit, launch_webkit
from oryn.browsers.webkit.tabs import WebKitTabs
from oryn.errors import BrowserFailed, ConfigurationError, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.emulation import Device, PageScripts
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.base.storage import Clipboard, Storage
    from oryn.browsers.webkit.connection import WebKitConnection
    from oryn.browsers.webkit.cookies import WebKitCookies
    from oryn.browsers.webkit.downloads import WebKitDownloads
    from oryn.browsers.webkit.hidden_tab import HiddenTabs
    from oryn.browsers.webkit.network.gateway import DomainGateway
    from oryn.browsers.webkit.page import WebKitPage
    from oryn.browsers.webkit.process import WebKitProcess
    from oryn.browsers.webkit.session_features import WebKitFeatures
    from oryn.browsers.webkit.targets import WebKitTargets
    from oryn.core.urls import DomainPolicy, DomainRefusal

RESPONSE_SECONDS = 0.5
"""How long a page may take to answer before it is left for good: the web process is killed then."""


class WebKitBrowser(BaseBrowser["WebKitPage"]):
    """One session's browser of WebKit's. All tabs of a browser share cookies, so sessions share none.

    engine: which browser, by name.
    runtime_dir: the folder below which the run folder is created.
    shader_cache: the folder for what Mesa has compiled to draw pages, which makes later starts faster; None keeps
        nothing.
    load_timeout: seconds that a navigation started by an action may take.
    max_pages: tabs that may be open; 0 means no limit.
    ignore_certificate_errors: accept servers with invalid certificates.
    cache: whether pages use the HTTP cache.
    domains: the hosts that it may reach, for a browser that is started before `restrict` is called.
    proxy: the address of a proxy without a login; empty for none. It can't be combined with `domains`.
    proxy_bypass: hosts that are reached without the proxy, as in the setting.
    started: a browser that was started already.
    endpoint: `host:port` of a browser that runs already, elsewhere; None starts one. Its downloads stay where it is,
        and hosts can't be limited in it."""

    mode: ClassVar[str] = "embedded"
    forwards_headers: ClassVar[bool] = True
    _tabs: WebKitTabs

    def __init__(
        self,
        engine: EngineName = "wpe",
        *,
        runtime_dir: Path,
        shader_cache: Path | None = None,
        load_timeout: float = 30.0,
        max_pages: int = 0,
        ignore_certificate_errors: bool = False,
        cache: bool = True,
        domains: DomainPolicy | None = None,
        proxy: str = "",
        proxy_bypass: str = "",
        started: LaunchedWebKit | None = None,
        endpoint: str | None = None,
    ) -> None:
        super().__init__()
        self.engine = ENGINES[engine]
        """What it drives."""
        self._runtime_dir = runtime_dir
        self._shader_cache = shader_cache
        self._load_timeout = load_timeout
        self._max_pages = max_pages
        self._ignore_certificate_errors = ignore_certificate_errors
        self._cache = cache
        self._launched = started
        self._endpoint = endpoint
        self._proxy = proxy, bypassed_hosts(proxy_bypass)
        self._gateway: DomainGateway | None = None
        self._tabs = WebKitTabs()
        self._process: WebKitProcess | None = None
        self._connection: WebKitConnection | None = None
        self._targets: WebKitTargets | None = None
        if domains:
            self.restrict(domains)

    # --- start and close ---

    async def start(self) -> None:
        if self._targets is not None and not self.lost:
            return
        await self._end()
        try:
            await self._start()
        except OrynError as error:
            output = self._process.error_output() if self._process is not None else ""
            await self._end()
            if isinstance(error, BrowserFailed) and not error.hint and output:
                raise BrowserFailed(error.message, output.splitlines()[-1]) from error
            raise

    async def _start(self) -> None:
        launched, self._launched = self._launched, None
        if self._endpoint is None:
            launched = launched or launch_webkit(self.engine, self._runtime_dir, shader_cache=self._shader_cache)
        # Starting the browser takes longer than these imports.
        from oryn.browsers.webkit.capture import PictureConverter
        from oryn.browsers.webkit.connection import AutomationOptions
        from oryn.browsers.webkit.page import WebKitPageSettings
        from oryn.browsers.webkit.process import WebKitProcess, connect_to
        from oryn.browsers.webkit.targets import WebKitTargets

        settings = WebKitPageSettings(
            lambda: self._policy,
            self._load_timeout,
            self._features,
            self._ignore_certificate_errors,
            PictureConverter(lambda: self._hidden_tabs),
        )
        options = AutomationOptions(self._ignore_certificate_errors, *await self._way_out())
        if launched is None:
            assert self._endpoint is not None
            self._connection = await connect_to(self._endpoint, self._on_lost, options)
        else:
            self._process = process = WebKitProcess(launched)
            self._connection = await process.connect(self._on_lost, options)
        assert self._followed_downloads
        targets = WebKitTargets(self._connection, self._tabs, settings, max_tabs=self._max_pages)
        self._targets = targets
        await targets.start()
        if self._process is not None and self.engine.sets_window:
            await self.device.resize(*SIZE)

    async def _way_out(self) -> tuple[str, tuple[str, ...]]:
        """The address of the proxy that requests go through, empty without one, and the hosts that need none."""
        return self._proxy if self._gateway is None else (await self._gateway.start(), ())

    def _on_lost(self) -> None:
        if self._targets is not None:
            self._targets.on_lost(connection_lost("" if self._process is None else self._process.error_output()))

    async def close(self) -> None:
        await self._end()
        launched, self._launched = self._launched, None
        if launched is not None:  # it was never used
            from oryn.browsers.webkit.process import WebKitProcess

            await WebKitProcess(launched).end()
        if self._gateway is not None:
            await self._gateway.close()

    async def _end(self) -> None:
        """End the browser, if it runs. Never raises."""
        if "_hidden_tabs" in self.__dict__:
            self._hidden_tabs.close()
        if "_followed_downloads" in self.__dict__:
            await self._followed_downloads.close(END_SECONDS)
        targets, self._targets = self._targets, None
        connection, self._connection = self._connection, None
        process, self._process = self._process, None
        if targets is not None:
            targets.end()
        if connection is not None:
            connection.close()
        self._tabs.clear()
        if process is not None:
            await process.end()

    @cached_property
    def _features(self) -> WebKitFeatures:
        from oryn.browsers.webkit.session_features import WebKitFeatures

        return WebKitFeatures(self._tabs, cache=self._cache, verify=not self._ignore_certificate_errors)

    async def version(self) -> str:
        return "/".join(self._require_connection().version)

    @property
    def info(self) -> BrowserInfo:
        attached = self._endpoint is not None
        return BrowserInfo(endpoint=self._endpoint, attached=attached, here=not attached)

    @property
    def ignores_certificate_errors(self) -> bool:
        return self._ignore_certificate_errors

    @property
    def process_group(self) -> int | None:
        """The process group of the browser; None if it does not run."""
        return None if self._process is None else self._process.pid

    def _require_connection(self) -> WebKitConnection:
        if self._connection is None:
            raise not_running()
        return self._connection

    def _require_targets(self) -> WebKitTargets:
        if self._targets is None:
            raise not_running()
        return self._targets

    # --- crashes ---

    @property
    def lost(self) -> bool:
        return self._connection is not None and self._connection.closed is not None

    async def revive(self) -> None:
        if self._targets is None or self.lost or not await self._revive_tab(self._targets):
            await self._end()
            await self.start()

    async def _revive_tab(self, targets: WebKitTargets) -> bool:
        """Make the current tab usable again. Returns whether that was possible: else the browser must start again."""
        try:
            await targets.recovered()
            page = self._tabs.current
            if page is None:
                return False
            if page.channel.failure is None and not page.dialogs.is_flooded and await self._responds(page):
                return True
            if page.channel.failure is None:
                await self._kill_pages(targets)
            await targets.replace(page)
        except OrynError:
            return False
        return True

    async def _responds(self, page: WebKitPage) -> bool:
        """Whether the tab runs scripts."""
        page.dialogs.dismiss()
        try:
            await page.channel.session.call("Runtime.evaluate", {"expression": "0"}, timeout=RESPONSE_SECONDS)
        except OrynError:
            return False
        return True

    async def _kill_pages(self, targets: WebKitTargets) -> None:
        """Kill the processes of pages: nothing else ends a script that loops."""
        if self._process is not None:
            self._process.kill_pages()
            await targets.wait_for_crash()

    # --- tabs ---

    async def tabs(self) -> list[Tab]:
        await self._tabs.refresh_titles()
        return self._tabs.rows()

    async def _open_tab(self) -> WebKitPage:
        return await self._require_targets().open_within_limit()

    def _close_tab(self, page: WebKitPage) -> None:
        self._require_targets().close(page)

    @cached_property
    def _hidden_tabs(self) -> HiddenTabs:
        from oryn.browsers.webkit.hidden_tab import HiddenTabs

        return HiddenTabs(
            lambda: self._require_targets().open_hidden(), lambda target: self._require_targets().close_hidden(target)
        )

    # --- features ---

    @property
    def clipboard(self) -> Clipboard:
        return self._features.clipboard

    @property
    def console(self) -> Console:
        return self._features.console

    @cached_property
    def _followed_downloads(self) -> WebKitDownloads:
        from oryn.browsers.webkit.downloads import WebKitDownloads

        def folder() -> Path | None:
            return None if self._process is None else self._process.downloads

        return self._features.register(WebKitDownloads(self._download_registry, folder))

    @cached_property
    def tracing(self) -> Tracing:
        from oryn.browsers.webkit.tracing import WebKitTracing

        return self._features.register(WebKitTracing(lambda: self.lost))

    @cached_property
    def device(self) -> Device:
        from oryn.browsers.webkit.emulation import WebKitEmulation

        features = self._features
        return features.register(
            WebKitEmulation(
                self._tabs, features.bootstrap, lambda: features.conditions, sets_window=self.engine.sets_window
            )
        )

    @cached_property
    def page_scripts(self) -> PageScripts:
        from oryn.browsers.webkit.bootstrap import WebKitPageScripts

        return WebKitPageScripts(self._features.bootstrap, lambda: self.page.channel.session)

    @cached_property
    def storage(self) -> Storage:
        from oryn.browsers.webkit.storage import WebKitStorage

        return WebKitStorage(self._tabs, self._hidden_tabs, self._features.visits, self._features.bootstrap)

    @property
    def network(self) -> Network:
        return self._features.network

    def restrict(self, domains: DomainPolicy) -> None:
        from oryn.browsers.webkit.network.gateway import DomainGateway

        self._features.interception.domains = domains
        if self._gateway is not None:
            self._gateway.domains = domains
        elif domains and self._proxy[0]:
            raise ConfigurationError(
                "hosts can be allowed or denied only without a proxy: WebKit has one proxy, which is Oryn's then",
                "Leave out one of the two settings, or use a headless session.",
            )
        elif self._process is not None or self._endpoint is not None:
            raise ConfigurationError(
                "this browser runs already, and hosts can be allowed or denied only when it starts",
                "Pass the hosts when the browser is created.",
            )
        else:
            self._gateway = DomainGateway(domains, self._features.interception.count_connection)

    async def restrict_files(self, allows: Callable[[str], bool]) -> None:
        self._features.interception.files = allows
        await self._features.interception.apply()

    def take_refusals(self) -> Mapping[DomainRefusal, int]:
        return self._features.interception.take_refusals()

    # --- cookies ---

    @cached_property
    def _cookies(self) -> WebKitCookies:
        from oryn.browsers.webkit.cookies import WebKitCookies

        return WebKitCookies(self._hidden_tabs, self._features.cookie_places)

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        return await (self._cookies.all(self.page) if url is None else self._cookies.of_url(url, self.page))

    async def set_cookies(self, cookies: Sequence[Cookie]) -> None:
        await self._cookies.set(cookies, self.page)

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        await self._cookies.delete(cookies, self.page)

    async def clear_cookies(self) -> None:
        await self._cookies.clear(self.page)


_LOOPBACK = ("localhost", "127.0.0.0/8", "::1")


def bypassed_hosts(setting: str) -> tuple[str, ...]:
    """The hosts and networks of the setting `proxy_bypass`, with this computer's own unless it says `<-loopback>`."""
    hosts = tuple(host for each in setting.split(",") if (host := each.strip()))
    return tuple(host for host in hosts if not host.startswith("<")) if "<-loopback>" in hosts else (*hosts, *_LOOPBACK)
