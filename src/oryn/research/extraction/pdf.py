"""Articles of PDFs: their text page by page, through `pypdf` (BSD, pure Python), joined into paragraphs.

A PDF has positions of letters: lines are pypdf's guess, paragraphs and tables are ours (`pdf_paragraphs`,
`pdf_tables`)."""

from __future__ import annotations

import logging
import re
import struct
import time
import zlib
from collections.abc import Callable
from io import BytesIO
from itertools import groupby
from typing import Any
from urllib.parse import unquote, urlsplit

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from oryn.core.text_safety import url as display_url
from oryn.errors import NoText
from oryn.research.documents import Article
from oryn.research.extraction.pdf_paragraphs import paragraphs
from oryn.research.extraction.pdf_tables import PdfTable, tables_in, with_tables
from oryn.system.optional_dependencies import install_command

MAX_PAGES = 500
"""The maximum number of pages that are read."""
MAX_SECONDS = 30.0
"""The time after which no further page is read."""
TABLES_SHARE = 0.5
"""The share of that time after which no further page is searched for tables, which takes as long as reading it."""
MAX_ROWS = 300
"""The maximum number of labelled values."""
MAX_TITLE_CHARACTERS = 200

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
    body: bytes,
    url: str,
    *,
    pages: int = MAX_PAGES,
    seconds: float = MAX_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Article:
    """The article of a PDF: its first `pages` pages at most, as far as they are read within `seconds`; `why` says so if
    there are more.

    Raises `NoText` if it is encrypted, consists of pictures, or can't be parsed."""
    reader = _open(body, url)
    count = _attempt(lambda: len(reader.pages), 0)
    if not count:
        raise NoText(f"{display_url(url)} is a PDF without pages, or a damaged one")
    texts: list[str] = []
    tables: list[PdfTable] = []
    begun = clock()
    while len(texts) < min(count, pages) and (now := clock()) < begun + seconds:
        page = _attempt(lambda: reader.pages[len(texts)], None)
        text = _attempt(lambda: page.extract_text(), "")  # noqa: B023
        if now < begun + seconds * TABLES_SHARE:
            layout = _attempt(lambda: _layout(page), "")  # noqa: B023
            text, found = with_tables(text, tables_in(layout))
            tables += found
        texts.append(text)
    rows = {line for table in tables for line in table.lines}
    blocks = paragraphs(texts, rows)
    if not blocks:
        raise NoText(
            f"{display_url(url)} is a PDF of pictures: its {count} pages have no text",
            "It would have to be recognized.",
        )
    metadata = _attempt(lambda: reader.metadata, None)
    return Article(
        url=url,
        title=_title(metadata, blocks, url),
        text="\n".join(blocks),
        markdown=_markdown(blocks, rows),
        author=_field(metadata, "author"),
        date=_date(metadata),
        language=_language(reader),
        description=_field(metadata, "subject"),
        kind="pdf",
        rows=tuple(dict.fromkeys(row for table in tables for row in table.labelled))[:MAX_ROWS],
        headers=tuple(dict.fromkeys(table.lines[0] for table in tables if table.has_header)),
        why=f"the first {len(texts)} of {count} pages" if len(texts) < count else "",
    )


def _layout(page: Any) -> str:
    return str(page.extract_text(extraction_mode="layout", layout_mode_space_vertically=False))


def _markdown(blocks: list[str], rows: set[str]) -> str:
    """The blocks as paragraphs, and rows that follow each other as tables."""
    parts: list[str] = []
    for is_row, group in groupby(blocks, key=rows.__contains__):
        if not is_row:
            parts += group
            continue
        for width, lines in groupby((line.split(" | ") for line in group), key=len):
            first, *others = (f"| {' | '.join(cells)} |" for cells in lines)
            parts.append("\n".join((first, "|" + " --- |" * width, *others)))
    return "\n\n".join(parts)


def _open(body: bytes, url: str) -> PdfReader:
    try:
        reader = PdfReader(BytesIO(body), strict=False)
        # Many are encrypted with no password at all, to forbid printing.
        if reader.is_encrypted and not reader.decrypt(""):
            raise NoText(
                f"{display_url(url)} is an encrypted PDF: it wants a password", "Open it where you have the password."
            )
    except _FAILURES as error:
        raise NoText(f"{display_url(url)} is a PDF that can't be read ({type(error).__name__})") from error
    except ImportError as error:  # AES, which pypdf leaves to `cryptography`
        raise NoText(
            f"{display_url(url)} is an encrypted PDF", f"Install what decrypts it: {install_command('encryption')}."
        ) from error
    return reader


def _attempt(get: Callable[[], Any], otherwise: Any) -> Any:
    """The value of `get`, or `otherwise` if it is damaged: the other pages and fields are read nevertheless."""
    try:
        return get()
    except _FAILURES:
        return otherwise


def _field(metadata: Any, name: str) -> str:
    value = _attempt(lambda: getattr(metadata, name, ""), "")
    return " ".join(str(value or "").replace("\x00", "").split())


def _title(metadata: Any, blocks: list[str], url: str) -> str:
    """The title in the file, unless it is only a name that a program has put there; else the first line, or the last
    part of the URL."""
    title = _field(metadata, "title")
    if title and not _NO_TITLE.fullmatch(title):
        return title[:MAX_TITLE_CHARACTERS]
    if len(blocks[0]) <= MAX_TITLE_CHARACTERS:
        return blocks[0]
    return unquote(urlsplit(url).path.rpartition("/")[2]) or url


def _date(metadata: Any) -> str:
    date = (
        _attempt(lambda: metadata.creation_date or metadata.modification_date, None) if metadata is not None else None
    )
    return date.date().isoformat() if date is not None else ""


def _language(reader: PdfReader) -> str:
    language = str(_attempt(lambda: reader.root_object.get("/Lang", ""), "") or "")
    return language.split("-")[0].lower() if _LANGUAGE.fullmatch(language) else ""
