"""Documents of this computer: PDF, DOCX, EPUB, Markdown and text become articles and sources of a report."""

from __future__ import annotations

import io
import os
import socket
import zipfile
from pathlib import Path

import pytest

from oryn.errors import BodyTooLarge, FileError, NoText
from oryn.research import Research, ResearchOptions
from oryn.research.documents import Article
from oryn.research.embedding import Embedder
from oryn.research.extraction import zipped_documents
from oryn.research.extractor import read
from oryn.research.fetching.local_documents import MAX_DOCUMENTS, document_files, page_of_file
from tests.research.pdfs import pdf
from tests.research.small_web import CARE, CARS, SPORES

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
DUBLIN_CORE = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def zipped(**parts: str) -> bytes:
    """An archive; `__` in a name is `/`, and the last `_` the dot."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            path, _, suffix = name.replace("__", "/").rpartition("_")
            archive.writestr(f"{path}.{suffix}", text)
    return buffer.getvalue()


def docx(*paragraphs: str, title: str = "Ferns at home") -> bytes:
    heading = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{title}</w:t></w:r></w:p>'
    rows = "".join(
        f"<w:tr>{''.join(f'<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>' for cell in row)}</w:tr>"
        for row in (("Plant", "Height"), ("Boston fern", "40 cm"))
    )
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    buffer = io.BytesIO(
        zipped(
            word__document_xml=f"<w:document {WORD}><w:body>{heading}{body}<w:tbl>{rows}</w:tbl></w:body></w:document>",
            docProps__core_xml=f"<p {DUBLIN_CORE}><dc:title>{title}</dc:title><dc:creator>Ann Bee</dc:creator></p>",
        )
    )
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Override PartName="/word/document.xml" ContentType="{types}.document.main+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Target="word/document.xml"'
            f' Type="{OFFICE}/officeDocument"/></Relationships>',
        )
    return buffer.getvalue()


def epub(*chapters: str) -> bytes:
    items = "".join(f'<item id="c{number}" href="text/c{number}.xhtml"/>' for number in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    return zipped(
        **{"META-INF__container_xml": '<container><rootfile full-path="OPS/book.opf"/></container>'},
        OPS__book_opf=f"<package><metadata {DUBLIN_CORE}><dc:title>The fern book</dc:title>"
        f'<dc:date>2024-03-01</dc:date></metadata>'
        f'<manifest><item id="toc" properties="nav" href="text/toc.xhtml"/>{items}</manifest>'
        f'<spine><itemref idref="toc"/>{spine}</spine></package>',
        OPS__text__toc_xhtml="<html><body>The table of contents</body></html>",
        **{f"OPS__text__c{number}_xhtml": f"<html><body>{text}</body></html>" for number, text in enumerate(chapters)},
    )  # fmt: skip


def article(folder: Path, name: str, body: bytes) -> Article:
    (folder / name).write_bytes(body)
    return read(page_of_file(folder / name, max_bytes=1_000_000))


def test_a_word_document_has_headings_tables_and_its_author(tmp_path: Path) -> None:
    found = article(tmp_path, "ferns.docx", docx(*SPORES, *CARE))
    assert (found.kind, found.title, found.author, found.source) == ("docx", "Ferns at home", "Ann Bee", "file")
    assert found.url == (tmp_path / "ferns.docx").as_uri()
    assert found.markdown.startswith("# Ferns at home\n") and "| Boston fern | 40 cm |" in found.markdown
    assert [text for text in (*SPORES, *CARE) if text not in found.text] == []


def test_a_book_has_its_chapters_in_the_order_of_the_spine(tmp_path: Path) -> None:
    found = article(tmp_path, "book.epub", epub(f"<h1>Spores</h1><p>{SPORES[0]}", f"<h1>Care</h1><p>{CARE[0]}"))
    assert (found.kind, found.title, found.date, found.language) == ("epub", "The fern book", "2024-03-01", "en")
    assert 0 <= found.text.index("Spores") < found.text.index("Care") and "table of contents" not in found.text


@pytest.mark.parametrize("name", ["broken.docx", "broken.epub"])
@pytest.mark.parametrize("body", [b"", b"PK\x03\x04 broken", zipped(a_txt="nothing"), epub()], ids=range(4))
def test_damaged_documents_have_no_text(tmp_path: Path, name: str, body: bytes) -> None:
    with pytest.raises(NoText):
        article(tmp_path, name, body)


def test_an_archive_that_unpacks_to_too_much_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped_documents, "MAX_UNPACKED_BYTES", 1_000)
    with pytest.raises(NoText, match="too large"):
        article(tmp_path, "bomb.epub", epub("<p>" + "a" * 2_000))


def test_a_docx_of_too_many_paragraphs_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped_documents, "MAX_PARAGRAPHS", 100)
    with pytest.raises(NoText, match=r"too large: 106 paragraphs, of 100"):
        article(tmp_path, "many.docx", docx(*["a"] * 100))


def test_folders_are_searched_for_documents_but_not_through_links(tmp_path: Path) -> None:
    folder, outside = tmp_path / "papers", tmp_path / "private.md"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("b.md", "a.TXT", "sub/c.pdf", ".hidden.md", ".git/d.md", "picture.png"):
        (folder / name).write_text("x")
    outside.write_text("x")
    (folder / "link.md").symlink_to(outside)
    assert [str(file.relative_to(folder)) for file in document_files(folder)] == ["a.TXT", "b.md", "sub/c.pdf"]
    assert list(document_files(outside)) == [outside]
    with pytest.raises(FileError, match="no folder or file"):
        list(document_files(folder / "gone"))
    with pytest.raises(BodyTooLarge):
        page_of_file(outside, max_bytes=0)
    for number in range(MAX_DOCUMENTS):
        (folder / f"{number}.md").touch()
    with pytest.raises(FileError, match=r"more than 1,000 documents"):
        list(document_files(folder))


@pytest.mark.slow
async def test_a_report_cites_documents_of_a_folder(tmp_path: Path, embedder: Embedder) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "ferns.docx").write_bytes(docx(*SPORES))
    (folder / "cars.pdf").write_bytes(pdf([CARS]))
    (folder / "broken.epub").write_bytes(b"PK\x03\x04")
    os.mkfifo(folder / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket.md"))

    async def loaded() -> Embedder:
        return embedder

    options = ResearchOptions(index=tmp_path / "index", page_cache=tmp_path / "pages")
    async with Research(options, embedder=loaded) as research:
        report = await research.research("How do ferns reproduce?", results=0, files=[folder])
        with pytest.raises(FileError):
            await research.research("ferns", results=0, files=[tmp_path / "gone"])
    first = report.source(report.sentences[0].source)
    assert (first.url, first.found_by, first.source) == ((folder / "ferns.docx").as_uri(), "file", "file")
    assert [(each.url, each.code) for each in report.left_out] == [
        ((folder / "broken.epub").as_uri(), "NO_TEXT"),
        ((folder / "pipe.txt").as_uri(), "FILE_ERROR"),
        ((folder / "socket.md").as_uri(), "FILE_ERROR"),
    ]
    assert report.sentences[0].words.startswith("Ferns have neither flowers nor seeds: they")
    assert "](file:" not in report.markdown
