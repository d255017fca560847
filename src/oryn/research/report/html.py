"""A report as an HTML page: each sentence links to its place in its passage, and that to its page. Pure.

All text of pages is escaped; besides, `oryn.core.html_document` blocks scripts and requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from oryn.core.html_document import DOCUMENT_END, document_head
from oryn.research.documents import LeftOut, Passage
from oryn.research.report.links import text_fragment_url, web_address
from oryn.research.report.markdown import source_facts
from oryn.research.report.report import Report, ReportSource

_STYLE = """
html { scroll-behavior: smooth; scroll-padding-top: 2rem; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1.2rem; }
header p { margin: 0; color: var(--muted); font-size: 0.9375rem; }
header p:first-child { color: var(--accent); font-weight: 600; }
section:first-of-type p { font-size: 1.125rem; line-height: 1.6; }
.gap { color: var(--muted); font-size: 0.9375rem; }
.cites { white-space: nowrap; }
.number { display: inline-block; min-width: 1.5em; padding: 0 0.38em; margin-left: 0.2em; border-radius: 0.8em;
  background: var(--soft); font-size: 0.8125rem; font-weight: 600; text-align: center; text-decoration: none; }
.number:is(:hover, :focus-visible) { background: var(--accent); color: var(--on-accent); }
ol b { font-weight: 600; }
small { display: block; color: var(--muted); font-size: 0.875rem; }
.facts span + span::before { content: " · "; }
article { margin: 0 0 1rem; padding: 1rem 1.25rem; background: var(--surface); border: 1px solid var(--line);
  border-radius: 0.625rem; }
article:is(:target, :has(:target)) { border-color: var(--accent); }
article blockquote { padding: 0; border: 0; }
mark:target { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--muted);
  font-size: 0.875rem; }
@media print { article { break-inside: avoid; } .out { display: none; } }
"""


def render_html(report: Report) -> str:
    """The report as a complete HTML document."""
    topic = escape(report.topic)
    return "\n".join(
        [
            document_head(report.topic, _STYLE),
            f"<header><p>Research</p><h1>{topic}</h1><p>{escape(_figures(report))}</p></header>",
            "<main>",
            *(f'<p class="gap">{escape(gap)}</p>' for gap in report.gaps),
            *_written(report),
            f"<section><h2>{'Quotations' if report.written else 'Summary'}</h2>",
            *_statements(report),
            "</section><section><h2>Sources</h2><ol>",
            *map(_source, report.sources),
            "</ol></section><section><h2>Passages</h2>",
            *(_passage(report, passage) for passage in report.passages),
            "</section>",
            *left_out(report.left_out),
            f"</main><footer>{escape(_provenance(report))}</footer>",
            DOCUMENT_END,
        ]
    )


def _figures(report: Report) -> str:
    pages = report.counts.get("pages", 0)
    parts = [f"{_count(len(report.sentences), 'sentence')} from {_count(report.cited, 'source')}"]
    if pages:
        parts.append(f"{_count(pages, 'page')} read")
    return ", ".join([*parts, f"{_count(len(report.passages), 'passage')} shown"])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _provenance(report: Report) -> str:
    model = f"; they were ranked with the embedding model {report.model[:12]}" if report.model else ""
    text = f" {report.writer} wrote the text from its passages, which support each sentence." if report.written else ""
    what = "The quotations are" if report.written else "Its sentences are"
    return f"Made by Oryn at {report.made_at}.{text} {what} quotations of the sources{model}."


def _written(report: Report) -> Iterator[str]:
    """The section of the text that a model wrote."""
    if not report.written:
        return
    yield "<section><h2>Summary</h2>"
    sources = {cited.url: cited for cited in report.sources}
    for each in report.written:
        cited = [(id, sources[report.passage(id).url]) for id in each.passages]
        marks = "".join(_number(source.number, f"#{_anchor(id)}", source.title) for id, source in cited)
        yield f'<p>{escape(each.text)} <span class="cites">{marks}</span></p>'
    yield "</section>"


def _statements(report: Report) -> Iterator[str]:
    question = None
    for number, each in enumerate(report.sentences, 1):
        if each.question is not None and each.question != question:
            question = each.question
            yield f"<h3>{escape(report.questions[question - 1])}</h3>"
        cited = report.source(each.source)
        also = "".join(_number(other, f"#source-{other}", "a source that says the same") for other in each.also)
        mark = _number(each.source, f"#sentence-{number}", cited.title)
        yield f'<p>{escape(each.words)} <span class="cites">{mark}{also}</span></p>'


def _number(number: int, link: str, title: str) -> str:
    return f'<a class="number" href="{escape(link)}" title="{escape(title)}">{number}</a>'


def _source(cited: ReportSource) -> str:
    host = cited.url.partition("//")[2].partition("/")[0]
    facts = "".join(f"<span>{escape(part)}</span>" for part in dict.fromkeys((host, *source_facts(cited))))
    places = " ".join(f'<a href="#{_anchor(id)}">passage {place}</a>' for place, id in enumerate(cited.passages, 1))
    return (
        f'<li id="source-{cited.number}" value="{cited.number}"><b>{_link(web_address(cited.url), cited.title)}</b>'
        f'<small class="facts">{facts}</small><small>{places}</small></li>'
    )


def _link(address: str, text: str) -> str:
    """A link, or only the text if the address is empty."""
    return f'<a href="{escape(address)}" rel="noreferrer">{escape(text)}</a>' if address else escape(text)


def _anchor(id: str) -> str:
    return f"passage-{escape(id)}"


def _passage(report: Report, passage: Passage) -> str:
    cited = next(each for each in report.sources if each.url == passage.url)
    return (
        f'<article id="{_anchor(passage.id)}"><h3>{_number(cited.number, f"#source-{cited.number}", cited.title)} '
        f"{escape(passage.title or cited.title)}</h3><blockquote>{_marked(report, passage)}</blockquote>"
        f"<small>{_place(text_fragment_url(passage.url, passage.text))}</small></article>"
    )


def _place(address: str) -> str:
    if not address:
        return "The source has no URL that can be opened."
    return _link(address, "Open the source at this passage ↗")


def _marked(report: Report, passage: Passage) -> str:
    """The text of a passage, with the sentences of the summary marked."""
    own = sorted(
        (each.begin, each.end, number)
        for number, each in enumerate(report.sentences, 1)
        if each.passage == passage.id and 0 <= each.begin < each.end <= len(passage.text)
    )
    parts, position = [], 0
    for begin, end, number in own:
        if begin < position:
            continue
        address = text_fragment_url(passage.url, passage.text[begin:end])
        parts += [
            escape(passage.text[position:begin]),
            f'<mark id="sentence-{number}">{escape(passage.text[begin:end])}</mark>',
            f' <a class="out" href="{escape(address)}" rel="noreferrer" title="Open the source">↗</a>'
            if address
            else "",
        ]
        position = end
    return "".join([*parts, escape(passage.text[position:])])


def left_out(missing: Iterable[LeftOut]) -> Iterator[str]:
    """A section that lists what is missing; nothing if nothing is."""
    if rows := [f"<li>{escape(str(each))}</li>" for each in missing]:
        yield from ("<section><h2>Left out</h2><ul>", *rows, "</ul></section>")
