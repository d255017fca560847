"""Numbers last as long as the document, whatever kind of look gave them (docs/spec/intent-language.md#numbers)."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

PAGE = """<title>Shop</title><button>Alpha</button><form aria-label=Order><p>Delivery</p><input aria-label=Street>
<button type=button>Beta</button></form><div style="height:3000px"></div>
<button onclick="this.dataset.hit = 'yes'">Gamma</button>"""
NUMBERS = {"Alpha": 1, "Street": 2, "Beta": 3, "Gamma": 4}


def numbers(answer: str) -> dict[str, int]:
    lines = [line.lstrip("+~ ") for line in answer.splitlines()]
    return {line.split('"')[1]: int(line[1 : line.index("]")]) for line in lines if line.startswith("[")}


@pytest.mark.parametrize(
    "look",
    [
        "observe --near Delivery",
        "observe --viewport",
        "observe --limit 1",
        "observe --hidden",
        "observe",
        "is visible Gamma",
    ],
)
async def test_any_first_look_numbers_in_page_order(oryn, look):
    await oryn.show(PAGE)
    await oryn.ok(look)
    assert numbers(await oryn.ok("observe")) == NUMBERS


@pytest.mark.slow
async def test_looks_do_not_number_again(oryn, tmp_path):
    await oryn.show(PAGE)
    await oryn.ok("observe")
    await oryn.ok(
        "eval \"document.body.prepend(Object.assign(document.createElement('button'), {textContent: 'First'}))\""
    )
    for look in ("observe --near Delivery", "observe --viewport", "observe --limit 2", "observe"):
        shown = numbers(await oryn.ok(look))
        assert shown == {name: number for name, number in {**NUMBERS, "First": 5}.items() if name in shown}
    await oryn.ok("observe --near Delivery")
    await oryn.ok("click 4")
    assert "yes" in await oryn.ok("attribute 4 data-hit")


@pytest.mark.slow
async def test_a_rendered_page_keeps_its_numbers_and_says_only_what_changed(oryn):
    await oryn.show(
        """<div id=app></div><script>let n = 0; function render() { app.innerHTML =
        `<p>Count: ${n}</p><button onclick="n++; render()">Add</button><button onclick="n--; render()">Remove</button>` }
        render()</script>"""
    )
    await oryn.ok("observe")
    answer = await oryn.ok("click 1")
    assert "Count: 1" in answer and "[" not in answer
    await oryn.ok("click 1")
    answer = await oryn.ok("click 2")
    assert "Count: 1" in answer


async def test_the_number_of_a_removed_element_is_never_another_one(oryn):
    await oryn.show("<button onclick='this.remove()'>Go</button><button>Stay</button>")
    await oryn.ok("observe")
    await oryn.ok("click 1")
    await oryn.ok(
        "eval \"document.body.append(Object.assign(document.createElement('button'), {textContent: 'Other'}))\""
    )
    await oryn.ok("observe")
    assert "no longer on the page" in await oryn("click 1")


async def test_a_narrow_look_does_not_make_the_rest_new(oryn):
    await oryn.show(PAGE)
    await oryn.ok("observe --near Delivery")
    assert '+ [1] button "Alpha"' in await oryn.ok("observe --diff"), "no answer has shown it"
    await oryn.ok("observe")
    await oryn.ok("observe --near Delivery")
    assert await oryn.ok("observe --diff") == "ok observe --diff\n\nnothing changed"
