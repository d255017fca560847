"""Knowledge graphs: what pages say of an entity, as a tree whose every statement has its source."""

from oryn.research.graph.builder import build_graph
from oryn.research.graph.knowledge import GRAPH_RENDERERS, GraphNode, GraphSource, KnowledgeGraph
from oryn.research.graph.renderers import render_html, render_svg, render_tree

GRAPH_RENDERERS.update(tree=render_tree, svg=render_svg, html=render_html)

__all__ = ["GRAPH_RENDERERS", "GraphNode", "GraphSource", "KnowledgeGraph", "build_graph"]
