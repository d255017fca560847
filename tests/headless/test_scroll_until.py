"""`scroll until` in lists that draw only what is seen, in both directions, and in lists without an end."""

from __future__ import annotations

from typing import Any

import pytest

VIRTUAL = """<!doctype html><title>list</title>BEFORE<div id=list aria-label=People role=list style="height: 200px; width: 300px; overflow: auto"><div id=inner style="position: relative"></div></div>
<script>
  let count = COUNT;
  function draw() {
    inner.style.height = count * 20 + 'px';
    const first = Math.max(0, Math.floor(list.scrollTop / 20) - 1); let html = '';
    for (let n = first; n < Math.min(count, first + 13); n++) html += `<div role=listitem style="position: absolute; top: ${n * 20}px">Person ${n}</div>`;
    inner.innerHTML = html;
  }
  list.onscroll = draw; draw(); MORE
</script>AFTER"""


def virtual(count: int = 400, before: str = "", after: str = "", more: str = "") -> str:
    parts = {"COUNT": str(count), "BEFORE": before, "AFTER": after, "MORE": more}
    page = VIRTUAL
    for name, text in parts.items():
        page = page.replace(name, text)
    return page


async def top(oryn: Any) -> float:
    return float((await oryn.ok('eval "list.scrollTop"')).rpartition("| ")[2].split("\n")[0])


@pytest.mark.slow
async def test_a_row_of_a_list_in_the_page(oryn: Any) -> None:
    await oryn.show(virtual())
    assert 'generic "Person 250"' in await oryn.ok('scroll until "Person 250"') or await top(oryn) > 4500
    assert await oryn('is visible "Person 250"') == 'ok is visible "Person 250"\n\nyes'


@pytest.mark.slow
async def test_upwards_too(oryn: Any) -> None:
    await oryn.show(virtual(more="list.scrollTop = 6000;"))
    await oryn.ok('scroll until "Person 399"')
    await oryn.ok('scroll until "Person 17"')
    assert await top(oryn) < 400


@pytest.mark.slow
async def test_a_page_that_scrolls_around_the_list(oryn: Any) -> None:
    await oryn.show(virtual(before="<p>Head</p>", after="<p style='height: 3000px'>Text</p>"))
    await oryn.ok('scroll until "Person 300"')
    assert await oryn('is visible "Person 300"') == 'ok is visible "Person 300"\n\nyes'


@pytest.mark.slow
async def test_a_page_without_an_end_around_the_list(oryn: Any) -> None:
    feed = """<div id=feed></div><script>const add = () => feed.insertAdjacentHTML('beforeend', '<p style="height: 900px">Post</p>'); add(); add();
      addEventListener('scroll', () => { if (scrollY + innerHeight > document.documentElement.scrollHeight - 300) add() })</script>"""
    await oryn.show(virtual(after=feed))
    await oryn.ok('scroll until "Person 60"')


async def test_what_no_list_has_leaves_them_where_they_were(oryn: Any) -> None:
    await oryn.show(virtual(100, more="list.scrollTop = 600;"))
    answer = await oryn('scroll until "Nobody"')
    assert answer.startswith('error scroll until "Nobody": element not found down to the page\'s end')
    assert await top(oryn) == 600


@pytest.mark.slow
async def test_a_list_that_loads_at_its_end(oryn: Any) -> None:
    more = "list.addEventListener('scroll', () => { if (count < 200 && list.scrollTop + 205 > count * 20) setTimeout(() => { count += 40; draw() }, 60) });"
    await oryn.show(virtual(40, more=more))
    await oryn.ok('scroll until "Person 170"')


@pytest.mark.slow
async def test_a_list_without_an_end(oryn: Any) -> None:
    await oryn.show(
        virtual(40, more="list.addEventListener('scroll', () => { count = list.scrollTop / 20 + 60; draw() });")
    )
    answer = await oryn('scroll until "Nobody" --timeout 2s')
    assert answer.startswith(
        'error scroll until "Nobody" --timeout 2s: element not found within 2 s, and the page goes on\n\n# hint\nNarrow'
    )


@pytest.mark.slow
async def test_only_the_list_that_is_meant(oryn: Any) -> None:
    other = "<div id=other aria-label=Log style='height: 100px; overflow: auto'><p style='height: 5000px'>Lines</p></div><script>let moved = 0; other.onscroll = () => { moved++ }</script>"
    await oryn.show(virtual(after=other))
    await oryn.ok('scroll until "Person 200" inside css("#list")')
    assert (await oryn('eval "moved"')).endswith("| 0")


@pytest.mark.slow
async def test_several_lists(oryn: Any) -> None:
    other = (
        "<div id=other style='height: 400px; overflow: auto; width: 600px'><p style='height: 2000px'>Lines</p></div>"
    )
    await oryn.show(virtual(after=other))
    await oryn.ok('scroll until "Person 200"')
    answer = await oryn('scroll until "Nobody"')
    assert "element not found down to the end of the page and of its lists" in answer


@pytest.mark.slow
async def test_a_part_of_a_word_counts_if_nothing_else_does(oryn: Any) -> None:
    await oryn.show(virtual(100))
    await oryn.ok('scroll until "Person 9"')
    assert await oryn('is visible "Person 9"') == 'ok is visible "Person 9"\n\nyes'
    await oryn.show(virtual(100).replace("Person ${n}", "Person ${n}x"))
    assert "Person 88x" in await oryn.ok('scroll until "Person 88"') or await top(oryn) > 1000
