"""Roles, names and states: the scanner's trees against Chromium's own accessibility tree, node by node, on saved pages.

usage: python -m benchmarks.accessibility FOLDER [--limit N] [--pages N] [--errors]
       python -m benchmarks.accessibility --bugs

FOLDER holds `extraction/html/<id>.html.gz`. What counts as the same is in `tests/scanner/accessibility/vocabulary.py`,
which the tests on pages of our own share. First come the differences by kind, the most frequent first. Then come the
figures, how many were compared and how many agree: of nodes of the `tree`, and of elements of the `scan`. Nodes that
agree by a rule of the vocabulary, such as a name that only Oryn has, are counted for each rule.

`--bugs` prints what those tests have as bugs of the scanner, the most important first.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from pathlib import Path

from benchmarks._saved_pages import SavedPages
from benchmarks._session import DEFAULT_SET, headless_session, must, run
from oryn.browsers.chromium.page import CdpPage
from tests.scanner.accessibility.comparison import Comparison, Difference, compare
from tests.scanner.accessibility.differences import bug_lines

MAX_CELL = 60
PAGE_SECONDS = 120.0


def kind_of(difference: Difference) -> str:
    """The kind of a difference: the roles, the words that only one side has, or how the names differ."""
    _, aspect, chromium, oryn = difference
    if aspect.endswith("states"):
        theirs, ours = set(chromium.split()), set(oryn.split())
        return f"{aspect}: only Chromium {_words(theirs - ours)}, only Oryn {_words(ours - theirs)}"
    if aspect.endswith("name"):
        return f"{aspect}: {_relation(chromium, oryn)}"
    return f"{aspect}: Chromium {chromium or '-'}, Oryn {oryn or '-'}"


def _words(words: set[str]) -> str:
    return " ".join(sorted(words)) or "-"


def _relation(chromium: str, oryn: str) -> str:
    if not chromium or not oryn:
        return "only Oryn has one" if oryn else "only Chromium has one"
    if chromium.casefold() == oryn.casefold():
        return "upper and lower case"
    if oryn in chromium or chromium in oryn:
        return "part of Chromium's" if oryn in chromium else "more than Chromium's"
    return "another one"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=DEFAULT_SET, type=Path)
    parser.add_argument("--limit", type=int, default=40, help="how many kinds of differences to print")
    parser.add_argument("--pages", type=int, help="only the first so many pages")
    parser.add_argument("--errors", action="store_true", help="print each difference, with its page and its element")
    parser.add_argument(
        "--bugs", action="store_true", help="print the bugs that the tests have found, without a browser"
    )
    options = parser.parse_args()
    if options.bugs:
        print(*bug_lines(), sep="\n")
        return
    total = Comparison()
    kinds: Counter[str] = Counter()
    with SavedPages(options.folder) as pages:
        async with headless_session() as session:
            names = pages.names[: options.pages]
            for name in names:
                await must(session, f"goto {pages.url(name)}")
                page = session.browser.page
                assert isinstance(page, CdpPage)
                async with asyncio.timeout(PAGE_SECONDS):
                    result = await compare(page.channel.call)
                kinds.update(map(kind_of, result.differences))
                total.add(result)
                for each in result.differences if options.errors else ():
                    print(name[:8], each.element, each.aspect, _cell(each.chromium), _cell(each.oryn), sep="\t")
    for kind, count in kinds.most_common(options.limit):
        print(f"{count:6} {kind}")
    print(f"pages {len(names)}  differences {len(total.differences)}  kinds {len(kinds)}")
    for rule, count in total.rules.most_common():
        print(f"{count:6} agree by the rule: {rule}")
    print(*total.lines(), sep="\n")


def _cell(text: str) -> str:
    return repr(text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…")


if __name__ == "__main__":
    run(main)
