"""What an observation costs: o200k tokens of `observe` and of `observe --limit 0`, over a folder of saved pages.

usage: python -m benchmarks.tokens FOLDER      (FOLDER/extraction/html/*.html.gz, as in ../shared/evals/public)

A row is a page: elements, tokens of `observe`, and of the same elements with a line each. Last line: the sums, those of
twenty pages on average, tokens of `--limit 0` an element, and those of the bare list, `[n] type "name"`.
"""

from __future__ import annotations

import bpe_openai

from benchmarks._saved_pages import SavedPages
from benchmarks._session import folder_argument, headless_session, must, row, run
from oryn.engine.output.elements import line, minimal_line


async def main() -> None:
    folder = folder_argument(__doc__)
    encoding = bpe_openai.get_encoding("o200k_base")
    total = bare = listed = folded = unfolded = 0
    with SavedPages(folder) as pages:
        async with headless_session() as session:
            for name in pages.names:
                await must(session, f"goto {pages.url(name)}")
                overview = await must(session, "observe")
                tokens = len(encoding.encode(overview.render()))
                assert overview.observation is not None
                overview.observation = overview.observation.replace(line=line)
                lines = len(encoding.encode(overview.render()))
                folded, unfolded = folded + tokens, unfolded + lines
                answer = await must(session, "observe --limit 0")
                assert answer.observation is not None
                elements = answer.observation.elements
                total += len(encoding.encode(answer.render()))
                bare += len(encoding.encode("\n".join(map(minimal_line, elements))))
                listed += len(elements)
                row(name[:16], len(elements), tokens, lines)
    pages_20 = 20 / len(pages.names)
    print(
        f"pages {len(pages.names)}  elements {listed}  tokens {folded}, a line each {unfolded}  "
        f"20 pages {folded * pages_20:.0f}, {unfolded * pages_20:.0f}  "
        f"--limit 0 an element {total / listed:.3f}  bare list {bare / listed:.3f}"
    )


if __name__ == "__main__":
    run(main)
