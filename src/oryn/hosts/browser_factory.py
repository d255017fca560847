"""Creates browsers from the settings.

The process is started before the event loop is imported, because it takes longer."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
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
    from oryn.providers import ProviderPool
    from oryn.providers.pool import ProvidedSource
    from oryn.settings import Configuration, Settings
    from oryn.settings.types import Backend
    from oryn.vault.passkeys import StoredPasskeys


def begin_browser(configuration: Configuration) -> LaunchedProcess | None:
    """Start the browser's process that the settings describe.

    Returns None if the settings name a running browser or providers, or if the start fails: the first command that
    needs the browser then retries and reports the error."""
    from oryn.browsers.chromium.launch import prepare_launch

    _occupy_standard_descriptors()
    if configuration.settings.browser_url is not None or configuration.settings.providers is not None:
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


def _providers(settings: Settings) -> ProviderPool | None:
    """The providers of the settings; None without any. Raises `ConfigurationError`."""
    if settings.providers is None and not settings.min_free_memory:
        return None
    from oryn.providers import ProviderPool
    from oryn.providers.configuration import read_providers
    from oryn.providers.local import LocalProvider

    if settings.providers is not None:
        return ProviderPool(read_providers(settings.providers))
    return ProviderPool([LocalProvider("local", min_free_memory=settings.min_free_memory * 1_000_000)])


def browser_for(configuration: Configuration) -> ChromiumBrowser:
    """The headless browser that the settings describe."""
    return BrowserFactory(configuration).create_chromium()


class BrowserFactory:
    """Creates the browsers of a host's sessions, which share processes where possible (`shared_process`).

    `backend` is that of a session whose settings name none; `started` and `webkit` were started for the first one. With
    `keeps_connections`, those to browsers of this computer's user outlive their sessions."""

    def __init__(
        self,
        configuration: Configuration,
        started: LaunchedProcess | None = None,
        *,
        webkit: LaunchedWebKit | None = None,
        backend: Backend = "headless",
        keeps_connections: bool = False,
    ) -> None:
        self._configuration = configuration
        self._started = started
        self._webkit = webkit
        self._backend = backend
        self._keeps_connections = keeps_connections
        self._shared: dict[Hashable, ChromiumBrowser] = {}
        self._passkeys: dict[str, StoredPasskeys] = {}
        self.providers = _providers(configuration.settings)
        """Where browsers come from; None if they start here, without limits."""

    def create_first(self) -> Browser:
        """The browser of the session that the host's settings describe. Raises `ConfigurationError`."""
        if self._backend == "headless" and self.providers is None:
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
            case ("headless" | "playwright") as chosen if self._is_provided(configuration):
                return self._create_provided(configuration, chosen)
            case "playwright":
                from oryn.browsers.playwright import PlaywrightBrowser

                if configuration.settings.playwright_engine != "chromium":
                    return playwright_engine_browser(configuration)
                return self._create(configuration, None, PlaywrightBrowser)
            case _:
                from oryn.browsers.chromium import ChromiumBrowser

                return self._create(configuration, None, ChromiumBrowser)

    def _is_provided(self, configuration: Configuration) -> bool:
        """Whether a provider has the session's browser. Raises `ConfigurationError`."""
        settings = configuration.settings
        if self.providers is None:
            for name in ("provider", "labels"):
                if getattr(settings, name) is not None:
                    raise ConfigurationError(
                        f"{name} chooses among providers, and the setting providers names no file",
                        "Set providers where the host is started (docs/providers.md).",
                    )
        is_attached = settings.browser_url is not None or settings.playwright_engine != "chromium"
        return self.providers is not None and not is_attached

    def _create_provided(self, configuration: Configuration, backend: Backend) -> ChromiumBrowser:
        """A browser of one of the providers that the settings allow. Raises `ConfigurationError`."""
        from oryn.browsers.chromium import ChromiumBrowser
        from oryn.browsers.chromium.launch import provided_arguments

        assert self.providers is not None
        settings = configuration.settings
        labels = dict(each.split("=", 1) for each in settings.labels or ())
        matching = self.providers.matching(settings.provider, labels)
        is_bound = settings.profile or settings.attachable or settings.extensions or backend == "playwright"
        kinds = ("playwright",) if backend == "playwright" else ("local",) if is_bound else ("local", "cdp", "grid")
        suitable = [each for each in matching if each.kind in kinds] or matching
        kind = self.providers.kind_for(suitable)
        remote = {"cdp", "grid"}  # their browsers are driven in the same way
        chosen = [each for each in suitable if each.kind == kind or {kind, each.kind} == remote]
        described = _launch_options(configuration, _network_access(configuration))
        names = ("headful", "viewport", "extra_args")
        source = self.providers.source(chosen, provided_arguments(**{name: described[name] for name in names}))
        if kind == "playwright":
            from oryn.browsers.playwright import PlaywrightBrowser

            return self._create(configuration, None, PlaywrightBrowser, source=source, provided=True)
        return self._create(configuration, None, ChromiumBrowser, source=source, provided=kind != "local")

    def _create(
        self,
        configuration: Configuration,
        started: LaunchedProcess | None,
        kind: type[ChromiumBrowser],
        *,
        source: ProvidedSource | None = None,
        provided: bool = False,
    ) -> ChromiumBrowser:
        access = _network_access(configuration)
        endpoint = _endpoint(configuration.settings, provided=provided)
        described = _launch_options(configuration, access)
        process = None if provided else shared_process(described, endpoint)
        key = None if process is None else (kind.mode, process)
        browser = kind(
            **described,
            network_options=access,
            endpoint=endpoint,
            load_timeout=configuration.settings.timeout,
            max_pages=configuration.settings.max_pages,
            started=started,
            passkeys=self._passkeys_of(configuration),
            shared_with=self._shared.get(key),
            shares_context=_shares_context(configuration, kind),
            keeps_connection=self._keeps_connections and endpoint is not None and _is_users(endpoint),
            source=source,
            provided=provided,
        )
        if key is not None:
            self._shared.setdefault(key, browser)
        return browser

    def _passkeys_of(self, configuration: Configuration) -> StoredPasskeys | None:
        """The passkeys that the settings name, shared by all sessions with that name; None if they name none."""
        name = configuration.settings.passkey
        if name is None:
            return None
        from oryn.vault.file import VaultFile
        from oryn.vault.passkeys import StoredPasskeys

        if name not in self._passkeys:
            file = VaultFile(configuration.paths, configuration.settings.vault)
            self._passkeys[name] = StoredPasskeys(file, name, configuration.paths.data / "passkeys")
        return self._passkeys[name]


