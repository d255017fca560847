"""A dashboard, run by `panel serve`: a table, a form with widgets of several kinds, and tabs. After each change it
writes its state into the file `DASHBOARD_STATE`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pandas as pd
import panel as pn

pn.extension("tabulator")

STATE = Path(os.environ["DASHBOARD_STATE"])

cities = pd.DataFrame(
    {
        "city": ["Oslo", "Lima", "Kyoto", "Accra"],
        "people": [709, 10092, 1464, 2514],
        "visited": [True, False, False, False],
    }
)
table = pn.widgets.Tabulator(
    cities,
    show_index=False,
    editors={"people": {"type": "number"}, "visited": {"type": "tickCross"}, "city": None},
    formatters={"visited": {"type": "tickCross"}},
    width=500,
)
budget = pn.widgets.IntSlider(name="Budget", start=0, end=100, value=20)
tags = pn.widgets.MultiChoice(name="Tags", options=["sea", "mountains", "music", "food"])
leave = pn.widgets.DatePicker(name="Leave on")
back = pn.widgets.Toggle(name="Return trip")
plan = pn.widgets.Button(name="Plan", button_type="primary")
line = pn.pane.Markdown("")
choice = pn.widgets.RadioButtonGroup(name="Choice", options=["first", "second"], value="first")
document = pn.widgets.FileInput(name="Document")


def save(*_: object) -> None:
    state = {
        "people": {row.city: int(row.people) for row in table.value.itertuples()},
        "visited": {row.city: bool(row.visited) for row in table.value.itertuples()},
        "budget": budget.value,
        "tags": tags.value,
        "leave": str(leave.value),
        "return": back.value,
        "plan": line.object,
        "choice": choice.value,
        "file": document.filename,
        "size": len(document.value or b""),
    }
    temporary = STATE.with_suffix(".new")
    temporary.write_text(json.dumps(state))
    temporary.replace(STATE)


def show_plan(_: object) -> None:
    trip = "return" if back.value else "one way"
    line.object = f"Plan: budget {budget.value}, tags {' and '.join(tags.value)}, leave {leave.value}, {trip}"


plan.on_click(show_plan)
table.on_edit(save)
for each in (budget, tags, leave, back, choice, document):
    each.param.watch(save, "value")
line.param.watch(save, "object")
document.param.watch(save, "filename")

pn.Column(
    "# Trips",
    pn.Tabs(
        ("Plan", pn.Row(table, pn.Column(budget, tags, leave, back, plan, line))),
        ("Details", pn.Accordion(("More", pn.Column(choice, document)))),
    ),
).servable()
