"""Reports: a summary whose every sentence leads to the passage that it is from, as Markdown, JSON or HTML."""

from __future__ import annotations

from oryn.research.report.report import Cited, Report, Statement

__all__ = ["Cited", "Report", "Statement"]
