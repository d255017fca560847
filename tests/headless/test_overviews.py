"""An observation says what is on top first, and of a long table the first rows; whatever it leaves out is a target."""

from __future__ import annotations

import pytest

from oryn.engine.output.answer import json_form
from tests.headless.conftest import Driver

TELLS = 'onclick="document.title = this.dataset.name || this.textContent"'


def table(
    rows: int, cells: str = "<td><a href='#{0}'>City {0}</a><td><button data-name='{0}' {1}>Edit</button>"
) -> str:
    body = "".join(f"<tr><td>{n}{cells.format(n, TELLS)}</tr>" for n in range(rows))
    return f"<table><thead><tr><th>id<th>city<th>act</tr></thead><tbody>{body}</tbody></table>"


async def test_of_a_long_table_the_first_rows_are_listed(oryn: Driver) -> None:
    await oryn.show(f"<button>Above</button>{table(60)}<button>Below</button>")
    answer = await oryn.ok("observe")
    assert '\ntable 60 rows, columns id | city | act\n[2] link "City 0"\n' in answer
    assert '[7] button "Edit"' in answer and "[8]" not in answer
    assert '\n… further rows: 8-121\n[122] button "Below"' in answer
    assert "# rows\n114 elements of further rows; observe --limit 0 shows all" in answer and "# more" not in answer
    assert len(answer) < 600


@pytest.mark.parametrize(
    ("target", "title"),
    [("65", "31"), ('"City 31"', ""), ('button "Edit" in "City 31"', "31"), ('"Edit" near "City 31"', "31")],
)
async def test_what_is_left_out_is_a_target(oryn: Driver, target: str, title: str) -> None:
    await oryn.show(f"<button>Above</button>{table(60)}")
    await oryn.ok("observe")
    answer = await oryn.ok(f"click {target}")
    assert (f'~ title: "{title}"' if title else "#31") in answer


async def test_with_no_limit_the_whole_table_is_listed(oryn: Driver) -> None:
    await oryn.show(table(60))
    answer = await oryn.ok("observe --limit 0")
    assert "further rows" not in answer and '"City 59"' in answer


async def test_the_json_has_the_rows_too(oryn: Driver) -> None:
    await oryn.show(table(60))
    form = json_form(await oryn.session.execute("observe"))
    assert len(form["elements"]) == 120 and form["more"] == 0


async def test_a_limit_counts_what_is_listed(oryn: Driver) -> None:
    await oryn.show(f"{table(60)}<button>Below</button>")
    answer = await oryn.ok("observe --limit 10")
    assert '"Below"' in answer and "# more" not in answer
    answer = await oryn.ok("observe --limit 4")
    assert '"Below"' not in answer and "# more" in answer and "further rows" not in answer


@pytest.mark.parametrize(
    "page",
    [
        table(9),
        table(60).replace("th>", "td>").replace("<th", "<td"),
        "<table>" + "".join(f"<tr><td><a href='#{n}'>Story {n}</a></tr>" for n in range(30)) + "</table>",
    ],
    ids=["few rows", "no heads", "a layout"],
)
async def test_other_tables_are_listed_whole(oryn: Driver, page: str) -> None:
    await oryn.show(page)
    assert "further rows" not in await oryn.ok("observe")


async def test_the_row_with_the_focus_is_listed(oryn: Driver) -> None:
    await oryn.show(table(60))
    await oryn.ok("observe")
    await oryn.ok('focus button "Edit" in "City 31"')
    assert '[64] button "Edit"' in await oryn.ok("observe")


async def test_rows_by_roles_and_how_many_there_are(oryn: Driver) -> None:
    rows = "".join(
        f"<div role=row><span role=gridcell tabindex=-1>{n}</span><button role=gridcell>City {n}</button></div>"
        for n in range(20)
    )
    heads = "<div role=row><span role=columnheader>id</span><span role=columnheader>city</span></div>"
    await oryn.show(f"<div role=grid aria-rowcount=5001>{heads}{rows}</div>")
    assert "table 5000 rows, columns id | city\n" in await oryn.ok("observe")


DIALOG = "<dialog id=d><p>Sure?</p><button {0}>Delete</button><button>Keep</button></dialog>"


async def test_what_is_on_top_comes_first(oryn: Driver) -> None:
    links = "".join(f"<a href='#{n}'>Link {n}</a> " for n in range(300))
    await oryn.show(f"{links}{DIALOG.format(TELLS)}<script>d.showModal()</script>")
    answer = await oryn.ok("observe")
    assert (
        '\n\n# on top\n[301] button "Delete"' in answer
        and '[302] button "Keep"\n\n# page\n[1]-[10] link "Link 0"' in answer
    )
    assert '~ title: "Delete"' in await oryn.ok("click 301")


async def test_a_page_without_a_layer_has_no_headings(oryn: Driver) -> None:
    await oryn.show("<header style='position: fixed; top: 0'><a href='#a'>Home</a></header><button>Go</button>")
    answer = await oryn.ok("observe")
    assert "# on top" not in answer and "# page" not in answer


async def test_folded_lines_are_targets(oryn: Driver) -> None:
    cards = "".join(
        f"<div class=card><a href='#{n}'>Plant {n}</a> <button data-name='{n}' {TELLS}>Add</button></div>"
        for n in range(30)
    )
    await oryn.show(cards)
    answer = await oryn.ok("observe")
    assert '[1]-[60] 30 × (link, button "Add"): [1] "Plant 0", [3] "Plant 1"' in answer
    for target in ("36", 'button "Add" in "Plant 17"', '"Add" after "Plant 17"'):
        await oryn.ok("eval \"document.title = ''\"")
        assert '~ title: "17"' in await oryn.ok(f"click {target}")
