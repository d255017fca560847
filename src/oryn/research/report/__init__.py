"""Reports: a summary whose every sentence leads to the passage that it is from, as Markdown, JSON or HTML."""

from __future__ import annotations

from oryn.research.report.html import render_html
from oryn.research.report.markdown import render_markdown
from oryn.research.report.report import REPORT_RENDERERS, Report, ReportSource, ReportStatement

REPORT_RENDERERS.update(markdown=render_markdown, html=render_html)

__all__ = ["REPORT_RENDERERS", "Report", "ReportSource", "ReportStatement"]
