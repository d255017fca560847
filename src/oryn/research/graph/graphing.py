"""`oryn graph ENTITY`: what pages say of an entity, as a tree with sources (seed 004, "Graph Engine")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.escape import shortened
from oryn.research.documents import Progress
from oryn.research.failures import NoText
from oryn.research.graph.asking import asked
from oryn.research.graph.heuristic import outlined
from oryn.research.graph.knowledge import KnowledgeGraph, graph_of
from oryn.research.graph.retrieving import retrieve

if TYPE_CHECKING:
    from collections.abc import Callable

    from oryn.models.model import Model
    from oryn.research.research import Research

SHOWN = 80
"""Characters of an entity that an error says."""


async def graph(
    entity: str,
    *,
    research: Research,
    website: str | None = None,
    results: int = 3,
    model: Model | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> KnowledgeGraph:
    """`website`, or an entity that is a URL itself, is walked breadth-first; else the first `results` of a search are
    read. Statements are found by `model`, and by their form without one. Raises what a search does, `ModelError`,
    `GraphAnswerInvalid`, and `NoText` where no page says anything."""
    told = progress or (lambda _: None)
    retrieved = await retrieve(entity, research, website, results, told)
    if not retrieved.passages:
        why = "; ".join(map(str, retrieved.left_out[:3]))
        raise NoText(
            f"no page says anything of {shortened(retrieved.entity, SHOWN)}" + (f" ({why})" if why else ""),
            "Ask in other words, or name a site that is about it: --website.",
        )
    told(Progress("ask" if model else "outline", 0, 1))
    unsupported = 0
    if model is None:
        outline = outlined(retrieved.entity, retrieved.passages)
    else:
        outline, unsupported = await asked(retrieved.entity, retrieved.passages, model)
    root, cited = graph_of(retrieved.entity, outline, retrieved.passages)
    used = {id for node in root.walk() for id in node.passages}
    told(Progress("ask" if model else "outline", 1, 1))
    return KnowledgeGraph(
        entity=retrieved.entity,
        root=root,
        cited=cited,
        passages=tuple(each for each in retrieved.passages if each.id in used),
        by=model.name if model else "",
        unsupported=unsupported,
        left_out=retrieved.left_out,
    )
