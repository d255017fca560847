"""Pages whose answer stands in a table, a definition list or a property, for `benchmarks/row_answers.py`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

FURNITURE = (
    '<nav><ul><li><a href="/">Home</a><li><a href="/visit">Visit</a><li><a href="/shop">Shop</a><li>'
    '<a href="/contact">Contact</a></ul></nav>'
)
FOOTER = (
    '<footer><p>© 2026 All rights reserved.</p><dl><dt>Phone</dt><dd>+44 1632 960000</dd></dl>'
    '<a href="/privacy">Privacy policy</a></footer>'
)  # fmt: skip


class RowQuestion(NamedTuple):
    """A question about a page (`html`). The right row has `label`, `value` and `subject` in it."""

    question: str
    subject: str
    label: str
    value: str
    html: str


def document(title: str, body: str, *, prose: str = "", head: str = "", site: str = "") -> str:
    """A page with a menu, a headline, paragraphs, `body`, and a footer."""
    paragraphs = "".join(f"<p>{part}</p>" for part in prose.split("\n") if part)
    name = f"{title} – {site}" if site else title
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{name}</title>{head}</head><body>"
        f"{FURNITURE}<main><h1>{title}</h1>{paragraphs}{body}</main>{FOOTER}</body></html>"
    )


def table_of_labels(rows: Sequence[tuple[str, str]], *, caption: str = "", header: str = "th", css: str = "") -> str:
    """A table whose first column has the labels."""
    cells = "".join(f"<tr><{header}>{label}</{header}><td>{value}</td></tr>" for label, value in rows)
    above = f"<caption>{caption}</caption>" if caption else ""
    return f'<table class="{css}">{above}<tbody>{cells}</tbody></table>'


def table_of_things(head: Sequence[str], rows: Sequence[Sequence[str]], *, thead: bool = True) -> str:
    """A table with a row of labels, and one for each thing."""
    labels = "".join(f"<th>{each}</th>" for each in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f"<table><thead><tr>{labels}</tr></thead><tbody>{body}</tbody></table>"
        if thead
        else f"<table><tr>{labels}</tr>{body}</table>"
    )


def definitions(rows: Sequence[tuple[str, str]], *, groups: bool = False) -> str:
    """A definition list, with each pair in a `div` if `groups`."""
    pairs = (f"<dt>{label}</dt><dd>{value}</dd>" for label, value in rows)
    return "<dl>" + "".join(f"<div>{pair}</div>" if groups else pair for pair in pairs) + "</dl>"


def labelled_divs(
    rows: Sequence[tuple[str, str]], *, label: str = "label", value: str = "value", tag: str = "div"
) -> str:
    """Labels and values in elements that only their classes tell apart."""
    return '<div class="props">' + "".join(
        f'<div class="prop"><{tag} class="{label}">{name}</{tag}><{tag} class="{value}">{text}</{tag}></div>'
        for name, text in rows
    ) + "</div>"  # fmt: skip


def property_list(rows: Sequence[tuple[str, str]], *, colon: str = "inside") -> str:
    """A list of `<b>Label:</b> value`."""
    form = "<li><b>{}:</b> {}</li>" if colon == "inside" else "<li>{}: {}</li>"
    return "<ul>" + "".join(form.format(name, text) for name, text in rows) + "</ul>"


def json_ld(data: dict[str, Any]) -> str:
    """JSON-LD in a script."""
    return f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org", **data})}</script>'
