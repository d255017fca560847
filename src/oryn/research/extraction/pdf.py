"""Articles of PDFs: their text page by page, through `pypdf` (BSD, pure Python), made into paragraphs.

What a PDF has is places of letters: lines are pypdf's guess, paragraphs are ours (`reflowing`).
"""

from __future__ import annotations

import logging
import re
import struct
import time
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any
from urllib.parse import unquote, urlsplit

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from oryn.engine.escape import url as shown
from oryn.extras import installation
from oryn.research.documents import Article
from oryn.research.extraction.reflowing import paragraphs
from oryn.research.failures import NoText

PAGES = 500
"""Pages that are read; a book's first part says what it is."""
SECONDS = 30.0
"""After so long no further page is read."""
LONGEST_TITLE = 200

# pypdf reads what is written, and what is written may be anything: besides its own errors it raises whatever its
# parser trips over.
_FAILURES = (
    PyPdfError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_NO_TITLE = re.compile(
    r"untitled|\(?(?:document|title)\)?|microsoft (?:word|powerpoint)\b.*|.*\.(?:docx?|indd|tex|dvi|pdf|pptx?|qxd)",
    re.I,
)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9-]+)?")

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of each thing that is odd in a file


def article_of_pdf(
    body: bytes, url: str, *, pages: int = PAGES, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
) -> Article:
    """At most the first `pages` pages, and those that are begun within `seconds`; `why` says so where there are more.

    Raises `NoText` for one that is encrypted, is pictures, or can't be read."""
    reader = _opened(body, url)
    count = _tried(lambda: len(reader.pages), 0)
    if not count:
        raise NoText(f"{shown(url)} is a PDF without pages, or a damaged one")
    texts: list[str] = []
    until = clock() + seconds
    while len(texts) < min(count, pages) and clock() < until:
        texts.append(_tried(lambda: reader.pages[len(texts)].extract_text(), ""))
    blocks = paragraphs(texts)
    if not blocks:
        raise NoText(
            f"{shown(url)} is a PDF of pictures: its {count} pages have no text", "It would have to be recognized."
        )
    told = _tried(lambda: reader.metadata, None)
    return Article(
        url=url,
        title=_title(told, blocks, url),
        text="\n".join(blocks),
        markdown="\n\n".join(blocks),
        author=_of(told, "author"),
        date=_date(told),
        language=_language(reader),
        description=_of(told, "subject"),
        kind="pdf",
        why=f"the first {len(texts)} of {count} pages" if len(texts) < count else "",
    )


def _opened(body: bytes, url: str) -> PdfReader:
    try:
        reader = PdfReader(BytesIO(body), strict=False)
        # Many are encrypted with no password at all, to forbid printing.
        if reader.is_encrypted and not reader.decrypt(""):
            raise NoText(
                f"{shown(url)} is an encrypted PDF: it wants a password", "Open it where you have the password."
            )
    except _FAILURES as error:
        raise NoText(f"{shown(url)} is a PDF that can't be read ({type(error).__name__})") from error
    except ImportError as error:  # AES, which pypdf leaves to `cryptography`
        raise NoText(
            f"{shown(url)} is an encrypted PDF", f"Install what decrypts it: {installation('encryption')}."
        ) from error
    return reader


def _tried(get: Callable[[], Any], otherwise: Any) -> Any:
    """One damaged page, or date, is none; the others are read."""
    try:
        return get()
    except _FAILURES:
        return otherwise


def _of(told: Any, name: str) -> str:
    value = _tried(lambda: getattr(told, name, ""), "")
    return " ".join(str(value or "").replace("\x00", "").split())


def _title(told: Any, blocks: list[str], url: str) -> str:
    """The file's own, unless a program has only put its name there; else its first line, or the URL's last part."""
    title = _of(told, "title")
    if title and not _NO_TITLE.fullmatch(title):
        return title[:LONGEST_TITLE]
    if len(blocks[0]) <= LONGEST_TITLE:
        return blocks[0]
    return unquote(urlsplit(url).path.rpartition("/")[2]) or url


def _date(told: Any) -> str:
    made = _tried(lambda: told.creation_date or told.modification_date, None) if told is not None else None
    return made.date().isoformat() if made is not None else ""


def _language(reader: PdfReader) -> str:
    told = str(_tried(lambda: reader.root_object.get("/Lang", ""), "") or "")
    return told.split("-")[0].lower() if _LANGUAGE.fullmatch(told) else ""
