"""Dates by their ISO form: native fields, and calendars that a field, a button or the page itself shows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.headless.calendar_page import STAYS, calendar

NATIVE = """<label>When <input type={type} {attributes} onchange="document.title = value"></label>"""


async def title(oryn: Any) -> str:
    return str((await oryn.ok("title")).split("\n\n")[1].strip('"'))


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("date", "2026-12-24", "2026-12-24"),
        ("date", "2026-12-24T10:30", "2026-12-24"),
        ("datetime-local", "2026-12-24 10:30", "2026-12-24T10:30"),
        ("datetime-local", "2026-12-24T21:05", "2026-12-24T21:05"),
        ("month", "2026-12", "2026-12"),
        ("month", "2026-12-24", "2026-12"),
        ("week", "2026-W52", "2026-W52"),
        ("week", "2026-12-24", "2026-W52"),
        ("time", "9:30", "09:30"),
        ("time", "3:30 pm", "15:30"),
    ],
)
async def test_native_fields(oryn: Any, type: str, text: str, value: str) -> None:
    await oryn.show(NATIVE.format(type=type, attributes=""))
    assert f'value: "{value}"' in await oryn.ok(f'type "When" "{text}"')
    assert await title(oryn) == value
    assert 'value: ""' not in await oryn.ok('clear "When"')
    assert f'value: "{value}"' in await oryn.ok(f'select "When" "{text}"')


async def test_a_native_field_says_what_it_takes(oryn: Any) -> None:
    await oryn.show(NATIVE.format(type="date", attributes="min=2026-06-01 max=2026-12-31"))
    answer = await oryn('type "When" "next week"')
    assert answer == (
        'error type "When" "next week": not a value of a date field: next week\n\n# hint\nIt takes 2026-12-24.'
    )
    answer = await oryn.ok('type "When" "2027-02-03"')
    assert "the field does not accept 2027-02-03: it takes from 2026-06-01 to 2026-12-31" in answer
    await oryn.show(NATIVE.format(type="datetime-local", attributes=""))
    assert "It takes 2026-12-24T10:30." in await oryn('type "When" "2026-12-24"')


ICONS = "<i class='nav icon-chevron-left' onclick=move(-1)></i><b id=heading></b><i class='nav icon-chevron-right' onclick=move(1)></i>"
NAMELESS = "<span class=nav onclick=move(-1)>·</span><b id=heading></b><span class=nav onclick=move(1)>·</span>"
YEARS = (
    "<span class=nav onclick=move(-12) title='Previous year'>«</span><span class=nav onclick=move(-1)>‹</span><b id=heading></b>"
    "<span class=nav onclick=move(1)>›</span><span class=nav onclick=move(12) title='Next year'>»</span>"
)
SELECTS = (
    "<b id=heading style='display: none'></b><select aria-label=Month onchange='month = selectedIndex; draw()'>"
    + "".join(f"<option>{name}" for name in ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"))
    + "<option>Nov<option>Dec</select><select aria-label=Year onchange='year = +value; draw()'>"
    + "".join(f"<option{' selected' if year == 2026 else ''}>{year}" for year in range(1950, 2031))
    + "</select><script>document.querySelector('[aria-label=Month]').selectedIndex = 9</script>"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        calendar(),
        calendar(head=ICONS),
        calendar(head=NAMELESS),
        calendar(head=YEARS),
        calendar(head=SELECTS),
        calendar(language="de"),
        calendar(language="ja", heading="`${year}年${month + 1}月`"),
        calendar(heading="`${month + 1}/${year}`"),
        calendar(heading="'Choose a day'", label="`data-date=${year}-${String(month + 1).padStart(2, 0)}-${String(day).padStart(2, 0)}`"),
        calendar(heading="''", label="`aria-label=\"Choose ${names[month]} ${day}th, ${year}\"`").replace(
            "let year", "const names = 'January February March April May June July August September October November December'.split(' '); let year"
        ),
        calendar(field="<label>Leave on <input id=field></label>", opens="field.onfocus = toggle;"),
        calendar(
            field="<label>Leave on <input id=field></label><button aria-label='Open calendar' onclick=toggle()>▾</button>",
            opens="",
        ),
        calendar(field="<button id=field>Leave on</button>"),
        calendar(foot="<button onclick='pick(chosen)'>Apply</button>").replace(
            "pick(`${two", "choose(`${two"
        ).replace("function pick", "let chosen; function choose(text) { chosen = text }\nfunction pick"),
    ],
    ids=[
        "arrows", "icons", "nameless", "years", "selects", "german", "japanese", "numbers", "data-date", "aria-label",
        "focus", "opener", "button", "apply",
    ],
)  # fmt: skip
@pytest.mark.parametrize(("date", "picked"), [("2026-12-24", "24.12.2026"), ("2025-02-01", "01.02.2025")])
async def test_a_calendar_is_opened_and_the_day_picked(oryn: Any, page: str, date: str, picked: str) -> None:
    await oryn.show(page)
    answer = await oryn.ok(f'type "Leave on" "{date}"')
    assert "# note" not in answer
    assert await title(oryn) == picked
    assert await oryn('eval "popup.hidden"') == 'ok eval "popup.hidden"\n\n| true'


async def test_the_answer_has_the_value_first(oryn: Any) -> None:
    await oryn.show(calendar())
    answer = await oryn.ok('select "Leave on" "2026-11-05"')
    assert '~ [1] input/text "Leave on" {readonly} value: "05.11.2026"' in answer


async def test_enter_does_not_leave_the_calendar_open(oryn: Any) -> None:
    page = calendar(
        field="<label>Leave on <input id=field></label>",
        opens="field.onclick = toggle; field.onkeydown = (e) => { if (e.key === 'Enter') toggle(); if (e.key === 'Escape') popup.hidden = true };",
    )
    await oryn.show(page.replace("popup.hidden = true }\n", "popup.hidden = true; field.focus() }\n"))
    assert 'value: "05.11.2026"' in await oryn.ok('type "Leave on" "2026-11-05" --enter')
    assert await oryn('eval "popup.hidden"') == 'ok eval "popup.hidden"\n\n| true'


async def test_enter_has_nothing_to_confirm_in_a_read_only_field(oryn: Any) -> None:
    await oryn.show(calendar(opens="field.onclick = toggle; field.onkeydown = toggle;"))
    answer = await oryn.ok('type "Leave on" "2026-11-05" --enter')
    assert "enter was not pressed: the date was picked in a calendar" in answer
    assert await oryn('eval "popup.hidden"') == 'ok eval "popup.hidden"\n\n| true'


async def test_a_calendar_that_stays_open_after_the_day_is_closed(oryn: Any) -> None:
    page = calendar(opens=f"const escaped = () => 0; {STAYS}")
    await oryn.show(page.replace("field.value = text; popup.hidden = true }", "field.value = text }"))
    answer = await oryn.ok('type "Leave on" "2026-11-05"')
    assert 'value: "05.11.2026"' in answer
    assert "+ [" not in answer
    assert await oryn('eval "popup.hidden"') == 'ok eval "popup.hidden"\n\n| true'


async def test_a_date_that_goes_with_its_calendar_is_told(oryn: Any) -> None:
    page = calendar(opens=f"const escaped = () => {{ field.value = 'none' }}; {STAYS}")
    await oryn.show(page.replace("field.value = text; popup.hidden = true }", "field.value = text }"))
    answer = await oryn.ok('type "Leave on" "2026-11-05"')
    assert 'the field holds "none" now that its calendar is closed' in answer


async def test_in_a_dialog_that_the_key_may_close_the_calendar_is_left_open(oryn: Any) -> None:
    page = calendar(
        field="<div role=dialog><label>Leave on <input id=field readonly></label></div>",
        opens=f"const escaped = () => 0; {STAYS}",
    )
    await oryn.show(page.replace("field.value = text; popup.hidden = true }", "field.value = text }"))
    await oryn.ok('type "Leave on" "2026-11-05"')
    assert await oryn('eval "popup.hidden"') == 'ok eval "popup.hidden"\n\n| false'


BUTTON = "<label for=field>Leave on</label><button id=field aria-haspopup=dialog>Pick</button>"


async def test_a_button_with_a_label_shows_what_was_picked_as_its_value(oryn: Any) -> None:
    page = calendar(field=BUTTON).replace("document.title = text;", "field.textContent = text;")
    await oryn.show(page)
    assert '~ [1] button "Leave on" value: "05.11.2026"' in await oryn.ok('type "Leave on" "2026-11-05"')
    answer = await oryn.ok('type "Leave on" "2026-11-06 10:30"')
    assert "the calendar took the day; set the time 10:30 in it" in answer


async def test_a_calendar_that_the_page_always_shows_is_not_the_one_of_a_focused_field(oryn: Any) -> None:
    field = "<label>Born <input id=born></label>"
    page = calendar(field=field, opens="popup.hidden = false; draw();")
    await oryn.show(page.replace("class=cal hidden", "style='position: static'"))
    await oryn.ok('click "Born"')
    assert '~ [1] input/text "Born" {focused} value: "2026-10-05"' in await oryn.ok('type "Born" "2026-10-05"')
    assert "05.10.2026" not in await oryn.ok("title")


TWO_PICKERS = """<style>.cal { position: absolute; top: 60px; width: 300px; background: white } [hidden] { display: none }</style>
<input id=one aria-label=From readonly><input id=two aria-label=Until readonly><div id=popup class=cal hidden><b>October 2026</b>
<button aria-label=Previous>&lt;</button><button aria-label=Next>&gt;</button><div id=days></div></div><script>
let field = null;
const open = (e) => { field = e.target; popup.hidden = false;
  days.innerHTML = Array.from({ length: 31 }, (_, i) => `<span class=day>${i + 1}</span>`).join(' ') };
