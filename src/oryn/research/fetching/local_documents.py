"""Documents on this computer, in the form of fetched pages: PDF, DOCX, EPUB, Markdown, text and HTML."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from oryn.errors import BodyTooLarge, FileError
from oryn.research.documents import FetchedPage
from oryn.research.fetching.charset import charset_of
from oryn.research.fetching.content_type import DOCX_TYPE, EPUB_TYPE

CONTENT_TYPES = {
    ".pdf": "application/pdf",
    ".docx": DOCX_TYPE,
    ".epub": EPUB_TYPE,
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
}
"""The media types of documents by the suffixes of their names."""
MAX_DOCUMENTS = 1_000
MAX_ENTRIES = 50_000
"""Entries of folders that are looked at for documents."""


def document_files(path: Path) -> Iterator[Path]:
    """The absolute paths of the documents in a folder and those below it, in the order of their names, or of a file
    itself. Links and hidden entries are left out. Raises `FileError` if there is nothing at the path, or too much in
    it."""
    path = Path(os.path.abspath(path))
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise FileError(f"there is no folder or file {path}")
    entries = found = 0
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        entries += len(folders) + len(names)
        if entries > MAX_ENTRIES:
            raise FileError(f"{path} has more than {MAX_ENTRIES:,} entries", "Name a smaller folder.")
        for name in sorted(names):
            file = Path(folder, name)
            if name.startswith(".") or file.suffix.lower() not in CONTENT_TYPES or file.is_symlink():
                continue
            found += 1
            if found > MAX_DOCUMENTS:
                raise FileError(f"{path} has more than {MAX_DOCUMENTS:,} documents", "Name a smaller folder.")
            yield file


def page_of_file(file: Path, *, max_bytes: int) -> FetchedPage:
    """The document in the form of a page, whose URL is that of the file. Raises `BodyTooLarge`, and `FileError` if it
    can't be read."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise FileError(f"{file} is a pipe, a socket or a device, not a document")
        # Without waiting for a writer, if a pipe has taken the place of the file meanwhile.
        with open(file, "rb", opener=lambda path, flags: os.open(path, flags | getattr(os, "O_NONBLOCK", 0))) as opened:
            body = opened.read(max_bytes + 1)
    except OSError as error:
        raise FileError(f"{file} can't be read: {error.strerror}") from error
    if len(body) > max_bytes:
        raise BodyTooLarge(f"{file} has more than {max_bytes:,} bytes", "The setting max_body allows more.")
    content_type = CONTENT_TYPES.get(file.suffix.lower(), "")
    url = file.resolve().as_uri()
    return FetchedPage(
        url=url,
        requested=url,
        status=200,
        content_type=content_type,
        body=body,
        sha256=hashlib.sha256(body).hexdigest(),
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        charset=charset_of(body) if content_type.startswith(("text/", "application/xhtml")) else "",
        source="file",
    )
