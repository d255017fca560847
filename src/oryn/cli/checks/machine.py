"""Checks of the machine: folders, browser, fonts, memory, leftovers, the daemon, and assistants' configurations of
`oryn mcp`."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oryn import __version__
from oryn.cli.checks.finding import CheckResult, State
from oryn.cli.checks.installation import extra
from oryn.errors import (
    BrowserFailed,
    BrowserNotFound,
    BrowserUnsuitable,
    DaemonNotRunning,
    OrynError,
    SandboxUnavailable,
)
from oryn.settings import Configuration
from oryn.system.browser_installation import package_commands
from oryn.system.paths import private_folder

if TYPE_CHECKING:
    from oryn.browsers.base import Browser


def python(_: Configuration) -> CheckResult:
    """Report the version of Python and its path."""
    return "ok", f"{platform.python_version()} at {sys.executable}", ""


def folders(configuration: Configuration) -> CheckResult:
    """Check that Oryn's folders are private and can be written to; they are created if they are missing."""
    paths = configuration.paths
    for folder in (paths.runtime, paths.data, paths.sessions):
        try:
            private_folder(folder)
        except OrynError as error:
            return "missing", error.message, error.hint or ""
        if not os.access(folder, os.W_OK):
            return "missing", f"{folder} can't be written to", f"chmod u+rwx {folder}"
    return "ok", f"{paths.runtime}, {paths.data} and {paths.sessions} can be written to", ""


def browser(configuration: Configuration) -> CheckResult:
    """Start the browser and query its version: only that proves that it runs here."""
    from oryn.browsers.chromium.discovery import find_browser
    from oryn.hosts.browser_factory import browser_for, executable

    try:
        path = find_browser(executable(configuration.settings.browser))
        return "ok", f"{_version_of(browser_for(configuration))} at {path}", ""
    except OrynError as error:
        return "missing", error.message, _browser_remedy(configuration, error)


_BUTTON = "data:text/html,<button style='position:fixed;inset:0' onclick='pressed()'>"
_PRESSED = "new Promise(done => { setTimeout(done, 2000, false); pressed = () => done(true); })"


def _version_of(browser: Browser, *, press: bool = False) -> str:
    """Start a browser, load a page, query the version, and close it. With `press`, press a button: raises
    `BrowserUnsuitable` if the page does not notice it."""

    async def version() -> str:
        try:
            await browser.start()
            await browser.page.goto(_BUTTON)  # WebKit loads some of its libraries for the first page
            if press:
                listening = asyncio.ensure_future(browser.page.evaluate(_PRESSED))
                await browser.page.evaluate("0")
                await browser.page.mouse.click(50, 50)
                if not await listening:
                    raise BrowserUnsuitable(
                        f"{await browser.version()} can't be driven: it drops the presses of the mouse",
                        "Install another version, or use headless mode.",
                    )
            return await browser.version()
        finally:
            await browser.close()

    return asyncio.run(version())


def _browser_remedy(configuration: Configuration, error: OrynError) -> str:
    """The command that installs a browser, unless the user has configured one, or one is there and does not start."""
    from oryn.browsers.chromium.discovery import candidates

    if configuration.origins["browser"] == "default" and not candidates():
        return "oryn install-browser"
    if type(error) is BrowserFailed:  # its hint is to run this check
        return "Name another browser with --browser, or install one: oryn install-browser --force"
    return error.hint or ""


def sandbox(configuration: Configuration) -> CheckResult:
    """Check that the browser has its sandbox by starting it with it: it ends if it can't have it."""
    from oryn.browsers.chromium.machine_limits import has_sandbox
    from oryn.hosts.browser_factory import browser_for

    if not configuration.settings.sandbox:
        mend = "Switch it on again unless you trust every page: leave out the setting sandbox."
        return "warning", "off, as the setting sandbox says: a page that breaks into its browser has your rights", mend
    if not has_sandbox(is_wanted=True):
        return "warning", "none: the browser has no sandbox when root runs it", "Run Oryn as another user than root."
    if configuration.settings.browser_url is not None:
        return "ok", "that of the browser at browser_url", ""
    try:
        asyncio.run(_start(browser_for(configuration)))
    except SandboxUnavailable as error:
        return "missing", error.message, error.hint or ""
    except OrynError:
        return "warning", "not tried: no browser starts", ""
    return "ok", "the browser has started with it", ""


