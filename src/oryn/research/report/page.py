"""A report as a page of its own: each sentence leads to its place in its passage, that to the page it is from. Pure.

Everything that a page said is escaped; besides, `oryn.html_page` lets nothing run or be loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from oryn.html_page import END, head
from oryn.research.documents import LeftOut, Passage
from oryn.research.report.links import to_text, web_address
from oryn.research.report.markdown import told_of
from oryn.research.report.report import Cited, Report, Statement
from oryn.research.report.style import STYLE


def page(report: Report) -> str:
    """A whole document."""
    topic = escape(report.topic)
    return "\n".join(
        [
            head(report.topic, STYLE),
            f"<header><p>Research</p><h1>{topic}</h1><p>{escape(_figures(report))}</p></header>",
            "<main><section><h2>Summary</h2>",
            *_statements(report),
            "</section><section><h2>Sources</h2><ol>",
            *map(_source, report.sources),
            "</ol></section><section><h2>Passages</h2>",
            *(_passage(report, passage) for passage in report.passages),
            "</section>",
            *left_out(report.left_out),
            f"</main><footer>{escape(_made(report))}</footer>",
            END,
        ]
    )


def _figures(report: Report) -> str:
    pages = report.counts.get("pages", 0)
    parts = [f"{_many(len(report.sentences), 'sentence')} from {_many(len(report.sources), 'source')}"]
    if pages:
        parts.append(f"{_many(pages, 'page')} read")
    return ", ".join([*parts, f"{_many(len(report.passages), 'passage')} shown"])


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _made(report: Report) -> str:
    model = f", vectors by the model {report.model[:12]}" if report.model else ""
    return f"Made {report.made_at} by Oryn: sentences of pages as they stand there, chosen, not written{model}."


def _statements(report: Report) -> Iterator[str]:
    for number, each in enumerate(report.sentences, 1):
        cited = report.source(each.source)
        also = "".join(_number(other, f"#source-{other}", "says the same") for other in each.also)
        mark = _number(each.source, f"#sentence-{number}", cited.title)
        yield f'<p>{escape(each.text)} <span class="cites">{mark}{also}</span></p>'


def _number(number: int, link: str, title: str) -> str:
    return f'<a class="number" href="{escape(link)}" title="{escape(title)}">{number}</a>'


def _source(cited: Cited) -> str:
    said = "".join(f"<span>{escape(part)}</span>" for part in dict.fromkeys((_host(cited.url), *told_of(cited))))
    places = " ".join(f'<a href="#{_anchor(id)}">passage {place}</a>' for place, id in enumerate(cited.passages, 1))
    return (
        f'<li id="source-{cited.number}" value="{cited.number}"><b>{_link(web_address(cited.url), cited.title)}</b>'
        f'<small class="facts">{said}</small><small>{places}</small></li>'
    )


def _host(url: str) -> str:
    return url.partition("//")[2].partition("/")[0]


def _link(address: str, text: str) -> str:
    """Only the text where there is no address."""
    return f'<a href="{escape(address)}" rel="noreferrer">{escape(text)}</a>' if address else escape(text)


def _anchor(id: str) -> str:
    return f"passage-{escape(id)}"


def _passage(report: Report, passage: Passage) -> str:
    cited = next(each for each in report.sources if each.url == passage.url)
    return (
        f'<article id="{_anchor(passage.id)}"><h3>{_number(cited.number, f"#source-{cited.number}", cited.title)} '
        f"{escape(passage.title or cited.title)}</h3><blockquote>{_marked(report, passage)}</blockquote>"
        f"<small>{_place(to_text(passage.url, passage.text))}</small></article>"
    )


def _place(address: str) -> str:
    return _link(address, "Where it stands ↗") if address else "It has no address that may be opened."


def _marked(report: Report, passage: Passage) -> str:
    """A passage's text with the sentences in it that were chosen."""
    own = sorted(
        (each.begin, each.end, number)
        for number, each in enumerate(report.sentences, 1)
        if each.passage == passage.id and _stands(each, passage)
    )
    parts, place = [], 0
    for begin, end, number in own:
        if begin < place:
            continue
        address = to_text(passage.url, passage.text[begin:end])
        parts += [
            escape(passage.text[place:begin]),
            f'<mark id="sentence-{number}">{escape(passage.text[begin:end])}</mark>',
            f' <a class="out" href="{escape(address)}" rel="noreferrer" title="In its page">↗</a>' if address else "",
        ]
        place = end
    return "".join([*parts, escape(passage.text[place:])])


def _stands(statement: Statement, passage: Passage) -> bool:
    return 0 <= statement.begin < statement.end <= len(passage.text)


def left_out(missing: Iterable[LeftOut]) -> Iterator[str]:
    """A section of what there was to do without, where there was something."""
    if rows := [f"<li>{escape(str(each))}</li>" for each in missing]:
        yield from ("<section><h2>Left out</h2><ul>", *rows, "</ul></section>")
