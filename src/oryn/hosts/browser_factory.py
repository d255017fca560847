"""Creates browsers from the settings.

The process is started before the event loop is imported, because it takes longer."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from oryn.errors import BrowserError, ConfigurationError
from oryn.system.paths import private_folder

if TYPE_CHECKING:
    from pathlib import Path

    from oryn.browsers.base import Browser
    from oryn.browsers.cdp.network.client_certificate import ClientCertificate
    from oryn.browsers.chromium import ChromiumBrowser
    from oryn.browsers.chromium.network_options import NetworkOptions
    from oryn.browsers.playwright import PlaywrightEngineBrowser
    from oryn.browsers.process.run_folder import LaunchedProcess
    from oryn.browsers.webkit import WebKitBrowser
    from oryn.browsers.webkit.launch import LaunchedWebKit
    from oryn.settings import Configuration, Settings
    from oryn.settings.types import Backend


def begin_browser(configuration: Configuration) -> LaunchedProcess | None:
    """Start the browser's process that the settings describe.

    Returns None if the settings name a running browser, or if the start fails: the first command that needs the browser
    then retries and reports the error."""
    from oryn.browsers.chromium.launch import prepare_launch

    _occupy_standard_descriptors()
    if configuration.settings.browser_url is not None:
        return None
    try:
        return prepare_launch(**_launch_options(configuration, _network_access(configuration))).launch()
    except BrowserError:
        return None


def begin_webkit(configuration: Configuration) -> LaunchedWebKit | None:
    """Start the embedded browser's process that the settings describe.

    Returns None if the settings name a running browser, or if the start fails: the first command that needs the browser
    then retries and reports the error. Raises `ConfigurationError` for settings that it can't apply."""
    from oryn.browsers.webkit.engines import ENGINES
    from oryn.browsers.webkit.launch import launch_webkit

    settings = configuration.settings
    _check_embedded(configuration)
    _occupy_standard_descriptors()
    if settings.inspector_address is not None:
        return None
    try:
        runtime_dir, shader_cache = _webkit_folders(configuration)
        return launch_webkit(ENGINES[settings.webkit_engine], runtime_dir, shader_cache=shader_cache)
    except BrowserError:
        return None


def browser_for(configuration: Configuration) -> ChromiumBrowser:
    """The headless browser that the settings describe."""
    return BrowserFactory(configuration).create_chromium()


class BrowserFactory:
    """Creates the browsers of a host's sessions, which share processes where possible (`shared_process`).

    `backend` is that of a session whose settings name none; `started` and `webkit` were started for the first one."""

    def __init__(
        self,
        configuration: Configuration,
        started: LaunchedProcess | None = None,
        *,
        webkit: LaunchedWebKit | None = None,
        backend: Backend = "headless",
    ) -> None:
        self._configuration = configuration
        self._started = started
        self._webkit = webkit
        self._backend = backend
        self._shared: dict[Hashable, ChromiumBrowser] = {}

    def create_first(self) -> Browser:
        """The browser of the session that the host's settings describe. Raises `ConfigurationError`."""
        if self._backend == "headless":
            return self.create_chromium()
        if self._backend == "embedded":
            webkit, self._webkit = self._webkit, None
            return embedded_browser(self._configuration, webkit)
        return self.create(self._configuration)

    def create_chromium(self) -> ChromiumBrowser:
        """The headless browser that the host's settings describe."""
        from oryn.browsers.chromium import ChromiumBrowser

        started, self._started = self._started, None
        return self._create(self._configuration, started, ChromiumBrowser)

    def create(self, configuration: Configuration, backend: Backend | None = None) -> Browser:
        """The browser of a session with these settings; without a `backend`, in a browser of the host's kind. Raises
        `ConfigurationError`."""
        match backend or self._backend:
            case "embedded":
                return embedded_browser(configuration)
            case "playwright":
                from oryn.browsers.playwright import PlaywrightBrowser

                if configuration.settings.playwright_engine != "chromium":
                    return playwright_engine_browser(configuration)
                return self._create(configuration, None, PlaywrightBrowser)
            case _:
                from oryn.browsers.chromium import ChromiumBrowser

                return self._create(configuration, None, ChromiumBrowser)

    def _create(
        self, configuration: Configuration, started: LaunchedProcess | None, kind: type[ChromiumBrowser]
    ) -> ChromiumBrowser:
        access, endpoint = _network_access(configuration), _endpoint(configuration.settings)
        described = _launch_options(configuration, access)
        process = shared_process(described, endpoint)
        key = None if process is None else (kind.mode, process)
        browser = kind(
            **described,
            network_options=access,
            endpoint=endpoint,
            load_timeout=configuration.settings.timeout,
            max_pages=configuration.settings.max_pages,
            started=started,
            shared_with=self._shared.get(key),
        )
        if key is not None:
            self._shared.setdefault(key, browser)
        return browser


