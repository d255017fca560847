"""The profiles of Oryn's own: a folder each, for their owner alone."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from oryn.errors import ConfigurationError, FileError
from oryn.paths import private_folder
from oryn.profiles import about
from oryn.profiles.carrying import Carried, carried
from oryn.profiles.copying import copy_profile
from oryn.profiles.installed import Source
from oryn.profiles.lock import hold, holder, last_use
from oryn.records import Record


class Profile(Record):
    """A profile. `size` in bytes, `last_use` in Unix time; `process` is who is in it now, `source` what it is a copy
    of."""

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
    """An empty profile. Raises `ConfigurationError` where there is one of this name."""
    made = _free(folder, name)
    private_folder(made)
    about.tell(made, {"made": time.time()})
    return made


def copy(folder: Path, name: str, source: Source) -> Carried:
    """A profile with what a session needs of `source`; whole or not at all. Raises `ConfigurationError` where there is
    one of this name, `FileError`."""
    made = _free(folder, name)
    draft = private_folder(folder) / f".{name}.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        copy_profile(source, draft)
        found = carried(draft)
        origin = {"browser": source.browser, "profile": source.directory, "folder": str(source.folder)}
        about.tell(draft, {"made": time.time(), "from": origin, "system_keys": bool(found.system)})
        draft.rename(made)
    except OSError as error:
        raise FileError(f"the profile {name} can't be made: {error.strerror}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return found


def delete(folder: Path, name: str) -> None:
    """Remove a profile with all it holds. Raises `ConfigurationError` where there is none, `ProfileInUse`,
    `FileError`."""
    profile = existing(folder, name)
    held = hold(profile)
    gone = folder / f".{name}.{os.getpid()}.deleted"
    if sys.platform == "win32":
        held.end()  # nothing is renamed there that has an open file in it
    try:
        profile.rename(gone)  # at once, so that nobody begins to use half of it
        shutil.rmtree(gone)
    except OSError as error:
        raise FileError(f"the profile {name} can't be deleted: {error.strerror}") from error
    finally:
        held.end()


def existing(folder: Path, name: str) -> Path:
    """Raises `ConfigurationError` where there is no profile of this name."""
    if (folder / name).is_dir():
        return folder / name
    names = ", ".join(sorted(each.name for each in folder.glob("[!.]*"))) if folder.is_dir() else ""
    raise ConfigurationError(
        f"there is no profile {name}", f"Profiles: {names}." if names else "Make one with 'oryn profile create <name>'."
    )


def _free(folder: Path, name: str) -> Path:
    if (folder / name).exists():
        raise ConfigurationError(
            f"there is a profile {name} already", f"Choose another name, or run 'oryn profile delete {name}' first."
        )
    return folder / name


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # it has gone meanwhile
            size += path.lstat().st_size
    return size


def _source(profile: Path) -> str | None:
    source = about.of(profile).get("from")
    if not isinstance(source, dict):
        return None
    browser, directory = source.get("browser"), source.get("profile")
    return f"{browser}: {directory}" if browser else str(source.get("folder"))
