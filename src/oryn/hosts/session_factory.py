"""Creates sessions from the settings, starts the first one's browser, and closes them all."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, NotSupported
from oryn.hosts.browser_factory import BrowserFactory

if TYPE_CHECKING:
    from oryn.browsers.base import Browser
    from oryn.browsers.process.run_folder import LaunchedProcess
    from oryn.browsers.webkit.launch import LaunchedWebKit
    from oryn.engine import Options, Session
    from oryn.engine.definitions import IntentLibrary
    from oryn.engine.file_access import HostFolders
    from oryn.engine.page.captcha import CaptchaSolver
    from oryn.engine.policy.policy import Policy
    from oryn.engine.program.interpreter import Interpreter
    from oryn.engine.state.state_file import StateEncryption
    from oryn.extension_server.extensions import Extension, Extensions
    from oryn.plugins.registry import InstalledPlugins
    from oryn.recording.encoder import BrowserVideoEncoder
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration, Settings
    from oryn.settings.types import Backend
    from oryn.system.paths import Paths
    from oryn.vault import Vault

log = logging.getLogger(__name__)

_PROCESS_FOLDERS = (Path("/proc"), Path("/dev/fd"))
"""System folders that expose the memory, the environment and the open files of processes, including this one."""

CLOSE_TIMEOUT_SECONDS = 10.0
"""Seconds that a browser gets to end; if it does not, its next start cleans up."""


_UNENFORCEABLE_SETTINGS = ("allowed_domains", "denied_domains")
"""Limits on a browser's requests, which can be enforced only in a browser that the host starts."""

_LAUNCH_ONLY_SETTINGS = (
    "attachable",
    "browser",
    "browser_context",
    "browser_url",
    "cache",
    "certificate_pins",
    "client_certificate",
    "client_certificate_origins",
    "downloads",
    "extensions",
    "headful",
    "ignore_certificate_errors",
    "passkey",
    "labels",
    "profile",
    "provider",
    "proxy",
    "proxy_bypass",
    "sandbox",
    "viewport",
)
"""Settings of a browser that the host starts."""


@asynccontextmanager
async def open_sessions(
    configuration: Configuration,
    started: LaunchedProcess | None = None,
    *,
    webkit: LaunchedWebKit | None = None,
    backend: Backend = "headless",
) -> AsyncIterator[Sessions]:
    """The sessions of a host, closed after the block. The first has the name in the settings, and its browser is
    starting.

    `started` is the browser's process, or `webkit` that of the embedded browser, if it was started already. `backend`
    is the kind of browser of sessions that name none. Raises `ConfigurationError`."""
    browsers = BrowserFactory(configuration, started, webkit=webkit, backend=backend)
    browser = browsers.create_first()
    starting = asyncio.create_task(browser.start())
    await asyncio.sleep(0)  # runs its first step, which starts the process while the imports below run
    if backend != "headless":  # the steps after it are requests, which the loop sends meanwhile
        await asyncio.to_thread(importlib.import_module, "oryn.sessions.sessions")
    from oryn.sessions.sessions import Sessions

    sessions = Sessions(
        partial(_new_session, configuration, browsers),
        _session(configuration, configuration.settings.session, browser),
        configuration.paths,
    )
    apply_limits(sessions, configuration.settings)
    sessions.launch(starting)
    try:
        yield sessions
    finally:
        await close_sessions(sessions)


def sessions_of(
    configuration: Configuration,
    *,
    keep: bool = False,
    extensions: Extensions | None = None,
    browsers: BrowserFactory | None = None,
) -> Sessions:
    """The sessions of a host that opens each one when it is first used.

    With `keep`, sessions are saved and outlive the host; no other host may save sessions at the same time. `extensions`
    are the user's own browsers, which sessions may use too; `browsers` creates the others."""
    from oryn.sessions.persistence.store import SessionStore
    from oryn.sessions.sessions import Sessions

    paths = configuration.paths
    if browsers is None:
        browsers = BrowserFactory(configuration, backend=configuration.settings.backend, keeps_connections=keep)
    sessions = Sessions(
        partial(_new_session, configuration, browsers, extensions=extensions),
        paths=paths,
        store=SessionStore(paths.daemon, paths.profiles) if keep else None,
    )
    apply_limits(sessions, configuration.settings)
    return sessions


