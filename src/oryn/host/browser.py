"""From the settings to a browser; its process is begun before the event loop is imported, for it takes longer."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from oryn.errors import BrowserError, ConfigurationError
from oryn.paths import private_folder

if TYPE_CHECKING:
    from pathlib import Path

    from oryn.browsers.base import Browser
    from oryn.browsers.cdp import Headless
    from oryn.browsers.cdp.access import Access
    from oryn.browsers.cdp.launch import Started
    from oryn.browsers.cdp.traffic.client_certificate import ClientCertificate
    from oryn.settings import Configuration, Settings


def begin_browser(configuration: Configuration) -> Started | None:
    """Start the browser's process that the settings describe. None where they name one that runs already, and where
    that fails: the first command that needs the browser tries again and says why."""
    from oryn.browsers.cdp.launch import begin

    _occupy_standard_descriptors()
    if configuration.settings.browser_url is not None:
        return None
    try:
        return begin(**_described(configuration, _access(configuration)))
    except BrowserError:
        return None


def browser_for(configuration: Configuration) -> Headless:
    """The headless browser that the settings describe."""
    return Browsers(configuration).first()


class Browsers:
    """The browsers of a host's sessions; those that may share a process do (`shared_process`)."""

    def __init__(self, configuration: Configuration, started: Started | None = None) -> None:
        self._configuration = configuration
        self._started = started
        self._shared: dict[Hashable, Headless] = {}

    def first(self) -> Headless:
        """That of the session which the host's settings describe."""
        started, self._started = self._started, None
        return self._made(self._configuration, started)

    def another(self, configuration: Configuration) -> Headless:
        """That of a session with these settings. Raises `ConfigurationError`."""
        return self._made(configuration, None)

    def _made(self, configuration: Configuration, started: Started | None) -> Headless:
        from oryn.browsers.cdp import Headless

        access, endpoint = _access(configuration), _endpoint(configuration.settings)
        described = _described(configuration, access)
        process = shared_process(described, endpoint)
        browser = Headless(
            **described,
            access=access,
            endpoint=endpoint,
            load_timeout=configuration.settings.timeout,
            most_pages=configuration.settings.most_pages,
            started=started,
            beside=self._shared.get(process),
        )
        if process is not None:
            self._shared.setdefault(process, browser)
        return browser


def shared_process(described: Mapping[str, Any], endpoint: str | None = None) -> Hashable | None:
    """What sessions have in common that may share a process; None for one that has its own.

    A profile has its own, for it is written to the end when its session ends, and one that others may attach to, for
    they would see every session in it. Those at one `endpoint` share the connection."""
    if endpoint is not None:
        return endpoint
    if described["profile"] is not None or described["attachable"]:
        return None
    window = described["viewport"] if described["headful"] else None  # else each tab has the viewport of its session
    return described["executable"], described["headful"], window, described["extensions"], described["extra_args"]


def encoding_browser(configuration: Configuration) -> Browser:
    """A browser of its own for what no page should share a process with: it needs no profile and no window."""
    from oryn.browsers.cdp import Headless

    return Headless(executable(configuration.settings.browser), runtime_dir=private_folder(configuration.paths.runtime))


def proxied_browser(configuration: Configuration, proxy: str) -> Headless:
    """A browser of its own with no way out but `proxy`, its URL with the login: not for what a page of it asks for, not
    for names that it looks up ahead of that, not for WebRTC. It has the settings of a session that say how pages reach
    the network, save for the client certificate, which goes through no proxy."""
    from dataclasses import replace

    from oryn.browsers.cdp import Headless
    from oryn.browsers.cdp.access import Access, proxy_of
    from oryn.browsers.cdp.traffic.hosts import arguments
    from oryn.domains import Domains

    settings = configuration.settings
    place, login = proxy_of(proxy)
    everything = "<-loopback>"  # else what is on this computer would be asked directly
    own = replace(_access(configuration) or Access(), proxy=place, proxy_login=login, proxy_bypass=everything)
    access = replace(own, client_certificate=None)
    return Headless(
        executable(settings.browser),
        viewport=settings.viewport,
        runtime_dir=private_folder(configuration.paths.runtime),
        extra_args=(*access.arguments(), *arguments(Domains(allowed=()), place)),
        access=access,
        load_timeout=settings.timeout,
        most_pages=settings.most_pages,
    )


