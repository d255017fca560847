"""Where a press lands: on the words that are meant, on what takes presses for an element, and on shapes without a middle."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

LOG = (
    "<p id=out></p><script>addEventListener('click', (event) => { out.textContent = 'pressed ' +"
    " (event.target.closest('[data-n]')?.dataset.n ?? event.target.localName) })</script>"
)
SELECTED = 'eval "String(getSelection()).trim()"'

LINES = {
    "in a paragraph": "<p>alpha beta gamma and more</p>",
    "in an editor": "<div contenteditable><p>alpha beta gamma and more</p><p>delta</p></div>",
    "right in an editor": "<div contenteditable>alpha beta gamma<br>delta</div>",
    "in parts": "<p>al<b>pha</b> <i>be</i>ta gam<u>ma</u></p>",
    "in a cell": "<table border=1 style='border-collapse:collapse;width:600px'><tr><td>alpha beta gamma<td>delta</table>",
    "at the end of the line": "<p style='text-align:right'>gamma and beta</p>",
    "wrapped": "<p style='width:70px'>alpha gamma epsilon beta delta zeta</p>",
    "in columns": "<p style='columns:3;height:60px'>alpha gamma epsilon delta zeta eta theta iota kappa lambda my ny beta rho</p>",
    "far below": "<p style='height:4000px'>alpha beta gamma</p>",
    "far below in a scroller": "<div style='height:90px;overflow:auto'><p>alpha<br>"
    + "x<br>" * 60
    + "the beta<br>"
    + "y<br>" * 60
    + "</div>",
    "in a shadow tree": "<x-text></x-text><script>document.querySelector('x-text').attachShadow({mode: 'open'}).innerHTML = '<p>alpha beta gamma</p>'</script>",
    "with a soft hyphen": "<p>alpha be\u00adta gamma</p>",
}


@pytest.mark.parametrize("markup", LINES.values(), ids=LINES)
async def test_a_double_click_on_a_word_selects_it(oryn: Driver, markup: str) -> None:
    await oryn.show(f"{markup}<p style='height:2000px'>")
    await oryn.ok('click "beta" --double')
    assert (await oryn.ok(SELECTED)).replace("\u00ad", "").endswith("| beta")


async def test_words_of_a_row_are_pressed_themselves(oryn: Driver) -> None:
    await oryn.show(
        f"{LOG}<ul><li onclick='' data-n=row><span data-n=words>Ferns</span><em data-n=middle style='margin-left:30%'>x</em></ul>"
    )
    assert "pressed words" in await oryn.ok('click "Ferns"')


async def test_a_control_is_pressed_as_a_whole(oryn: Driver) -> None:
    await oryn.show(
        f"{LOG}<button style='width:500px;text-align:left'>Save <b data-n=middle style='margin-left:190px'>now</b></button>"
    )
    assert "pressed middle" in await oryn.ok('click "Save now"')


LINKS = {
    "two lines": "<p style='width:200px'>Some long text before <a href=#l data-n=link>a link of two lines</a> after</p>",
    "columns": "<p style='columns:2;height:45px;width:300px'>aa bb cc dd ee ff <a href=#l data-n=link>gg hh ii jj kk ll mm nn oo</a></p>",
    "around a float": "<p style='width:300px'><i style='float:left;width:200px;height:30px'>Box</i><a href=#l data-n=link>and then a link that flows around it all</a></p>",
}


@pytest.mark.parametrize("markup", LINKS.values(), ids=LINKS)
async def test_a_link_on_several_lines(oryn: Driver, markup: str) -> None:
    await oryn.show(LOG + markup)
    assert "pressed link" in await oryn.ok('click css("a")')


THROUGH = {
    "picture in a button": ("button", "<button data-n=button><svg id=t width=20 height=20 style='pointer-events:none'><circle cx=9 cy=9 r=9></svg></button>"),
    "words in a link": ("link", "<a href=#l data-n=link><span id=t style='pointer-events:none'>Words</span></a>"),
    "in a label": ("input", "<label>Agree <b id=t style='pointer-events:none'>fully</b><input type=checkbox></label>"),
    "text of a card": ("card", "<div data-n=card onclick='' style='cursor:pointer'><p id=t style='pointer-events:none'>Words</p></div>"),
    "field of a card": ("card", "<div data-n=card onclick=''><input id=t readonly style='pointer-events:none'></div>"),
    "in a shadow tree": ("host", "<x-b data-n=host role=button tabindex=0></x-b><script>document.querySelector('x-b').attachShadow({mode: 'open'}).innerHTML = '<i id=t style=\"pointer-events:none\">Words</i>'</script>"),
}  # fmt: skip


@pytest.mark.parametrize(("pressed", "markup"), THROUGH.values(), ids=THROUGH)
async def test_what_lets_presses_through_is_pressed_by_what_is_around_it(
    oryn: Driver, pressed: str, markup: str
) -> None:
    await oryn.show(LOG + markup)
    assert f"pressed {pressed}" in await oryn.ok('click css("#t")')


REFUSED = {
    "in a plain box": "<div><button style='pointer-events:none'>Go</button></div>",
    "in a form": "<form><fieldset style='pointer-events:none'><button type=button>Go</button></fieldset></form>",
}


@pytest.mark.parametrize("markup", REFUSED.values(), ids=REFUSED)
async def test_a_control_that_takes_no_presses_is_refused(oryn: Driver, markup: str) -> None:
    oryn.session.options = oryn.session.options.replace(action_wait=0.3)
    await oryn.show(LOG + markup)
    answer = await oryn('click "Go"')
    assert answer.startswith("error") and "takes no presses" in answer
    assert "covered" not in answer


INERT = {
    "attribute": ("as main#app", "<main id=app inert><button id=go>Go</button></main>"),
    "itself": ("is inert", "<button id=go inert>Go</button>"),
    "behind a modal dialog": ('covered by dialog#d "Sure?', "<button id=go>Go</button><dialog id=d>Sure?<button>Yes</button></dialog><script>d.showModal()</script>"),
    "popover behind a modal dialog": ("covered by dialog#d", "<div popover=manual id=p style='inset:0 auto auto 0'><button id=go>Go</button></div><dialog id=d>Sure?</dialog><script>p.showPopover();d.showModal()</script>"),
    "in a frame": ("as section#s", "<section id=s inert><iframe srcdoc='<button id=go>Go</button>'></iframe></section>"),
}  # fmt: skip


@pytest.mark.parametrize(("said", "markup"), INERT.values(), ids=INERT)
async def test_what_is_inert_is_said_to_be(oryn: Driver, said: str, markup: str) -> None:
    oryn.session.options = oryn.session.options.replace(action_wait=0.3)
    await oryn.show(markup)
    answer = await oryn('click css("#go")')
    assert answer.startswith("error") and "inert" in answer and said in answer
    assert "covered by body" not in answer


async def test_a_dialog_inside_what_is_inert_is_not(oryn: Driver) -> None:
    await oryn.show(
        f"{LOG}<main inert><dialog id=d><button data-n=yes>Yes</button></dialog></main><script>d.showModal()</script>"
    )
    assert "covered" not in await oryn('click "Yes"')


FIELDS = {
    "value beside its field": "<div class=box><input role=combobox aria-expanded=false aria-label=Shop id=f><span class=val>Shop B</span></div>",
    "value in a wrapper": "<div class=box><span><input role=combobox aria-haspopup=listbox aria-label=Shop id=f></span><span class=val><b>Shop B</b></span></div>",
    "hint over a read-only field": "<div class=box><input readonly aria-label=Shop id=f><div class=val>Choose …</div></div>",
}


@pytest.mark.parametrize("markup", FIELDS.values(), ids=FIELDS)
async def test_a_value_over_its_field_takes_the_press_for_it(oryn: Driver, markup: str) -> None:
    style = "<style>.box{position:relative;width:260px;height:30px;border:1px solid}.box input{width:240px}.val{position:absolute;left:0;top:0;width:250px;height:28px}</style>"
    await oryn.show(f"{LOG}{style}{markup}")
    assert "pressed" in await oryn.ok('click css("#f")')


async def test_a_layer_over_a_field_covers_it(oryn: Driver) -> None:
    oryn.session.options = oryn.session.options.replace(action_wait=0.3)
    await oryn.show(
        "<div style='position:relative'><input role=combobox aria-label=Shop id=f><div id=layer style='position:absolute;"
        "left:-5px;top:-5px;width:400px;height:200px;background:red'>Wait</div></div>"
    )
    assert "covered by div#layer" in await oryn('click css("#f")')


STRETCHED = {
    "by what its style draws": "<div class=card><h3 id=t>Fern</h3><a href=#l data-n=link>Details</a></div><style>.card{position:relative;width:200px;height:90px}a::after{content:'';position:absolute;inset:0}</style>",
    "as an empty link": "<div class=card><h3 id=t>Fern</h3><a href=#l data-n=link style='position:absolute;inset:0' aria-label=Fern></a></div><style>.card{position:relative;width:200px;height:90px}</style>",
    "transparent file field": "<div class=card><button id=t style='width:90px;height:30px'>Choose a file</button><input data-n=link type=file style='position:absolute;left:0;top:0;width:90px;height:30px;opacity:0' onclick='event.preventDefault()'></div><style>.card{position:relative;width:90px;height:30px}</style>",
}  # fmt: skip


@pytest.mark.parametrize("markup", STRETCHED.values(), ids=STRETCHED)
async def test_a_card_is_pressed_by_the_control_stretched_over_it(oryn: Driver, markup: str) -> None:
    await oryn.show(LOG + markup)
    assert "pressed link" in await oryn.ok('click css("#t")')


SHAPES = {
    "group around a hole": "<g data-n=shape><rect width=30 height=30 /><rect x=170 y=70 width=30 height=30 /></g>",
    "line": "<path data-n=shape d='M10 90 Q 100 -90 190 90' fill=none stroke=red stroke-width=4 />",
    "outline": "<circle data-n=shape cx=90 cy=50 r=40 fill=none stroke=red stroke-width=3 />",
    "group of lines, scaled": "<g data-n=shape transform='scale(.5) translate(30 40)'><polyline points='0,0 60,90 120,0' fill=none stroke=red stroke-width=5 /></g>",
}


@pytest.mark.parametrize("markup", SHAPES.values(), ids=SHAPES)
async def test_shapes_without_a_middle(oryn: Driver, markup: str) -> None:
    await oryn.show(f"{LOG}<svg width=200 height=100>{markup.replace('data-n', 'id=t data-n', 1)}</svg>")
    assert "pressed shape" in await oryn.ok('click css("#t")')


CLIPPED = {
    "circle": "clip-path:circle(20px at 30px 30px)",
    "triangle": "clip-path:polygon(0 0, 40% 0, 0 60%)",
    "round corners": "border-radius:50%",
    "scroll box of its own": "overflow:clip",
}


@pytest.mark.parametrize("style", CLIPPED.values(), ids=CLIPPED)
async def test_what_a_path_clips_is_pressed_in_what_is_left(oryn: Driver, style: str) -> None:
    await oryn.show(
        f"{LOG}<div data-n=box onclick='' aria-label=Box role=button tabindex=0 style='width:200px;height:120px;background:red;{style}'></div>"
    )
    assert "pressed box" in await oryn.ok('click "Box"')


STUCK = {
    "header": "position:sticky;top:0;height:80px",
    "fixed header": "position:fixed;top:0;left:0;right:0;height:90px",
    "fixed footer": "position:fixed;bottom:0;left:0;right:0;height:90px",
}


@pytest.mark.parametrize("style", STUCK.values(), ids=STUCK)
async def test_what_lies_under_a_header_is_scrolled_free(oryn: Driver, style: str) -> None:
    rows = "".join(f"<p><button data-n=b{number}>Row {number}</button></p>" for number in range(80))
    await oryn.show(f"{LOG}<header style='{style};background:#ddd'>Header</header>{rows}")
    await oryn.ok(
        "eval \"scrollTo(0, document.querySelector('[data-n=b40]').getBoundingClientRect().top + scrollY - 20)\""
    )
    if "bottom" in style:
        await oryn.ok('eval "scrollBy(0, 50 - innerHeight)"')
    await oryn.ok('click "Row 40"')
    assert "pressed b40" in await oryn.ok('text css("#out")')
