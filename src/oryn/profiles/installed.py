"""Where browsers that are installed keep their users' profiles.

A user data folder holds one folder for each profile (`Default`, `Profile 1`, …), and `Local State`, which says what
people call them. https://chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oryn.errors import ConfigurationError
from oryn.records import Record, field

LOCAL_STATE = "Local State"
PREFERENCES = "Preferences"
FIRST = "Default"


class Places(Record):
    """Where one browser's user data folders may be, below the platform's folder for such."""

    linux: tuple[str, ...] = ()
    flatpak: str = ""
    snap: str = ""
    mac: str = ""
    windows: str = ""


# Under the names that `browsers.cdp.discovery` has for them, in its order.
USER_DATA = {
    "Chrome": Places(
        ("google-chrome", "google-chrome-beta", "google-chrome-unstable"),
        "com.google.Chrome/config/google-chrome",
        "",
        "Google/Chrome",
        "Google/Chrome/User Data",
    ),
    "Chromium": Places(
        ("chromium",),
        "org.chromium.Chromium/config/chromium",
        "chromium/common/chromium",
        "Chromium",
        "Chromium/User Data",
    ),
    "Edge": Places(
        ("microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev"),
        "com.microsoft.Edge/config/microsoft-edge",
        "",
        "Microsoft Edge",
        "Microsoft/Edge/User Data",
    ),
    "Brave": Places(
        ("BraveSoftware/Brave-Browser",),
        "com.brave.Browser/config/BraveSoftware/Brave-Browser",
        "brave/current/.config/BraveSoftware/Brave-Browser",
        "BraveSoftware/Brave-Browser",
        "BraveSoftware/Brave-Browser/User Data",
    ),
    "Vivaldi": Places(
        ("vivaldi", "vivaldi-snapshot"), "com.vivaldi.Vivaldi/config/vivaldi", "", "Vivaldi", "Vivaldi/User Data"
    ),
    "Thorium": Places(("thorium",), "", "", "Thorium", "Thorium/User Data"),
    "Opera": Places(
        ("opera",), "com.opera.Opera/config/opera", "opera/current/.config/opera", "com.operasoftware.Opera"
    ),
    "Arc": Places(mac="Arc/User Data"),
    "Dia": Places(mac="Dia/User Data"),
}


class Machine(Record):
    """The machine to look at; tests make others."""

    platform: str = sys.platform
    environment: Mapping[str, str] = field(factory=lambda: os.environ)
    home: Path = field(factory=Path.home)


class Source(Record):
    """A profile of an installed browser. `browser` is None for a folder that was named outright."""

    browser: str | None
    user_data: Path
    directory: str

    @property
    def folder(self) -> Path:
        return self.user_data / self.directory


def find(browser: str | None, profile: str | None, machine: Machine | None = None) -> Source:
    """The profile that people call `profile`, or that has this directory, in the user data folder of `browser`; without
    a browser that of the first one installed, without a profile the one that was used last. `profile` may also be a
    folder: a profile's own, or user data. Raises `ConfigurationError`."""
    if profile is not None and ("/" in profile or os.sep in profile):
        return _of_folder(Path(profile).expanduser().absolute())
    machine = machine or Machine()
    name, user_data = _user_data(browser, machine)
    return Source(name, user_data, _directory(user_data, profile))


def _of_folder(folder: Path) -> Source:
    if (folder / LOCAL_STATE).is_file():
        return Source(None, folder, _directory(folder, None))
    if (folder / PREFERENCES).is_file():
        return Source(None, folder.parent, folder.name)
    raise ConfigurationError(
        f"{folder} is no browser's profile",
        "Name the folder that 'chrome://version' calls 'Profile Path', or a browser's user data folder.",
    )


def _user_data(browser: str | None, machine: Machine) -> tuple[str, Path]:
    known = {name.lower(): name for name in USER_DATA}
    if browser is not None and browser.lower() not in known:
        names = ", ".join(known)
        raise ConfigurationError(f"no browser is called {browser!r}", f"Browsers: {names}; or give --from a folder.")
    wanted = USER_DATA if browser is None else (known[browser.lower()],)
    for name in wanted:
        for folder in _folders(USER_DATA[name], machine):
            if (folder / LOCAL_STATE).is_file():
                return name, folder
    who = known[browser.lower()] if browser else "a browser of Chrome's family"
    raise ConfigurationError(f"there is no profile of {who}", "Give --from the folder of a profile.")


def _folders(places: Places, machine: Machine) -> Iterator[Path]:
    if machine.platform == "darwin":
        support = machine.home / "Library" / "Application Support"
        yield from (support / each for each in (places.mac,) if each)
    elif machine.platform == "win32":
        local = machine.environment.get("LOCALAPPDATA")
        yield from (Path(local) / each for each in (places.windows,) if each and local)
    else:
        config = Path(machine.environment.get("XDG_CONFIG_HOME") or machine.home / ".config")
        yield from (config / each for each in places.linux)
        yield from (machine.home / ".var" / "app" / each for each in (places.flatpak,) if each)
        yield from (machine.home / "snap" / each for each in (places.snap,) if each)


def _directory(user_data: Path, profile: str | None) -> str:
    """The directory of a profile in a user data folder. Raises `ConfigurationError`."""
    about = _profiles(user_data)
    names: dict[str, str] = {key: str(value.get("name", key)) for key, value in about.get("info_cache", {}).items()}
    if profile is None:
        last = about.get("last_used")
        profile = last if isinstance(last, str) and last else FIRST
    called = [directory for directory, name in names.items() if name == profile]
    directory = profile if profile in names or not called else called[0]
    if len(called) > 1 and profile not in names:
        raise ConfigurationError(
            f"several profiles are called {profile!r}", f"Give one's directory: {', '.join(called)}."
        )
    if directory == ".." or Path(directory).name != directory or not (user_data / directory).is_dir():
        known = ", ".join(f"{name} ({key})" if name != key else key for key, name in names.items())
        raise ConfigurationError(f"{user_data} has no profile {profile!r}", f"Profiles: {known}." if known else None)
    return directory


def _profiles(user_data: Path) -> Any:
    try:
        about = json.loads((user_data / LOCAL_STATE).read_text("utf-8"))["profile"]
        return about if isinstance(about, dict) else {}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
