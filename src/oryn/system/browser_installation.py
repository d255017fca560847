"""How a browser can be installed here: by the system's package manager, or as one of Playwright's builds.

Pure but for `InstallingSystem`, which says what there is: tests use others."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import Literal

from oryn.core.records import Record

Source = Literal["system", "playwright"]
PAGE = "https://www.chromium.org/getting-involved/download-chromium/"

_PACKAGE_MANAGERS: dict[str, tuple[tuple[str, ...], ...]] = {
    # What is recommended besides is a desktop's: hundreds of packages, of which pages need one, the font.
    "apt-get": (
        ("apt-get", "update"),
        ("apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-liberation"),
    ),
    "dnf": (("dnf", "install", "-y", "chromium"),),
    "zypper": (("zypper", "--non-interactive", "install", "chromium"),),
    "pacman": (("pacman", "-S", "--noconfirm", "chromium"),),
    "apk": (("apk", "add", "chromium"),),
}
"""On Linux, by the program; each has a package `chromium`. Ubuntu's installs a snap."""


def _is_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0


class InstallingSystem(Record):
    """The computer to install on."""

    platform: str = sys.platform
    which: Callable[[str], str | None] = shutil.which
    is_root: bool = _is_root()


class BrowserInstallation(Record):
    """One way to install a browser: the commands to run, one after the other."""

    source: Source
    commands: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """The commands as a shell takes them."""
        return " && ".join(" ".join(words) for words in self.commands)


def installations(system: InstallingSystem | None = None) -> Iterator[BrowserInstallation]:
    """Yield the ways that the programs of this computer allow, best first."""
    system = system or InstallingSystem()
    if commands := _by_package_manager(system):
        yield BrowserInstallation("system", commands)
    if commands := _by_playwright(system):
        yield BrowserInstallation("playwright", commands)


def _by_package_manager(system: InstallingSystem) -> tuple[tuple[str, ...], ...]:
    if system.platform == "darwin":
        return (("brew", "install", "--cask", "chromium"),) if system.which("brew") else ()
    if system.platform == "win32":
        ids = ("winget", "install", "--exact", "--id", "Google.Chrome", "--accept-source-agreements")
        return (ids,) if system.which("winget") else ()
    for program, commands in _PACKAGE_MANAGERS.items():
        if system.which(program):
            if system.is_root:
                return commands
            return tuple(("sudo", *words) for words in commands) if system.which("sudo") else ()
    return ()


def _by_playwright(system: InstallingSystem) -> tuple[tuple[str, ...], ...]:
    """Playwright's own command, from its npm package; it needs no rights, and says itself if its servers are not
    reached. https://playwright.dev/docs/browsers#install-browsers"""
    if system.which("playwright"):
        return (("playwright", "install", "chromium"),)
    if system.which("npx"):
        return (("npx", "--yes", "playwright@latest", "install", "chromium"),)
    return ()
