"""Finds an installed browser of Chromium's family in its usual locations.

Pure except for `HostSystem`, which provides the environment variables and checks which files are executable."""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath

from oryn.core.records import Record, field
from oryn.errors import BrowserNotFound

_INSTALL = "'oryn install-browser' installs one; --browser or ORYN_BROWSER names another of Chromium's family."


class Candidate(Record):
    """An installed browser: its common name, and the file to run."""

    name: str
    executable: str


class BrowserLocations(Record):
    """The usual locations of one browser."""

    name: str
    commands: tuple[str, ...] = ()
    """Program names in the folders of PATH (Linux), best first."""
    linux: tuple[str, ...] = ()
    flatpak: str = ""
    mac: str = ""
    """`X` for `X.app/Contents/MacOS/X`."""
    windows: tuple[str, ...] = ()
    """Paths below Program Files or the user's program folder."""


# In order of preference: plain browsers first, browsers that change pages or windows last.
BROWSERS = (
    BrowserLocations(
        "Chrome",
        ("google-chrome-stable", "google-chrome", "chrome", "google-chrome-beta", "google-chrome-unstable"),
        ("/opt/google/chrome/chrome",),
        "com.google.Chrome",
        "Google Chrome",
        (r"Google\Chrome\Application\chrome.exe", r"Google\Chrome Beta\Application\chrome.exe"),
    ),
    BrowserLocations(
        "Chromium",
        ("chromium", "chromium-browser"),
        ("/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/snap/bin/chromium"),
        "org.chromium.Chromium",
        "Chromium",
        (r"Chromium\Application\chrome.exe",),
    ),
    BrowserLocations(
        "Edge",
        ("microsoft-edge-stable", "microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev"),
        ("/opt/microsoft/msedge/msedge",),
        "com.microsoft.Edge",
        "Microsoft Edge",
        (r"Microsoft\Edge\Application\msedge.exe",),
    ),
    BrowserLocations(
        "Brave",
        ("brave-browser-stable", "brave-browser", "brave"),
        ("/opt/brave.com/brave/brave", "/snap/bin/brave"),
        "com.brave.Browser",
        "Brave Browser",
        (r"BraveSoftware\Brave-Browser\Application\brave.exe",),
    ),
    BrowserLocations(
        "Vivaldi",
        ("vivaldi-stable", "vivaldi", "vivaldi-snapshot"),
        ("/opt/vivaldi/vivaldi",),
        "com.vivaldi.Vivaldi",
        "Vivaldi",
        (r"Vivaldi\Application\vivaldi.exe",),
    ),
    BrowserLocations(
        "Thorium",
        ("thorium-browser", "thorium"),
        ("/opt/chromium.org/thorium/thorium",),
        "",
        "Thorium",
        (r"Thorium\Application\thorium.exe",),
    ),
    BrowserLocations(
        "Opera",
        ("opera", "opera-stable", "opera-beta"),
        ("/usr/lib/x86_64-linux-gnu/opera/opera", "/snap/bin/opera"),
        "com.opera.Opera",
        "Opera",
        (r"Opera\opera.exe", r"Opera\launcher.exe"),
    ),
    BrowserLocations("Arc", mac="Arc", windows=(r"Microsoft\WindowsApps\Arc.exe",)),
    BrowserLocations("Dia", mac="Dia"),
)


def _is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


class HostSystem(Record):
    """The computer to search; tests use others."""

    platform: str = sys.platform
    environment: Mapping[str, str] = field(factory=lambda: os.environ)
    runnable: Callable[[str], bool] = _is_executable
    entries: Callable[[str], list[str]] = _entries
    """The names in a folder; none if it can't be read."""

    def which(self, command: str) -> str | None:
        """The file of a command in the folders of PATH, or None."""
        windows = self.platform == "win32"
        folders = self.environment.get("PATH", "").split(";" if windows else ":")
        join = ntpath.join if windows else posixpath.join
        endings = ("", ".exe") if windows else ("",)
        paths = (join(folder, command + ending) for folder in folders if folder for ending in endings)
        return next((path for path in paths if self.runnable(path)), None)


