"""Foundations for every other layer: value records, URLs, text and documents. Standard library only, no I/O."""
