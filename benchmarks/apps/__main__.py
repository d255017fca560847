"""Tasks in JupyterLab, Wagtail, Node-RED and a dashboard of Panel, done with plain commands of the language.

usage: python -m benchmarks.apps [--only J1,P] [--verbose]

The applications come from their registries, into a cache folder; the first run takes minutes. Each task is checked by
the application's own API, files or database. An answer is wrong if it begins with `ok` but lacks what its command must
report. `--only` selects tasks, or all of an application by its letter; a task may need those before it.
`--verbose` prints each command with its answer.

Last line: the tasks done, of how many, and the sums of commands, characters, error answers and wrong answers.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks._host import Host

from . import jupyterlab, node_red, panel, wagtail
from ._server import poll
from ._task import Outcome, Task, perform

Application = Callable[[Path], AbstractContextManager[Sequence[Task]]]
"""Starts an application with its data in a folder, and has the tasks."""

APPLICATIONS: dict[str, Application] = {
    "J": jupyterlab.application,
    "W": wagtail.application,
    "N": node_red.application,
    "P": panel.application,
}


def run_application(application: Application, selected: Callable[[str], bool], verbose: bool) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as data, application(Path(data)) as tasks:
        home = Path(data) / "home"
        home.mkdir()
        host = Host("--files-root", data, home=str(home))
        try:
            yield from run_tasks([task for task in tasks if selected(task.name)], host, verbose)
        finally:
            host.close()


def run_tasks(tasks: Sequence[Task], host: Host, verbose: bool) -> Iterator[Outcome]:
    waiting: list[tuple[Task, Outcome]] = []
    last = tasks[-1].name if tasks else ""
    for task in tasks:
        waiting.append((task, perform(task, host, verbose=verbose)))
        due = [(t, o) for t, o in waiting if task.name in (t.checked_after or t.name, last)]
        for each, outcome in due:
            outcome.done = poll(each.check)
            waiting.remove((each, outcome))
            yield outcome


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.apps", description=__doc__)
    parser.add_argument("--only", default="", help="names of tasks, or letters of applications, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="print each command with its answer")
    arguments = parser.parse_args()
    names = [name for name in arguments.only.split(",") if name]

    def selected(task: str) -> bool:
        return not names or any(name in (task, task[0]) for name in names)

    outcomes: list[Outcome] = []
    for letter, application in APPLICATIONS.items():
        if names and not any(name.startswith(letter) for name in names):
            continue
        for outcome in run_application(application, selected, arguments.verbose):
            outcomes.append(outcome)
            print(outcome.render(), *outcome.wrong, sep="\n     ", flush=True)
    done, wrong = sum(o.done for o in outcomes), sum(len(o.wrong) for o in outcomes)
    print(
        f"done {done} of {len(outcomes)}, {sum(o.commands for o in outcomes)} commands, "
        f"{sum(o.characters for o in outcomes)} characters, {sum(o.errors for o in outcomes)} errors, {wrong} wrong"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