_CHROMIUM_SETTINGS = (
    "allowed_domains",
    "attachable",
    "browser",
    "browser_url",
    "cache",
    "certificate_pins",
    "client_certificate",
    "client_certificate_origins",
    "denied_domains",
    "extensions",
    "headful",
    "profile",
    "proxy",
    "proxy_bypass",
    "sandbox",
    "viewport",
)
"""Settings that engines other than Chromium can't apply."""
_WEBKIT_SETTINGS = ("allowed_domains", "cache", "denied_domains")
"""Those of them that embedded mode applies to a browser that it starts."""
_ENFORCED_SETTINGS = ("allowed_domains", "denied_domains")
"""Settings that are refused wherever they come from; others only if a session is started with them."""


def embedded_browser(configuration: Configuration, started: LaunchedWebKit | None = None) -> WebKitBrowser:
    """The embedded browser that the settings describe, with the process that was `started` for it, if any. Raises
    `ConfigurationError` for settings that it can't apply."""
    settings = configuration.settings
    _check_embedded(configuration)
    runtime_dir, shader_cache = _webkit_folders(configuration)
    from oryn.browsers.webkit import WebKitBrowser
    from oryn.core.urls import DomainPolicy

    return WebKitBrowser(
        settings.webkit_engine,
        runtime_dir=runtime_dir,
        shader_cache=shader_cache,
        load_timeout=settings.timeout,
        max_pages=settings.max_pages,
        ignore_certificate_errors=settings.ignore_certificate_errors,
        cache=settings.cache,
        domains=DomainPolicy.of(settings.allowed_domains, settings.denied_domains),
        started=started,
        endpoint=settings.inspector_address,
    )


def _check_embedded(configuration: Configuration) -> None:
    """Raise `ConfigurationError` for settings that the embedded browser can't apply."""
    applied = _WEBKIT_SETTINGS if configuration.settings.inspector_address is None else ("cache",)
    _refuse(configuration, [name for name in _CHROMIUM_SETTINGS if name not in applied])


def _webkit_folders(configuration: Configuration) -> tuple[Path, Path]:
    """The folder for run folders, and that for what Mesa has compiled."""
    return private_folder(configuration.paths.runtime), private_folder(configuration.paths.cache / "shaders")


def playwright_engine_browser(configuration: Configuration) -> PlaywrightEngineBrowser:
    """Playwright's Firefox or WebKit, as the settings describe it. Raises `ConfigurationError` for settings that it
    can't apply."""
    from oryn.browsers.playwright import PlaywrightEngineBrowser

    settings = configuration.settings
    _refuse(configuration, [name for name in _CHROMIUM_SETTINGS if name not in ("browser", "browser_url", "headful")])
    return PlaywrightEngineBrowser(
        settings.playwright_engine,
        executable=settings.browser,
        endpoint=settings.browser_url,
        headful=settings.headful,
        runtime_dir=private_folder(configuration.paths.runtime),
        load_timeout=settings.timeout,
        max_pages=settings.max_pages,
        ignore_certificate_errors=settings.ignore_certificate_errors,
    )


def _refuse(configuration: Configuration, names: Iterable[str]) -> None:
    """Raise `ConfigurationError` if one of these settings, which need Chromium, is set."""
    settings = configuration.settings
    for name in names:
        is_wanted = configuration.origins[name] == "flag" or name in _ENFORCED_SETTINGS
        if is_wanted and getattr(settings, name) != getattr(type(settings)(), name):
            raise ConfigurationError(
                f"{name} is for a browser of Chromium's family, and a WebDriver server can't apply it",
                "Leave the setting out, or use a headless session.",
            )


def shared_process(described: Mapping[str, Any], endpoint: str | None = None) -> Hashable | None:
    """A key that is equal for sessions that may share a process; None for a session that needs its own process.

    A session with a profile needs its own, as the profile is completely written when the session ends. So does one that
    others may attach to, as they would see all sessions in the process. Sessions at one `endpoint` share the
    connection."""
    if endpoint is not None:
        return endpoint
    if described["profile"] is not None or described["attachable"]:
        return None
    window = described["viewport"] if described["headful"] else None  # else each tab has its session's viewport
    return described["executable"], described["headful"], window, described["extensions"], described["extra_args"]


def encoding_browser(configuration: Configuration) -> Browser:
    """A separate browser for encoding, which should share no process with pages. It needs no profile and no window."""
    from oryn.browsers.chromium import ChromiumBrowser

    return ChromiumBrowser(
        executable(configuration.settings.browser),
        runtime_dir=private_folder(configuration.paths.runtime),
        sandbox=configuration.settings.sandbox,
    )


