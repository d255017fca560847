"""Finding a browser of Chromium's family by its usual places.

Pure but for the two questions that a `Machine` answers: is this file there to be run, and what does the environment
say.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath

from oryn.errors import BrowserNotFound
from oryn.records import Record, field

_INSTALL = "Install Chrome or Chromium, or name a browser with --browser or ORYN_BROWSER; 'oryn doctor' says how."


class Candidate(Record):
    """A browser that is installed: what people call it, and the file to run."""

    name: str
    executable: str


class Places(Record):
    """Where one browser usually is."""

    name: str
    commands: tuple[str, ...] = ()
    """Names of programs in the folders of PATH (Linux), best first."""
    linux: tuple[str, ...] = ()
    flatpak: str = ""
    mac: str = ""
    """`X` for `X.app/Contents/MacOS/X`."""
    windows: tuple[str, ...] = ()
    """Below Program Files or the user's own folder of programs."""


# In the order of preference: the plain browsers first, those that change pages or windows last.
BROWSERS = (
    Places(
        "Chrome",
        ("google-chrome-stable", "google-chrome", "chrome", "google-chrome-beta", "google-chrome-unstable"),
        ("/opt/google/chrome/chrome",),
        "com.google.Chrome",
        "Google Chrome",
        (r"Google\Chrome\Application\chrome.exe", r"Google\Chrome Beta\Application\chrome.exe"),
    ),
    Places(
        "Chromium",
        ("chromium", "chromium-browser"),
        ("/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/snap/bin/chromium"),
        "org.chromium.Chromium",
        "Chromium",
        (r"Chromium\Application\chrome.exe",),
    ),
    Places(
        "Edge",
        ("microsoft-edge-stable", "microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev"),
        ("/opt/microsoft/msedge/msedge",),
        "com.microsoft.Edge",
        "Microsoft Edge",
        (r"Microsoft\Edge\Application\msedge.exe",),
    ),
    Places(
        "Brave",
        ("brave-browser-stable", "brave-browser", "brave"),
        ("/opt/brave.com/brave/brave", "/snap/bin/brave"),
        "com.brave.Browser",
        "Brave Browser",
        (r"BraveSoftware\Brave-Browser\Application\brave.exe",),
    ),
    Places(
        "Vivaldi",
        ("vivaldi-stable", "vivaldi", "vivaldi-snapshot"),
        ("/opt/vivaldi/vivaldi",),
        "com.vivaldi.Vivaldi",
        "Vivaldi",
        (r"Vivaldi\Application\vivaldi.exe",),
    ),
    Places(
        "Thorium",
        ("thorium-browser", "thorium"),
        ("/opt/chromium.org/thorium/thorium",),
        "",
        "Thorium",
        (r"Thorium\Application\thorium.exe",),
    ),
    Places(
        "Opera",
        ("opera", "opera-stable", "opera-beta"),
        ("/usr/lib/x86_64-linux-gnu/opera/opera", "/snap/bin/opera"),
        "com.opera.Opera",
        "Opera",
        (r"Opera\opera.exe", r"Opera\launcher.exe"),
    ),
    Places("Arc", mac="Arc", windows=(r"Microsoft\WindowsApps\Arc.exe",)),
    Places("Dia", mac="Dia"),
)


def _runnable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


class Machine(Record):
    """The machine to look at; tests make others."""

    platform: str = sys.platform
    environment: Mapping[str, str] = field(factory=lambda: os.environ)
    runnable: Callable[[str], bool] = _runnable

    def which(self, command: str) -> str | None:
        """The file that `command` names in the folders of PATH."""
        windows = self.platform == "win32"
        folders = self.environment.get("PATH", "").split(";" if windows else ":")
        join = ntpath.join if windows else posixpath.join
        endings = ("", ".exe") if windows else ("",)
        paths = (join(folder, command + ending) for folder in folders if folder for ending in endings)
        return next((path for path in paths if self.runnable(path)), None)


def candidates(machine: Machine | None = None) -> list[Candidate]:
    """All browsers that are installed, best first; each browser once, however many places lead to it."""
    machine = machine or Machine()
    places = {"darwin": _mac, "win32": _windows}.get(machine.platform, _linux)
    found = []
    for browser in BROWSERS:
        path = next((path for path in places(browser, machine) if machine.runnable(path)), None)
        if path is not None:
            found.append(Candidate(browser.name, path))
    return found


def find_browser(executable: str | None = None, machine: Machine | None = None) -> str:
    """The browser to run: `executable` (a path, or a command of PATH) when given, else the best candidate.

    Raises `BrowserNotFound`."""
    machine = machine or Machine()
    if executable is not None:
        return _given(executable, machine)
    found = candidates(machine)
    if not found:
        raise BrowserNotFound("no browser of Chromium's family was found", _INSTALL)
    return found[0].executable


def _given(executable: str, machine: Machine) -> str:
    if machine.runnable(executable):
        return executable
    path = machine.which(executable)
    if path is None:
        raise BrowserNotFound(f"{executable} is no program that can be run", _INSTALL)
    return path


def _linux(browser: Places, machine: Machine) -> Iterator[str]:
    for command in browser.commands:
        if path := machine.which(command):
            yield path
    yield from browser.linux
    if browser.flatpak:
        data = machine.environment.get("XDG_DATA_HOME") or f"{machine.environment.get('HOME', '')}/.local/share"
        for folder in (f"{data}/flatpak", "/var/lib/flatpak"):
            yield f"{folder}/exports/bin/{browser.flatpak}"


def _mac(browser: Places, machine: Machine) -> Iterator[str]:
    if browser.mac:
        for folder in (
            PurePosixPath("/Applications"),
            PurePosixPath(machine.environment.get("HOME", "/"), "Applications"),
        ):
            yield str(folder / f"{browser.mac}.app" / "Contents" / "MacOS" / browser.mac)


def _windows(browser: Places, machine: Machine) -> Iterator[str]:
    for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        if folder := machine.environment.get(variable):
            for place in browser.windows:
                yield str(PureWindowsPath(folder) / place)
    if (local := machine.environment.get("LOCALAPPDATA")) and browser.windows:
        for place in browser.windows:
            yield str(PureWindowsPath(local) / "Programs" / place)