_CHROMIUM_SETTINGS = (
    "allowed_domains",
    "attachable",
    "browser",
    "browser_context",
    "browser_url",
    "cache",
    "certificate_pins",
    "client_certificate",
    "client_certificate_origins",
    "denied_domains",
    "extensions",
    "headful",
    "passkey",
    "profile",
    "proxy",
    "proxy_bypass",
    "sandbox",
    "viewport",
)
"""Settings that engines other than Chromium can't apply."""
_WEBKIT_SETTINGS = ("allowed_domains", "cache", "denied_domains", "proxy", "proxy_bypass")
"""Those of them that embedded mode applies to a browser that it starts."""
_WEBKIT_REASONS = {
    "certificate_pins": "WebKit accepts either all invalid certificates or none",
    "client_certificate": "WebKit asks a person for a client certificate",
    "client_certificate_origins": "WebKit asks a person for a client certificate",
}
"""Why embedded mode can't apply the others, where it is WebKit itself."""
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
        proxy=settings.proxy or "",
        proxy_bypass=settings.proxy_bypass or "",
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
    _refuse(configuration, [name for name in _CHROMIUM_SETTINGS if name not in applied], _WEBKIT_REASONS)
    if configuration.settings.proxy and "@" in configuration.settings.proxy:
        raise ConfigurationError(
            "WebKit asks a person for the login of a proxy", "Use a proxy without a login, or a headless session."
        )


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


_NO_REASONS: Mapping[str, str] = MappingProxyType({})


def _refuse(configuration: Configuration, names: Iterable[str], reasons: Mapping[str, str] = _NO_REASONS) -> None:
    """Raise `ConfigurationError` if one of these settings, which need Chromium, is set. `reasons` says why, where the
    browser itself is why."""
    settings = configuration.settings
    for name in names:
        is_wanted = configuration.origins[name] == "flag" or name in _ENFORCED_SETTINGS
        if is_wanted and getattr(settings, name) != getattr(type(settings)(), name):
            raise ConfigurationError(
                f"{name} is for a browser of Chromium's family: {reasons.get(name, 'this one does not apply it')}",
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


def _is_users(endpoint: str) -> bool:
    """Whether an endpoint is that of a browser on this computer."""
    from oryn.core.urls import is_loopback_url

    return "://" not in endpoint or is_loopback_url(endpoint)


_CONTEXT_SETTINGS = ("proxy", "proxy_bypass")
"""Settings that the browser applies to a whole context."""


def _shares_context(configuration: Configuration, kind: type[ChromiumBrowser]) -> bool:
    """Whether the session is in the context of the browser's user. Raises `ConfigurationError` for settings that would
    reach the user's tabs, too."""
    settings = configuration.settings
    if settings.browser_context == "private" or settings.browser_url is None:
        if settings.browser_context != "private" and configuration.origins["browser_context"] == "flag":
            raise ConfigurationError(
                "browser_context shared is for a running browser, and browser_url names none", "Give browser_url, too."
            )
        return False
    if kind.mode != "headless":
        raise ConfigurationError(
            f"browser_context shared is not possible with the backend {kind.mode}", "Use the backend headless."
        )
    for name in _CONTEXT_SETTINGS:
        if getattr(settings, name) is not None:
            raise ConfigurationError(
                f"{name} would apply to the tabs of the browser's user, too", "Use browser_context private."
            )
    return True


def _endpoint(settings: Settings, *, provided: bool = False) -> str | None:
    """The endpoint of the browser to attach to; None if a browser is started, or a provider has it.

    Raises `ConfigurationError` if settings that need a started browser are set too."""
    if settings.browser_url is not None or provided:
        for name in ("profile", "attachable", "extensions"):
            if getattr(settings, name):
                other = "its provider has one that runs" if provided else "browser_url attaches to a running one"
                raise ConfigurationError(
                    f"{name} applies only to a browser that Oryn starts, and {other}",
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
