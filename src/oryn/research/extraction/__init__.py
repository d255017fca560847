"""Extraction: the main text of a page, as lines and as Markdown, with its title, author, date, language and links."""

from oryn.research.extraction.article import article_of, main_text

__all__ = ["article_of", "main_text"]