def proxied_browser(configuration: Configuration, proxy: str) -> ChromiumBrowser:
    """A separate browser whose only way to the network is `proxy`, a URL with the login.

    This also covers requests of pages, DNS prefetches and WebRTC. The browser has the session's network settings,
    except for the client certificate, which can't be used through a proxy."""
    from dataclasses import replace

    from oryn.browsers.chromium import ChromiumBrowser
    from oryn.browsers.chromium.network_options import NetworkOptions, host_rule_arguments, split_proxy_login
    from oryn.core.urls import DomainPolicy

    settings = configuration.settings
    server, login = split_proxy_login(proxy)
    everything = "<-loopback>"  # otherwise requests to this computer would bypass the proxy
    own = replace(
        _network_access(configuration) or NetworkOptions(), proxy=server, proxy_login=login, proxy_bypass=everything
    )
    access = replace(own, client_certificate=None)
    return ChromiumBrowser(
        executable(settings.browser),
        viewport=settings.viewport,
        runtime_dir=private_folder(configuration.paths.runtime),
        extra_args=(*access.arguments(), *host_rule_arguments(DomainPolicy(allowed=()), server)),
        sandbox=settings.sandbox,
        network_options=access,
        load_timeout=settings.timeout,
        max_pages=settings.max_pages,
    )


def _endpoint(settings: Settings) -> str | None:
    """The endpoint of the browser to attach to; None if a browser is started.

    Raises `ConfigurationError` if settings that need a started browser are set too."""
    if settings.browser_url is not None:
        for name in ("profile", "attachable", "extensions"):
            if getattr(settings, name):
                raise ConfigurationError(
                    f"{name} applies only to a browser that Oryn starts, and browser_url attaches to a running one",
                    "Leave out one of the two settings.",
                )
    return settings.browser_url


def _launch_options(configuration: Configuration, access: NetworkOptions | None) -> dict[str, Any]:
    """The settings of a browser as arguments of `launch.begin` and `ChromiumBrowser`."""
    settings, paths = configuration.settings, configuration.paths
    return {
        "executable": executable(settings.browser),
        "headful": settings.headful,
        "profile": private_folder(paths.profiles / settings.profile) if settings.profile else None,
        "viewport": settings.viewport,
        "runtime_dir": private_folder(paths.runtime),
        "extensions": _extensions(settings),
        "extra_args": (*(access.arguments() if access else ()), *_host_rule_arguments(settings)),
        "attachable": settings.attachable,
        "sandbox": settings.sandbox,
    }


def _host_rule_arguments(settings: Settings) -> tuple[str, ...]:
    """Arguments that keep the browser from denied hosts, below the level of `Browser.restrict`."""
    if settings.allowed_domains is None and settings.denied_domains is None:
        return ()
    from oryn.browsers.chromium.network_options import host_rule_arguments
    from oryn.core.urls import DomainPolicy

    return host_rule_arguments(DomainPolicy.of(settings.allowed_domains, settings.denied_domains), settings.proxy or "")


def _extensions(settings: Settings) -> tuple[Path, ...]:
    """The folders of extensions to load. Raises `ConfigurationError` if a folder is not an extension."""
    if settings.extensions is None:
        return ()
    from oryn.browsers.chromium.extensions import validate_folders

    return validate_folders(settings.extensions)


_NETWORK_SETTINGS = (
    "proxy",
    "proxy_bypass",
    "ignore_certificate_errors",
    "certificate_pins",
    "client_certificate",
    "client_certificate_origins",
    "cache",
)


def _network_access(configuration: Configuration) -> NetworkOptions | None:
    """The browser's network options; None if all settings for them have their defaults."""
    settings = configuration.settings
    if all(configuration.origins[name] == "default" for name in _NETWORK_SETTINGS):
        return None
    from oryn.browsers.chromium.network_options import NetworkOptions, split_proxy_login

    proxy, login = split_proxy_login(settings.proxy) if settings.proxy else ("", None)
    return NetworkOptions(
        proxy=proxy,
        proxy_login=login,
        proxy_bypass=settings.proxy_bypass or "",
        cache=settings.cache,
        ignore_certificate_errors=settings.ignore_certificate_errors,
        certificate_pins=settings.certificate_pins or (),
        client_certificate=_client_certificate(settings),
    )


def _client_certificate(settings: Settings) -> ClientCertificate | None:
    """The client certificate of the settings. Raises `ConfigurationError`."""
    file, origins = settings.client_certificate, settings.client_certificate_origins
    if file is None and origins is None:
        return None
    if file is None or origins is None:
        raise ConfigurationError(
            "client_certificate and client_certificate_origins are given together", "Give both, or neither."
        )
    if settings.proxy:
        raise ConfigurationError("client_certificate does not go through a proxy", "Leave out one of the two settings.")
    from oryn.browsers.cdp.network.client_certificate import ClientCertificate

    return ClientCertificate(file, origins, verify=not settings.ignore_certificate_errors)


def executable(browser: str | None) -> str | None:
    """Resolve the setting `browser` to a path or command: an installed browser's name (`edge`) becomes its
    executable."""
    if browser is None:
        return None
    from oryn.browsers.chromium.discovery import candidates

    named = (each.executable for each in candidates() if each.name.lower() == browser.lower())
    return next(named, browser)


def _occupy_standard_descriptors() -> None:
    # If one of them were closed, a pipe of the browser would get its number and be mistaken for it.
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