one.onclick = two.onclick = open;
days.onclick = (e) => { if (e.target.matches('.day')) field.value = `2026-10-${e.target.textContent} 12:00` };
addEventListener('mousedown', (e) => { if (!popup.contains(e.target) && e.target !== field) popup.hidden = true });
</script>"""


async def test_the_open_calendar_of_another_field_is_not_this_ones(oryn: Any) -> None:
    await oryn.show(TWO_PICKERS)
    assert "set the time 10:30 in it" in await oryn.ok('type "From" "2026-10-20 10:30"')
    await oryn.ok('type "Until" "2026-10-24"')
    assert await oryn('eval "one.value + two.value"') == (
        'ok eval "one.value + two.value"\n\n| 2026-10-20 12:002026-10-24 12:00'
    )


async def test_a_range_that_had_begun_before_is_begun_anew(oryn: Any) -> None:
    page = TWO_PICKERS.replace("`2026-10-${e.target.textContent} 12:00`", "picked(e.target.textContent)")
    script = (
        "<script>one.value = '2026-10-01'; function picked(day) { day = `2026-10-${day.padStart(2, 0)}`; const begun = one.value.length"
        " === 10; popup.hidden = begun; return begun ? `${one.value} to ${day}` : day }</script>"
    )
    await oryn.show(page + script)
    assert 'value: "2026-10-03 to 2026-10-09"' in await oryn.ok('type "From" "2026-10-03 to 2026-10-09"')


async def test_a_day_that_is_shown_takes_one_press(oryn: Any) -> None:
    await oryn.show(calendar())
    await oryn.ok('type "Leave on" "2026-10-30"')
    assert await oryn('eval "presses"') == 'ok eval "presses"\n\n| 0'


@pytest.mark.slow
async def test_far_dates(oryn: Any) -> None:
    await oryn.show(calendar(head=YEARS))
    await oryn.ok('type "Leave on" "1999-03-07"')
    assert await title(oryn) == "07.03.1999"
    assert int((await oryn('eval "presses"')).rpartition("| ")[2]) < 45
    await oryn.show(calendar())
    await oryn.ok('type "Leave on" "2032-03-07"')
    assert await title(oryn) == "07.03.2032"


@pytest.mark.slow
async def test_a_day_that_is_not_offered(oryn: Any) -> None:
    await oryn.show(calendar(disabled="n < 10"))
    answer = await oryn('type "Leave on" "2026-12-09"')
    assert answer.startswith('error type "Leave on" "2026-12-09": the calendar does not offer 2026-12-09')
    await oryn.ok('type "Leave on" "2026-12-10"')


async def test_a_calendar_that_does_not_move(oryn: Any) -> None:
    await oryn.show(calendar(head="<span class=nav>‹</span><b id=heading></b><span class=nav>›</span>"))
    answer = await oryn('type "Leave on" "2026-12-09"')
    assert answer.startswith(
        'error type "Leave on" "2026-12-09": the calendar does not go to 2026-12: it shows 2026-10'
    )


@pytest.mark.slow
async def test_a_calendar_that_stays_on_the_page(oryn: Any) -> None:
    """A field that has nothing to do with it is typed into as ever."""
    page = calendar(field="<label>Born on <input id=other></label><div id=field></div>", opens="toggle();")
    await oryn.show(page.replace("popup.hidden = true", ""))
    await oryn.ok('type "Born on" "1985-03-07"')
    assert await oryn('value "Born on"') == 'ok value "Born on"\n\n"1985-03-07"'
    assert await title(oryn) == "none"
    await oryn.ok('select css("#popup") "2026-12-24"')
    assert await title(oryn) == "24.12.2026"


async def test_two_months_and_a_range(oryn: Any) -> None:
    page = calendar(
        head="<span class=nav onclick=move(-1)>Previous</span><b id=heading></b><span class=nav onclick=move(1)>Next</span>"
    )
    page = page.replace(
        "function pick(text) {",
        "let first = null; function pick(text) { if (!first) { first = text; return } text = first + ' - ' + text;",
    )
    await oryn.show(page)
    await oryn.ok('type "Leave on" "2026-12-24 to 2027-01-03"')
    assert await title(oryn) == "24.12.2026 - 03.01.2027"


async def test_a_pager_is_no_month(oryn: Any) -> None:
    pager = "<div><a href=#>1</a> <a href=#>2</a> <a href=#>3</a> <a href=#>4</a></div>"
    await oryn.show(f"{pager}<div>{calendar()}</div>")
    await oryn.ok('type "Leave on" "2026-12-24"')
    assert await title(oryn) == "24.12.2026"


PANELS = """<title>none</title><style>.panel { display: inline-block; width: 220px } b, i { cursor: pointer }
  .day { display: inline-block; width: 30px; cursor: pointer }</style>
