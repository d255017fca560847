"""`type` and `select` on sliders: native ranges, ARIA sliders that take keys, and those that take the mouse alone."""

from __future__ import annotations

import re
from typing import Any

import pytest


def slider(
    *, low: float = 0, high: float = 100, step: float = 1, now: float = 20, keys: str = "all", late: bool = False,
    attributes: str = "", text: str = "null", role: str = "slider",
) -> str:  # fmt: skip
    """A page with a slider. keys: `all`, `arrows`, `none` (the mouse alone). late: it shows its value a moment later.
    text: a JavaScript expression of `value` for aria-valuetext."""
    return f"""<!doctype html><title>slider</title><style>
      #track {{ width: 300px; height: 8px; background: #ddd; position: relative; margin: 50px }}
      #thumb {{ width: 20px; height: 20px; background: #00f; position: absolute; top: -6px; touch-action: none }}</style>
    <p id=p>Budget</p><div id=track><div id=thumb role={role} aria-labelledby=p tabindex=0 {attributes}></div></div>
    <script>
      const [low, high, step, keys, late] = [{low}, {high}, {step}, '{keys}', {str(late).lower()}];
      let value = {now}, presses = 0, held = false;
      function show() {{
        thumb.style.left = (value - low) / (high - low) * 300 - 10 + 'px';
        thumb.setAttribute('aria-valuemin', low); thumb.setAttribute('aria-valuemax', high);
        thumb.setAttribute('aria-valuenow', value);
        const text = {text}; if (text !== null) thumb.setAttribute('aria-valuetext', text);
      }}
      function set(next) {{ value = Math.min(high, Math.max(low, Math.round(next / step) * step)); late ? setTimeout(show, 60) : show() }}
      show();
      thumb.onkeydown = (e) => {{
        const by = {{ ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, ...(keys === 'all' && {{ PageUp: 10 * step, PageDown: -10 * step }}) }};
        presses++;
        if (keys === 'none') return;
        if (by[e.key]) set(value + by[e.key]);
        if (keys === 'all' && e.key === 'Home') set(low);
        if (keys === 'all' && e.key === 'End') set(high);
      }};
      thumb.onpointerdown = (e) => {{ thumb.setPointerCapture(e.pointerId); held = true }};
      thumb.onpointermove = (e) => {{ if (held) set(low + (e.clientX - track.getBoundingClientRect().left) / 300 * (high - low)) }};
      thumb.onpointerup = () => {{ held = false }};
    </script>"""


async def value(oryn: Any) -> float:
    return float((await oryn.ok("eval \"thumb.getAttribute('aria-valuenow')\"")).rpartition("| ")[2])


TRACK = """<style>#all { width: 300px; height: 20px; position: relative } #inner { height: 20px }</style>
    <p id=p>Volume</p><div id=all role=slider aria-labelledby=p aria-valuemin=0 aria-valuemax=100 aria-valuenow=10
    ><div id=inner><b id=knob style='position: absolute'>o</b></div></div>
    <script>
      const set = (value) => all.setAttribute('aria-valuenow', Math.max(0, Math.min(100, Math.round(value))));
      const now = () => Number(all.getAttribute('aria-valuenow'));
      const at = (e) => set((e.clientX - all.getBoundingClientRect().left) / 3);
      inner.onpointerdown = (e) => { inner.setPointerCapture(e.pointerId); at(e) };
      inner.onpointermove = (e) => { if (e.buttons) at(e) };
    </script>"""
KEYS = """<script>
      inner.tabIndex = 0;
      inner.onkeydown = (e) => set(now() + ({ ArrowRight: 1, ArrowLeft: -1 }[e.key] || 0));
    </script>"""


@pytest.mark.slow
@pytest.mark.parametrize("keys", [KEYS, ""], ids=["keys", "the mouse alone"])
async def test_a_slider_whose_element_is_its_track(oryn: Any, keys: str) -> None:
    await oryn.show(f"<input aria-label=Name autofocus>{TRACK}{keys}")
    for wanted in ("80", "25"):
        assert f'value: "{wanted}"' in await oryn(f'type "Volume" "{wanted}"')