async def _start(browser: Browser) -> None:
    try:
        await browser.start()
    finally:
        await browser.close()


def fonts(_: Configuration) -> CheckResult:
    """Check, on Linux, that a font is installed."""
    if not sys.platform.startswith("linux"):
        return "ok", "the platform's own", ""
    folders = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")
    for folder in folders:
        if any(file.suffix in (".ttf", ".otf", ".ttc", ".pfb") for file in folder.rglob("*")):
            return "ok", f"in {folder}", ""
    commands = package_commands(["fonts-liberation"])
    mend = " && ".join(" ".join(words) for words in commands) or "Install a font, such as Liberation."
    return "warning", "no fonts: text is drawn as boxes", mend


def leftovers(configuration: Configuration) -> CheckResult:
    """Remove what dead processes left behind, as every start does."""
    from oryn.browsers.process.run_folder import remove_abandoned

    removed = remove_abandoned(configuration.paths.runtime)
    return "ok", f"removed {len(removed)} that dead sessions left" if removed else "none", ""


def shared_memory(_: Configuration) -> CheckResult:
    """Check whether the browser uses the shared memory of Linux, of which containers have little."""
    from oryn.browsers.chromium.machine_limits import MIN_SHARED_MEMORY_BYTES, SHARED_MEMORY_FOLDER, free_shared_memory

    free = free_shared_memory()
    if free is None:
        return "ok", "the platform's own", ""
    found = f"{free // 2**20} MB free in {SHARED_MEMORY_FOLDER}"
    if free < MIN_SHARED_MEMORY_BYTES:
        return "ok", f"{found}: the browser uses files instead (a container has more with --shm-size=1g)", ""
    return "ok", found, ""


def webkit(configuration: Configuration) -> list[CheckResult]:
    """Check the browser of embedded mode, which is only needed there: start it if it is installed, and press a
    button."""
    from oryn.browsers.webkit.engines import ENGINES, find_browser_program
    from oryn.hosts.browser_factory import BrowserFactory

    settings = configuration.settings
    engine = ENGINES[settings.webkit_engine]
    try:
        program = find_browser_program(engine)
        started = _version_of(BrowserFactory(configuration, backend="embedded").create_first(), press=True)
        found: CheckResult = "ok", f"{started}, engine {engine.name}, {program}", ""
    except BrowserNotFound as error:
        if settings.backend == "embedded":
            found = "missing", error.message, error.hint or ""
        else:
            found = "ok", f"{error.message}; only for 'oryn embedded'", ""
    except BrowserUnsuitable as error:
        found = "wrong" if settings.backend == "embedded" else "warning", error.message, error.hint or ""
    except OrynError as error:
        found = "missing", error.message, error.hint or ""
    return [found]


def playwright(configuration: Configuration) -> list[CheckResult]:
    """Check the extra of the backend playwright; if that is the default, that a browser starts; and that this
    Playwright drives the Firefox of the system, if there is one."""
    from oryn.browsers.playwright.driver import find_firefox

    settings = configuration.settings
    found = [extra("playwright", configuration)]
    if found[0][0] != "ok" or find_spec("playwright") is None:
        return found
    if settings.backend == "playwright":
        found.append(_playwright_engine(configuration, "missing"))
    if (settings.backend, settings.playwright_engine) != ("playwright", "firefox") and find_firefox():
        with_firefox = settings.replace(playwright_engine="firefox", browser=None, browser_url=None)
        found.append(_playwright_engine(configuration.replace(settings=with_firefox), "warning"))
    return found


