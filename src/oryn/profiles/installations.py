"""Finds the profiles of installed browsers.

A user data folder contains a folder for each profile (`Default`, `Profile 1`, …), and `Local State` with the users'
names of them. https://chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oryn.core.records import Record, field
from oryn.errors import ConfigurationError
from oryn.profiles.lock import browser_in
from oryn.system.processes import is_listening

LOCAL_STATE = "Local State"
PREFERENCES = "Preferences"
DEFAULT_DIRECTORY = "Default"
PORT_FILE = "DevToolsActivePort"
"""The file in a user data folder with the port and the path of the browser's endpoint, a line each."""
ALLOW_ADVICE = (
    "Allow it: in Chrome 144 and later at chrome://inspect/#remote-debugging, in other browsers by starting them with "
    "--remote-debugging-port=9222 and a --user-data-dir of its own. 'oryn profile copy' takes a profile's logins."
)
CONNECT_SECONDS = 0.5
"""Timeout in seconds for a connection to a browser on this computer."""


class UserDataLocations(Record):
    """Where a browser's user data folders may be, below the platform's folders for them."""

    linux: tuple[str, ...] = ()
    flatpak: str = ""
    snap: str = ""
    mac: str = ""
    windows: str = ""


# By the names in `browsers.chromium.discovery`, in its order.
USER_DATA = {
    "Chrome": UserDataLocations(
        ("google-chrome", "google-chrome-beta", "google-chrome-unstable"),
        "com.google.Chrome/config/google-chrome",
        "",
        "Google/Chrome",
        "Google/Chrome/User Data",
    ),
    "Chromium": UserDataLocations(
        ("chromium",),
        "org.chromium.Chromium/config/chromium",
        "chromium/common/chromium",
        "Chromium",
        "Chromium/User Data",
    ),
    "Edge": UserDataLocations(
        ("microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev"),
        "com.microsoft.Edge/config/microsoft-edge",
        "",
        "Microsoft Edge",
        "Microsoft/Edge/User Data",
    ),
    "Brave": UserDataLocations(
        ("BraveSoftware/Brave-Browser",),
        "com.brave.Browser/config/BraveSoftware/Brave-Browser",
        "brave/current/.config/BraveSoftware/Brave-Browser",
        "BraveSoftware/Brave-Browser",
        "BraveSoftware/Brave-Browser/User Data",
    ),
    "Vivaldi": UserDataLocations(
        ("vivaldi", "vivaldi-snapshot"), "com.vivaldi.Vivaldi/config/vivaldi", "", "Vivaldi", "Vivaldi/User Data"
    ),
    "Thorium": UserDataLocations(("thorium",), "", "", "Thorium", "Thorium/User Data"),
    "Opera": UserDataLocations(
        ("opera",), "com.opera.Opera/config/opera", "opera/current/.config/opera", "com.operasoftware.Opera"
    ),
    "Arc": UserDataLocations(mac="Arc/User Data"),
    "Dia": UserDataLocations(mac="Dia/User Data"),
}


class PlatformInfo(Record):
    """The computer to search; tests pass their own."""

    platform: str = sys.platform
    environment: Mapping[str, str] = field(factory=lambda: os.environ)
    home: Path = field(factory=Path.home)


class ProfileSource(Record):
    """A profile of an installed browser. `browser` is None if the user has named a folder."""

    browser: str | None
    user_data: Path
    directory: str

    @property
    def folder(self) -> Path:
        """The folder of the profile."""
        return self.user_data / self.directory


class RunningBrowser(Record):
    """An installed browser that runs and takes connections of developer tools, at the WebSocket URL `endpoint`."""

    browser: str
    user_data: Path
    endpoint: str


def running_browsers(browser: str | None = None, machine: PlatformInfo | None = None) -> Iterator[RunningBrowser]:
    """Yield the browsers that can be attached to; only those called `browser`, if it is given.

    Such a browser writes its port and the path of its endpoint into its user data folder. It serves no `/json/version`
    if its user has allowed it at chrome://inspect. A browser that was killed leaves the file, and another program may
    get its port: only the process that uses the folder counts. Raises `ConfigurationError` for an unknown name."""
    machine = machine or PlatformInfo()
    for name in _named(browser):
        for folder in _folders(USER_DATA[name], machine):
            if endpoint := _endpoint(folder):
                yield RunningBrowser(name, folder, endpoint)


