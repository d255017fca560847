"""What is known of an entity, as a tree whose every leaf has its source."""

from __future__ import annotations

from collections.abc import Iterator

from oryn.research.documents import Document, LeftOut, Passage


class Cited(Document):
    """A page that the graph cites. `number` is how nodes name it, from 1."""

    number: int
    url: str
    title: str = ""
    date: str = ""


class Node(Document):
    """A point of the tree: the entity, what is known of it in one respect, or one statement. `passages` are the ids of
    those that a statement rests on; `sources` the numbers of their pages, and of all pages below where the node is no
    statement itself."""

    label: str
    sources: tuple[int, ...] = ()
    passages: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


class KnowledgeGraph(Document):
    """`by` says who found the statements: a language model by its name, or empty for the heuristic. `unsupported`
    counts what the model said without a passage that says it too: it stands nowhere in the tree. `left_out` are
    pages that did not come."""

    entity: str
    root: Node
    cited: tuple[Cited, ...] = ()
    passages: tuple[Passage, ...] = ()
    by: str = ""
    unsupported: int = 0
    left_out: tuple[LeftOut, ...] = ()

    @property
    def tree(self) -> str:
        """As lines of text (`oryn.research.graph.tree`)."""
        from oryn.research.graph.tree import tree

        return tree(self)

    @property
    def svg(self) -> str:
        """As a picture (`oryn.research.graph.picture`)."""
        from oryn.research.graph.picture import svg

        return svg(self)

    @property
    def html(self) -> str:
        """As a page with the picture, and every passage that it rests on (`oryn.research.graph.page`)."""
        from oryn.research.graph.page import html

        return html(self)


class Statement(Document):
    """One thing that is said of the entity, and the passages that say it, by their places in what was asked about."""

    text: str
    passages: tuple[int, ...]


class Category(Document):
    """What is said of the entity in one respect."""

    name: str
    statements: tuple[Statement, ...]


def graph_of(
    entity: str, outline: tuple[Category, ...], passages: tuple[Passage, ...]
) -> tuple[Node, tuple[Cited, ...]]:
    """The tree, and the pages that it cites, numbered in the order in which the tree comes to them."""
    numbers: dict[str, Cited] = {}

    def number_of(passage: Passage) -> int:
        cited = numbers.setdefault(
            passage.url, Cited(len(numbers) + 1, passage.url, passage.title or passage.url, passage.date)
        )
        return cited.number

    def leaf(statement: Statement) -> Node:
        said = [passages[place] for place in statement.passages]
        return Node(statement.text, _once(number_of(each) for each in said), tuple(each.id for each in said))

    def branch(label: str, children: tuple[Node, ...]) -> Node:
        return Node(label, _once(number for child in children for number in child.sources), (), children)

    branches = tuple(
        branch(category.name, tuple(leaf(each) for each in category.statements))
        for category in outline
        if category.statements
    )
    return branch(entity, branches), tuple(numbers.values())


def _once(numbers: Iterator[int]) -> tuple[int, ...]:
    return tuple(sorted(set(numbers)))
