"""How long `snapshot` of a page with 5,000 interactive elements takes, against the browser's own accessibility tree.

usage: python -m benchmarks.snapshot [FOLDER]         (the folder is not used: the page is made here)

Both are asked in turn over the same connection; the ratio of the medians is what counts (at most 1.2).
"""

from __future__ import annotations

from typing import cast

from benchmarks._session import headless_session, must, paired, row, run
from benchmarks.observe_speed import generated_page
from oryn.browsers.chromium.page import CdpPage

COUNT = 5_000
ROUNDS = 5


async def main() -> None:
    async with headless_session() as session:
        await must(session, f"goto {generated_page(COUNT)}")
        page = cast("CdpPage", session.page)

        async def bare() -> None:
            await page.channel.call("Accessibility.getFullAXTree", timeout=120)

        async def snapshot() -> None:
            (await must(session, "snapshot --timeout 120s")).render()

        base, ours = await paired(bare, snapshot, rounds=ROUNDS, warm=1)
        answer = await must(session, "snapshot")
        row("page", "getFullAXTree ms", "snapshot ms", "ratio", "nodes", widths=(24, 18, 14, 8, 8))
        row(f"{COUNT} elements", f"{base * 1e3:.0f}", f"{ours * 1e3:.0f}", f"{ours / base:.2f}", len(answer.data))


if __name__ == "__main__":
    run(main)