@pytest.mark.slow
async def test_a_slider_takes_a_value(oryn: Any) -> None:
    await oryn.show(slider())
    assert await oryn('type "Budget" "55"') == (
        'ok type "Budget" "55"\n\n# changes\n~ [1] generic/slider "Budget" {focused} value: "55"'
    )
    assert await value(oryn) == 55
    assert 'value: "12"' in await oryn('select "Budget" 12')
    assert 'value: "100"' in await oryn('select "Budget" "100"')
    assert 'value: "0"' in await oryn("type 1 0")


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        slider(keys="arrows"),
        slider(keys="none"),
        slider(late=True),
        slider(low=-40, high=40, now=0),
        slider(high=5000, keys="arrows"),
        slider(high=100000, step=5),
        slider(role="spinbutton"),
    ],
    ids=["arrows", "mouse", "late", "negative", "many", "steps", "spinbutton"],
)
async def test_sliders_of_other_kinds(oryn: Any, page: str) -> None:
    await oryn.show(page)
    answer = await oryn.ok('type "Budget" "35"')
    assert "# note" not in answer
    assert await value(oryn) == 35
    assert 'value: "30"' in await oryn('type "Budget" "30"')


async def test_a_value_that_the_slider_does_not_reach(oryn: Any) -> None:
    await oryn.show(slider(step=10))
    answer = await oryn('type "Budget" "57"')
    assert answer.startswith("error ")
    assert "the slider is at 60, not 57: it goes from 0 to 100 in steps of 10" in answer
    answer = await oryn('type "Budget" "500"')
    assert "the slider is at 100, not 500: it goes from 0 to 100" in answer


async def test_fractions(oryn: Any) -> None:
    await oryn.show(slider(high=1, step=0.05, now=0.5).replace("* step;", "* step; value = +value.toFixed(2);"))
    await oryn.ok('type "Budget" "0.75"')
    assert await value(oryn) == 0.75


@pytest.mark.slow
async def test_positions_with_names(oryn: Any) -> None:
    await oryn.show(slider(low=0, high=3, now=1, text="['Small', 'Medium', 'Large', 'Huge'][value]"))
    assert 'value: "Large"' in await oryn('select "Budget" "large"')
    answer = await oryn('select "Budget" "Tiny"')
    assert answer.startswith('error select "Budget" "Tiny": the slider has no position "Tiny"')
    assert 'It has "Small", "Medium", "Large", "Huge".' in answer
    assert await value(oryn) == 2


@pytest.mark.slow
async def test_a_disabled_slider_and_one_that_does_not_move(oryn: Any) -> None:
    await oryn.show(slider(attributes="aria-disabled=true"))
    answer = await oryn('type "Budget" "55"')
    assert answer.startswith('error type "Budget" "55": the slider is disabled')
    await oryn.show(slider().replace("function set(next) {", "function set(next) { return;"))
    assert "the slider is at 20, not 55: it goes from 0 to 100" in await oryn('type "Budget" "55"')


@pytest.mark.slow
async def test_a_slider_that_moves_by_itself(oryn: Any) -> None:
    await oryn.show(slider().replace("show();", "show(); setInterval(() => set(Math.random() * 100), 20);", 1))
    answer = await oryn.session.execute('type "Budget" "55" --timeout 20s')
    assert answer.ok or answer.error.code == "NOT_DONE"


async def test_a_native_range(oryn: Any) -> None:
    await oryn.show("<label>Level <input type=range max=10 step=2 value=4></label><p id=p></p>")
    assert 'value: "6"' in await oryn('select "Level" 6')
    assert "the slider is at 8, not 7.4: it goes from 0 to 10 in steps of 2" in await oryn('type "Level" "7.4"')
    answer = await oryn('type "Level" "high"')
    assert answer.startswith('error type "Level" "high": a slider takes a number, not "high"')
    assert 'value: "8"' in await oryn("observe")