def _playwright_engine(configuration: Configuration, failed: State) -> CheckResult:
    """Start the browser of the setting `playwright_engine`; `failed` is the state if it does not start."""
    from oryn.hosts.browser_factory import BrowserFactory

    try:
        started = _version_of(BrowserFactory(configuration, backend="playwright").create_first())
        return "ok", f"{started}, engine {configuration.settings.playwright_engine}", ""
    except OrynError as error:
        return failed, error.message, error.hint or ""


def extension(configuration: Configuration) -> CheckResult:
    """Check the pairings with the extension of the user's own browsers, and if the daemon runs, the connection."""
    from oryn.daemon_client.client import DaemonClient
    from oryn.extension_server.keys import KeyStore
    from oryn.system.daemon_instance import DaemonInstance

    file = configuration.paths.remote_keys
    pair = "oryn daemon pair CODE     # the code that the extension shows"
    try:
        json.loads(file.read_text("utf-8") if file.exists() else "{}")
    except (OSError, ValueError) as error:
        return "wrong", f"{file} can't be read ({type(error).__name__}): every browser has to pair again", f"rm {file}"
    paired = KeyStore(file).all()
    needed = configuration.settings.backend == "remote"
    if not paired:
        found = "no browser of yours is paired"
        return ("missing", found, pair) if needed else ("ok", f"{found}; only for sessions with --backend remote", "")
    names = ", ".join(sorted({each.browser for each in paired}))
    try:
        connected = bool(DaemonClient(DaemonInstance(configuration.paths)).status(limit=_STATUS_SECONDS)["extension"])
    except (OrynError, ImportError):
        return "ok", f"paired with {names}", ""
    if connected or not needed:
        return "ok", f"paired with {names}, {'connected' if connected else 'not connected'}", ""
    return "warning", f"paired with {names}, and not connected", "Open the extension in that browser, and connect."


_STATUS_SECONDS = 10.0


def daemon(configuration: Configuration) -> list[CheckResult]:
    """Check the daemon's requirements and, if it runs, whether it answers."""
    needed = extra("daemon", configuration)
    if needed[0] != "ok":
        return [needed]
    return [needed, _check_running(configuration)]


def _check_running(configuration: Configuration) -> CheckResult:
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance

    try:
        status = DaemonClient(DaemonInstance(configuration.paths)).status(limit=_STATUS_SECONDS)
    except OrynError as error:
        if type(error) is DaemonNotRunning:
            return _check_port(configuration)
        return "wrong", error.message, error.hint or "oryn daemon restart"
    address = f"process {status['pid']} at port {status['port']}"
    if status["version"] != __version__:
        return "warning", f"{address} is version {status['version']}, and this is {__version__}", "oryn daemon restart"
    return "ok", address, ""


def _check_port(configuration: Configuration) -> CheckResult:
    """Check a port that the user has configured: the daemon uses no other port instead."""
    port = configuration.settings.port
    if configuration.origins["port"] != "default" and port:
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", port))
            except OSError as error:
                return (
                    "wrong",
                    f"not running, and port {port} is not available: {error.strerror}",
                    "Choose another with --port.",
                )
    return "ok", "not running; the first verb starts it", ""


def assistants(_: Configuration) -> list[CheckResult]:
    """Start and initialize each assistant's server as the assistant would."""
    from oryn.skill.mcp_servers import check_server, configured_servers

    found: list[CheckResult] = []
    for one in configured_servers():
        place = f"{one.assistant.title}: {one.file}"
        if one.problem:
            found.append(("warning", f"{place} {one.problem}", ""))
        elif not one.command:
            found.append(("ok", f"{place} has it by HTTP", ""))
        elif failure := check_server(one.command, one.environment):
            project = " --project" if one.is_project else ""
            again = f"oryn skill --for {one.assistant.name}{project} --install --replace"
            found.append(("wrong", f"{place} can't start it. {failure.message}", failure.hint or again))
        else:
            found.append(("ok", f"{place} starts it", ""))
    return found or [("ok", "none has oryn in its configuration", "")]
