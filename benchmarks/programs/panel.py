"""The dashboard of Panel: cells of a table, a slider, a date, and the line that they lead to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.apps import panel
from benchmarks.apps._server import poll
from benchmarks.programs._task import Task, Way
from oryn import Oryn

BUDGETS = (10, 20, 30, 40, 50, 60)
DATES = ("2026-12-24", "2026-12-26", "2026-12-28", "2027-01-02", "2027-01-04")
WEEKEND = ("2026-12-26", "2027-01-02")
PLAN = '"Plan" after "Return trip"'
CELL = re.compile(r'gridcell "([\d,]+)"\n\[(\d+)\] \S+ "editable (\w+)" \{(\w+)')


@contextmanager
def application(data: Path) -> Iterator[Sequence[Task]]:
    with panel.application(data) as tasks:
        yield _tasks(tasks[0].steps[0].line.partition(" ")[2], data / "state.json")


def _tasks(url: str, file: Path) -> Sequence[Task]:
    begin = (f"goto {url}", 'wait visible "Oslo"')

    def saved(name: str, expected: Any) -> dict[str, Any]:
        """What the task's state is, once the application has written it."""

        def value() -> Any:
            return json.loads(file.read_text())[name] if file.is_file() else None

        async def state(oryn: Oryn) -> Any:
            poll(lambda: bool(value() == expected))
            return value()

        return {"state": state, "is_done": lambda found: found == expected}

    async def round_up(way: Way) -> None:
        for number, *_ in CELL.findall(await way.line("observe")):
            people = int(number.replace(",", ""))
            if people % 100:
                await way.line(f'click "{number}"')
                await way.line("press control+a")
                await way.line(f'type css("input:focus") "{people // 100 * 100 + 100}" --enter')

    async def tick(way: Way) -> None:
        for number, cell, _, state in CELL.findall(await way.line("observe")):
            is_large = int(number.replace(",", "")) > 2000
            if is_large != (state == "checked"):
                await way.line(f"click {cell}")
                await way.line(f'{"check" if is_large else "uncheck"} css("input:focus")')
                await way.line("press enter")

    async def budgets(way: Way) -> None:
        for budget in BUDGETS:
            await way.line(f'type "Budget" "{budget}"')
            await way.line(f"click {PLAN}")

    async def dates(way: Way) -> None:
        is_return = False
        for date in DATES:
            await way.line(f'type "Leave on" "{date}"')
            if is_return != (date in WEEKEND):
                await way.line('click "Return trip"')
                is_return = not is_return
            await way.line(f"click {PLAN}")

    return (
        Task("P1", begin, round_up, """for e in observe():
    if e.role == "gridcell" and e.name[0].isdigit():
        people = int(e.name.replace(",", ""))
        if people % 100:
            click(e)
            press("control+a")
            type('css("input:focus")', str(people // 100 * 100 + 100), enter=True)""",
            **saved("people", {"Oslo": 800, "Lima": 10100, "Kyoto": 1500, "Accra": 2600})),
        Task("P2", begin, tick, """people = 0
for e in observe():
    if e.role == "gridcell" and e.name[0].isdigit():
        people = int(e.name.replace(",", ""))
    if e.name.startswith("editable") and ("checked" in e.state) != (people > 2000):
        click(e)
        (check if people > 2000 else uncheck)('css("input:focus")')
        press("enter")""",
            **saved("visited", {"Oslo": False, "Lima": True, "Kyoto": False, "Accra": True})),
        Task("P3", begin, budgets, f"""for budget in {list(BUDGETS)}:
    type("Budget", str(budget))
    print(click('{PLAN}')[0].text)""",
            **saved("plan", "Plan: budget 60, tags , leave None, one way")),
        Task("P4", begin, dates, f"""back = False
for date in {list(DATES)}:
    type("Leave on", date)
    if back != (date in {list(WEEKEND)}):
        click("Return trip")
        back = not back
    print(click('{PLAN}')[0].text)""",
            **saved("plan", "Plan: budget 20, tags , leave 2027-01-04, one way")),
    )  # fmt: skip
