"""Renders the results of research as answers: short lines, with the text of pages in quotes or in blocks. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from oryn.core.text_safety import block, plain, quoted, shortened, url
from oryn.engine import Answer
from oryn.engine.output.answer import PartFailure
from oryn.research.documents import doubts
from oryn.research.process.protocol import error_of

Form = Mapping[str, Any]

MAX_ADDRESS_CHARACTERS = 4_000
"""Maximum number of characters of the address that a text begins with."""

MAX_MISSING = 10
"""Maximum number of missing values that an answer names."""
MAX_SNIPPET_CHARACTERS = 300
"""Maximum number of characters of a result's snippet."""


def hits(found: Sequence[Form], left_out: Sequence[Form] = ()) -> Answer:
    """Render search results: `1. "Title" https://…`, with the snippet below. `left_out` says why the web was not
    searched, if the results are pages that were read before."""
    lines = [f"not searched: {plain(each['message'])}; these are pages that were read before" for each in left_out]
    lines += [line for number, hit in enumerate(found, 1) for line in _hit(number, hit)]
    return Answer(lines=lines or ["nothing found"], data=list(found))


def _hit(number: int, hit: Form) -> Iterator[str]:
    yield f"{number}. {_title_line(hit)}"
    if snippet := hit.get("snippet"):
        yield block(shortened(" ".join(snippet.split()), MAX_SNIPPET_CHARACTERS))


def articles(read: Sequence[Form], form: str, *, links: bool) -> Answer:
    """Render each article that was read, in the order of the request."""
    lines = _numbered(read, lambda item: _article(item, form, links=links))
    data = [_requested_fields(item, form, links=links) for item in read]
    raw = article_file(data, form).decode("utf-8", "replace").rstrip("\n")
    return Answer(lines=lines, data=data, raw=raw, failed=failures(read))


def failures(read: Sequence[Form]) -> tuple[PartFailure, ...]:
    """The pages that could not be read."""
    return tuple(
        PartFailure(
            f"{_number(number, read)}{url(item['url'])}: {error['code']} {quoted(error['message'])}", error_of(error)
        )
        for number, item in enumerate(read, 1)
        if (error := item.get("error"))
    )


def _numbered(read: Sequence[Form], render: Callable[[Form], Iterator[str]]) -> list[str]:
    """The lines of the pages that were read, with their numbers if there are several."""
    lines: list[str] = []
    for number, item in enumerate(read, 1):
        if not item.get("error"):
            first, *rest = render(item)
            lines += [*([""] if lines else []), f"{_number(number, read)}{first}", *rest]
    return lines


def _number(number: int, read: Sequence[Form]) -> str:
    return f"{number}. " if len(read) > 1 else ""


def _article(item: Form, form: str, *, links: bool) -> Iterator[str]:
    article = item["article"]
    yield _title_line(article)
    if about := ", ".join(_metadata(article)):
        yield about
    if form == "json":
        yield block(json_text(_requested_fields(item, form, links=links)))
        return
    yield block(article[form])
    if links and article.get("links"):
        yield "links:"
        yield from (f"{quoted(link.get('text', ''))} {url(link['url'])}" for link in article["links"])


def page_data(read: Sequence[Form]) -> Answer:
    """Render the data of each page as JSON, then what is missing and what is doubtful."""
    raw = article_file(read, "json").decode().rstrip("\n")
    return Answer(lines=_numbered(read, _page_data), data=list(read), raw=raw, failed=failures(read))


def _page_data(item: Form) -> Iterator[str]:
    yield _title_line(item)
    yield block(json_text(item["data"]))
    places, missing = item.get("places", ()), item.get("missing", ())
    if not places:
        yield "nothing on the page fits the schema"
    elif missing:
        names = ", ".join(plain(pointer) for pointer in missing[:MAX_MISSING])
        more = f" and {len(missing) - MAX_MISSING} more" if len(missing) > MAX_MISSING else ""
        yield f"{count(places, 'value')}; the page does not say: {names}{more}"
    else:
        yield f"{count(places, 'value')}, all that the schema has"
    yield from (f"doubtful: {plain(doubt)}" for doubt in item.get("doubts", ()))


def article_file(read: Sequence[Form], form: str) -> bytes:
    """Articles in a file's format: one JSON object a line, also for those that are missing; or the texts one after the
    other. Several begin with their title and address, after a line between them; Markdown has its title in any case."""
    if form == "json":
        return b"".join(json.dumps(item).encode() + b"\n" for item in read)
    found = [item["article"] for item in read if "article" in item]
    texts = [_text(article, form) if len(read) > 1 else article[form] for article in found]
    return "\n\n---\n\n".join(texts).encode("utf-8", "replace") + b"\n"


