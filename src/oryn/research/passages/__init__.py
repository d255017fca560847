"""Passages: the parts of an article that are indexed and cited, and their order for a question."""
