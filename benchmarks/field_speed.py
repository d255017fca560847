"""Seconds to fill in a form of nine native fields, field by field: without scripts, and as controlled inputs of React.

usage: python -m benchmarks.field_speed [ROUNDS]

The bare side does the same with protocol calls alone: focus and select, insert the text (a box: press it), and two
frames for each field. Its browser is another one. The least of the rounds counts, each on a page that was loaded anew.
React comes from `tests/editors` (`npm install` there).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

from benchmarks._host import OnePage
from benchmarks._session import headless_session, must, row, run, timed
from oryn.browsers.chromium.page import CdpPage
from oryn.engine import Session

ROUNDS = 5
MODULES = Path("tests/editors/node_modules")
REACT = ("react/umd/react.production.min.js", "react-dom/umd/react-dom.production.min.js")

FIELDS = (
    ("name", "text", "Name", "Ada Lovelace"),
    ("mail", "email", "Mail", "ada@example.org"),
    ("phone", "tel", "Phone", "+44 20 7946 0000"),
    ("age", "number", "Age", "36"),
    ("site", "url", "Site", "https://example.org/"),
    ("born", "date", "Born", "1985-12-10"),
    ("notes", "textarea", "Notes", "Analytical engine"),
    ("country", "select", "Country", "Norway"),
    ("news", "checkbox", "Newsletter", ""),
)
COUNTRIES = ("France", "Spain", "Norway")

RENDER = """
const {createElement: h, useState} = React;
function Form() {
  const [held, hold] = useState({name: '', mail: '', phone: '', age: '', site: '', born: '', notes: '',
    country: 'France', news: false});
  const change = (id, property) => (event) => hold({...held, [id]: event.target[property]});
  const bound = (id) => ({id, value: held[id], onChange: change(id, 'value')});
  const control = ([id, type]) =>
    type === 'select' ? h('select', bound(id), COUNTRIES.map((each) => h('option', {key: each}, each)))
    : type === 'checkbox' ? h('input', {id, type, checked: held[id], onChange: change(id, 'checked')})
    : h(type === 'textarea' ? type : 'input', {...bound(id), ...(type === 'textarea' ? {} : {type})});
  return FIELDS.map((field) => h('p', {key: field[0]}, h('label', null, field[2] + ' ', control(field))));
}
ReactDOM.render(h(Form), root);
"""


def native_page() -> str:
    def control(name: str, kind: str) -> str:
        if kind == "textarea":
            return f"<textarea id={name}></textarea>"
        if kind == "select":
            return f"<select id={name}>{''.join(f'<option>{each}' for each in COUNTRIES)}</select>"
        return f"<input id={name} type={kind}>"

    rows = "".join(f"<p><label>{label} {control(name, kind)}</label>" for name, kind, label, _ in FIELDS)
    return f"<!doctype html><title>Form</title><form>{rows}</form>"


def react_page() -> str:
    library = "".join(f"<script>{(MODULES / each).read_text(encoding='utf-8')}</script>" for each in REACT)
    data = f"const FIELDS = {json.dumps(FIELDS)}, COUNTRIES = {json.dumps(COUNTRIES)};"
    return f"<!doctype html><title>Form</title><form id=root></form>{library}<script>{data}{RENDER}</script>"


def line(kind: str, label: str, value: str) -> str:
    if kind == "checkbox":
        return f'check "{label}"'
    return f'{"select" if kind == "select" else "type"} "{label}" "{value}"'


async def by_lines(session: Session) -> None:
    for _, kind, label, value in FIELDS:
        (await must(session, line(kind, label, value))).render()


FOCUS = "(() => {{ const field = document.getElementById('{}'); field.focus(); field.select?.() }})()"
CHOOSE = """(() => {{ const field = document.getElementById('{}');
Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, '{}');
for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {{bubbles: true}})) }})()"""
CENTRE = """(() => {{ const box = document.getElementById("{}").getBoundingClientRect();
return [box.x + box.width / 2, box.y + box.height / 2] }})()"""
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def by_protocol(session: Session) -> None:
    channel = cast(CdpPage, session.page).channel

    async def evaluate(expression: str) -> Any:
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return (await channel.call("Runtime.evaluate", params))["result"].get("value")

    for name, kind, _, value in FIELDS:
        if kind == "checkbox":
            x, y = await evaluate(CENTRE.format(name))
            for event in ("mousePressed", "mouseReleased"):
                await channel.call(
                    "Input.dispatchMouseEvent", {"type": event, "x": x, "y": y, "button": "left", "clickCount": 1}
                )
        elif kind in ("select", "date"):
            await evaluate(CHOOSE.format(name, value))
        else:
            await evaluate(FOCUS.format(name))
            await channel.call("Input.insertText", {"text": value})
        await evaluate(TWO_FRAMES)


HELD = """[...document.querySelectorAll('input,select,textarea')].map((field) =>
field.type === 'checkbox' ? field.checked : field.value)"""
EXPECTED = [value if kind != "checkbox" else True for _, kind, _, value in FIELDS]


async def least(session: Session, fill: Callable[[Session], Awaitable[None]], url: str, rounds: int) -> float:
    times: list[float] = []
    for _ in range(rounds):
        await must(session, f"goto {url}")
        await must(session, "observe")
        times.append(await timed(lambda: fill(session)))
        held = await session.page.evaluate(HELD)
        if held != EXPECTED:
            raise SystemExit(f"the form holds {held}")
    return min(times)


async def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    row("nine fields", "bare s", "oryn s")
    for name, html in (("without scripts", native_page()), ("React, controlled", react_page())):
        with OnePage(html) as page:
            async with headless_session() as session, headless_session() as other:
                bare = await least(other, by_protocol, page.url, rounds)
                full = await least(session, by_lines, page.url, rounds)
        row(name, f"{bare:.2f}", f"{full:.2f}")


if __name__ == "__main__":
    run(main)
