"""The collections of pages with marked main text that the content model is trained with and measured on.

A folder has any of them, in the layout of their publishers' or of `benchmarks/extraction.py`:

    wcxb-dev/{metadata.json,dev/html,dev/ground-truth}            WCXB 1.0, Murrough Foley, CC-BY-4.0
    dragnet-dev/extraction/{ground-truth.json,html}               dragnet_data, CC BY 4.0
    trafilatura-dev/extraction/{ground-truth.json,html}           trafilatura's evaluation, Apache-2.0
    public/extraction/{ground-truth.json,html}                    article-extraction-benchmark, MIT
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

FOLDS = 3
LICENCES = {
    "wcxb-dev": "WCXB 1.0 (Murrough Foley), CC-BY-4.0",
    "dragnet-dev": "dragnet_data, CC BY 4.0",
    "trafilatura-dev": "the evaluation pages of trafilatura, Apache-2.0",
    "public": "article-extraction-benchmark (Zyte), MIT",
}
"""The collections and what may be done with them; the model's card names those it has seen."""

WITHOUT_HEADLINE = frozenset(("wcxb-dev", "public"))
"""Collections whose main text leaves the headline to the title, as Oryn does. What the others mark as content up to the
headline is not trained with."""

_ADDRESS = re.compile(rb"""<(?:link[^>]+canonical|meta[^>]+og:url)[^>]*?(?:href|content)=["']?(https?://[^"'\s>]+)""")
_HOST = re.compile(r"https?://(?:www\.)?([^/:?#]+)")


@dataclass(frozen=True)
class MarkedPage:
    """A page and what people have marked in it. `text` is its main text, None if only snippets are marked: `inside`
    must be in the main text, `outside` must not. `kind` is empty if it is not marked."""

    name: str
    collection: str
    site: str
    file: Path
    kind: str
    text: str | None
    inside: tuple[str, ...]
    outside: tuple[str, ...]

    def html(self) -> bytes:
        """The page's bytes."""
        body = self.file.read_bytes()
        return gzip.decompress(body) if self.file.suffix == ".gz" else body


def marked_pages(folder: Path) -> list[MarkedPage]:
    """All pages of the collections in a folder, or of a folder that is one, in a fixed order."""
    if (folder / "extraction").is_dir():
        return list(_plain(folder / "extraction", folder.name))
    found: list[MarkedPage] = []
    for name in LICENCES:
        if (folder / name / "dev").is_dir():
            found += _wcxb(folder / name, name)
        elif (folder / name / "extraction").is_dir():
            found += _plain(folder / name / "extraction", name)
    if not found:
        raise SystemExit(f"{folder} has none of {', '.join(LICENCES)}")
    return found


def _wcxb(folder: Path, collection: str) -> Iterator[MarkedPage]:
    about = json.loads((folder / "metadata.json").read_text("utf-8"))["files"]
    for path in sorted((folder / "dev" / "ground-truth").glob("*.json")):
        truth = json.loads(path.read_text("utf-8"))["ground_truth"]
        file = _file(folder / "dev" / "html", path.stem)
        if file is None:
            continue
        yield MarkedPage(
            name=f"{collection}/{path.stem}",
            collection=collection,
            site=registered_domain(about[path.stem]["domain"]),
            file=file,
            kind=about[path.stem]["page_type"],
            text=truth.get("main_content") or "",
            inside=tuple(truth.get("with") or ()),
            outside=tuple(truth.get("without") or ()),
        )


def _plain(folder: Path, collection: str) -> Iterator[MarkedPage]:
    truth: dict[str, dict[str, Any]] = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    for name in sorted(truth):
        file = _file(folder / "html", name)
        if file is None:
            continue
        yield MarkedPage(
            name=f"{collection}/{name}",
            collection=collection,
            site=_declared_site(file) or f"{collection}/{name}",
            file=file,
            kind="",
            text=truth[name].get("articleBody"),
            inside=tuple(truth[name].get("with") or ()),
            outside=tuple(truth[name].get("without") or ()),
        )


def _file(folder: Path, name: str) -> Path | None:
    return next((file for end in (".html", ".html.gz") if (file := folder / f"{name}{end}").is_file()), None)


def _declared_site(file: Path) -> str:
    body = file.read_bytes()
    body = gzip.decompress(body) if file.suffix == ".gz" else body
    found = _ADDRESS.search(body)
    host = _HOST.match(found[1].decode("utf-8", "replace")) if found else None
    return registered_domain(host[1]) if host else ""


def fold_of(page: MarkedPage, folds: int = FOLDS) -> int:
    """The part of the pages that a page is in: all of a site are in the same."""
    return crc32(page.site.encode()) % folds


@cache
def registered_domain(host: str) -> str:
    """The part of a host's name that a site has registered; all of it if there is none."""
    from tld import get_fld

    return get_fld(f"https://{host}", fail_silently=True) or host
