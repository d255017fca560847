"""How a browser can be installed here: by the system's package manager, or as one of Playwright's builds.

Pure but for `InstallingSystem`, which says what there is: tests use others."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from oryn.core.records import Record

Source = Literal["system", "playwright"]
PAGE = "https://www.chromium.org/getting-involved/download-chromium/"

_PACKAGE_MANAGERS = Path(__file__).with_name("package_managers.txt")
_SYSTEM_PACKAGES = ("chromium", "fonts-liberation")
"""What pages need: a browser, and one font. Ubuntu's `chromium` installs a snap."""


class InstallingSystem(Record):
    """The computer to install on."""

    platform: str = sys.platform
    which: Callable[[str], str | None] = shutil.which
    is_root: bool = os.name == "posix" and os.geteuid() == 0


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
    return package_commands(_SYSTEM_PACKAGES, system)


def package_commands(packages: Iterable[str], system: InstallingSystem | None = None) -> tuple[tuple[str, ...], ...]:
    """The commands that install packages of these names in Debian with the package manager of this Linux. Empty if
    there is none, or if the user may not use it."""
    system = system or InstallingSystem()
    manager = _package_manager(system)
    if manager is None or not (system.is_root or system.which("sudo")):
        return ()
    begin = () if system.is_root else ("sudo",)
    refreshing = ((*begin, manager.program, *manager.refresh),) if manager.refresh else ()
    return (*refreshing, (*begin, manager.program, *manager.install, *manager.names(packages)))


def package_names(packages: Iterable[str], system: InstallingSystem | None = None) -> tuple[str, ...]:
    """What this Linux calls packages of these names in Debian: the same if it has no package manager."""
    manager = _package_manager(system or InstallingSystem())
    return manager.names(packages) if manager else tuple(packages)


class _PackageManager(Record):
    """A line of the list of package managers."""

    program: str
    refresh: tuple[str, ...]
    install: tuple[str, ...]
    renamed: dict[str, str]

    def names(self, packages: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.renamed.get(each, each) for each in packages))


def _package_manager(system: InstallingSystem) -> _PackageManager | None:
    for line in _PACKAGE_MANAGERS.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        program, refresh, install, names = map(str.strip, line.split("|"))
        if system.which(program):
            renamed = dict(name.split("=") for name in names.split())
            return _PackageManager(program, tuple(refresh.split()), tuple(install.split()), renamed)
    return None


def _by_playwright(system: InstallingSystem) -> tuple[tuple[str, ...], ...]:
    """Playwright's own command, from its npm package; it needs no rights, and says itself if its servers are not
    reached. https://playwright.dev/docs/browsers#install-browsers"""
    if system.which("playwright"):
        return (("playwright", "install", "chromium"),)
    if system.which("npx"):
        return (("npx", "--yes", "playwright@latest", "install", "chromium"),)
    return ()
