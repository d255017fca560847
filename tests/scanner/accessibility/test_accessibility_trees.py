"""The scanner's trees against Chromium's own, on a page for each step of accname-1.2, each part of HTML-AAM and core-aam,
and each pattern of the ARIA Authoring Practices: the standards judge, as Chromium implements them.

https://www.w3.org/TR/accname-1.2/ https://www.w3.org/TR/html-aam-1.0/ https://www.w3.org/TR/core-aam-1.2/
https://www.w3.org/WAI/ARIA/apg/patterns/

Every difference is a row of `differences.py` with its reason. A row without a difference fails too: delete it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scanner.accessibility.comparison import Comparison, compare
from tests.scanner.accessibility.differences import rows_of
from tests.scanner.conftest import Run, Site

PAGES = Path(__file__).with_name("pages")
pytestmark = pytest.mark.typescript
SUBJECTS = ("names", "roles", "states", "practices")


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_trees_say_what_the_browsers_tree_says(browser: Any, site: Site, run: Run, subject: str) -> None:
    run(browser.revive())
    found = set()
    for file in sorted((PAGES / subject).glob("*.html")):
        for difference in compare_page(browser, site, run, file).differences:
            found.add((f"{subject}/{file.stem}", *difference))
    rows = rows_of(subject)
    assert sorted(found - rows) == [], "a difference without a row"
    assert sorted(rows - found) == [], "rows without a difference any more"


def compare_page(browser: Any, site: Site, run: Run, file: Path) -> Comparison:
    """Open one page and compare its trees."""
    path = f"/{file.parent.name}/{file.stem}"
    site.pages[path] = "<!doctype html>" + file.read_text("utf-8")
    run(browser.page.goto(site.base + path))
    result: Comparison = run(compare(browser.page.channel.call))
    assert result.compared["role"], "nothing was compared"
    return result
