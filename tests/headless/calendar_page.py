"""A page with a field that opens a calendar, in the shapes that libraries give it."""

from __future__ import annotations

CALENDAR = """<!doctype html><html lang=LANG><title>none</title><style>
  .cal { position: absolute; border: 1px solid; background: #fff; padding: 4px } .cal[hidden] { display: none }
  .day { display: inline-block; width: 30px; height: 24px; cursor: pointer } .row { width: 215px }
  .nav { cursor: pointer; display: inline-block; width: 30px; height: 20px }</style>
FIELD<div id=popup class=cal hidden><div class=head>HEAD</div><div class=names>Mo Tu We Th Fr Sa Su</div><div class=row id=row></div>FOOT</div>
<script>
  let year = 2026, month = 9, presses = 0; // October
  const field = document.querySelector('#field'), label = (day) => LABEL;
  function draw() {
    const names = new Intl.DateTimeFormat('LANG', { month: 'long' });
    heading.textContent = HEADING;
    const before = (new Date(year, month, 1).getDay() + 6) % 7, days = new Date(year, month + 1, 0).getDate();
    const cell = (number, more) => `<span class="day ${more || ''}" ${more ? '' : label(number)}>${number}</span>`;
    let html = '';
    for (let n = before - 1; n >= 0; n--) html += cell(new Date(year, month, -n).getDate(), 'outside');
    for (let n = 1; n <= days; n++) html += cell(n, DISABLED ? 'is-disabled' : '');
    for (let n = 1; (before + days + n - 1) % 7; n++) html += cell(n, 'outside');
    row.innerHTML = html;
  }
  function move(by) { presses++; const date = new Date(year, month + by, 1); year = date.getFullYear(); month = date.getMonth(); draw() }
  row.onclick = (e) => {
    if (!e.target.matches('.day:not(.outside, .is-disabled)')) return;
    const two = (n) => String(n).padStart(2, '0');
    pick(`${two(+e.target.textContent)}.${two(month + 1)}.${year}`);
  };
  function pick(text) { document.title = text; if (field && 'value' in field) field.value = text; popup.hidden = true }
  const toggle = () => { popup.hidden = false; draw() };
  OPEN
</script>"""


def calendar(
    *,
    field: str = "<label>Leave on <input id=field readonly></label>",
    head: str = "<span class=nav onclick=move(-1)>‹</span><b id=heading></b><span class=nav onclick=move(1)>›</span>",
    heading: str = "names.format(new Date(year, month, 15)) + ' ' + year",
    label: str = "''",
    opens: str = "field.onclick = toggle;",
    language: str = "en",
    disabled: str = "false",
    foot: str = "",
) -> str:
    parts = {
        "FIELD": field, "HEADING": heading, "HEAD": head, "LABEL": label, "OPEN": opens, "LANG": language,
        "DISABLED": disabled, "FOOT": foot,
    }  # fmt: skip
    page = CALENDAR
    for name, text in parts.items():
        page = page.replace(name, text)
    return page


STAYS = "field.onclick = toggle; addEventListener('keydown', (e) => { if (e.key === 'Escape') { popup.hidden = true; escaped() } });"
"""How it opens if it stays open after the day: Escape closes it."""
