"""A date with a time, in calendars that have fields for it and in those that have none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.headless.calendar_page import STAYS, calendar


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begins", "wanted", "holds"),
    [
        ("00:00", "10:30", "05.11.2026 10:30"),
        ("12:00 AM", "14:00", "05.11.2026 2:00 PM"),
        ("0:00:00", "9:05", "05.11.2026 9:05:00"),
    ],
    ids=["as it is", "of a clock with halves", "with seconds"],
)
async def test_a_time_beside_the_date_is_typed_as_the_field_writes_it(
    oryn: Any, begins: str, wanted: str, holds: str
) -> None:
    field = "<label>Leave on <input id=field></label>"
    page = calendar(field=field, opens=f"field.onfocus = toggle; {STAYS}")
    await oryn.show(page.replace("field.value = text; popup.hidden = true }", f"field.value = text + ' {begins}' }}"))
    answer = await oryn.ok(f'type "Leave on" "2026-11-05 {wanted}"')
    assert f'value: "{holds}"' in answer and "# note" not in answer
    assert await oryn('eval "popup.hidden"') == 'ok eval "popup.hidden"\n\n| true'


SPINNERS = (
    "<div><input type=number id=h max=12 value=12> <input type=number id=m max=59 value=00> <span id=half>AM</span></div><script>"
    "half.onclick = () => { half.textContent = half.textContent === 'AM' ? 'PM' : 'AM'; fill() }; h.onchange = m.onchange = fill;"
    "function fill() { field.value = field.value.slice(0, 10) + ` ${h.value}:${m.value} ${half.textContent}` }</script>"
)
LISTS = (
    "<div><select id=h onchange=fill()>HOURS</select><select id=m onchange=fill()>MINUTES</select></div>"
    "<script>function fill() { field.value = field.value.slice(0, 10) + ` ${h.value}:${m.value}` }</script>"
).replace("HOURS", "".join(f"<option>{hour}" for hour in range(24)))
QUARTERS = LISTS.replace("MINUTES", "<option>00<option>15<option>30<option>45")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("foot", "wanted", "holds"),
    [
        (SPINNERS, "14:30", "05.11.2026 02:30 PM"),
        (SPINNERS, "09:05", "05.11.2026 09:05 AM"),
        (QUARTERS, "14:45", "05.11.2026 14:45"),
    ],
    ids=["fields, the other half", "fields", "lists"],
)
async def test_a_time_is_set_in_the_fields_of_the_calendar(oryn: Any, foot: str, wanted: str, holds: str) -> None:
    page = calendar(opens=STAYS, foot=foot).replace(
        "field.value = text; popup.hidden = true", "field.value = text + ' 12:00 AM'"
    )
    await oryn.show(page)
    answer = await oryn.ok(f'type "Leave on" "2026-11-05 {wanted}"')
    assert f'value: "{holds}"' in answer and "# note" not in answer


async def test_a_time_that_the_lists_of_the_calendar_lack_is_left(oryn: Any) -> None:
    await oryn.show(calendar(opens=STAYS, foot=QUARTERS).replace("; popup.hidden = true", ""))
    assert "set the time 14:20 in it" in await oryn.ok('type "Leave on" "2026-11-05 14:20"')


@pytest.mark.slow
async def test_a_time_that_the_field_takes_back_is_left(oryn: Any) -> None:
    field = "<label>Leave on <input id=field oninput=\"this.value = '05.11.2026 00:00'\"></label>"
    page = calendar(field=field, opens="field.onfocus = toggle;").replace(
        "field.value = text;", "field.value = text + ' 00:00';"
    )
    await oryn.show(page)
    answer = await oryn.ok('type "Leave on" "2026-11-05 10:00"')
    assert "the calendar took the day; set the time 10:00 in it" in answer
