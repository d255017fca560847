"""Vectors of texts: all-MiniLM-L6-v2 on ONNX Runtime, on this machine, without the network."""

from oryn.research.embedding.embedder import Embedder, TokenVectors

__all__ = ["Embedder", "TokenVectors"]