def _endpoint(folder: Path) -> str | None:
    """Return the endpoint of the browser that uses a folder; None if it does not listen (any more)."""
    browser = browser_in(folder)
    try:
        port, path = (folder / PORT_FILE).read_text("ascii").split("\n")[:2]
        if browser is None or not is_listening(browser, int(port)):
            return None
        socket.create_connection(("127.0.0.1", int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError):
        return None
    return f"ws://127.0.0.1:{int(port)}{path}" if path.startswith("/") else None


def _named(browser: str | None) -> tuple[str, ...]:
    """Return the names of all browsers, or the one that is called so. Raises `ConfigurationError`."""
    browsers = {name.lower(): name for name in USER_DATA}
    if browser is not None and browser.lower() not in browsers:
        names = ", ".join(browsers)
        raise ConfigurationError(f"no browser is called {browser!r}", f"Browsers: {names}; or give --from a folder.")
    return tuple(USER_DATA) if browser is None else (browsers[browser.lower()],)


def find(browser: str | None, profile: str | None, machine: PlatformInfo | None = None) -> ProfileSource:
    """Find the profile with the name or the directory `profile` in the user data folder of `browser`. Defaults: the
    first browser that is installed, and the profile that was used last. `profile` may also be the path of a profile or
    of a user data folder. Raises `ConfigurationError`."""
    if profile is not None and ("/" in profile or os.sep in profile):
        return _of_folder(Path(profile).expanduser().absolute())
    machine = machine or PlatformInfo()
    name, user_data = _user_data(browser, machine)
    return ProfileSource(name, user_data, _directory(user_data, profile))


def _of_folder(folder: Path) -> ProfileSource:
    if (folder / LOCAL_STATE).is_file():
        return ProfileSource(None, folder, _directory(folder, None))
    if (folder / PREFERENCES).is_file():
        return ProfileSource(None, folder.parent, folder.name)
    raise ConfigurationError(
        f"{folder} is no browser's profile",
        "Name the folder that 'chrome://version' calls 'Profile Path', or a browser's user data folder.",
    )


def _user_data(browser: str | None, machine: PlatformInfo) -> tuple[str, Path]:
    candidates = _named(browser)
    for name in candidates:
        for folder in _folders(USER_DATA[name], machine):
            if (folder / LOCAL_STATE).is_file():
                return name, folder
    who = candidates[0] if browser else "a browser of Chrome's family"
    raise ConfigurationError(f"there is no profile of {who}", "Give --from the folder of a profile.")


def _folders(locations: UserDataLocations, machine: PlatformInfo) -> Iterator[Path]:
    if machine.platform == "darwin":
        support = machine.home / "Library" / "Application Support"
        yield from (support / each for each in (locations.mac,) if each)
    elif machine.platform == "win32":
        local = machine.environment.get("LOCALAPPDATA")
        yield from (Path(local) / each for each in (locations.windows,) if each and local)
    else:
        config = Path(machine.environment.get("XDG_CONFIG_HOME") or machine.home / ".config")
        yield from (config / each for each in locations.linux)
        yield from (machine.home / ".var" / "app" / each for each in (locations.flatpak,) if each)
        yield from (machine.home / "snap" / each for each in (locations.snap,) if each)


def _directory(user_data: Path, profile: str | None) -> str:
    """The directory of a profile in a user data folder. Raises `ConfigurationError`."""
    about = _profiles(user_data)
    names: dict[str, str] = {key: str(value.get("name", key)) for key, value in about.get("info_cache", {}).items()}
    if profile is None:
        last = about.get("last_used")
        profile = last if isinstance(last, str) and last else DEFAULT_DIRECTORY
    matches = [directory for directory, name in names.items() if name == profile]
    directory = profile if profile in names or not matches else matches[0]
    if len(matches) > 1 and profile not in names:
        raise ConfigurationError(
            f"several profiles are called {profile!r}", f"Give one's directory: {', '.join(matches)}."
        )
    if directory == ".." or Path(directory).name != directory or not (user_data / directory).is_dir():
        choices = ", ".join(f"{name} ({key})" if name != key else key for key, name in names.items())
        raise ConfigurationError(
            f"{user_data} has no profile {profile!r}", f"Profiles: {choices}." if choices else None
        )
    return directory


def _profiles(user_data: Path) -> Any:
    try:
        about = json.loads((user_data / LOCAL_STATE).read_text("utf-8"))["profile"]
        return about if isinstance(about, dict) else {}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
