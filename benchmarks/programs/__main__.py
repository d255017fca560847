"""What a program costs beside lines: twelve tasks with loops and conditions in the demo's shop, in Wagtail and in a
dashboard of Panel; and the time of a program's start and of its commands.

usage: python -m benchmarks.programs [--only S,W1] [--verbose] [--speed]

Each task is done twice, in an application and a browser of its own: line by line, as an agent does that reads each
answer and decides, and by one program. The end states, as the application tells them, must be equal and right.
Characters are those that the agent writes and reads. Wagtail and Panel come from PyPI, into a cache folder; the first
run takes minutes. `--only` selects tasks, or all of an application by its letter; a task may need those before it.
`--speed` measures times only.

Last line: tasks with the same right end state, of how many, and characters and calls of programs as parts of those of
lines; with `--speed`, the milliseconds of a start, the first and a later one, and the time of a command in a program as
a part of that of a line. The exit code is 1 if a limit is exceeded.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._host import FORM, OnePage
from benchmarks._session import paired, row, timed
from benchmarks.programs import panel, shop, wagtail
from benchmarks.programs._task import Task, Way
from oryn import Oryn

MAX_CHARACTERS, MAX_CALLS, MAX_START_MS, MAX_COMMAND = 0.4, 0.15, 30, 1.1
COMMANDS = ('value "Name"', 'type "Name" "Ann"', 'check "Newsletter"')
CALLS = ("value('Name')", "type('Name', 'Ann')", "check('Newsletter')")
WIDTHS = (6, 10, 16, 8, 20)
REPEATS = 20
ROUNDS = 15

Application = Callable[[Path], AbstractContextManager[Sequence[Task]]]
APPLICATIONS: dict[str, Application] = {
    "S": shop.application,
    "W": wagtail.application,
    "P": panel.application,
}


class Outcome:
    """A task done in one way."""

    def __init__(self, task: Task, way: Way, state: Any) -> None:
        self.name, self.calls, self.characters, self.state = task.name, way.calls, way.characters, state
        self.is_done = task.is_done(state)


async def done(application: Application, selected: Callable[[str], bool], form: str, verbose: bool) -> list[Outcome]:
    """Do the tasks of an application in one way: `form` is `lines` or `program`."""
    outcomes = []
    with tempfile.TemporaryDirectory() as data, application(Path(data)) as tasks:
        async with Oryn("headless") as oryn:
            for task in (task for task in tasks if selected(task.name)):
                for line in task.begin:
                    answer = await oryn.send(line)
                    if answer.startswith("error"):
                        raise SystemExit(answer)
                way = Way(oryn, verbose=verbose)
                if form == "lines":
                    await task.lines(way)
                else:
                    await way.program(task.program)
                outcomes.append(Outcome(task, way, await task.state(oryn)))
    return outcomes


async def tasks(names: Sequence[str], verbose: bool) -> bool:
    """Do the tasks and print what they cost; whether the limits hold."""

    def selected(task: str) -> bool:
        return not names or any(name in (task, task[0]) for name in names)

    pairs: list[tuple[Outcome, Outcome]] = []
    row("task", "calls", "characters", "", "end state", widths=WIDTHS)
    for letter, application in APPLICATIONS.items():
        if names and not any(name.startswith(letter) for name in names):
            continue
        lines = await done(application, selected, "lines", verbose)
        programs = await done(application, selected, "program", verbose)
        for a, b in zip(lines, programs, strict=True):
            pairs.append((a, b))
            state = "same" if a.state == b.state and a.is_done else f"{a.state} and {b.state}"
            ratio = f"{b.characters / a.characters:.2f}"
            costs = f"{a.calls} → {b.calls}", f"{a.characters} → {b.characters}", ratio
            row(a.name, *costs, state, widths=WIDTHS)
    same = sum(a.state == b.state and a.is_done for a, b in pairs)
    characters = sum(b.characters for _, b in pairs) / sum(a.characters for a, _ in pairs)
    calls = sum(b.calls for _, b in pairs) / sum(a.calls for a, _ in pairs)
    print(f"{same} of {len(pairs)} with the same right end state, characters {characters:.2f}x, calls {calls:.2f}x")
    return same == len(pairs) and characters <= MAX_CHARACTERS and calls <= MAX_CALLS


async def speed() -> bool:
    """Measure the start and the commands of programs; whether the limits hold. Lines and programs come through the
    client, as an agent's do."""
    with OnePage(FORM) as page:
        async with Oryn("headless") as oryn:

            async def line(text: str) -> None:
                answer = await oryn.send(text)
                if answer.startswith("error"):
                    raise SystemExit(answer)

            async def program(text: str) -> None:
                await oryn.program(text=text, report="none")

            await line(f"goto {page.url}")
            plain = statistics.median([await timed(lambda: line("title")) for _ in range(ROUNDS)])
            first = await timed(lambda: program("1")) - plain
            start = statistics.median([await timed(lambda: program("1")) for _ in range(ROUNDS)]) - plain
            ratios = []
            for command, call in zip(COMMANDS, CALLS, strict=True):

                async def as_lines(command: str = command) -> None:
                    for _ in range(REPEATS):
                        await line(command)

                as_program = partial(program, f"for n in range({REPEATS}): {call}")
                lines, programs = await paired(as_lines, as_program, rounds=ROUNDS)
                ratios.append((programs - start) / lines)
                row(command, f"{lines / REPEATS * 1000:.2f} ms", f"{ratios[-1]:.2f}x")
    ratio = statistics.median(ratios)
    print(
        f"start {first * 1000:.1f} ms the first time, {start * 1000:.1f} ms later; a command {ratio:.2f}x of its line"
    )
    return start * 1000 <= MAX_START_MS and ratio <= MAX_COMMAND


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.programs", description=__doc__)
    parser.add_argument("--only", default="", help="names of tasks, or letters of applications, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="print each call with its answer")
    parser.add_argument("--speed", action="store_true", help="measure times only")
    arguments = parser.parse_args()
    names = [name for name in arguments.only.split(",") if name]
    return 0 if asyncio.run(speed() if arguments.speed else tasks(names, arguments.verbose)) else 1


if __name__ == "__main__":
    sys.exit(main())