def candidates(machine: HostSystem | None = None) -> list[Candidate]:
    """All installed browsers, best first, each browser once."""
    machine = machine or HostSystem()
    paths_of = {"darwin": _mac, "win32": _windows}.get(machine.platform, _linux)
    found = []
    for browser in BROWSERS:
        path = next((path for path in paths_of(browser, machine) if machine.runnable(path)), None)
        if path is not None:
            found.append(Candidate(browser.name, path))
    if "Chromium" not in [each.name for each in found]:
        built = next((path for path in _playwright(machine) if machine.runnable(path)), None)
        found += [Candidate("Chromium", built)] if built is not None else []
    return found


def find_browser(executable: str | None = None, machine: HostSystem | None = None) -> str:
    """The browser to run: `executable` (a path or a command of PATH), or without it the best candidate.

    Raises `BrowserNotFound`."""
    machine = machine or HostSystem()
    if executable is not None:
        return _resolve(executable, machine)
    found = candidates(machine)
    if not found:
        raise BrowserNotFound("no browser of Chromium's family was found", _INSTALL)
    return found[0].executable


def _resolve(executable: str, machine: HostSystem) -> str:
    if machine.runnable(executable):
        return executable
    path = machine.which(executable)
    if path is None:
        raise BrowserNotFound(f"{executable} is not a program that can be run", _INSTALL)
    return path


def _linux(browser: BrowserLocations, machine: HostSystem) -> Iterator[str]:
    for command in browser.commands:
        if path := machine.which(command):
            yield path
    yield from browser.linux
    if browser.flatpak:
        data = machine.environment.get("XDG_DATA_HOME") or f"{machine.environment.get('HOME', '')}/.local/share"
        for folder in (f"{data}/flatpak", "/var/lib/flatpak"):
            yield f"{folder}/exports/bin/{browser.flatpak}"


def _mac(browser: BrowserLocations, machine: HostSystem) -> Iterator[str]:
    if browser.mac:
        for folder in (
            PurePosixPath("/Applications"),
            PurePosixPath(machine.environment.get("HOME", "/"), "Applications"),
        ):
            yield str(folder / f"{browser.mac}.app" / "Contents" / "MacOS" / browser.mac)


def _windows(browser: BrowserLocations, machine: HostSystem) -> Iterator[str]:
    for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        if folder := machine.environment.get(variable):
            for location in browser.windows:
                yield str(PureWindowsPath(folder) / location)
    if (local := machine.environment.get("LOCALAPPDATA")) and browser.windows:
        for location in browser.windows:
            yield str(PureWindowsPath(local) / "Programs" / location)


_PLAYWRIGHT_PROGRAMS = {
    "linux": ("chrome-linux/chrome", "chrome-linux64/chrome"),
    "darwin": (
        "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
        "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    ),
    "win32": ("chrome-win/chrome.exe", "chrome-win64/chrome.exe"),
}


def _playwright(machine: HostSystem) -> Iterator[str]:
    """The builds that Playwright has downloaded, newest first.
    https://playwright.dev/docs/browsers#managing-browser-binaries"""
    home = machine.environment.get("HOME", "")
    folder = machine.environment.get("PLAYWRIGHT_BROWSERS_PATH") or {
        "darwin": f"{home}/Library/Caches/ms-playwright",
        "win32": f"{machine.environment.get('LOCALAPPDATA', '')}/ms-playwright",
    }.get(machine.platform, f"{machine.environment.get('XDG_CACHE_HOME') or f'{home}/.cache'}/ms-playwright")
    numbers = [name.removeprefix("chromium-") for name in machine.entries(folder) if name.startswith("chromium-")]
    for number in sorted(filter(str.isdecimal, numbers), key=int, reverse=True):
        for program in _PLAYWRIGHT_PROGRAMS.get(machine.platform, _PLAYWRIGHT_PROGRAMS["linux"]):
            yield f"{folder}/chromium-{number}/{program}"
