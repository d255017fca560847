"""What an observation costs: o200k tokens of `observe --limit 0` a listed element, over a folder of saved pages.

usage: python -m benchmarks.tokens FOLDER      (FOLDER/extraction/html/*.html.gz, as in ../shared/evals/public)

The bare list beside it is `[n] type "name"` of the same elements. Last line: tokens an element, and the bare list's.
"""

from __future__ import annotations

import bpe_openai

from benchmarks._saved_pages import SavedPages
from benchmarks._session import folder_argument, headless_session, must, row, run
from oryn.engine.output.elements import minimal_line


async def main() -> None:
    folder = folder_argument(__doc__)
    encoding = bpe_openai.get_encoding("o200k_base")
    total = bare = listed = 0
    with SavedPages(folder) as pages:
        async with headless_session() as session:
            for name in pages.names:
                await must(session, f"goto {pages.url(name)}")
                answer = await must(session, "observe --limit 0")
                assert answer.observation is not None
                elements = answer.observation.elements
                total += len(encoding.encode(answer.render()))
                bare += len(encoding.encode("\n".join(map(minimal_line, elements))))
                listed += len(elements)
                row(name[:16], len(elements), f"{len(encoding.encode(answer.render())) / max(1, len(elements)):.2f}")
    print(
        f"pages {len(pages.names)}  elements {listed}  tokens {total}  tokens an element {total / listed:.3f}  "
        f"bare list {bare / listed:.3f}"
    )


if __name__ == "__main__":
    run(main)
