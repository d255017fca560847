"""A dashboard of Panel: a table that is edited in place, a slider, chips, a date picker, tabs, an accordion."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._server import free_port, python_environment, serving
from ._task import Step, Task


@contextmanager
def application(data: Path) -> Iterator[Sequence[Task]]:
    folder, port, state = python_environment("panel", "panel", "pandas"), free_port(), data / "state.json"
    (data / "ticket.txt").write_text("Oslo to Lima\n")
    dashboard = Path(__file__).with_name("dashboard.py")
    command: list[str | Path] = [folder / "panel", "serve", dashboard, "--address", "127.0.0.1", "--port", str(port)]
    url = f"http://127.0.0.1:{port}/dashboard"
    with serving(command, url, folder=data, environment={"DASHBOARD_STATE": str(state)}):
        yield _tasks(url, data, state)


def _tasks(url: str, data: Path, state: Path) -> Sequence[Task]:
    def is_saved(condition: Callable[[dict[str, Any]], bool]) -> Callable[[], bool]:
        return lambda: state.is_file() and condition(json.loads(state.read_text()))

    plan = "Plan: budget 55, tags sea and music, leave 2026-12-24, return"
    return (
        Task(
            "P1",
            (
                Step(f"goto {url}", ['"Panel Application"']),
                Step('wait visible "Oslo"'),
                Step(
                    "observe",
                    ['"Budget: 20"'],
                    {"oslo": r'\[(\d+)\] \S+ "709"', "lima": r'"10,092"\n\[(\d+)\] \S+gridcell'},
                ),
                Step("click {oslo}", ["709"]),
                Step("press control+a"),
                Step('type css("input:focus") "800" --enter', ["800"]),
                Step("click {lima}", ["checkbox"], {"tick": r"\[(\d+)\] checkbox"}),
                Step("check {tick}", ["{checked"]),
                Step("press enter"),
            ),
            is_saved(lambda now: now["people"]["Oslo"] == 800 and now["visited"]["Lima"]),
        ),
        Task(
            "P2",
            (Step('type "Budget" "55"', ["55"]),),
            is_saved(lambda now: now["budget"] == 55),
        ),
        Task(
            "P3",
            (Step('select "Tags" "sea" "music"', ["sea", "music"]),),
            is_saved(lambda now: now["tags"] == ["sea", "music"]),
        ),
        Task(
            "P4",
            (Step('type "Leave on" "2026-12-24"', ["2026-12-24"]),),
            is_saved(lambda now: now["leave"] == "2026-12-24"),
        ),
        Task(
            "P5",
            (Step('click "Return trip"', ["active"]), Step('click "Plan" after "Return trip"', [plan])),
            is_saved(lambda now: now["plan"] == plan),
        ),
        Task(
            "P6",
            (
                Step('click "Details"', ["More"]),
                Step('click "More"', ["second"]),
                Step('click "second"', ["active"]),
                Step(f'upload css("input[type=file]") {data / "ticket.txt"}', ["ticket.txt"]),
            ),
            is_saved(lambda now: now["choice"] == "second" and now["file"] == "ticket.txt" and now["size"] == 13),
        ),
    )
