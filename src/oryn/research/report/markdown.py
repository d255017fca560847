"""A report as Markdown. Text of pages is escaped, so that none of it is a link, a heading or HTML. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from oryn.research.documents import Passage
from oryn.research.report.links import web_address
from oryn.research.report.report import Report, ReportSource, ReportStatement

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&!$]")
_BEGINS = re.compile(r"^(?:[-+](?=\s|$)|=+$|--+$|(?P<number>\d{1,9})(?=[.)](?:\s|$)))")
"""What would begin a list, or make a heading of the line before, at the beginning of a line."""
_UNSAFE = re.compile(r"[\s()<>\\\"']")


def render_markdown(report: Report) -> str:
    """The report as Markdown: the summary, the numbered sources, the passages of the summary, and what was left out."""
    # Who reads this pays for every word: the passages that nothing was taken from are left to the other forms.
    cited = {statement.passage for statement in report.sentences}
    cited |= {id for each in report.written for id in each.passages}
    passages = [passage for passage in report.passages if passage.id in cited] or report.passages
    names = {passage.id: f"p{number}" for number, passage in enumerate(passages, 1)}
    parts = [
        f"# {escaped(report.topic)}",
        *(f"*{escaped(gap)}*" for gap in report.gaps),
        *_written(report, names),
        *_answers(report, names),
        "## Sources",
        "\n".join(_source(cited, names) for cited in report.sources),
        "## Passages",
        *(_passage(report, passage, names[passage.id]) for passage in passages),
        *_left_out(report),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """A text as words of one line, without Markdown."""
    line = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
    return _BEGINS.sub(_escaped_begin, line)


def _escaped_begin(found: re.Match[str]) -> str:
    # A number stays as it is: the mark behind it is what makes an item.
    return f"{found[0]}\\" if found["number"] else f"\\{found[0]}"


def _written(report: Report, names: dict[str, str]) -> Iterator[str]:
    """The text of a model, and the heading of the quotations that follow it."""
    if report.written:
        numbers = {cited.url: cited.number for cited in report.sources}
        marks = {
            id: f"[\\[{numbers[report.passage(id).url]}\\]](#{names[id]})"
            for each in report.written
            for id in each.passages
        }
        yield " ".join(f"{escaped(each.text)} {''.join(marks[id] for id in each.passages)}" for each in report.written)
        yield "## Quotations"


def _answers(report: Report, names: dict[str, str]) -> Iterator[str]:
    """The quotations; if the topic was split, below each question."""
    if not report.questions:
        yield " ".join(_statements(report.sentences, names))
    for number, question in enumerate(report.questions, 1):
        if answers := report.answers(number):
            yield f"### {escaped(question)}"
            yield " ".join(_statements(answers, names))


def _statements(statements: Sequence[ReportStatement], names: dict[str, str]) -> Iterator[str]:
    for statement in statements:
        also = "".join(f"[\\[{number}\\]](#source-{number})" for number in statement.also)
        yield f"{escaped(statement.words)} [\\[{statement.source}\\]](#{names[statement.passage]}){also}"


def _link(text: str, url: str) -> str:
    """A link, or only the text if the URL is none of the web."""
    address = _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), web_address(url))
    return f"[{escaped(text)}]({address})" if address else escaped(text)


def _source(cited: ReportSource, names: dict[str, str]) -> str:
    facts = " · ".join(map(escaped, source_facts(cited)))
    passages = ", ".join(f"[{names[id]}](#{names[id]})" for id in cited.passages if id in names)
    more = " — ".join(part for part in (facts, passages) if part)
    return f'{cited.number}. <a id="source-{cited.number}"></a>{_link(cited.title, cited.url)}' + (
        more and f" — {more}"
    )


def source_facts(cited: ReportSource) -> Sequence[str]:
    """The facts about a source besides its title."""
    by = f"by {cited.author}" if cited.author else ""
    fetched = {"browser": f"read with a browser ({cited.why})" if cited.why else "read with a browser"}
    how = fetched.get(cited.source or "", "")
    found = {"given": "given", "link": "linked", "index": "read before"}.get(
        cited.found_by, f"found by {cited.found_by}"
    )
    site = "" if f"//{cited.site}/" in cited.url else cited.site
    return [part for part in (site, by, cited.date, found if cited.found_by else "", how, *cited.doubts) if part]


def _passage(report: Report, passage: Passage, name: str) -> str:
    number = next(cited.number for cited in report.sources if cited.url == passage.url)
    lines = [f"> {escaped(line)}" for line in passage.text.splitlines() if line.strip()]
    title = _link(passage.title or passage.url, passage.url)
    head = f'<a id="{name}"></a>**{name}** — {title} [\\[{number}\\]](#source-{number})'
    return f"{head}\n\n" + "\n>\n".join(lines)


def _left_out(report: Report) -> Iterator[str]:
    if report.left_out:
        yield "## Left out"
        yield "\n".join(f"- {escaped(str(each))}" for each in report.left_out)