def _endpoint(settings: Settings) -> str | None:
    """The browser to attach to. Raises `ConfigurationError` where other settings are for one that is started."""
    if settings.browser_url is not None:
        for name in ("profile", "attachable", "extensions"):
            if getattr(settings, name):
                raise ConfigurationError(
                    f"{name} is for a browser that is started, and browser_url for one that runs already",
                    "Leave out one of the two settings.",
                )
    return settings.browser_url


def _described(configuration: Configuration, access: Access | None) -> dict[str, Any]:
    """What the settings say of a browser, as `launch.begin` and `Headless` take it."""
    settings, paths = configuration.settings, configuration.paths
    return {
        "executable": executable(settings.browser),
        "headful": settings.headful,
        "profile": private_folder(paths.profiles / settings.profile) if settings.profile else None,
        "viewport": settings.viewport,
        "runtime_dir": private_folder(paths.runtime),
        "extensions": _extensions(settings),
        "extra_args": (*(access.arguments() if access else ()), *_fence(settings)),
        "attachable": settings.attachable,
    }


def _fence(settings: Settings) -> tuple[str, ...]:
    """What keeps the browser from hosts that it may not speak to, beneath `Browser.restrict`."""
    if settings.allowed_domains is None and settings.denied_domains is None:
        return ()
    from oryn.browsers.cdp.traffic.hosts import arguments
    from oryn.domains import Domains

    return arguments(Domains.of(settings.allowed_domains, settings.denied_domains), settings.proxy or "")


def _extensions(settings: Settings) -> tuple[Path, ...]:
    """Raises `ConfigurationError` for a folder that is no extension."""
    if settings.extensions is None:
        return ()
    from oryn.browsers.cdp.extensions import checked

    return checked(settings.extensions)


_REACHING = (
    "proxy",
    "proxy_bypass",
    "ignore_certificate_errors",
    "certificate_pins",
    "client_certificate",
    "client_certificate_origins",
    "cache",
)


def _access(configuration: Configuration) -> Access | None:
    """How the browser reaches the network; None where the settings say nothing of it."""
    settings = configuration.settings
    if all(configuration.origins[name] == "default" for name in _REACHING):
        return None
    from oryn.browsers.cdp.access import Access, proxy_of

    proxy, login = proxy_of(settings.proxy) if settings.proxy else ("", None)
    return Access(
        proxy=proxy,
        proxy_login=login,
        proxy_bypass=settings.proxy_bypass or "",
        cache=settings.cache,
        ignore_certificate_errors=settings.ignore_certificate_errors,
        certificate_pins=settings.certificate_pins or (),
        client_certificate=_client_certificate(settings),
    )


def _client_certificate(settings: Settings) -> ClientCertificate | None:
    """Raises `ConfigurationError`."""
    file, origins = settings.client_certificate, settings.client_certificate_origins
    if file is None and origins is None:
        return None
    if file is None or origins is None:
        raise ConfigurationError(
            "client_certificate and client_certificate_origins are given together", "Give both, or neither."
        )
    if settings.proxy:
        raise ConfigurationError("client_certificate does not go through a proxy", "Leave out one of the two settings.")
    from oryn.browsers.cdp.traffic.client_certificate import ClientCertificate

    return ClientCertificate(file, origins, verify=not settings.ignore_certificate_errors)


def executable(browser: str | None) -> str | None:
    """The setting `browser` as a path or a command: an installed browser's name (`edge`) is its executable."""
    if browser is None:
        return None
    from oryn.browsers.cdp.discovery import candidates

    named = (each.executable for each in candidates() if each.name.lower() == browser.lower())
    return next(named, browser)


def _occupy_standard_descriptors() -> None:
    # Were one of them closed, the browser's pipes would take its number and be mistaken for it.
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
