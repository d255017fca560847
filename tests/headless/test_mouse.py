"""`mouse move|down|up|wheel` and `tap`: single events, trusted, wherever the page listens for them."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.whole_browser

PAD = """<!doctype html><title>none</title><body style="margin: 0"><div id=pad aria-label=Pad tabindex=0 style="width: 400px; height: 300px; background: #eee"></div>
<button style="margin: 20px">Other</button><script>
  const seen = [];
  const note = (e) => seen.push(`${e.type}${e.button ? e.button : ''}@${e.clientX},${e.clientY}${e.buttons ? ':' + e.buttons : ''}${e.isTrusted ? '' : '!'}`);
  for (const kind of KINDS) pad.addEventListener(kind, note);
  pad.oncontextmenu = (e) => e.preventDefault();
</script>"""


def pad(*kinds: str) -> str:
    return PAD.replace("KINDS", str(list(kinds)))


async def seen(oryn: Any) -> list[str]:
    answer: str = await oryn.ok("eval \"seen.splice(0).join(' ')\"")
    return answer.partition("| ")[2].split("\n")[0].split()


@pytest.mark.slow
async def test_a_stroke_in_pieces(oryn: Any) -> None:
    await oryn.show(pad("mousedown", "mousemove", "mouseup", "click"))
    await oryn.ok("mouse move at(50,60)")
    assert await seen(oryn) == ["mousemove@50,60"]
    await oryn.ok("mouse down")
    await oryn.ok("mouse move at(100,60)")
    await oryn.ok("mouse move at(120,90)")
    events = await seen(oryn)
    assert events[0] == "mousemove@50,60" or events[0] == "mousedown@50,60:1"
    assert "mousedown@50,60:1" in events
    assert events[-2:] == ["mousemove@100,60:1", "mousemove@120,90:1"]
    await oryn.ok("mouse up")
    assert [each for each in await seen(oryn) if "move" not in each] == ["mouseup@120,90", "click@120,90"]


@pytest.mark.slow
async def test_the_mouse_stays_where_it_has_dropped(oryn: Any) -> None:
    await oryn.show(pad("mousedown", "mouseup"))
    await oryn.ok("drag at(50,60) to at(200,160)")
    assert await seen(oryn) == ["mousedown@50,60:1", "mouseup@200,160"]
    await oryn.ok("mouse down")
    await oryn.ok("mouse up")
    assert await seen(oryn) == ["mousedown@200,160:1", "mouseup@200,160"]


@pytest.mark.slow
async def test_other_buttons_and_elements(oryn: Any) -> None:
    await oryn.show(pad("mousedown", "mouseup", "auxclick"))
    await oryn.ok('mouse down "Pad" --right')
    await oryn.ok('mouse up "Pad"')
    assert await seen(oryn) == ["mousedown2@200,150:2", "mouseup2@200,150", "auxclick2@200,150"]
    await oryn.ok("mouse down at(10,10) --middle")
    answer = await oryn.ok("mouse down at(20,10)")
    assert "the middle button was held already: it was released first" in answer
    await oryn.ok("mouse up at(30,10)")
    assert (await seen(oryn))[-2:] == ["mousedown@20,10:1", "mouseup@30,10"]
    assert "no button was held" in await oryn.ok("mouse up")


@pytest.mark.slow
async def test_what_is_dragged_may_cover_the_place(oryn: Any) -> None:
    await oryn.show("""<!doctype html><body style="margin: 0"><div id=card aria-label=Card style="position: absolute; width: 80px; height: 40px; background: #00f; z-index: 2"></div>
      <div id=zone aria-label=Zone style="position: absolute; left: 300px; top: 100px; width: 100px; height: 100px; background: #eee"></div><script>
      let held = false; card.onmousedown = () => { held = true };
      onmousemove = (e) => { if (held) { card.style.left = e.clientX - 40 + 'px'; card.style.top = e.clientY - 20 + 'px' } };
      onmouseup = (e) => { held = false; document.title = document.elementsFromPoint(e.clientX, e.clientY).includes(zone) ? 'in' : 'out' }</script>""")
    await oryn.ok("mouse down css(#card)")
    await oryn.ok("mouse move css(#zone)")
    await oryn.ok("mouse move css(#zone)")
    await oryn.ok("mouse up")
    assert (await oryn("title")).endswith('"in"')


@pytest.mark.slow
async def test_the_wheel(oryn: Any) -> None:
    page = pad("wheel").replace(
        "const note = (e) =>",
        "const note = (e) => { e.preventDefault(); seen.push(e.deltaX + ',' + e.deltaY + (e.ctrlKey ? 'c' : '')) }; const old = (e) =>",
    )
    await oryn.show(page)
    await oryn.ok('mouse wheel "Pad"')
    await oryn.ok("mouse wheel up at(10,10) --amount 250")
    await oryn.ok("mouse wheel right")
    await oryn.ok("keydown control")
    await oryn.ok("mouse wheel left")
    await oryn.ok("keyup control")
    assert await seen(oryn) == ["0,100", "0,-250", "100,0", "-100,0c"]


@pytest.mark.slow
async def test_the_wheel_scrolls_what_lies_below_it(oryn: Any) -> None:
    await oryn.show("""<!doctype html><body style="margin: 0"><div id=box style="height: 100px; width: 200px; overflow: auto"><p style="height: 2000px">Long</p></div><p style="height: 3000px">Page</p>
      <script>box.addEventListener('scroll', () => { document.title = 'box ' + box.scrollTop })</script>""")
    await oryn.ok("mouse wheel down at(50,50) --amount 300")
    await oryn.ok("wait until \"document.title === 'box 300'\"")
    await oryn.show("<!doctype html><p style='height: 3000px'>Page</p>")
    await oryn.ok("mouse wheel down --amount 400")
    await oryn.ok('wait until "scrollY === 400"')


@pytest.mark.slow
async def test_a_tap(oryn: Any) -> None:
    await oryn.show(
        pad("touchstart", "touchend", "pointerdown", "mousedown", "click").replace(
            "const note = (e) =>",
            "const note = (e) => { seen.push(e.type + (e.pointerType || '') + (e.isTrusted ? '' : '!')) }; const old = (e) =>",
        )
    )
    await oryn.ok('tap "Pad"')
    await oryn.ok("wait until \"seen.some((each) => each.startsWith('click'))\"")
    events = await seen(oryn)
    assert [each for each in events if each.startswith("touch")] == ["touchstart", "touchend"]
    assert "pointerdowntouch" in events
    await oryn.ok("tap at(5,5)")
    assert "touchstart" in await seen(oryn)


async def test_two_presses_of_a_double_click(oryn: Any) -> None:
    await oryn.show(
        pad("mousedown", "dblclick", "click").replace(
            "const note = (e) =>",
            "const note = (e) => { seen.push(e.type + e.detail + (e.isTrusted ? '' : '!')) }; const old = (e) =>",
        )
    )
    await oryn.ok('click "Pad" --double')
    assert await seen(oryn) == ["mousedown1", "click1", "mousedown2", "click2", "dblclick2"]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["mouse move", "mouse down", "mouse up", "mouse wheel", "tap"])
async def test_what_is_missing_and_covered(oryn: Any, line: str) -> None:
    await oryn.show(pad() + "<div style='position: fixed; inset: 0; background: #0008'>Veil</div>")
    assert "element not found" in await oryn(f'{line} "Nothing"')
    assert "covered by div" in await oryn(f'{line} "Other"')


async def test_the_help_of_targets(oryn: Any) -> None:
    answer = await oryn.ok("help targets")
    assert "at(120,300)  a point of the viewport" in answer
    assert "--offset 120,0" in answer
    assert "help targets" in await oryn.ok("help")
