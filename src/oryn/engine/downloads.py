"""Files that pages give: what they are called on disk, where they lie, and how reports tell of them.

A page's name for a file is data: it never says where the file lies, and never replaces another file.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.browsers.base import Download
from oryn.engine.changes import Change
from oryn.engine.escape import plain, quoted
from oryn.errors import FileError

if TYPE_CHECKING:
    from oryn.engine.session import Session

LONGEST_NAME = 120
"""Characters of a name, its ending included; file systems take 255 bytes."""

# What Windows and Unix can't have in a name, control characters and those that turn the direction of writing.
_UNSAFE = re.compile('[\x00-\x1f\x7f-\x9f<>:"/\\\\|?*\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]')
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)


def safe_name(suggested: str) -> str:
    """A file name that is one on every system, as close to the page's as can be."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", suggested))[-1]
    name = _UNSAFE.sub("_", last).strip(". ")
    if _DEVICE.fullmatch(name):
        name = f"_{name}"
    stem, ending = os.path.splitext(name)
    ending = ending[:20]
    return (stem[: LONGEST_NAME - len(ending)].rstrip(". ") + ending) or "download"


def keep(session: Session, file: Path, name: str) -> Path:
    """Move a finished file into the session's folder, under a name that is free there; where it is now.

    Raises `FileError`, `PathNotAllowed`; then nothing is left of it there."""
    folder, name = session.options.download_folder or _temporary_folder(), safe_name(session.withheld(name))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        session.files.check(folder / name)
        return _moved(file, folder, name)
    except OSError as error:
        raise FileError(f"it can't be kept in {folder}: {error.strerror or error}") from error


@cache
def _temporary_folder() -> Path:
    """One for this process: a name that others could foresee would not be ours alone."""
    return Path(tempfile.mkdtemp(prefix="oryn-downloads-"))


def _moved(file: Path, folder: Path, name: str) -> Path:
    draft = folder / f".{os.urandom(6).hex()}.part"
    try:
        shutil.move(file, draft)  # over a border of file systems it is a copy, which takes its time
        draft.chmod(0o600)
        target = _reserved(folder, name)
        draft.replace(target)
    except BaseException:  # given up, too: nothing half-moved stays
        with suppress(OSError):
            draft.unlink()
        raise
    return target


def _reserved(folder: Path, name: str) -> Path:
    """`report.pdf`, or the first of `report (2).pdf`, `report (3).pdf` … that nobody has, made empty."""
    stem, ending = os.path.splitext(name)
    number = 1
    while True:
        target = folder / (name if number == 1 else f"{stem} ({number}){ending}")
        try:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            number += 1
            continue
        return target


# --- telling ---


async def news(session: Session) -> tuple[list[Change], list[str]]:
    """Changes and notes for the downloads that began, or came to an end, since the last report; new ones get the time
    that a page gets to become quiet."""
    told, browser = session.downloads_told, session.browser
    fresh = [each.id for each in browser.downloads() if each.id not in told]
    if fresh:
        limit = min(session.options.settle_limit, session.remaining())
        await browser.wait_for_downloads(fresh, timeout=limit)
    changes, notes = [], []
    for download in browser.downloads():
        if told.get(download.id) == download.state:
            continue
        told[download.id] = download.state
        changes.append(_change(download))
        if download.path is not None:
            notes.append(f"saved as {quoted(download.path)}")
    return changes, notes


def _change(download: Download) -> Change:
    data = {
        "change": "download",
        "filename": download.filename,
        "state": download.state,
        "size": download.size,
        "received": download.received,
        "path": download.path,
    }
    return Change("+", _text(download), data)


def _text(download: Download) -> str:
    name = quoted(download.filename)
    size = f" {file_size(download.size)}" if download.size is not None else ""
    match download.state:
        case "running":
            whole = f" of{size}" if size else ""
            return f"downloading {name} {file_size(download.received)}{whole}"
        case "failed":
            return f"download {name} failed: {plain(download.reason or 'no reason is known')}"
    return f"download {name}{size}"


def file_size(size: float) -> str:
    """`512 B`, `1.2 kB`, `48 kB`, `2 GB`: two digits, or all of the whole."""
    units = ["B", "kB", "MB", "GB"]
    while round(size) >= 1000 and len(units) > 1:
        size /= 1000
        del units[0]
    text = f"{size:.1f}" if size < 9.95 else f"{size:.0f}"
    return f"{text.removesuffix('.0')} {units[0]}"
