"""Files that pages download: their names on disk, their folders, and their lines in reports.

A page's name for a file is data: it never decides where the file is saved, and never replaces another file."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.browsers.base import Download
from oryn.core.text_safety import plain, quoted
from oryn.engine.output.changes import PageChange
from oryn.errors import FileError

if TYPE_CHECKING:
    from oryn.engine.file_access import Files
    from oryn.engine.page.context import PageContext

MAX_NAME_CHARACTERS = 120
"""Maximum characters of a name, including its suffix; file systems allow 255 bytes."""

# Characters that Windows and Unix don't allow in names, control characters, and bidirectional controls.
_UNSAFE = re.compile('[\x00-\x1f\x7f-\x9f<>:"/\\\\|?*\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]')
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)


def safe_name(suggested: str) -> str:
    """Return a file name that is valid on every system, as similar to the page's as possible."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", suggested))[-1]
    name = _UNSAFE.sub("_", last).strip(". ")
    if _DEVICE.fullmatch(name):
        name = f"_{name}"
    stem, ending = os.path.splitext(name)
    ending = ending[:20]
    return (stem[: MAX_NAME_CHARACTERS - len(ending)].rstrip(". ") + ending) or "download"


def save_download(file: Path, suggested: str, folder: Path | None, files: Files) -> Path:
    """Move a finished file into `folder` and return its new path. None means a temporary folder of this process.

    Its new name is the page's suggestion, made safe and unique. Raises `FileError`; raises `PathNotAllowed` if `files`
    does not allow that path, and then leaves nothing of it in the folder."""
    folder, name = folder or _temporary_folder(), safe_name(suggested)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.check(folder / name)
        return _move(file, folder, name)
    except OSError as error:
        raise FileError(f"it can't be saved in {folder}: {error.strerror or error}") from error


@cache
def _temporary_folder() -> Path:
    """Create a folder for this process. Its name is random, because others could create a predictable one first."""
    return Path(tempfile.mkdtemp(prefix="oryn-downloads-"))


def _move(file: Path, folder: Path, name: str) -> Path:
    draft = folder / f".{os.urandom(6).hex()}.part"
    try:
        shutil.move(file, draft)  # between file systems this copies the file, which takes time
        draft.chmod(0o600)
        target = _reserve_name(folder, name)
        draft.replace(target)
    except BaseException:  # also if cancelled: no partial file must stay
        with suppress(OSError):
            draft.unlink()
        raise
    return target


def _reserve_name(folder: Path, name: str) -> Path:
    """Create an empty file with the first unused name of `report.pdf`, `report (2).pdf`, `report (3).pdf` …"""
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


# --- reports ---


async def report_new_downloads(context: PageContext) -> tuple[list[PageChange], list[str]]:
    """Return changes and notes for the downloads that have started since the command began, once they have ended or
    `Options.settle_limit` is over; each state of one is reported once."""
    browser = context.browser
    fresh = [each.id for each in browser.downloads() if each.id not in context.reported_downloads]
    if fresh:
        limit = min(context.options.settle_limit, context.deadline.remaining())
        await browser.wait_for_downloads(fresh, timeout=limit)
    new = [each for each in browser.downloads() if each.id not in context.earlier_downloads]
    return report_downloads(new, context.reported_downloads)


def report_downloads(downloads: Iterable[Download], reported: dict[str, str]) -> tuple[list[PageChange], list[str]]:
    """Return changes and notes for those of the downloads whose state has changed since the last report.

    `reported` maps the id of a download to its state in the last report, and is updated."""
    changes, notes = [], []
    for download in downloads:
        if reported.get(download.id) == download.state:
            continue
        reported[download.id] = download.state
        data = {
            "change": "download",
            "filename": download.filename,
            "state": download.state,
            "size": download.size,
            "received": download.received,
            "path": download.path,
        }
        changes.append(PageChange("+", _download_text(download), data))
        if download.path is not None:
            notes.append(f"saved as {quoted(download.path)}")
    return changes, notes


def _download_text(download: Download) -> str:
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
    """Format a size with two digits, or all digits of its integer part: `512 B`, `1.2 kB`, `48 kB`, `2 GB`."""
    units = ["B", "kB", "MB", "GB"]
    while round(size) >= 1000 and len(units) > 1:
        size /= 1000
        del units[0]
    text = f"{size:.1f}" if size < 9.95 else f"{size:.0f}"
    return f"{text.removesuffix('.0')} {units[0]}"