@pytest.mark.parametrize(("value", "steps"), [("55", "54 55"), ("0", "1 0"), ("100", "99 100")])
async def test_a_native_range_whose_page_waits_for_a_key(oryn: Any, value: str, steps: str) -> None:
    """https://react-spectrum.adobe.com/react-aria/ ends a change at a key or the mouse."""
    await oryn.show("""<label>Volume <input type=range value=30 oninput="seen.push(value)"></label><script>const seen = [];
      const field = document.querySelector('input'); field.onkeyup = () => { document.title = field.value }</script>""")
    assert f'value: "{value}"' in await oryn.ok(f'type "Volume" {value}')
    assert (await oryn.ok("""eval "seen.join(' ')\"""")).endswith(f"| {steps}")
    assert await oryn("title") == f'ok title\n\n"{value}"'


async def test_a_native_range_that_a_widget_draws(oryn: Any) -> None:
    """https://mui.com/material-ui/react-slider/ hides the range in its thumb."""
    await oryn.show("""<div style="width: 300px; height: 20px; position: relative; background: #eee">
      <span style="width: 20px; height: 20px; position: absolute; left: 40px; background: #00f"><input type=range
      aria-label=Volume value=30 onchange="document.title = value" style="clip-path: inset(50%); opacity: 0; width: 100%;
      height: 100%; position: absolute; margin: -1px"></span></div>""")
    await oryn.ok("type css(input) 55")
    assert await oryn("title") == 'ok title\n\n"55"'


async def test_a_slider_without_a_value_takes_a_share(oryn: Any) -> None:
    page = re.sub(r"thumb\.setAttribute\('aria-value(min|max|now)', \w+\);", "", slider())
    page = page.replace("role=slider", "class=ui-slider-handle").replace("show() {", "show() { document.title = value;")
    await oryn.show(page)
    answer = await oryn.ok('type css("#thumb") "40%"')
    assert "the slider reports no value" in answer
    assert await oryn("title") == 'ok title\n\n"40"'
    assert "Give a share, such as 40%" in await oryn('type css("#thumb") "40"')


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_in_a_frame(oryn: Any, host: str) -> None:
    oryn.pages["/inner"] = slider(keys="none")
    await oryn.show(f"<p>Outer</p><iframe width=500 height=200 src={oryn.pages.url('/inner', host)}></iframe>")
    assert 'value: "70"' in await oryn('type "Budget" "70"')


async def test_forms_take_values_of_sliders(oryn: Any) -> None:
    await oryn.show(slider() + "<label>Name <input></label>")
    await oryn.ok('fill_form {"Name": "Ann", "Budget": "44"}')
    assert await value(oryn) == 44


MONTHS = "January February March April May June July August September October November December".split()


def spin_button(keys: dict[str, str], *, goes_round: bool = True, now: int = 10, inner: str = "") -> str:
    """A spin button with names. keys: by a key, what it does to `v`."""
    moves = ", ".join(f"{key}: () => {move}" for key, move in keys.items())
    bounds = "(v + 12) % 12" if goes_round else "Math.min(11, Math.max(0, v))"
    return f"""<div id=s role=spinbutton tabindex=0 aria-label=Month aria-valuemin=0 aria-valuemax=11>{inner}</div><script>
        const names = {MONTHS}; let v = {now};
        const show = () => {{ s.ariaValueNow = v; s.ariaValueText = names[v]; s.textContent = names[v] }}; show();
        const moves = {{{moves}}};
        s.onkeydown = (e) => {{ if (!moves[e.key]) return; e.preventDefault(); v = moves[e.key](); v = {bounds}; show() }}
        </script>"""


