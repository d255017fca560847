"""The knowledge graph of an entity: a tree whose every leaf has its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from oryn.research.documents import JsonRecord, LeftOut, Passage


class GraphSource(JsonRecord):
    """A page that the graph cites. `number` is its number in nodes, from 1."""

    number: int
    url: str
    title: str = ""
    date: str = ""


class GraphNode(JsonRecord):
    """A node of the tree: the entity, a category, or a statement. `passages` are the ids of the passages that support a
    statement; `sources` the numbers of their pages, and for other nodes those of all pages below."""

    label: str
    sources: tuple[int, ...] = ()
    passages: tuple[str, ...] = ()
    children: tuple[GraphNode, ...] = ()

    def walk(self) -> Iterator[GraphNode]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


class KnowledgeGraph(JsonRecord):
    """The tree of statements about `entity`. `by` is the name of the language model that has extracted them; empty for
    the heuristic. `unsupported` is the number of statements of the model that no passage supports; they are not in the
    tree. `left_out` are pages that failed."""

    entity: str
    root: GraphNode
    cited: tuple[GraphSource, ...] = ()
    passages: tuple[Passage, ...] = ()
    by: str = ""
    unsupported: int = 0
    left_out: tuple[LeftOut, ...] = ()

    @property
    def tree(self) -> str:
        """The graph as lines of text, with numbered sources."""
        return GRAPH_RENDERERS["tree"](self)

    @property
    def svg(self) -> str:
        """The graph as a picture: one `<svg>` element."""
        return GRAPH_RENDERERS["svg"](self)

    @property
    def html(self) -> str:
        """The graph as a complete HTML page, with the picture and the passages that support the statements."""
        return GRAPH_RENDERERS["html"](self)


GRAPH_RENDERERS: dict[str, Callable[[KnowledgeGraph], str]] = {}
"""The renderer of each text format. `oryn.research.graph` fills it: the renderers depend on `KnowledgeGraph`, not it
on them."""


class GraphStatement(JsonRecord):
    """A statement about the entity, and the indexes of the passages that support it."""

    text: str
    passages: tuple[int, ...]


class StatementCategory(JsonRecord):
    """The statements about one aspect of the entity."""

    name: str
    statements: tuple[GraphStatement, ...]


def graph_of(
    entity: str, outline: tuple[StatementCategory, ...], passages: tuple[Passage, ...]
) -> tuple[GraphNode, tuple[GraphSource, ...]]:
    """The tree, and the pages that it cites, numbered in the order of the tree."""
    numbers: dict[str, GraphSource] = {}

    def number_of(passage: Passage) -> int:
        cited = numbers.setdefault(
            passage.url, GraphSource(len(numbers) + 1, passage.url, passage.title or passage.url, passage.date)
        )
        return cited.number

    def leaf(statement: GraphStatement) -> GraphNode:
        cited_passages = [passages[place] for place in statement.passages]
        return GraphNode(
            statement.text,
            _unique(number_of(each) for each in cited_passages),
            tuple(each.id for each in cited_passages),
        )

    def branch(label: str, children: tuple[GraphNode, ...]) -> GraphNode:
        return GraphNode(label, _unique(number for child in children for number in child.sources), (), children)

    branches = tuple(
        branch(category.name, tuple(leaf(each) for each in category.statements))
        for category in outline
        if category.statements
    )
    return branch(entity, branches), tuple(numbers.values())


def _unique(numbers: Iterator[int]) -> tuple[int, ...]:
    return tuple(sorted(set(numbers)))
