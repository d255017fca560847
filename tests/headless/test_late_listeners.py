"""What only a listener makes clickable is in the first observation, also of large pages."""

from __future__ import annotations

import pytest

from tests.soak import repeated, repetitions

pytestmark = pytest.mark.browser

LARGE = """<div id=more></div><script>document.body.append(...Array.from({length: 10000}, (_, i) =>
Object.assign(document.createElement('p'), {textContent: i})));
function listen(name) { const one = Object.assign(document.createElement('div'), {textContent: name});
one.addEventListener('click', () => document.title = name); more.append(one) } </script>"""


@pytest.mark.slow
async def test_the_first_observation_of_a_large_page_is_complete_and_in_order(oryn):
    await oryn.show(LARGE + "<button>Before</button><script>listen('Early')</script>")
    await oryn.session.page.evaluate("listen('Late')")
    answer = await oryn.ok("observe")
    assert '[1] generic "Early"\n[2] generic "Late"\n[3] button "Before"' in answer


async def test_listeners_that_come_without_elements_are_in_the_first_observation(oryn):
    await oryn.show("<p id=a>Silent</p><button>Go</button>")
    await oryn.session.page.evaluate("a.addEventListener('click', () => 0)")
    assert '[1] generic "Silent"' in await oryn.ok("observe")


@pytest.mark.slow
async def test_an_action_reports_what_it_has_made_clickable_on_a_large_page(oryn):
    await oryn.show(LARGE + "<button onclick=\"listen('New')\">Add</button>")
    await oryn.ok("observe")
    assert '+ [2] generic "New"' in await oryn.ok("click 1")


@pytest.mark.slow
@repeated
async def test_thousands_of_listeners_are_answered(oryn):
    count = repetitions(20_000, soak=100_000)
    await oryn.show(
        f"<body><script>document.body.innerHTML = '<p>x</p>'.repeat({count});"
        "for (const p of document.querySelectorAll('p')) p.addEventListener('click', () => 0)</script>"
    )
    answer = await oryn.ok("observe --limit 3")
    assert f"{count - 3} more" in answer.replace(",", "")
