"""Research: text from the web with its source. Search, extract, crawl, research, graph; all of it local.

The extra `oryn[research]`. `Research` has it all for programs; the parts are usable by themselves:

    from oryn.research import Research

    async with Research() as research:
        report = await research.research("How do ferns reproduce?")
        print(report.markdown)

Seed 004, "Engines Layer" and "Data Flow Patterns".
"""
