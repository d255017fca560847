"""From the settings to a browser; its process is begun before the event loop is imported, for it takes longer."""

from __future__ import annotations

import os
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
    """Start the browser's process that the settings describe; None where that fails: the first command that needs the
    browser tries again and says why."""
    from oryn.browsers.cdp.launch import begin

    _occupy_standard_descriptors()
    try:
        return begin(**_described(configuration, _access(configuration)))
    except BrowserError:
        return None


def browser_for(configuration: Configuration, started: Started | None = None) -> Headless:
    """The headless browser that the settings describe. `started` is its process where that was begun already."""
    return _headless(configuration, started=started)


class Browsers:
    """The browsers of a host's sessions. They share one process, save that a profile has one of its own: it is written
    to the end when its session ends, and no other session shall be in it."""

    def __init__(self, configuration: Configuration, started: Started | None = None) -> None:
        self._configuration = configuration
        self._started = started
        self._shared: Headless | None = None

    def first(self) -> Headless:
        """That of the session which the settings describe."""
        browser = browser_for(self._configuration, self._started)
        if self._configuration.settings.profile is None:
            self._shared = browser
        return browser

    def another(self, configuration: Configuration | None = None) -> Headless:
        """Another session's, which shares nothing with the first one but the process and the settings."""
        browser = _headless(configuration or self._configuration, profile=None, beside=self._shared)
        self._shared = self._shared or browser
        return browser


def encoding_browser(configuration: Configuration) -> Browser:
    """A browser of its own for what no page should share a process with: it needs no profile and no window."""
    from oryn.browsers.cdp import Headless

    return Headless(executable(configuration.settings.browser), runtime_dir=private_folder(configuration.paths.runtime))


def _headless(configuration: Configuration, **more: Any) -> Headless:
    """The browser that the settings describe, with `more` in their place."""
    from oryn.browsers.cdp import Headless

    access = _access(configuration)
    described = _described(configuration, access) | more
    return Headless(**described, access=access, load_timeout=configuration.settings.timeout)


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
        "extra_args": access.arguments() if access else (),
    }


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
