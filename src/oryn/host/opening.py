"""From the settings to a session whose browser is starting, and back to nothing left behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from oryn.host.registry import registered
from oryn.paths import private_folder

if TYPE_CHECKING:
    from oryn.browsers.base import Browser
    from oryn.engine import Session
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

CLOSING_LIMIT = 10.0
"""Seconds that a browser gets to end; its own start-up cleans after one that does not."""


@asynccontextmanager
async def opened(configuration: Configuration) -> AsyncIterator[Session]:
    """A session, registered by its name, whose browser is starting; it ends with the block."""
    browser = browser_for(configuration)
    starting = asyncio.create_task(browser.start())
    await asyncio.sleep(0)  # its first step starts the process, which then loads while we do
    session = _session(configuration, browser)
    session.launch(starting)
    with registered(configuration.settings.session, configuration.paths):
        try:
            yield session
        finally:
            await _close(session)


def _session(configuration: Configuration, browser: Browser) -> Session:
    from oryn.engine import Options, Session

    settings = configuration.settings
    options = Options(
        timeout=settings.timeout,
        strict=settings.strict,
        settle_limit=settings.settle_limit,
        observe_limit=settings.observe_limit,
        screenshot_folder=configuration.paths.screenshots,
    )
    session = Session(browser, settings.session, options)
    session.json = settings.output == "json"
    return session


def browser_for(configuration: Configuration) -> Browser:
    """The headless browser that the settings describe, not yet started."""
    from oryn.browsers.cdp import Headless

    settings, paths = configuration.settings, configuration.paths
    profile = None if settings.profile is None else private_folder(paths.profiles / settings.profile)
    return Headless(
        executable(settings.browser),
        headful=settings.headful,
        profile=profile,
        viewport=settings.viewport,
        runtime_dir=private_folder(paths.runtime),
        load_timeout=settings.timeout,
    )


def executable(browser: str | None) -> str | None:
    """The setting `browser` as a path or a command: an installed browser's name (`edge`) is its executable."""
    from oryn.browsers.cdp.discovery import candidates

    named = (each.executable for each in candidates() if browser and each.name.lower() == browser.lower())
    return next(named, browser)


async def _close(session: Session) -> None:
    try:
        async with asyncio.timeout(CLOSING_LIMIT):
            await session.close()
    except TimeoutError:
        log.warning("the browser did not end within %g s", CLOSING_LIMIT)