def _text(article: Form, form: str) -> str:
    """An article below its title and address."""
    address = url(article["url"], MAX_ADDRESS_CHARACTERS)
    title = " ".join(article.get("title", "").split())
    if form == "text":
        return "\n".join((*filter(None, (title, address)), "", article[form]))
    head, _, rest = article[form].partition("\n") if title else ("", "", article[form])
    return "\n\n".join(filter(None, (head, f"<{address}>", rest.strip("\n"))))


def _metadata(article: Form) -> Iterator[str]:
    if author := article.get("author"):
        yield f"by {quoted(author)}"
    yield from (plain(article[name]) for name in ("date", "language") if article.get(name))
    if article.get("source", "http") != "http":
        why = f": {plain(article['why'])}" if article.get("why") else ""
        yield f"from the {article['source']}{why}"
    elif article.get("why"):
        yield plain(article["why"])
    yield from doubts(article.get("page_kind", ""), article.get("confidence"), article.get("share"))


def _requested_fields(item: Form, form: str, *, links: bool) -> Form:
    """An article's fields without those that were not requested: the text in the other format, the links."""
    article = item.get("article")
    if article is None:
        return item
    left = {"markdown": {"text"}, "text": {"markdown"}}.get(form, set()) | (set() if links else {"links"})
    return {**item, "article": {name: value for name, value in article.items() if name not in left}}


def count(things: Sequence[Any], name: str) -> str:
    """A number with its noun: `1 source`, `2 sources`."""
    return f"{len(things)} {name}" if len(things) == 1 else f"{len(things)} {name}s"


def written(path: Path, what: str, data: Any) -> Answer:
    """An answer with the path of a file that was written; `what` describes its content."""
    return Answer(lines=[f"{what}: {quoted(str(path))}"], data={"path": str(path), **data})


def crawled(totals: Form, pages: Sequence[Form], path: Path | None) -> Answer:
    """Render a crawl: its totals, its first pages, and the file with all of them."""
    counts = crawl_summary(totals)
    lines = [f"{counts}: {quoted(str(path))}" if path else counts]
    for page in pages:
        error = page.get("error")
        lines.append(f"{url(page['url'])} {error['code'] if error else quoted(page.get('title', ''))}")
    data = {"totals": dict(totals)} | ({"path": str(path), "pages": list(pages)} if path else {})
    return Answer(lines=lines, data=data)


_CRAWL_FIGURES = {
    "told": ("page read", "pages read"),
    "failed": ("page failed", "pages failed"),
    "duplicates": ("address with a page that was read already", "addresses with pages that were read already"),
    "redirects": ("redirect", "redirects"),
    "disallowed": ("page that the site excludes from programs", "pages that the site excludes from programs"),
    "trapped": ("URL skipped as part of an endless series", "URLs skipped as part of an endless series"),
    "abandoned": ("URL skipped because its host kept failing", "URLs skipped because their hosts kept failing"),
    "waiting": ("address not requested yet", "addresses not requested yet"),
}
"""What the figures of a crawl are called; the others are only in the data."""


def crawl_summary(totals: Form) -> str:
    """`12 pages read, 1 page failed, 3 addresses not requested yet`."""
    figures = ((totals.get(name, 0), words) for name, words in _CRAWL_FIGURES.items())
    return ", ".join(f"{number} {words[number != 1]}" for number, words in figures if number) or "no pages"


def site_map(found: Form) -> Answer:
    """Render the addresses of a site, with a summary first."""
    lines = [site_map_summary(found), *(url(each) for each in found["urls"])]
    lines += [f"note: {quoted(note)}" for note in found.get("notes", ())]
    return Answer(lines=lines, data=dict(found))


def site_map_summary(found: Form) -> str:
    """`1204 addresses, from 3 sitemaps and links`."""
    number, sitemaps = len(found["urls"]), found.get("sitemaps", 0)
    origin = f"{sitemaps} sitemap{'' if sitemaps == 1 else 's'} and links" if sitemaps else "links of the page"
    more = "" if found.get("is_complete", True) else "; there are more (--limit)"
    llms = f"; the site has {url(found['llms'])}" if found.get("llms") else ""
    return f"{number} address{'' if number == 1 else 'es'}, from {origin}{more}{llms}"


def collections(found: Iterable[Form]) -> Answer:
    """Render the collections of an index: `ferns: 120 passages, model 3f9a1c20`."""
    rows = list(found)
    lines = [f"{plain(row['name'])}: {row['passages']} passages, model {plain(row['model'])[:12]}" for row in rows]
    return Answer(lines=lines or ["no collections"], data=rows)


def _title_line(form: Form) -> str:
    return f"{quoted(form.get('title', ''))} {url(form['url'])}"


def json_text(form: Any) -> str:
    """`form` (JSON data) as the text of an answer, indented, with characters beyond ASCII as they are."""
    return json.dumps(form, ensure_ascii=False, indent=1)