<label>Stay <input id=field readonly></label><div id=popup hidden><div class=panel></div><div class=panel></div></div><script>
  let month = 9; const panels = document.querySelectorAll('.panel');
  function draw() { panels.forEach((panel, at) => {
    const date = new Date(2026, month + at, 1), days = new Date(2026, month + at + 1, 0).getDate();
    panel.dataset.month = `${date.getFullYear()}-${date.getMonth() + 1}`;
    panel.innerHTML = `<div><b ${at ? 'style="visibility: hidden"' : ''}>«</b><b ${at ? 'style="visibility: hidden"' : ''}>‹</b>
      <span>${date.toLocaleString('en', { month: 'long', year: 'numeric' })}</span>
      <i ${at ? '' : 'style="visibility: hidden"'}>›</i></div><div>${Array.from({ length: days }, (_, n) => `<span class=day>${n + 1}</span>`).join('')}</div>`;
  }) }
  field.onclick = () => { popup.hidden = false; draw() };
  popup.onclick = ({ target }) => {
    if (target.matches('b,i')) { month += target.textContent === '«' ? -12 : target.textContent === '‹' ? -1 : 1; draw() }
    if (target.matches('.day')) { document.title = field.value = `${target.closest('.panel').dataset.month}-${target.textContent}`; popup.hidden = true }
  };
