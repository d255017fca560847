"""From the settings to sessions, the first of them with a browser that is starting, and back to nothing left behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, NotSupported
from oryn.host.browser import Browsers

if TYPE_CHECKING:
    from oryn.browsers.base import Browser
    from oryn.browsers.cdp.launch import Started
    from oryn.engine import Options, Session
    from oryn.engine.captchas import Solver
    from oryn.engine.files import Places
    from oryn.engine.intents.own import Library
    from oryn.engine.policy import Policy
    from oryn.engine.saved_state import Sealing
    from oryn.paths import Paths
    from oryn.recording.film import Film
    from oryn.remote.extensions import Extensions
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration, Settings
    from oryn.vault import Vault

log = logging.getLogger(__name__)

_OF_PROCESSES = (Path("/proc"), Path("/dev/fd"))
"""Folders of the system that show the memory, the environment and the open files of processes, also of ours."""

CLOSING_LIMIT = 10.0
"""Seconds that a browser gets to end; its own start-up cleans after one that does not."""


@asynccontextmanager
async def opened(configuration: Configuration, started: Started | None = None) -> AsyncIterator[Sessions]:
    """The sessions of a host: one to begin with, of the name in the settings, whose browser is starting. They end with
    the block."""
    browsers = Browsers(configuration, started)
    browser = browsers.first()
    starting = asyncio.create_task(browser.start())
    await asyncio.sleep(0)  # its first step starts the process, which then loads while we do
    from oryn.sessions.sessions import Sessions

    sessions = Sessions(
        partial(_another, configuration, browsers),
        _session(configuration, configuration.settings.session, browser),
        configuration.paths,
    )
    hold(sessions, configuration.settings)
    sessions.launch(starting)
    try:
        yield sessions
    finally:
        await close(sessions)


def sessions_of(configuration: Configuration, *, keep: bool = False, extensions: Extensions | None = None) -> Sessions:
    """The sessions of a host that opens each when it is first asked for. With `keep` they outlive it: no other host may
    keep any at the same time. `extensions` are the user's own browsers that sessions may be in, too."""
    from oryn.sessions.keeping import Keeper
    from oryn.sessions.sessions import Sessions

    paths = configuration.paths
    sessions = Sessions(
        partial(_another, configuration, Browsers(configuration), extensions=extensions),
        paths=paths,
        keeper=Keeper(paths.daemon, paths.profiles) if keep else None,
    )
    hold(sessions, configuration.settings)
    return sessions


def hold(sessions: Sessions, settings: Settings) -> None:
    """Tell a host's sessions what limits them."""
    from oryn.settings import LIMITS

    sessions.limits = LIMITS
    sessions.limited = settings.boundaries or bool(settings.files_root) or _policy(settings) is not None


def _another(
    configuration: Configuration,
    browsers: Browsers,
    name: str,
    settings: Mapping[str, Any],
    extensions: Extensions | None = None,
) -> Session:
    """A session with the host's settings save for its own. The host's profile is that of the session which the host is
    called after: the others keep nothing. Raises `ConfigurationError`, and `NotSupported` for a backend that the host
    has not."""
    own = configuration.replaced(settings) if settings else configuration
    if extensions is None and "backend" in settings and own.settings.backend == "remote":
        raise NotSupported
    if extensions is not None and own.settings.backend == "remote":
        from oryn.host.remote import session_in

        return session_in(own, name, lambda: extensions.named(name), given=settings, data=True)
    if "profile" not in settings and name != configuration.settings.session:
        own = own.without("profile")
    return _session(own, name, browsers.another(own))


