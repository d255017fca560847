"""Elements seen: the scanner's list against Chromium's own accessibility tree, on saved pages.

usage: python -m benchmarks.elements FOLDER [--mode headless|embedded] [--errors]

FOLDER holds `elements/articles.jsonl.gz`, one page a line: `{"page": id, "elements": [{"path", "role", "name",
"visible"}]}`, and `extraction/html/<id>.html.gz`. Truth is every visible element with an interactive role. An element
that only listens for clicks (role ""), or one of type `generic` outside the truth, is neither hit nor error. The last
line has the figures.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._saved_pages import SavedPages
from benchmarks._session import DEFAULT_SET, MODES, browser_session, must, run
from oryn.browsers.base import Page

Elements = list[dict[str, Any]]

# The path that the truth names elements by, for elements given as XPaths.
PATHS = """(xpaths => xpaths.map(xpath => { const out = [];
  let e = document.evaluate(xpath, document, null, 9, null).singleNodeValue;
  for (; e && e.nodeType === 1; e = e.parentElement) { const t = e.localName; out.push(t === 'html' || t === 'body' ? t
    : t + ':nth-child(' + (Array.prototype.indexOf.call(e.parentElement.children, e) + 1) + ')'); }
  return out.reverse().join('>'); }))(%s)"""


@dataclass
class Score:
    """Counts over all pages; the three figures are shares between 0 and 1."""

    wanted: int = 0
    listed: int = 0
    hits: int = 0
    named: int = 0
    same: int = 0

    def add(self, truth: Elements, seen: Elements) -> list[str]:
        """Count one page; returns a line for each thing missed, surplus or named otherwise."""
        wanted = {e["path"]: e for e in truth if e["visible"] and e["role"]}
        neutral = {e["path"] for e in truth if not e["role"]}
        listed = {e["path"]: e for e in seen if e["type"] != "generic" or e["path"] in wanted}
        surplus = listed.keys() - wanted.keys() - neutral
        errors = [f"missed   {e['role']} {e['name']!r} {path}" for path, e in wanted.items() if path not in listed]
        errors += [f"surplus  {listed[path]['type']} {listed[path]['name']!r} {path}" for path in sorted(surplus)]
        self.wanted += len(wanted)
        self.listed += len(listed.keys() - neutral)
        for path in wanted.keys() & listed.keys():
            self.hits += 1
            errors += self._compare(path, wanted[path]["name"], listed[path]["name"])
        return errors

    def _compare(self, path: str, wanted: str, seen: str) -> list[str]:
        if not normal(wanted):
            return []
        self.named += 1
        if normal(wanted) == normal(seen):
            self.same += 1
            return []
        return [f"name     {wanted!r} seen as {seen!r} {path}"]

    def __str__(self) -> str:
        recall, precision = self.hits / max(self.wanted, 1), self.hits / max(self.listed, 1)
        return f"recall {recall:.4f}  precision {precision:.4f}  same name {self.same / max(self.named, 1):.4f}"


def normal(text: str) -> str:
    """A name without the glyphs of icon fonts, which Chromium's tree has and which the scanner leaves out."""
    return re.sub(r"[\s\ue000-\uf8ff\U000f0000-\U0010ffff]+", " ", text or "").strip().lower()


async def seen_on(page: Page) -> Elements:
    """What the scanner lists, named by the paths of the truth; it knows no path into a shadow root or a frame."""
    answer = await page.scanner({"cmd": "scan", "fields": ["xpath"], "max_elements": 0})
    elements = [e for e in answer["data"]["elements"] if e["xpath"].startswith("/html")]
    paths = await page.evaluate(PATHS % json.dumps([e["xpath"] for e in elements]))
    return [{"path": path, "type": e["type"], "name": e["text"]} for path, e in zip(paths, elements, strict=True)]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=DEFAULT_SET, type=Path)
    parser.add_argument("--errors", action="store_true", help="print what was missed, surplus or named otherwise")
    parser.add_argument("--mode", choices=MODES, default="headless", help="the browser; the truth is Chromium's")
    options = parser.parse_args()
    with gzip.open(options.folder / "elements" / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        truth = {row["page"]: row["elements"] for row in map(json.loads, lines)}
    score = Score()
    with SavedPages(options.folder) as pages:
        async with browser_session(options.mode) as session:
            for name, elements in truth.items():
                await must(session, f"goto {pages.url(name)}")
                errors = score.add(elements, await seen_on(session.browser.page))
                if options.errors:
                    print(name, *errors, sep="\n  ")
    print(f"pages {len(truth)}  wanted {score.wanted}  listed {score.listed}  named {score.named}")
    print(score)


if __name__ == "__main__":
    run(main)
