"""Forty texts into each text editor: how many are in it exactly, how many differ and the answer says how, and how many
differ without a word. The pages are those of `tests/editors`; the editor's own model and `value` decide.

    .venv/bin/python -m benchmarks.editors [editor …]
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter

from benchmarks._session import headless_session, must, row, run
from oryn.engine import Session
from tests.editors.catalogue import PAGES, SAMPLES, EditorServer, plain_breaks

WIDTHS = (16, 6, 6, 6, 8, 60)


async def outcome(session: Session, text: str) -> str:
    answer = await session.execute(f'type css("#editor") {json.dumps(text, ensure_ascii=False)}')
    held = await session.page.evaluate("model()")
    read = await session.execute('value css("#editor")')
    is_exact = held == read.data == plain_breaks(text)
    is_said = not answer.ok or any("another text" in note or "line breaks" in note for note in answer.notes)
    return "exact" if is_exact and not is_said else "said" if is_said and held == read.data else "wrong"


async def main() -> None:
    server = EditorServer()
    row("editor", "exact", "said", "wrong", "seconds", "not exact", widths=WIDTHS)
    async with headless_session() as session:
        for name in sys.argv[1:] or PAGES:
            counts, others, started = Counter[str](), [], time.monotonic()
            for sample, text in SAMPLES.items():
                await must(session, f"goto {server.url(name)}")
                await must(session, 'wait until "window.model"')
                found = await outcome(session, text)
                counts[found] += 1
                if found != "exact":
                    others.append(f"{sample} ({found})")
            cells = (counts["exact"], counts["said"], counts["wrong"], f"{time.monotonic() - started:.0f}")
            row(name, *cells, ", ".join(others), widths=WIDTHS)
    server.close()


if __name__ == "__main__":
    run(main)
