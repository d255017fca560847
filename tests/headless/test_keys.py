"""`keydown`, `keyup`, `keys`, and what other input does while keys are held."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.whole_browser

PAGE = """<title>keys</title><input id=i aria-label=Field><button id=b>Press</button><div id=w style="height: 3000px"></div>
<script>
  const seen = [];
  const about = (e) => [e.type, e.key ?? e.button, e.ctrlKey && 'c', e.shiftKey && 's', e.altKey && 'a', e.repeat && 'r']
    .filter((word) => word !== false && word !== undefined).join(' ');
  for (const kind of ['keydown', 'keyup', 'click', 'mousemove', 'wheel'])
    addEventListener(kind, (e) => { if (e.isTrusted) seen.push(about(e)) }, true);
  const told = () => seen.splice(0).filter((line) => !line.startsWith('mousemove')).join('; ');
</script>"""


async def take_events(oryn: Any) -> str:
    answer: str = await oryn.ok('eval "told()"')
    return answer.split("| ", 1)[1] if "| " in answer else ""


async def test_keys_are_held_until_they_are_let_go(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert await oryn("keys") == "ok keys\n\nnone"
    assert await oryn("keydown Shift") == "ok keydown shift"
    assert await oryn("keydown a") == "ok keydown a"
    assert await oryn("keys") == "ok keys\n\nshift, a"
    assert await take_events(oryn) == "keydown Shift s; keydown A s"
    assert await oryn("keyup a") == "ok keyup a"
    assert await oryn("keys") == "ok keys\n\nshift"
    await oryn.ok("keydown control")
    await oryn.ok("keyup all")
    assert await take_events(oryn) == "keyup A s; keydown Control c s; keyup Control s; keyup Shift"
    assert await oryn("keys") == "ok keys\n\nnone"


@pytest.mark.slow
async def test_a_key_that_is_not_held_and_one_that_is_held_twice(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert await oryn("keyup x") == "ok keyup x\n\n# note\nx was not held"
    assert await oryn("keyup all") == "ok keyup all"
    await oryn.ok("keydown x")
    assert await oryn("keydown x") == "ok keydown x\n\n# note\nx was held already: this repeats it"
    assert await take_events(oryn) == "keydown x; keydown x r"
    await oryn.ok("keyup all")


@pytest.mark.slow
async def test_a_held_key_is_part_of_what_is_pressed(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok('type "Field" "words"')
    await take_events(oryn)
    await oryn.ok("keydown control")
    await oryn.ok("press a")
    assert await take_events(oryn) == "keydown Control c; keydown a c; keyup a c"
    await oryn.ok("keyup control")
    await oryn.ok("press delete")
    assert (await oryn('value "Field"')).endswith('""')


@pytest.mark.slow
async def test_a_combination_leaves_held_keys_held(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("keydown shift")
    await take_events(oryn)
    await oryn.ok("press shift+a")
    assert await take_events(oryn) == "keydown A s; keyup A s"
    assert await oryn("keys") == "ok keys\n\nshift"
    await oryn.ok("keyup all")


@pytest.mark.slow
async def test_clicks_wheel_and_typing_know_held_keys(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("keydown shift")
    await oryn.ok("keydown alt")
    await take_events(oryn)
    await oryn.ok("click Press --ctrl")
    assert await take_events(oryn) == "click 0 c s a"
    await oryn.ok("click Press")
    assert await take_events(oryn) == "click 0 s a"
    await oryn.ok("keyup alt")
    await take_events(oryn)
    answer = await oryn.ok('type "Field" "ab1"')
    assert "# note\nshift is held" in answer
    assert 'value: "AB!"' in answer
    await oryn.ok("keyup all")
    assert 'value: "ab1"' in await oryn('type "Field" "ab1"')
    assert "held" not in await oryn('type "Field" "ab1"')


@pytest.mark.slow
async def test_keys_stay_held_through_a_navigation_and_belong_to_their_tab(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("keydown shift")
    await oryn.show(PAGE, "/other")
    assert await oryn("keys") == "ok keys\n\nshift"
    await oryn.ok("click Press")
    assert await take_events(oryn) == "click 0 s"
    await oryn.ok(f"tab new {oryn.pages.url('/')}")
    assert await oryn("keys") == "ok keys\n\nnone"
    await oryn.ok("tab close")
    assert await oryn("keys") == "ok keys\n\nshift"
    await oryn.ok("keyup all")


@pytest.mark.slow
async def test_a_crashed_tab_comes_back_without_held_keys(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("keydown shift")
    await oryn("goto chrome://crash --timeout 5s")
    await oryn.show(PAGE)
    assert await oryn("keys") == "ok keys\n\nnone"


async def test_a_key_that_changes_the_page_is_reported(oryn: Any) -> None:
    await oryn.show(
        "<button>One</button><script>onkeydown = () => document.body.append(document.createElement('input'))</script>"
    )
    assert await oryn("keydown x") == 'ok keydown x\n\n# changes\n+ [2] input/text ""'
    await oryn.ok("keyup all")


async def test_invalid_key_is_rejected(oryn: Any) -> None:
    answer = await oryn("keydown contrl")
    assert answer.startswith('error keydown contrl: not a key: "contrl"')
    assert "did you mean control?" in answer


async def test_programs_get_a_list(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("keydown shift")
    await oryn("output json")
    assert '"result":["shift"]' in await oryn("keys")
    await oryn.ok("keyup all")
