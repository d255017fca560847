"""The graph as a page of its own: the picture, and the passages that its statements rest on. Pure.

Everything that a page said is escaped; besides, `oryn.html_page` lets nothing run or be loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from oryn.html_page import END, head
from oryn.research.documents import Passage
from oryn.research.graph.knowledge import KnowledgeGraph
from oryn.research.graph.picture import STYLE, svg
from oryn.research.report.links import web_address
from oryn.research.report.page import left_out

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem; }
figure { margin: 1.5rem 0; overflow-x: auto; }
li { margin: .4rem 0; }
blockquote { margin: .6rem 0; padding: .2rem 1rem; border-left: 3px solid #8888; white-space: pre-line; }
blockquote:target { background: #facc1533; border-left-color: #d97706; }
.note { opacity: .75; font-size: .9rem; }
"""


def html(graph: KnowledgeGraph) -> str:
    """A whole document."""
    return "\n".join(
        [
            head(graph.entity, _STYLE, drawing=STYLE),
            f"<h1>{escape(graph.entity)}</h1>",
            f'<p class="note">{escape(_told(graph))}</p>',
            "<figure>",
            svg(graph, lambda node: f"#{_anchor(node.passages[0])}" if node.passages else ""),
            "</figure>",
            "<h2>Sources</h2><ol>",
            *_sources(graph),
            "</ol>",
            *left_out(graph.left_out),
            END,
        ]
    )


def _told(graph: KnowledgeGraph) -> str:
    by = f"Found by {graph.by}" if graph.by else "Found by the form of sentences, without a language model"
    lost = f"; {graph.unsupported} statements that no passage supports are left out" if graph.unsupported else ""
    return f"{by}{lost}. Each statement leads to the passage that it rests on."


def _sources(graph: KnowledgeGraph) -> Iterator[str]:
    for cited in graph.cited:
        name = escape(cited.title or cited.url)
        url = web_address(cited.url)
        link = f'<a href="{escape(url)}">{name}</a>' if url else name
        date = f" ({escape(cited.date)})" if cited.date else ""
        quotes = "".join(_quote(each) for each in graph.passages if each.url == cited.url)
        yield f"<li>{link}{date}{quotes}</li>"


def _quote(passage: Passage) -> str:
    return f'<blockquote id="{_anchor(passage.id)}">{escape(passage.text)}</blockquote>'


def _anchor(id: str) -> str:
    return f"p-{escape(id)}"
