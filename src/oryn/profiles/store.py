"""Oryn's own profiles, each a private folder of the user: lists, creates, copies and deletes them."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from oryn.core.records import Record
from oryn.errors import ConfigurationError, FileError
from oryn.profiles import metadata
from oryn.profiles.copy import CopiedCookies, copy_profile, count_cookies
from oryn.profiles.installations import ProfileSource
from oryn.profiles.lock import hold, holder, last_use
from oryn.system.paths import private_folder


class Profile(Record):
    """A profile. `size` is in bytes, `last_use` in Unix time; `process` is the id of the process that uses it now,
    `source` describes the source of a copy."""

    name: str
    folder: Path
    size: int
    last_use: float | None
    process: int | None
    source: str | None


def profiles(folder: Path) -> Iterator[Profile]:
    """Every profile in `folder`, by name."""
    for each in sorted(folder.iterdir()) if folder.is_dir() else ():
        if each.is_dir() and not each.name.startswith("."):
            yield Profile(each.name, each, _size(each), last_use(each), holder(each), _source(each))


def create(folder: Path, name: str) -> Path:
    """Create an empty profile; its folder. Raises `ConfigurationError` if one of this name exists."""
    profile = _new_folder(folder, name)
    private_folder(profile)
    metadata.write_metadata(profile, {"made": time.time()})
    return profile


def copy(folder: Path, name: str, source: ProfileSource) -> CopiedCookies:
    """Create a profile with the data of `source` that a session needs, completely or not at all. Raises
    `ConfigurationError` if one of this name exists, `FileError`."""
    target = _new_folder(folder, name)
    draft = private_folder(folder) / f".{name}.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        copy_profile(source, draft)
        found = count_cookies(draft)
        origin = {"browser": source.browser, "profile": source.directory, "folder": str(source.folder)}
        metadata.write_metadata(draft, {"made": time.time(), "from": origin, "system_keys": bool(found.desktop_bound)})
        draft.rename(target)
    except OSError as error:
        raise FileError(f"the profile {name} can't be made: {error.strerror}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return found


def delete(folder: Path, name: str) -> None:
    """Delete a profile with all its data. Raises `ConfigurationError` if there is none of this name, `ProfileInUse`,
    `FileError`."""
    profile = existing(folder, name)
    held = hold(profile)
    trash = folder / f".{name}.{os.getpid()}.deleted"
    if sys.platform == "win32":
        held.end()  # Windows does not rename folders with open files
    try:
        profile.rename(trash)  # so that no process begins to use a half-deleted profile
        shutil.rmtree(trash)
    except OSError as error:
        raise FileError(f"the profile {name} can't be deleted: {error.strerror}") from error
    finally:
        held.end()


def existing(folder: Path, name: str) -> Path:
    """The folder of a profile. Raises `ConfigurationError` if there is none of this name."""
    if (folder / name).is_dir():
        return folder / name
    names = ", ".join(sorted(each.name for each in folder.glob("[!.]*"))) if folder.is_dir() else ""
    raise ConfigurationError(
        f"there is no profile {name}", f"Profiles: {names}." if names else "Make one with 'oryn profile create <name>'."
    )


def _new_folder(folder: Path, name: str) -> Path:
    if (folder / name).exists():
        raise ConfigurationError(
            f"there is a profile {name} already", f"Choose another name, or run 'oryn profile delete {name}' first."
        )
    return folder / name


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # deleted meanwhile
            size += path.lstat().st_size
    return size


def _source(profile: Path) -> str | None:
    source = metadata.read_metadata(profile).get("from")
    if not isinstance(source, dict):
        return None
    browser, directory = source.get("browser"), source.get("profile")
    return f"{browser}: {directory}" if browser else str(source.get("folder"))