</script>"""


@pytest.mark.slow
async def test_two_months_of_which_each_has_one_way_to_go(oryn: Any) -> None:
    await oryn.show(PANELS)
    for day in ("2026-11-24", "2027-02-24", "2026-08-24"):
        await oryn.ok(f'type "Stay" "{day}"')
        assert await title(oryn) == day.replace("-0", "-")


async def test_a_button_that_says_where_it_leads_goes_before_one_on_that_side(oryn: Any) -> None:
    head = (
        "<span class=nav onclick=move(-1) title='Previous month'></span><b id=heading></b>"
        "<span class=nav onclick=move(12)>▴</span><span class=nav onclick=move(1) title='Next month'></span>"
    )
    await oryn.show(calendar(head=head))
    await oryn.ok('type "Leave on" "2026-12-24"')
    assert await title(oryn) == "24.12.2026"
    assert (await oryn.ok('eval "presses"')).endswith("| 2")


async def test_another_year_in_the_field_is_told(oryn: Any) -> None:
    await oryn.show(calendar().replace(".${year}`", ".${year + 1}`"))
    assert 'the field holds "24.12.2027": another date than 2026-12-24' in await oryn.ok('type "Leave on" "2026-12-24"')


@pytest.mark.slow
async def test_a_date_goes_into_an_ordinary_field(oryn: Any) -> None:
    await oryn.show("<label>Day <input></label><label>Fixed <input readonly value=x></label>")
    await oryn.ok('type "Day" "2026-12-24"')
    assert await oryn('value "Day"') == 'ok value "Day"\n\n"2026-12-24"'
    answer = await oryn('type "Fixed" "2026-12-24"')
    assert "the field is read-only" in answer
    assert "It may open something to choose from: click it." in answer


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_in_a_frame(oryn: Any, host: str) -> None:
    oryn.pages["/inner"] = calendar()
    await oryn.show(f"<p>Outer</p><iframe width=500 height=400 src={oryn.pages.url('/inner', host)}></iframe>")
    assert 'value: "24.12.2026"' in await oryn.ok('type "Leave on" "2026-12-24"')


async def test_forms_take_dates(oryn: Any) -> None:
    await oryn.show(calendar() + "<label>Name <input></label>")
    await oryn.ok('fill_form {"Name": "Ann", "Leave on": "2026-12-24"}')
    assert await title(oryn) == "24.12.2026"


@pytest.mark.slow
async def test_what_only_looks_like_a_calendar(oryn: Any) -> None:
    """Numbers in order without a month, and a page of thousands of them."""
    cells = "".join(f"<td>{number % 31 + 1}</td>" for number in range(5000))
    await oryn.show(f"<label>Day <input readonly></label><table><tr>{cells}</tr></table>")
    answer = await oryn('type "Day" "2026-12-24"')
    assert "the field is read-only" in answer


SEGMENTED = """<style>[role=spinbutton] { outline: none }</style><span id=l>Start</span>
<div role=group aria-labelledby=l id=field style="border:1px solid;width:300px"></div><script>
const parts = PARTS;
field.innerHTML = parts.map(([name, low, high, text]) => `<u onclick='0'><b role=spinbutton contenteditable tabindex=0 aria-label="${name}"
  ${high ? `aria-valuemin=${low} aria-valuemax=${high}` : ''}>${text}</b></u>`).join('<i>/</i>');