UP_AND_DOWN = {"ArrowUp": "v + 1", "ArrowDown": "v - 1", "Home": "0", "End": "11"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "goes_round"),
    [
        (UP_AND_DOWN, True),
        (UP_AND_DOWN, False),
        ({"ArrowUp": "v - 1", "ArrowDown": "v + 1"}, False),
        ({"ArrowLeft": "v - 1", "ArrowRight": "v + 1"}, False),
        ({"ArrowUp": "v + 1"}, True),
    ],
)
async def test_a_spin_button_with_names_moves_until_the_name_is_there(
    oryn: Any, keys: dict[str, str], goes_round: bool
) -> None:
    await oryn.show(spin_button(keys, goes_round=goes_round))
    await oryn.ok('type "Month" "march"')
    assert (await oryn.ok('eval "s.ariaValueText"')).endswith("| March")
    answer = await oryn('type "Month" "Brumaire"')
    assert 'no position "Brumaire"' in answer
    assert (await oryn.ok('eval "s.ariaValueText"')).endswith("| March")


@pytest.mark.slow
async def test_a_refusal_says_what_looking_for_the_position_has_changed(oryn: Any) -> None:
    counts = "<p>Moves: <b id=n>0</b></p><script>addEventListener('keyup', () => n.textContent++)</script>"
    await oryn.show(spin_button(UP_AND_DOWN, goes_round=False) + counts)
    refused = await oryn('type "Month" "Brumaire"')
    assert 'no position "Brumaire"' in refused and "# changes" in refused
    assert "# meanwhile" not in await oryn.ok("url")


TWO_RANGES = """<style>input { position: absolute; width: 300px; pointer-events: none }</style><div>
    <input type=range id=a aria-label=Minimum value=20><input type=range id=b aria-label=Maximum value=80></div>
    <script>a.oninput = () => { if (+a.value > +b.value) a.value = b.value };
        b.oninput = () => { if (+b.value < +a.value) b.value = a.value }</script>"""
TWO_THUMBS = """<style>#t { position: relative; width: 300px; height: 6px; margin: 40px }
    #t div { position: absolute; width: 16px; height: 16px }</style><div id=t role=group aria-label=Price>
    <div id=a role=slider tabindex=0 aria-label=Minimum></div><div id=b role=slider tabindex=0 aria-label=Maximum></div>
    </div><script>const v = {a: 20, b: 80}; const show = () => { for (const id of ['a', 'b']) { const e = window[id];
        e.ariaValueNow = v[id]; e.ariaValueMin = id == 'a' ? 0 : v.a; e.ariaValueMax = id == 'b' ? 100 : v.b;
        e.style.left = v[id] * 3 + 'px'; Object.defineProperty(e, 'value', {get: () => v[id], configurable: true}) } };
    show(); for (const id of ['a', 'b']) window[id].onkeydown = (e) => { const by = {ArrowRight: 1, ArrowLeft: -1}[e.key];
        if (by) { v[id] = Math.min(id == 'a' ? v.b : 100, Math.max(id == 'b' ? v.a : 0, v[id] + by)); show() } }</script>"""
MUI = """<style>#t { position: relative; width: 300px; height: 6px; margin: 40px }
    span { position: absolute; width: 16px; height: 16px; background: blue }
    input { opacity: 0; position: absolute; width: 100%; height: 100%; overflow: hidden; clip: rect(0 0 0 0) }</style>
    <div id=t><span style="left: 60px"><input id=a type=range aria-label=Minimum min=0 max=100 value=20></span>
    <span style="left: 240px"><input id=b type=range aria-label=Maximum min=0 max=100 value=80></span></div>"""


@pytest.mark.slow
@pytest.mark.parametrize("page", [TWO_RANGES, TWO_THUMBS, MUI])
async def test_a_slider_with_two_handles(oryn: Any, page: str) -> None:
    await oryn.show(page)
    await oryn.ok('type "Maximum" "60"')
    await oryn.ok('type "Minimum" "35"')
    assert (await oryn.ok("eval \"a.value + ' ' + b.value\"")).endswith("| 35 60")
    answer = await oryn.session.execute('type "Minimum" "90"')
    if page is not MUI:
        assert answer.error is not None and answer.error.code == "NOT_DONE"
        assert "the slider is at 60, not 90" in answer.error.message
