"""How long a new document takes from the scanner's script to its first scan, and a scan after that, before and after a
change, in turn in the same browser.

usage: python -m benchmarks.first_scan BEFORE [FOLDER]

BEFORE is a checkout with the package as it was; FOLDER has saved pages (FOLDER/extraction/html/*.html.gz). Each script
runs in isolated worlds of the same documents: the medians of the ratios count."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
from pathlib import Path
from typing import Any

from benchmarks._saved_pages import SavedPages
from benchmarks._session import DEFAULT_SET, headless_session, must, row
from benchmarks.observe_speed import generated_page
from oryn.engine import Session
from oryn.scanner import ENTRY, bundle

ROUNDS = 9
PAGES = 20
SCAN = '\'{"cmd": "scan", "max_elements": 0, "fields": ["options", "value"], "skip_roots": true}\''


def bundle_of(checkout: Path) -> str:
    """The scanner's script of another checkout."""
    code = "from oryn.scanner import bundle; print(bundle(), end='')"
    command = [str(checkout / ".venv/bin/python"), "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=checkout).stdout


async def times(session: Session, script: str, name: str) -> tuple[float, float]:
    """Milliseconds of the script with its first scan, and of the next scan, in a new world of the document."""
    page: Any = session.page
    frame = (await page.channel.call("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = await page.channel.call("Page.createIsolatedWorld", {"frameId": frame, "worldName": name})

    async def measured(expression: str) -> float:
        timed = f"(() => {{ const began = performance.now(); {expression}; return performance.now() - began }})()"
        params = {"expression": timed, "contextId": world["executionContextId"], "returnByValue": True}
        return float((await page.channel.call("Runtime.evaluate", params))["result"]["value"])

    # The browser compiles what it is sent: the time of the evaluation contains that, once for each text.
    first = await measured(f"(0, eval)({json.dumps(script)}); {ENTRY}({SCAN})")
    return first, await measured(f"document.body.toggleAttribute('data-x'); {ENTRY}({SCAN})")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("folder", nargs="?", default=DEFAULT_SET, type=Path)
    options = parser.parse_args()
    scripts = {"before": bundle_of(options.before), "after": bundle()}
    row("bytes", *(str(len(each.encode())) for each in scripts.values()), widths=(34, 12, 12))
    row("page", "first ms", "after", "ratio", "next ms", "after", "ratio", widths=(34, 10, 10, 8, 10, 10, 8))
    firsts, nexts = [], []
    async with headless_session() as session:
        with SavedPages(options.folder) as saved:
            urls = {name: saved.url(name) for name in saved.names[:PAGES]}
            urls |= {f"{count} elements": generated_page(count) for count in (5_000, 20_000)}
            for title, url in urls.items():
                await must(session, f"goto {url}")
                found: dict[str, list[tuple[float, float]]] = {"before": [], "after": []}
                for number in range(ROUNDS):
                    for name in sorted(scripts, reverse=number % 2 == 0):
                        # A comment makes each text another one, which the browser has not compiled yet.
                        found[name].append(await times(session, f"/*{number}*/{scripts[name]}", f"{name} {number}"))
                (first, second), (first_after, second_after) = (
                    [statistics.median(each) for each in zip(*found[name], strict=True)] for name in scripts
                )
                firsts.append(first_after / first)
                nexts.append(second_after / second)
                figures = (first, first_after, firsts[-1], second, second_after, nexts[-1])
                row(title[:32], *(f"{each:.2f}" for each in figures), widths=(34, 10, 10, 8, 10, 10, 8))
    print(f"median ratio: first scan {statistics.median(firsts):.3f}, next scan {statistics.median(nexts):.3f}")


if __name__ == "__main__":
    asyncio.run(main())
