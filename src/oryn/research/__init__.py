"""Research: text from the web with its source. Search, extract, crawl, research, graph; all of it local.

The extra `research`. `Research` has it all for programs; the parts are usable by themselves:

    from oryn.research import Research

    async with Research() as research:
        report = await research.research("How do ferns reproduce?")
        print(report.markdown)

What it does is in docs/research.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.research.options import ResearchOptions
    from oryn.research.research import Research

__all__ = ["Research", "ResearchOptions"]


def __getattr__(name: str) -> Any:
    """What programs start with, imported when it is asked for: the parts are used without it too."""
    if name == "Research":
        from oryn.research.research import Research

        return Research
    if name == "ResearchOptions":
        from oryn.research.options import ResearchOptions

        return ResearchOptions
    raise AttributeError(name)
