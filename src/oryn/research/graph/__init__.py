"""Knowledge graphs: what pages say of an entity, as a tree whose every statement has its source."""

from oryn.research.graph.graphing import graph
from oryn.research.graph.knowledge import Cited, KnowledgeGraph, Node

__all__ = ["Cited", "KnowledgeGraph", "Node", "graph"]
