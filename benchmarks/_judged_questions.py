"""Questions with the answers that people gave to them: what documents a search should find.

Three lists of frequently asked questions, each within the manual that it belongs to, out of Debian's packages (fetched
by name, taken apart in a temporary folder, nothing of them is kept here): `perl-doc` (perlfaq1 to 9 among Perl's
manuals), `python3.11-doc` (its FAQ among the tutorial, the how-tos and the reference), `debian-faq`. The authors of a
list wrote each answer for its question: that is the judgement. A question's heading is the query and stands in no
document; its answer is a document, and so is every other section of the manual. (Other sections may answer a question
too, and count as wrong: alike for all who search.)
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import html

from oryn.core.records import Record


class Section(Record):
    """A document: a section of a manual, without its heading when that is a question of the list."""

    id: str
    title: str
    text: str


class Judged(Record):
    """A manual, and for each question the sections (their `id`) that answer it."""

    name: str
    sections: tuple[Section, ...]
    questions: tuple[tuple[str, frozenset[str]], ...]


def fetched(package: str, under: Path) -> Path:
    """The files of a Debian package."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        sys.exit(f"this takes Debian's package {package}: run it where apt-get is")
    there = under / package
    if not there.exists():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
            (archive,) = Path(folder).glob("*.deb")
            subprocess.run(["dpkg-deb", "-x", str(archive), str(there)], check=True)
    return there


def judged(name: str, under: Path) -> Judged:
    """One of `MANUALS`."""
    package, read = MANUALS[name]
    sections: list[Section] = []
    questions: dict[str, set[str]] = {}
    for number, (title, heading, text) in enumerate(read(fetched(package, under))):
        asked = heading.endswith("?")
        if not text.strip():
            continue
        section = Section(f"{name}-{number}", title, text if asked or not heading else f"{heading}\n\n{text}")
        sections.append(section)
        if asked:
            questions.setdefault(heading, set()).add(section.id)
    return Judged(name, tuple(sections), tuple((text, frozenset(answers)) for text, answers in questions.items()))


Sections = Iterator[tuple[str, str, str]]
"""The title of the page, the section's heading, its text."""


# --- Perl's pod ----------------------------------------------------------------------------------------------------

# What changed from one version to another, other languages, lists of what is elsewhere.
_PERL_LEAVE = re.compile(r"delta|^perl(faq|cn|jp|ko|tw|api|intern|artistic|gpl|hist|toc|modlib|uniprops)$")
_HEADING = re.compile(r"^=head[1-4]\s+(.+(?:\n\S.*)*)", re.MULTILINE)
_COMMAND = re.compile(r"^=\w+[^\n]*\n?", re.MULTILINE)
_MARK = re.compile(r"[A-Z](?:<<+\s(.*?)\s>>+|<([^<>]*)>)", re.DOTALL)


def _perl(folder: Path) -> Sections:
    for path in sorted(folder.glob("usr/share/perl/*/pod/*.pod")):
        if _PERL_LEAVE.search(path.stem):
            continue
        text = path.read_text("utf-8", "replace")
        parts = _HEADING.split(text)[1:]
        for heading, body in zip(parts[::2], parts[1::2], strict=True):
            if heading.split()[0] not in ("NAME", "VERSION", "AUTHOR", "COPYRIGHT"):
                yield path.stem, _plain_pod(" ".join(heading.split())), _plain_pod(_COMMAND.sub("", body))


def _plain_pod(text: str) -> str:
    while (fewer := _MARK.sub(lambda mark: (mark[1] or mark[2] or "").partition("|")[0], text)) != text:
        text = fewer
    return text.strip()


# --- HTML ----------------------------------------------------------------------------------------------------------


def _python(folder: Path) -> Sections:
    root = max(folder.glob("usr/share/doc/python3.*/html"))
    for part in ("faq", "howto", "tutorial", "reference"):
        for path in sorted((root / part).glob("*.html")):
            yield from _of_html(path, "//section", lambda section: section.xpath("./h1|./h2|./h3|./h4"))


def _debian(folder: Path) -> Sections:
    for path in sorted(folder.glob("usr/share/doc/debian/FAQ/*.en.html")):
        yield from _of_html(
            path, "//div[@class='section']", lambda section: section.xpath("./div[@class='titlepage']//h2|.//h3")[:1]
        )


def _of_html(path: Path, sections: str, headings: Callable[[html.HtmlElement], list[html.HtmlElement]]) -> Sections:
    page = html.fromstring(path.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
    title = " ".join((page.findtext(".//title") or "").split()).partition(" — ")[0]
    for gone in page.xpath("//nav|//a[@class='headerlink']|//script|//style|//table[@class='docutils align-default']"):
        gone.drop_tree()
    found = page.xpath(sections)
    # The innermost first: what belongs to one is no more in those around it.
    for section in reversed(found):
        heading = ""
        for element in headings(section):
            heading = re.sub(r"^[\d.]+\s+", "", " ".join(element.text_content().split()))
            element.drop_tree()
        yield title, heading, _lines(section)
        section.drop_tree()


def _lines(section: html.HtmlElement) -> str:
    blocks = section.xpath(".//p|.//pre|.//li[not(p)]|.//dt|.//dd[not(p)]")
    return "\n\n".join(text for each in blocks if (text := each.text_content().strip()))


MANUALS: dict[str, tuple[str, Callable[[Path], Sections]]] = {
    "perl": ("perl-doc", _perl),
    "python": ("python3.11-doc", _python),
    "debian": ("debian-faq", _debian),
}
