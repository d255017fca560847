"""Sentences, questions, names and values in plain text: no page, no index and no model is needed."""