let typed = '';
for (const part of field.querySelectorAll('b')) {
  part.onfocus = () => { typed = '' };
  part.onbeforeinput = (event) => event.preventDefault();
  part.onkeydown = (event) => {
    if (event.key.length > 1) return;
    event.preventDefault();
    const isHalf = !part.hasAttribute('aria-valuemax');
    typed += event.key;
    part.textContent = isHalf ? { a: 'AM', p: 'PM' }[event.key] : String(+typed).padStart(2, '0');
    const whole = String(part.getAttribute('aria-valuemax')).length;
    const next = part.parentElement.nextElementSibling?.nextElementSibling;
    if (typed.length >= whole && next) next.firstChild.focus();
    document.title = field.textContent;
  };
}
</script>"""
DAY = [["Month", 1, 12, "MM"], ["Day", 1, 31, "DD"], ["Year", 1, 9999, "YYYY"]]
TIME = [["Hours", 1, 12, "hh"], ["Minutes", 0, 59, "mm"], ["Meridiem", 0, 0, "aa"]]
UNNAMED = [["", 1, 31, "TT"], ["", 1, 12, "MM"], ["", 1, 9999, "JJJJ"], ["", 0, 23, "--"], ["", 0, 59, "--"]]


@pytest.mark.parametrize(
    ("parts", "text", "shown"),
    [
        (DAY, "2026-12-04", "12/04/2026"),
        (TIME, "15:30", "03/30/PM"),
        (DAY + TIME, "2026-12-04 00:05", "12/04/2026/12/05/AM"),
        (UNNAMED, "2026-12-04T15:30", "04/12/2026/15/30"),
    ],
    ids=["day", "time", "both", "by range"],
)
async def test_a_field_of_parts(oryn: Any, parts: list[Any], text: str, shown: str) -> None:
    await oryn.show(SEGMENTED.replace("PARTS", str(parts)))
    assert (await oryn.ok("observe")).count("[") == 1
    answer = await oryn.ok(f'type "Start" "{text}"')
    assert (
        f'~ [1] generic/group "Start" {{focused}} value: "{shown}"' in answer or f'"Start" value: "{shown}"' in answer
    )
    assert await title(oryn) == shown
    assert shown in await oryn.ok('value "Start"')


async def test_a_field_of_parts_says_what_else_it_takes(oryn: Any) -> None:
    await oryn.show(SEGMENTED.replace("PARTS", str(DAY + TIME)))
    assert "the field also takes a time" in await oryn.ok('select "Start" "2026-12-04"')


async def test_a_field_of_parts_that_keeps_another_number(oryn: Any) -> None:
    """Its page has no year after 2025."""
    page = SEGMENTED.replace("PARTS", str(DAY)).replace("String(+typed)", "String(Math.min(+typed, 2025))")
    await oryn.show(page)
    assert 'the field holds "12/04/2025"' in await oryn.ok('type "Start" "2026-12-04"')


async def test_a_calendar_out_of_reach_is_left_for_typing(oryn: Any) -> None:
    page = calendar(field="<label>Leave on <input id=field></label>").replace(
        "<div id=popup", "<div style='position:fixed;top:3000px' id=popup"
    )
    assert "top:3000px" in page
    await oryn.show(page)
    assert 'value: "2026-12-24"' in await oryn.ok('type "Leave on" "2026-12-24"')
