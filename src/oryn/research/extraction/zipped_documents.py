"""DOCX (https://ecma-international.org/publications-and-standards/standards/ecma-376/) and EPUB
(https://www.w3.org/TR/epub-33/) as articles. They have no frame around their content, so all of it is used."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, Literal
from urllib.parse import unquote

import numpy as np
from lxml import etree
from lxml.html import HtmlElement

from oryn.core.text_safety import url as display_url
from oryn.errors import NoText
from oryn.research.documents import Article
from oryn.research.extraction.article import links_of, make_absolute
from oryn.research.extraction.blocks import Block
from oryn.research.extraction.markdown import headers_of, markdown_of, text_of
from oryn.research.extraction.metadata import page_language
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.structure import StructureReader
from oryn.research.html.permalinks import remove_permalinks
from oryn.research.html.tree import parse_html
from oryn.system.optional_dependencies import require_extra

MAX_UNPACKED_BYTES = 100_000_000
"""Bytes that the parts of a document may have if they are unpacked."""
MAX_PARAGRAPHS = 30_000
MAX_TAGS = 600_000
"""Paragraphs and XML tags that a DOCX document may have; some 1,000 pages have fewer. Reading more takes minutes, and a
gigabyte of memory."""
MAX_CHAPTERS = 500
MAX_TITLE_CHARACTERS = 200

_PARAGRAPH = re.compile(rb"<(?:\w{1,20}:)?p[\s/>]")
_CONTAINER = "META-INF/container.xml"
_CORE_PROPERTIES = "docProps/core.xml"


def article_of_docx(body: bytes, url: str) -> Article:
    """The article of a Word document. Raises `NoText` if it is damaged or has no text, `NotSupported` without the
    package `mammoth`."""
    archive = _archive(body, url)
    with require_extra("research", "a DOCX document"):
        import mammoth
    _check_size(archive, url)
    # Pictures are nothing to read; they would be written into the HTML.
    try:
        html = mammoth.convert_to_html(io.BytesIO(body), convert_image=mammoth.images.img_element(lambda _: {})).value
    except Exception as error:
        raise NoText(f"{display_url(url)} is not a readable DOCX document: {type(error).__name__}") from error
    tree = parse_html(f"<body>{html}</body>")
    properties = _parsed(archive, _CORE_PROPERTIES)
    return _article([tree] if tree is not None else [], url, "docx", properties)


def _check_size(archive: zipfile.ZipFile, url: str) -> None:
    """Raise `NoText` if a document has more paragraphs or tags than can be read."""
    parts = [_part(archive, name) for name in archive.namelist() if name.lower().endswith((".xml", ".rels"))]
    for what, limit, found in (
        ("paragraphs", MAX_PARAGRAPHS, sum(len(_PARAGRAPH.findall(part)) for part in parts)),
        ("tags", MAX_TAGS, sum(part.count(b"<") for part in parts)),
    ):
        if found > limit:
            raise NoText(f"{display_url(url)} is too large: {found:,} {what}, of {limit:,}")


def article_of_epub(body: bytes, url: str) -> Article:
    """The article of an EPUB: its chapters in their order. Raises `NoText` if it is damaged, encrypted or empty."""
    archive = _archive(body, url)
    container = _parsed(archive, _CONTAINER)
    rootfile = None if container is None else container.find(".//{*}rootfile")
    package_path = "" if rootfile is None else rootfile.get("full-path") or ""
    package = _parsed(archive, package_path)
    if package is None:
        raise NoText(f"{display_url(url)} is not a readable EPUB: it has no package document")
    trees = [parse_html(chapter) for chapter in _chapters(archive, package, posixpath.dirname(package_path))]
    return _article([tree for tree in trees if tree is not None], url, "epub", package)


def _archive(body: bytes, url: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(body))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise NoText(f"{display_url(url)} is damaged: it is not a ZIP archive") from error
    unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > MAX_UNPACKED_BYTES:
        raise NoText(f"{display_url(url)} is too large: {unpacked:,} bytes unpacked, of {MAX_UNPACKED_BYTES:,}")
    return archive


def _parsed(archive: zipfile.ZipFile, name: str) -> Any:
    """A part of the archive that is XML; None if it is missing or damaged."""
    body = _part(archive, name)
    try:
        return etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True)) if body else None
    except (etree.XMLSyntaxError, ValueError):
        return None


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a part; none if it is missing, damaged or encrypted."""
    try:
        with archive.open(name) as part:
            # What an archive says of the size of a part may be wrong.
            return part.read(MAX_UNPACKED_BYTES)
    except (KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError):
        return b""


def _chapters(archive: zipfile.ZipFile, package: Any, folder: str) -> Iterator[bytes]:
    """The documents of the spine (https://www.w3.org/TR/epub-33/#sec-spine-elem), without the navigation."""
    items = {each.get("id"): each for each in package.iterfind(".//{*}manifest/{*}item")}
    left = MAX_UNPACKED_BYTES
    for reference in list(package.iterfind(".//{*}spine/{*}itemref"))[:MAX_CHAPTERS]:
        item = items.get(reference.get("idref"))
        if item is None or reference.get("linear") == "no" or "nav" in (item.get("properties") or "").split():
            continue
        body = _part(archive, posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or ""))))
        left -= len(body)
        if left < 0:
            return
        yield body


def _article(trees: Sequence[HtmlElement], url: str, kind: Literal["docx", "epub"], properties: Any) -> Article:
    blocks: list[Block] = []
    links: dict[str, Any] = {}
    for tree in trees:
        remove_permalinks(tree)
        make_absolute(tree, url)
        links |= {link.url: link for link in links_of(tree)}
        page = PageSegments(tree)
        if page.segments:
            blocks += StructureReader(page, "").blocks(np.ones(len(page.segments), dtype=bool))
    text = text_of(blocks)
    if not text:
        raise NoText(f"{display_url(url)} has no text")
    return Article(
        url=url,
        title=(_property(properties, "title") or text.partition("\n")[0])[:MAX_TITLE_CHARACTERS],
        text=text,
        markdown=markdown_of(blocks),
        headers=headers_of(blocks),
        author=_property(properties, "creator"),
        date=(_property(properties, "date") or _property(properties, "modified"))[:10],
        language=page_language(_property(properties, "language").partition("-")[0].lower(), text),
        links=tuple(links.values()),
        kind=kind,
    )


def _property(properties: Any, name: str) -> str:
    """A property of Dublin Core (https://www.dublincore.org/specifications/dublin-core/dcmi-terms/)."""
    found = None if properties is None else properties.find(f".//{{*}}{name}")
    return "" if found is None else " ".join((found.text or "").split())
