"""What the machine has: folders, a browser, fonts, memory, and what dead sessions left on it."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from pathlib import Path

from oryn.cli.checks.finding import Found
from oryn.errors import OrynError
from oryn.paths import private_folder
from oryn.settings import Configuration


def python(_: Configuration) -> Found:
    return "ok", f"{platform.python_version()} at {sys.executable}", ""


def folders(configuration: Configuration) -> Found:
    paths = configuration.paths
    for folder in (paths.runtime, paths.data, paths.sessions):
        try:
            private_folder(folder)
        except OrynError as error:
            return "missing", error.message, error.hint or ""
        if not os.access(folder, os.W_OK):
            return "missing", f"{folder} can't be written to", f"chmod u+rwx {folder}"
    return "ok", f"{paths.runtime}, {paths.data} and {paths.sessions} can be written to", ""


def browser(configuration: Configuration) -> Found:
    """Starts the browser and asks it what it is: only that proves that it runs here."""
    from oryn.browsers.cdp.discovery import find_browser
    from oryn.host.browser import browser_for, executable

    async def version() -> str:
        browser = browser_for(configuration)
        try:
            await browser.start()
            return await browser.version()
        finally:
            await browser.close()

    try:
        path = find_browser(executable(configuration.settings.browser))
        return "ok", f"{asyncio.run(version())} at {path}", ""
    except OrynError as error:
        return "missing", error.message, installation() or error.hint or ""


def installation() -> str:
    """The command that installs a browser here, or a place to get one."""
    if sys.platform == "darwin":
        return "brew install --cask chromium"
    if sys.platform.startswith("linux") and shutil.which("apt-get"):
        sudo = "" if os.geteuid() == 0 else "sudo "
        return f"{sudo}apt-get update && {sudo}apt-get install -y chromium"
    return "Install Chrome or Chromium (https://www.chromium.org/getting-involved/download-chromium/)."


def sandbox(_: Configuration) -> Found:
    if not sys.platform.startswith("linux"):
        return "ok", "the platform's own", ""
    if os.geteuid() == 0:
        return "warning", "none: the browser has no sandbox when root runs it", "Run Oryn as another user than root."
    switch = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if switch.is_file() and switch.read_text().strip() == "1":
        # https://chromium.googlesource.com/chromium/src/+/main/docs/security/apparmor-userns-restrictions.md
        return "warning", "AppArmor restricts user namespaces", f"echo 0 | sudo tee {switch}"
    return "ok", "user namespaces", ""


def fonts(_: Configuration) -> Found:
    if not sys.platform.startswith("linux"):
        return "ok", "the platform's own", ""
    folders = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")
    for folder in folders:
        if any(file.suffix in (".ttf", ".otf", ".ttc", ".pfb") for file in folder.rglob("*")):
            return "ok", f"in {folder}", ""
    sudo = "" if os.geteuid() == 0 else "sudo "
    return "warning", "no fonts: text is drawn as boxes", f"{sudo}apt-get install -y fonts-liberation"


def leftovers(configuration: Configuration) -> Found:
    """What dead owners left behind is removed here, as on every start."""
    from oryn.browsers.cdp.cleanup import clean

    removed = clean(configuration.paths.runtime)
    return "ok", f"removed {len(removed)} that dead sessions left" if removed else "none", ""


def shared_memory(_: Configuration) -> Found:
    folder = Path("/dev/shm")
    if not folder.is_dir():
        return "ok", "the platform's own", ""
    free = shutil.disk_usage(folder).free // 2**20
    if free < 128:
        return "warning", f"{free} MB free in {folder}: tabs may crash", "Give the container --shm-size=1g."
    return "ok", f"{free} MB free in {folder}", ""
