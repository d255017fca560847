"""`drag`: HTML drag and drop, and drags that pages make of mouse and pointer events themselves."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.whole_browser

CARDS = """<!doctype html><title>board</title><style>section { display: inline-block; width: 200px; height: 160px; margin: 20px; background: #eee }</style>
<section aria-label=Todo id=todo>Todo<div draggable=true id=card>Card</div></section><section aria-label=Done id=done>Done</section>
<script>
  const seen = [];
  for (const kind of ['dragstart', 'dragenter', 'dragover', 'drop', 'dragend', 'mousedown', 'mouseup'])
    addEventListener(kind, (e) => {
      if (e.isTrusted && !seen.includes(kind)) seen.push(kind);
      if (kind === 'dragstart') e.dataTransfer.setData('text/plain', 'the card');
      const zone = e.target.closest && e.target.closest('#done');
      if (zone && (kind === 'dragover' || kind === 'drop')) e.preventDefault();
      if (zone && kind === 'drop') { zone.append(card); document.title = e.dataTransfer.getData('text/plain') + (e.shiftKey ? ' shifted' : ''); }
    });
</script>"""

SLIDER = """<!doctype html><style>#track { width: 300px; height: 20px; background: #ddd; position: relative; margin: 50px }
#thumb { width: 20px; height: 20px; background: #00f; position: absolute; touch-action: none }</style>
<div id=track aria-label=Track><div id=thumb role=slider aria-label=Volume tabindex=0 aria-valuenow=0></div></div><button id=max style="margin-left: 400px">Max</button>
<script>
  let moves = 0, held = false;
  thumb.onpointerdown = (e) => { thumb.setPointerCapture(e.pointerId); held = true };
  thumb.onpointermove = (e) => { if (!held) return; moves++;
    const at = Math.max(0, Math.min(280, e.clientX - 60)); thumb.style.left = at + 'px'; thumb.setAttribute('aria-valuenow', Math.round(at / 2.8)) };
  thumb.onpointerup = () => { held = false; document.title = 'at ' + thumb.getAttribute('aria-valuenow') + ' in ' + (moves > 4 ? 'moves' : 'a jump') };
</script>"""


async def test_a_card_is_dropped_on_another_list(oryn: Any) -> None:
    await oryn.show(CARDS)
    assert (
        await oryn('drag "Card" to "Done"')
        == 'ok drag "Card" to "Done"\n\n# changes\n~ title: "the card"\n~ text "Card"'
    )
    assert await oryn("title") == 'ok title\n\n"the card"'
    assert (await oryn('eval "card.parentNode.id"')).endswith("| done")
    assert (await oryn("eval \"seen.join(' ')\"")).endswith("mousedown dragstart dragenter dragover drop dragend")


async def test_points_are_places_too(oryn: Any) -> None:
    await oryn.show(CARDS)
    await oryn.ok("drag css(#card) to at(320,90)")
    assert '"the card"' in await oryn("title")
    await oryn.show(CARDS)
    await oryn.ok("drag at(60,52) to css(#done)")
    assert '"the card"' in await oryn("title")


async def test_held_keys_are_held_while_dragging(oryn: Any) -> None:
    await oryn.show(CARDS)
    await oryn.ok("keydown shift")
    await oryn.ok('drag "Card" to "Done"')
    await oryn.ok("keyup shift")
    assert '"the card shifted"' in await oryn("title")


async def test_a_slider_made_of_pointer_events(oryn: Any) -> None:
    await oryn.show(SLIDER)
    assert '~ [1] generic/slider "Volume" {focused} value: "100"' in await oryn('drag "Volume" to "Max"')
    assert '"at 100 in moves"' in await oryn("title")
    await oryn.ok('drag "Volume" to at(200,60)')
    assert '"at 50 in moves"' in await oryn("title")


async def test_a_native_slider(oryn: Any) -> None:
    await oryn.show("<input type=range style='width: 200px; margin: 0' aria-label=Level value=50>")
    assert 'value: "0"' in await oryn('drag "Level" to at(0,20)')


SORTABLE = """<!doctype html><style>li { height: 40px; user-select: none }</style><ul id=list><li>One<li>Two<li>Three</ul><script>
  let item = null;
  list.onmousedown = (e) => { item = e.target.closest('li') };
  onmousemove = (e) => { if (!item) return;
    const over = [...list.children].find((each) => each !== item && e.clientY > each.offsetTop && e.clientY < each.offsetTop + 40);
    if (over) list.insertBefore(item, e.clientY > over.offsetTop + 20 ? over.nextSibling : over) };
  onmouseup = () => { item = null };
</script>"""


async def test_a_list_sorted_by_mouse_events(oryn: Any) -> None:
    await oryn.show(SORTABLE)
    await oryn.ok('drag "One" to "Three"')
    answer = await oryn('eval "[...list.children].map((e) => e.textContent.trim()).join()"')
    assert answer.endswith(("| Two,Three,One", "| Two,One,Three"))


async def test_a_place_below_the_fold(oryn: Any) -> None:
    await oryn.show(
        CARDS.replace("<section aria-label=Done", "<div style='height: 3000px'></div><section aria-label=Done")
    )
    await oryn.ok('drag "Card" to "Done"')
    assert '"the card"' in await oryn("title")


async def test_a_place_that_shows_only_while_dragging(oryn: Any) -> None:
    page = CARDS.replace("id=done>", "id=done style='display: none'>").replace(
        "</script>", "addEventListener('dragstart', () => setTimeout(() => { done.style.display = '' }));</script>"
    )
    await oryn.show(page)
    await oryn.ok("drag css(#card) to css(#done)")
    assert '"the card"' in await oryn("title")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_into_a_frame(oryn: Any, host: str) -> None:
    oryn.pages[
        "/zone"
    ] = """<!doctype html><body style="margin: 0"><div id=zone style="height: 200px">Zone</div><script>
        zone.ondragover = (e) => e.preventDefault();
        zone.ondrop = (e) => { e.preventDefault(); zone.textContent = 'got ' + e.dataTransfer.getData('text/plain') }</script>"""
    await oryn.show(CARDS + f"<iframe title=Frame src={oryn.pages.url('/zone', host)}></iframe>")
    await oryn.ok('drag "Card" to "Zone"')
    assert "got the card" in await oryn("text")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_out_of_a_frame(oryn: Any, host: str) -> None:
    oryn.pages["/source"] = """<!doctype html><body style="margin: 0"><div draggable=true id=inner>Inner</div>
        <script>inner.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'from inside')</script>"""
    await oryn.show(CARDS + f"<iframe title=Frame src={oryn.pages.url('/source', host)}></iframe>")
    await oryn.ok('drag "Inner" to "Done"')
    assert '"from inside' in await oryn("title")


@pytest.mark.slow
async def test_what_can_not_be_dragged_leaves_no_button_pressed(oryn: Any) -> None:
    await oryn.show(CARDS + "<div id=gone style='display: none'>Nowhere</div>")
    assert (await oryn('drag "Card" to "None"')).startswith('error drag "Card" to "None": element not found')
    assert (await oryn('drag "None" to "Done"')).startswith('error drag "None" to "Done": element not found')
    answer = await oryn('drag "Card" to "Nowhere"')
    assert answer.startswith('error drag "Card" to "Nowhere": the element is not visible')
    assert "# hint" in answer
    await oryn.ok("hover css(#done)")
    assert await oryn("eval \"seen.includes('drop')\"") == "ok eval \"seen.includes('drop')\"\n\n| false"
    await oryn.ok('drag "Card" to "Done"')
    assert '"the card"' in await oryn("title")


async def test_a_covered_place(oryn: Any) -> None:
    await oryn.show(
        CARDS + "<div style='position: fixed; left: 250px; right: 0; top: 0; bottom: 0; background: #0008'>Veil</div>"
    )
    answer = await oryn('drag "Card" to "Done"')
    assert answer.startswith('error drag "Card" to "Done": not interactable: covered by div')
    assert "dropped" not in await oryn("title")


async def test_a_dialog_on_drop(oryn: Any) -> None:
    await oryn.show(CARDS.replace("zone.append(card);", "confirm('Move?');"))
    answer = await oryn('drag "Card" to "Done"')
    assert '+ dialog confirm "Move?"' in answer
    await oryn.ok("dialog accept")


@pytest.mark.slow
async def test_a_page_that_hangs_while_something_is_dragged(oryn: Any) -> None:
    await oryn.show(CARDS.replace("kind === 'dragstart')", "kind === 'dragstart') for (;;); if (0)"))
    answer = await oryn('drag "Card" to "Done" --timeout 1s')
    assert answer.startswith('error drag "Card" to "Done"')
    await oryn.show(CARDS)
    await oryn.ok('drag "Card" to "Done"')
    assert '"the card"' in await oryn("title")


@pytest.mark.slow
async def test_by_an_offset(oryn: Any) -> None:
    await oryn.show(SLIDER)
    await oryn.ok('drag "Volume" --offset 140,0')
    assert '"at 53 in moves"' in await oryn("title")
    await oryn.ok('drag "Volume" --offset -70,0')
    assert '"at 31 in moves"' in await oryn("title")
    await oryn.ok("drag at(150,66) --offset 28,3")
    assert '"at 42 in moves"' in await oryn("title")


async def test_an_offset_from_the_middle_of_the_place(oryn: Any) -> None:
    page = CARDS.replace(
        "document.title = e.dataTransfer", "const at = zone.getBoundingClientRect(); document.title = Math.round(e.clientX - at.x - at.width / 2) + ',' + Math.round(e.clientY - at.y - at.height / 2) + e.dataTransfer"
    )  # fmt: skip
    await oryn.show(page)
    await oryn.ok('drag "Card" to "Done" --offset 40,-20')
    assert '"40,' in await oryn("title")


async def test_where_to_is_required_one_way_or_another(oryn: Any) -> None:
    await oryn.show(CARDS)
    answer = await oryn('drag "Card"')
    assert "drag needs <target>: where to drop it" in answer
    assert "drag <target> [to <target>] [--offset <dx,dy>]" in answer
    assert 'not an offset: "5"' in await oryn('drag "Card" --offset 5')


SORTED = """<!doctype html><style>li { height: 40px; transition: transform 150ms }</style><ul id=list style="list-style:none;width:200px"><li draggable=true>Ash<li draggable=true>Birch
<li draggable=true>Cedar<li draggable=true>Elm</ul><p id=out></p><script>
  let held = null, deaf = false;
  list.ondragstart = (e) => { held = e.target };
  list.ondragover = (e) => { e.preventDefault();
    const over = e.target;
    if (deaf || over === held || over.parentNode !== list) return;
    const isBelow = held.compareDocumentPosition(over) & 4;
    deaf = true; // until what was swapped has come to its place
    over.addEventListener('transitionend', () => { deaf = false }, { once: true });
    list.insertBefore(held, isBelow ? over.nextSibling : over);
    over.style.transition = 'none'; over.style.transform = `translateY(${isBelow ? 40 : -40}px)`;
    over.getBoundingClientRect(); over.style.transition = ''; over.style.transform = 'translateY(0px)' };
  list.ondragend = () => { out.textContent = 'Order: ' + Array.from(list.children, (item) => item.textContent.trim()) };
</script>"""


@pytest.mark.slow
async def test_a_row_is_dragged_over_others_that_make_room_one_after_the_other(oryn: Any) -> None:
    await oryn.show(SORTED)
    assert '"Order: Birch,Cedar,Ash,Elm"' in await oryn.ok('drag "Ash" to "Cedar"')
    assert '"Order: Elm,Birch,Cedar,Ash"' in await oryn.ok('drag "Elm" to "Birch"')
