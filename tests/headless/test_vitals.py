"""`vitals`: what web-vitals measures, from the document's start on, without being seen by the page."""

from __future__ import annotations

import re
from typing import Any

import pytest

from oryn.scanner import library_script
from tests.pages import PROJECT

pytestmark = pytest.mark.whole_browser

LIBRARY = PROJECT / "node_modules" / "web-vitals" / "dist" / "web-vitals.iife.js"

PAGE = """<html><head><title>Slow</title><script>LIBRARY</script></head><body>
<h1 id=title>A headline that is the largest text of the page</h1>
<button id=slow onclick="const end = performance.now() + 120; while (performance.now() < end); this.textContent = 'Done'">
Work</button>
<button id=remove onclick="document.getElementById('title').remove(); history.pushState({}, '', '/next')">Remove</button>
<script>
requestAnimationFrame(() => requestAnimationFrame(() => {
  const banner = document.createElement('div');
  banner.style.height = '150px';
  document.body.prepend(banner);
}));
</script></body></html>"""
IN_PAGE = """
const found = {};
for (const name of ['LCP', 'CLS', 'INP', 'FCP', 'TTFB'])
  webVitals['on' + name](({value, rating}) => { found[name] = [value, rating]; }, {reportAllChanges: true});
"""
STEADY = "<html><body><h1>Steady</h1><button>Press</button></body></html>"


def lines_of(answer: str) -> dict[str, str]:
    return {line.split(" ", 1)[0]: line for line in answer.splitlines() if re.match(r"(LCP|CLS|INP|FCP|TTFB) ", line)}


async def test_a_line_a_metric_with_the_elements_number(oryn: Any) -> None:
    await oryn.show(PAGE.replace("LIBRARY", ""))
    lines = lines_of(await oryn.ok("vitals"))
    assert list(lines) == ["LCP", "CLS", "INP", "FCP", "TTFB"]
    assert lines["INP"] == "INP not measured: nothing was pressed or typed yet"
    assert re.fullmatch(r'LCP \d+ ms [a-z ]+ \[\d+\] "<h1 id=\\"title\\">A headline.*', lines["LCP"])
    assert re.fullmatch(r'CLS 0\.\d{3} [a-z ]+ \[\d+\] "<h1 .*', lines["CLS"])
    assert re.fullmatch(r"FCP \d+ ms [a-z ]+", lines["FCP"])
    await oryn.ok('click "Work"')
    text = await oryn.ok("vitals --full")
    slow = re.search(r'^INP \d+ ms [a-z ]+ pointer \[(\d+)\] "<button id=\\"slow\\"', text, re.MULTILINE)
    assert slow is not None, text
    assert "  input delay " in text and "  waiting " in text
    assert (await oryn.ok(f"text {slow[1]}")).endswith("| Done")


@pytest.mark.skipif(not LIBRARY.is_file(), reason="needs web-vitals; 'make test' installs it")
async def test_the_figures_are_the_librarys_in_the_page(oryn: Any) -> None:
    await oryn.show(PAGE.replace("LIBRARY", f"{LIBRARY.read_text('utf-8')};{IN_PAGE}"))
    await oryn.ok("observe")
    await oryn.ok('click "Work"')
    answer = await oryn.session.execute("vitals")
    ours = {each["name"]: [each["value"], each["rating"]] for each in answer.data["metrics"]}
    assert ours == await oryn.session.page.evaluate("found")
    assert set(ours) == {"LCP", "CLS", "INP", "FCP", "TTFB"}
    assert answer.data["missing"] == {}


async def test_after_a_soft_navigation_the_figures_go_on(oryn: Any) -> None:
    """The library's own default; an element that has left the page has a selector in place of a number."""
    await oryn.show(PAGE.replace("LIBRARY", ""))
    before = await oryn.session.execute("vitals")
    await oryn.ok('click "Remove"')
    answer = await oryn.session.execute("vitals")
    first, lcp = before.data["metrics"][0], answer.data["metrics"][0]
    assert lcp["name"] == "LCP" and lcp["value"] == first["value"]
    assert lcp["id"] is None and "#title" in lcp["element"]
    assert first["id"] is not None
    await oryn.show(STEADY)
    assert "<h1>Steady</h1>" in await oryn.ok("vitals")


async def test_limits(oryn: Any) -> None:
    await oryn.show(PAGE.replace("LIBRARY", "").replace("150px", "600px").replace("<h1 ", "<h1 style='height: 500px' "))
    generous = "vitals --max-lcp 60000 --max-cls 10 --max-fcp 60000 --max-ttfb 60000"
    assert (await oryn.session.execute(generous)).ok
    answer = await oryn.session.execute("vitals --max-lcp 0 --max-cls 0.01 --max-inp 200 --max-fcp 0 --max-ttfb 0")
    assert not answer.ok and answer.error.code == "AUDIT_FAILED"
    reasons = answer.error.message.split("; ")
    assert [each.split(" ", 1)[0] for each in reasons] == ["LCP", "CLS", "INP", "FCP", "TTFB"]
    assert re.fullmatch(r"CLS is 0\.\d{3}, above 0\.010", reasons[1])
    assert reasons[2] == "INP is not measured: nothing was pressed or typed yet"
    for rating in ("needs-improvement", "poor"):
        answer = await oryn.session.execute(f"vitals --fail-on {rating}")
        assert answer.error is not None, answer.data
        assert "CLS is poor: 0." in answer.error.message
    assert lines_of(await oryn("vitals --max-lcp 0"))["LCP"].startswith("LCP ")


async def test_the_page_notices_nothing(oryn: Any) -> None:
    """Whatever the page replaces, nobody calls it: the library is in another world."""
    await oryn.show("""<html><body><h1>Watched</h1><script>
    window.calls = [];
    const before = new Set(Object.getOwnPropertyNames(window));
    for (const [owner, name] of [[performance, 'getEntriesByType'], [window, 'addEventListener'],
        [window, 'requestIdleCallback'], [window, 'PerformanceObserver']])
      owner[name] = function () { calls.push(name); };
    window.added = () => Object.getOwnPropertyNames(window).filter(name => !before.has(name) && name.includes('oryn'));
    </script></body></html>""")
    assert (await oryn.session.execute("vitals")).data["metrics"]
    assert await oryn.session.page.evaluate("[calls, added(), typeof __oryn_vitals]") == [[], [], "undefined"]


async def test_a_frame_shows_the_vitals_of_the_page_around_it(oryn: Any) -> None:
    oryn.pages["/inner"] = "<p>inner"
    await oryn.show(f"<h1>Outer</h1><iframe src={oryn.pages.url('/inner', 'localhost')}></iframe>")
    await oryn.ok("frame css(iframe)")
    assert "<h1>Outer</h1>" in await oryn.ok("vitals")
    await oryn.ok("frame main")


async def test_a_second_evaluation_keeps_the_first_observers(oryn: Any) -> None:
    await oryn.show(STEADY)
    await oryn.ok('click "Press"')
    page = oryn.session.page
    await page.load_library("vitals")
    answer = await oryn.session.execute("vitals")
    assert "INP" in {each["name"] for each in answer.data["metrics"]}
    assert not answer.notes


async def test_a_page_that_was_not_observed_from_its_start(oryn: Any) -> None:
    """As if Oryn had come later: the page's own world has no observers yet."""
    await oryn.show(STEADY)
    late = await oryn.session.page.evaluate(f"{library_script('vitals')}; [__oryn_vitals.isLate]")
    assert late == [True]