def options_of(configuration: Configuration, name: str) -> Options:
    """What a session of this name is told."""
    from oryn.engine import Options

    settings = configuration.settings
    return Options(
        timeout=settings.timeout,
        strict=settings.strict,
        settle_limit=settings.settle_limit,
        observe_limit=settings.observe_limit,
        files_root=settings.files_root or (),
        places=_places(configuration, name),
        ledger_folder=configuration.paths.ledger,
        max_output=settings.max_output,
        answer_folder=configuration.paths.answers,
        screenshot_folder=configuration.paths.screenshots,
        trace_folder=configuration.paths.traces,
        download_folder=download_folder(configuration, name),
        download_limit=settings.download_limit * 1_000_000,
        ephemeral=settings.ephemeral,
        policy=_policy(settings),
        boundaries=settings.boundaries,
    )


def _places(configuration: Configuration, name: str) -> Places:
    from oryn.engine.files import Places

    paths = configuration.paths
    own = *paths.own, *(folder for folder in _OF_PROCESSES if folder.exists())
    downloads = download_folder(configuration, name)
    return Places(own, (*paths.shared, downloads), (paths.files / name, downloads, paths.crawls))


def _session(configuration: Configuration, name: str, browser: Browser) -> Session:
    from oryn.engine import Session

    settings = configuration.settings
    session = Session(browser, name, options_of(configuration, name))
    session.json = settings.output == "json"
    session.film = lambda: _film(configuration)
    session.progress = _tell_progress
    session.library = partial(_library, configuration.paths)
    session.sealing = partial(_sealing, settings)
    session.vault = partial(_vault, configuration)
    if settings.captcha_service and settings.captcha_key:
        session.solver = partial(_solver, configuration, settings.captcha_service, settings.captcha_key)
    return session


def session_in_tab(configuration: Configuration, tab: Browser) -> Session:
    """A session like the host's own in a browser that is one tab of the host's."""
    return _session(configuration, configuration.settings.session, tab)


def _policy(settings: Settings) -> Policy | None:
    """What the settings let a session do; None is everything. Raises `ConfigurationError`."""
    chosen = (settings.allowed_domains, settings.denied_domains, settings.confirm)
    if not settings.read_only and all(each is None for each in chosen):
        return None
    from oryn.domains import Domains
    from oryn.engine.policy import Policy

    domains = Domains.of(settings.allowed_domains, settings.denied_domains)
    return Policy.of(domains=domains, read_only=settings.read_only, confirm=settings.confirm or ())


def download_folder(configuration: Configuration, session: str) -> Path:
    """Where a session's downloads lie: in the folder of the settings, else in one of its own.

    Raises `ConfigurationError` for one that `--files-root` does not allow."""
    from oryn.engine.files import Files

    roots, chosen = configuration.settings.files_root, configuration.settings.downloads
    if chosen is None:
        return (roots[0] / "downloads" if roots else configuration.paths.downloads) / session
    if not Files(roots or ()).allows(chosen):
        raise ConfigurationError(
            f"downloads can't be {chosen}: it is outside the files root", "Name a folder in one of --files-root."
        )
    return chosen


def _sealing(settings: Settings) -> Sealing:
    from oryn.sealing import StateSealing

    return StateSealing(None if settings.state_encryption == "off" else settings.state_encryption)


def _vault(configuration: Configuration) -> Vault:
    from oryn.vault import Vault

    return Vault(configuration.paths, configuration.settings.vault)


def _solver(configuration: Configuration, service: str, key: str) -> Solver:
    from oryn.captcha import service_of

    return service_of(service, key, _vault(configuration))


def _library(paths: Paths) -> Library:
    from oryn.intents import library_of

    return library_of(paths)


def _tell_progress(doing: str, share: float) -> None:
    from oryn.host.progress import tell

    tell(doing, share)


def _film(configuration: Configuration) -> Film:
    from oryn.host.browser import encoding_browser
    from oryn.paths import private_folder
    from oryn.recording.film import Film

    return Film(private_folder(configuration.paths.runtime), lambda: encoding_browser(configuration))


async def close(sessions: Sessions) -> None:
    """End them, as far as their browsers do."""
    try:
        async with asyncio.timeout(CLOSING_LIMIT):
            await sessions.close()
    except TimeoutError:
        log.warning("the browser did not end within %g s", CLOSING_LIMIT)