def apply_limits(sessions: Sessions, settings: Settings) -> None:
    """Set the limits of the settings on a host's sessions."""
    from oryn.settings import LIMITS

    sessions.limits, sessions.allowed_domains = LIMITS, settings.allowed_domains
    sessions.limited = settings.boundaries or bool(settings.files_root) or _policy(settings) is not None


def _new_session(
    configuration: Configuration,
    browsers: BrowserFactory,
    name: str,
    settings: Mapping[str, Any],
    extensions: Extensions | None = None,
) -> Session:
    """Create a session with the host's settings, overridden by `settings`.

    Only the session that is named in the host's settings has the host's profile. Raises `ConfigurationError`, and
    `NotSupported` for a backend that the host does not have."""
    own = configuration.with_settings(settings) if settings else configuration
    if extensions is None and "backend" in settings and own.settings.backend == "remote":
        raise NotSupported
    if extensions is not None and own.settings.backend == "remote":
        return remote_session(own, name, lambda: extensions.named(name), overrides=settings, data=True)
    if "profile" not in settings and name != configuration.settings.session:
        own = own.with_default("profile")
    return _session(own, name, browsers.create(own, own.settings.backend if "backend" in settings else None))


def options_of(configuration: Configuration, name: str) -> Options:
    """The options of a session of this name, from the settings. Raises `ConfigurationError`."""
    from oryn.engine import Options

    settings = configuration.settings
    return Options(
        timeout=settings.timeout,
        strict=settings.strict,
        settle_limit=settings.settle_limit,
        settle_grace=settings.settle_grace,
        action_wait=settings.action_wait,
        presence_wait=settings.presence_wait,
        tab_lease=settings.tab_lease,
        observe_limit=settings.observe_limit,
        files_root=settings.files_root or (),
        host_folders=_host_folders(configuration, name),
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


def _host_folders(configuration: Configuration, name: str) -> HostFolders:
    from oryn.engine.file_access import HostFolders

    paths = configuration.paths
    own = *paths.own, *_secret_files(configuration), *(folder for folder in _PROCESS_FOLDERS if folder.exists())
    downloads = download_folder(configuration, name)
    return HostFolders(own, (*paths.shared, downloads), (paths.files / name, downloads, paths.crawls))


def _secret_files(configuration: Configuration) -> Iterator[Path]:
    """The files outside of Oryn's folders that hold secrets of Oryn: those that a setting or variable names."""
    named = [value for name, value in os.environ.items() if name.startswith("ORYN_") and name.endswith("_FILE")]
    settings = configuration.settings
    named += [
        str(each) for each in (settings.client_certificate, settings.tls_key, settings.tokens) if each is not None
    ]
    for each in filter(None, named):
        # A container engine replaces such a file by pointing a link to another one.
        file = Path(each).expanduser().absolute()
        yield from (file, file.resolve())


def _session(configuration: Configuration, name: str, browser: Browser) -> Session:
    from oryn.engine import Session

    settings = configuration.settings
    session = Session(browser, name, options_of(configuration, name))
    session.json = settings.output == "json"
    session.plugins = _plugins
    session.new_video_encoder = lambda: _video_encoder(configuration)
    session.progress = _report_progress
    session.library = partial(_library, configuration.paths)
    session.state_encryption = partial(_state_encryptor, settings)
    session.vault = partial(_vault, configuration)
    session.new_interpreter = _interpreter
    if settings.captcha_service and settings.captcha_key:
        session.solver = partial(_solver, configuration, settings.captcha_service, settings.captcha_key)
    return session


def remote_session(
    configuration: Configuration,
    name: str,
    extension: Callable[[], Extension],
    *,
    overrides: Mapping[str, Any] | None = None,
    data: bool = False,
) -> Session:
    """A session in a user's own browser, whose extension `extension` returns.

    `overrides` are the settings in which the session differs from the host. With `data`, its answers carry structured
    data. Raises `ConfigurationError` for a limit that can't be enforced there, and for an override that needs a browser
    started by the host."""
    from oryn.sessions.extension.session import extension_session

    for setting in _UNENFORCEABLE_SETTINGS:
        if getattr(configuration.settings, setting) is not None:
            raise ConfigurationError(
                f"{setting} can't be enforced in the user's own browser: Oryn does not control its requests",
                "Leave the setting out, or use a headless session. read_only and confirm work in both.",
            )
    if wrong := [setting for setting in _LAUNCH_ONLY_SETTINGS if setting in (overrides or {})]:
        raise ConfigurationError(
            f"{wrong[0]} applies only to a browser that Oryn starts, not to the user's own", "Leave the setting out."
        )
    session = extension_session(name, options_of(configuration, name), extension, data=data)
    session.new_interpreter = _interpreter
    session.json = configuration.settings.output == "json"
    return session


def session_in_tab(configuration: Configuration, tab: Browser) -> Session:
    """A session with the host's settings in a browser that consists of one tab of the host's browser."""
    return _session(configuration, configuration.settings.session, tab)


def _policy(settings: Settings) -> Policy | None:
    """The policy of the settings; None if they set no limits. Raises `ConfigurationError`."""
    chosen = (settings.allowed_domains, settings.denied_domains, settings.confirm)
    if not settings.read_only and all(each is None for each in chosen):
        return None
    from oryn.core.urls import DomainPolicy
    from oryn.engine.policy.policy import Policy

    domains = DomainPolicy.of(settings.allowed_domains, settings.denied_domains)
    return Policy.of(domains=domains, read_only=settings.read_only, confirm=settings.confirm or ())


def download_folder(configuration: Configuration, session: str) -> Path:
    """A session's download folder: the one in the settings, or else a folder named after the session.

    Raises `ConfigurationError` if `--files-root` does not allow it."""
    from oryn.engine.file_access import Files

    roots, chosen = configuration.settings.files_root, configuration.settings.downloads
    if chosen is None:
        return (roots[0] / "downloads" if roots else configuration.paths.downloads) / session
    if not Files(roots or ()).allows(chosen):
        raise ConfigurationError(
            f"downloads can't be {chosen}: it is outside the files root", "Name a folder in one of --files-root."
        )
    return chosen


def _state_encryptor(settings: Settings) -> StateEncryption:
    from oryn.system.encryption import StateEncryptor

    return StateEncryptor(None if settings.state_encryption == "off" else settings.state_encryption)


def _vault(configuration: Configuration) -> Vault:
    from oryn.vault import Vault

    return Vault(configuration.paths, configuration.settings.vault)


def _interpreter(
    functions: Collection[str], printed: Callable[[str], object]
) -> AbstractAsyncContextManager[Interpreter]:
    from oryn.sandbox.monty import new_interpreter

    return new_interpreter(functions, printed)


def _solver(configuration: Configuration, service: str, key: str) -> CaptchaSolver:
    from oryn.captcha import create_solver

    return create_solver(service, key, _vault(configuration))


def _plugins() -> InstalledPlugins:
    from oryn.plugins.registry import InstalledPlugins

    return InstalledPlugins()


def _library(paths: Paths) -> IntentLibrary:
    from oryn.intents import library_of

    return library_of(paths)


def _report_progress(activity: str, share: float) -> None:
    from oryn.hosts.terminal import report_progress

    report_progress(activity, share)


def _video_encoder(configuration: Configuration) -> BrowserVideoEncoder:
    from oryn.hosts.browser_factory import encoding_browser
    from oryn.recording.encoder import BrowserVideoEncoder
    from oryn.system.paths import private_folder

    return BrowserVideoEncoder(private_folder(configuration.paths.runtime), lambda: encoding_browser(configuration))


async def close_sessions(sessions: Sessions) -> None:
    """Close the sessions; log it if their browsers don't end in time."""
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
            await sessions.close()
    except TimeoutError:
        log.warning("the browser did not end within %g s", CLOSE_TIMEOUT_SECONDS)
