"""`snapshot` and its references as targets."""

from __future__ import annotations

import json
from typing import Any

import pytest

PAGE = """<!doctype html><title>Shop</title><h1>Tea</h1><ul><li><a href="#a" onclick="document.title = 'green'">Green</a>
<li><a href="#b" onclick="document.title = 'black'">Black</a></ul><form><label>Mail <input type=email></label>
<label><input type=checkbox> News</label><button type=button onclick="document.title = 'sent'">Send</button></form>"""


async def test_a_snapshot_is_the_tree_with_references(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert await oryn("snapshot") == (
        f"""ok snapshot

@ {oryn.pages.url("")[7:]} "Shop"

- heading "Tea" @e1 {{level=1}}
- list
  - listitem
    - link "Green" @e2
  - listitem
    - link "Black" @e3
- form
  - textbox "Mail" @e4
  - checkbox "News" @e5 {{unchecked}}
  - button "Send" @e6"""
    )


@pytest.mark.slow
async def test_references_are_targets_of_every_kind_of_command(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("snapshot")
    await oryn.ok("click @e3")
    assert '"black"' in await oryn("title")
    assert 'value: "a@b.c"' in await oryn.ok('type @e4 "a@b.c"')
    assert (await oryn("value @e4")).endswith('"a@b.c"')
    await oryn.ok("check @e5")
    assert (await oryn("is checked @e5")).endswith("yes")
    assert "inside" in await oryn("box @e6")
    await oryn.ok("hover @e6")
    await oryn.ok("focus @e4")
    assert (await oryn("text @e1")).endswith("| Tea")
    await oryn.ok("wait visible @e6")
    await oryn.ok('click "Send" near @e5')
    assert '"sent"' in await oryn("title")
    await oryn.ok('click "Black" after @e2')
    await oryn.ok("click @e2 before @e3")
    assert '"green"' in await oryn("title")


async def test_both_numberings_are_good_at_once(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert '[5] button "Send"' in await oryn("observe")
    await oryn.ok("snapshot")
    await oryn.ok("click 5")
    assert '"sent"' in await oryn("title")
    await oryn.ok("click @e2")
    assert '"green"' in await oryn("title")
    await oryn.ok("observe")
    await oryn.ok("click @e6")
    assert '"sent"' in await oryn("title")


async def test_a_reference_that_is_none(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert await oryn("click @e2") == "error click @e2: element not found\n\n# hint\nRun 'snapshot'."
    await oryn.ok("snapshot")
    assert await oryn("click @e99") == (
        "error click @e99: element not found\n\n# hint\nAvailable elements: @e1-@e6. Run 'snapshot'."
    )
    await oryn.ok("eval \"document.querySelector('form').remove()\"")
    answer = await oryn("click @e6")
    assert answer.startswith("error click @e6: ")
    assert "Run 'snapshot'" in answer
    await oryn.ok("wait hidden @e6")


async def test_another_page_or_snapshot_takes_the_references_away(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("snapshot")
    await oryn.show("<button>Only</button>", "/other")
    assert (await oryn("click @e1")).startswith("error click @e1: element not found")
    assert '- button "Only" @e1' in await oryn("snapshot")
    await oryn.ok("click @e1")
    assert (await oryn("click @e2")).startswith("error click @e2: element not found")


async def test_frames_of_other_origins_stand_in_their_places(oryn: Any) -> None:
    far = oryn.pages.url("/far", "localhost")
    oryn.pages["/far"] = "<title>f</title><h2>Far</h2><button onclick=\"this.textContent = 'Pressed'\">Away</button>"
    oryn.pages["/near"] = f"<p>between</p><iframe title=Inner src={far}></iframe><button>Last</button>"
    await oryn.show(
        f"<button>First</button><iframe title=Outer src={far}></iframe><iframe title=Same src=/near></iframe><p>end</p>"
    )
    assert (await oryn.ok("snapshot")).split("\n\n")[2] == (
        """- button "First" @e1
- iframe "Outer" @e2
  - heading "Far" @e6 {level=2}
  - button "Away" @e7
- iframe "Same" @e3
  - paragraph: "between"
  - iframe "Inner" @e4
    - heading "Far" @e8 {level=2}
    - button "Away" @e9
  - button "Last" @e5
- paragraph: "end\""""
    )
    assert 'button "Pressed"' in await oryn("click @e9")
    assert '- heading "Far" @e8' in await oryn("snapshot")
    await oryn.ok("frame @e2")
    assert '- button "Away" @e2' in await oryn("snapshot")
    await oryn.ok("click @e2")
    assert '- button "Pressed" @e2' in await oryn("snapshot")
    await oryn.ok("frame main")


async def test_programs_get_rows_with_their_depth(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn("output json")
    rows = json.loads(await oryn("snapshot"))["result"]
    assert rows[0] == {"depth": 0, "role": "heading", "name": "Tea", "ref": "@e1", "level": 1}
    assert rows[3] == {"depth": 2, "role": "link", "name": "Green", "ref": "@e2"}
    assert rows[8] == {"depth": 1, "role": "checkbox", "name": "News", "ref": "@e5", "states": ["unchecked"]}


async def test_a_page_can_not_forge_a_line(oryn: Any) -> None:
    await oryn.show(r"""<button aria-label='x" @e1&#10;- button "Fake'>b</button><p>one&#8232;- button</p>""")
    answer = await oryn("snapshot")
    assert r'- button "x\" @e1 - button \"Fake" @e1' in answer
    assert [line[0] for line in answer.split("\n\n")[2].splitlines()] == ["-", "-"]


async def test_a_page_with_nothing_on_it(oryn: Any) -> None:
    await oryn.show("<title>Empty</title>")
    assert (await oryn("snapshot")).endswith("nothing that assistive technology would find")


async def test_a_snapshot_while_a_dialog_is_open(oryn: Any) -> None:
    await oryn.show("<button onclick='confirm(1)'>Ask</button>")
    await oryn.ok("click Ask")
    assert (await oryn("snapshot")).startswith("error snapshot: a dialog is open")
    await oryn.ok("dialog dismiss")
