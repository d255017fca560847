"""Tests made from change reports: do they find what is broken, and nothing else?

usage: python -m benchmarks.tests apps|regressions|harmless|shop|cost|exports
           [--only NAME] [--runs 50] [--show] [--as FORMAT]

apps: a test of 30 steps for each of three real applications, recorded three times, and run again and again: every
    run that does not pass without a warning is a false alarm.
regressions: a test of the demo shop in 30 steps against sixty shops that are broken; found are those that the right
    step tells of first, in a sentence that says what it is.
harmless: a test of the shop in 15 steps against a hundred shops with changes that are no faults.
shop: the test of 30 steps against the shop as it is.
cost: the time of a test's steps, over that of the same lines.
exports: the tests of the applications and of the shop, exported in each format, or in those of `--as`, in Oryn and in
    Playwright itself. `playwright-ts` needs Node and npm.

`--only`: an application, or a part of the names of the alterations. `--show` prints the recorded tests.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from benchmarks.tests import _harmless, _regressions
from benchmarks.tests._altered_shop import Alteration, AlteredShop
from benchmarks.tests._exports import RUNNERS, run_exports
from benchmarks.tests._runs import describe, is_alarm, open_sessions, record, run_once
from benchmarks.tests.applications import APPLICATIONS
from oryn.sessions.sessions import Sessions
from oryn.testing.comparison import Severity
from oryn.testing.test_file import RecordedTest, render_test
from oryn.testing.test_run import TestOutcome

UNCHANGED = Alteration("none")
PATIENCE = 2.0
"""How long a step waits for what it expects, in the runs that have a fault."""
WORKERS = 2


async def applications(only: str, runs: int, show: bool) -> int:
    alarms = 0
    for name, application in APPLICATIONS.items():
        if only not in ("", name):
            continue
        with tempfile.TemporaryDirectory() as data, application(Path(data)) as app:
            async with open_sessions() as sessions:
                test = await record(sessions, app.lines, app.base, vary=app.vary, reset=app.reset)
                if show:
                    print(render_test(test))
                wrong = []
                for number in range(runs):
                    app.reset()
                    outcome = await run_once(sessions, test, app.base)
                    if is_alarm(outcome):
                        wrong.append(f"run {number + 1}: {describe(outcome)}")
                        print(wrong[-1], flush=True)
        alarms += len(wrong)
        steps = f"{len(test.steps)} steps, load {os.getloadavg()[0]:.1f}"
        print(f"{name}: {runs} runs of {steps}: {len(wrong)} false alarms", flush=True)
    return alarms


async def record_shop(sessions: Sessions, lines: Sequence[str], vary: Sequence[str], show: bool) -> RecordedTest:
    with AlteredShop(UNCHANGED) as shop:
        test = await record(sessions, lines, shop.url, vary=vary)
    if show:
        print(render_test(test))
    return test


async def run_altered(
    sessions: Sessions,
    test: RecordedTest,
    alterations: Sequence[Alteration],
    judge: Callable[[Alteration, TestOutcome], str | None],
) -> int:
    """Run the test against each alteration, and print what `judge` says of it. Return of how many it says something."""
    free = asyncio.Semaphore(WORKERS)

    async def one(alteration: Alteration) -> str | None:
        async with free:
            shop = AlteredShop(alteration)
            with shop:
                outcome = await run_once(sessions, test, shop.url, PATIENCE, f"t{alterations.index(alteration)}")
                if not shop.is_altered and not alteration.name.startswith(UNCHANGED.name):
                    print(f"{alteration.name}: alters nothing that the test meets", flush=True)
        verdict = judge(alteration, outcome)
        if verdict is not None:
            print(f"{alteration.name}: {verdict}", flush=True)
        return verdict

    return sum(verdict is not None for verdict in await asyncio.gather(*map(one, alterations)))


def missed(alteration: Alteration, outcome: TestOutcome) -> str | None:
    """Why a regression does not count as found; None if it does."""
    found = next((each for each in outcome.steps if each.comparison.severity >= Severity.TEXT), None)
    if found is None:
        return f"MISSED: {describe(outcome)}"
    sentences = [each.sentence for each in found.comparison.mismatches if each.severity >= Severity.TEXT]
    severity = found.comparison.severity.name
    print(f"  {alteration.name}: step {found.step.number}: {severity}: {sentences[0]}", flush=True)
    if found.step.number != alteration.step:
        return f"WRONG STEP {found.step.number} instead of {alteration.step}: {sentences[0]}"
    if not any(alteration.says in each for each in sentences):
        return f"WRONG SENTENCE, without {alteration.says}: {'; '.join(sentences)}"
    return None


def alarming(alteration: Alteration, outcome: TestOutcome) -> str | None:
    return describe(outcome) if is_alarm(outcome) else None


def chosen(alterations: Sequence[Alteration], only: str) -> list[Alteration]:
    return [each for each in alterations if only in each.name]


async def regressions(only: str, runs: int, show: bool) -> int:
    async with open_sessions() as sessions:
        test = await record_shop(sessions, _regressions.LINES, (), show)
        planted = chosen(_regressions.REGRESSIONS, only)
        lost = await run_altered(sessions, test, planted, missed)
    print(f"regressions: {len(planted) - lost} of {len(planted)} found at the right step, in a true sentence")
    return lost


async def harmless(only: str, runs: int, show: bool) -> int:
    async with open_sessions() as sessions:
        test = await record_shop(sessions, _harmless.LINES, _harmless.VARY, show)
        changes = chosen(_harmless.HARMLESS, only)
        alarms = await run_altered(sessions, test, changes, alarming)
    print(f"harmless changes: {alarms} alarms of {len(changes)}")
    return alarms


async def demo_shop(only: str, runs: int, show: bool) -> int:
    async with open_sessions() as sessions:
        test = await record_shop(sessions, _regressions.LINES, (), show)
        alarms = await run_altered(sessions, test, [Alteration(f"none, run {n}") for n in range(runs)], alarming)
    print(f"shop: {runs} runs of {len(test.steps)} steps: {alarms} false alarms, load {os.getloadavg()[0]:.1f}")
    return alarms


async def cost(only: str, runs: int, show: bool) -> int:
    """Compare the test with the same test that expects only success, in turn, step by step."""
    ratios = []
    async with open_sessions() as sessions:
        test = await record_shop(sessions, _regressions.LINES, (), show)
        with AlteredShop(UNCHANGED) as shop:
            for number in range(min(runs, 10)):
                plain = await _lines_alone(sessions, test, shop.url, f"plain{number}")
                outcome = await run_once(sessions, test, shop.url, name=f"test{number}")
                ratios.append(sum(each.seconds for each in outcome.steps) / plain)
                print(f"run {number + 1}: {ratios[-1]:.2f}", flush=True)
    print(f"cost of a step over the same line: {statistics.median(ratios):.2f}")
    return int(statistics.median(ratios) > 1.1)


async def _lines_alone(sessions: Sessions, test: RecordedTest, base: str, name: str) -> float:
    from oryn.language import parse

    values = test.values_for({}, base)
    began = time.perf_counter()
    for step in test.steps:
        answer = await sessions.execute_in(name, parse(step.filled(values)), {})
        if not answer.ok:
            raise SystemExit(answer.render())
    seconds = time.perf_counter() - began
    await sessions.close_session(name)
    return seconds


PARTS: dict[str, Callable[[str, int, bool], Awaitable[int]]] = {
    "apps": applications,
    "regressions": regressions,
    "harmless": harmless,
    "shop": demo_shop,
    "cost": cost,
}


async def run_part(part: Callable[[str, int, bool], Awaitable[int]], only: str, runs: int, show: bool) -> int:
    return await part(only, runs, show)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.tests", description=__doc__)
    parser.add_argument("part", choices=[*PARTS, "exports"])
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--as", dest="formats", action="append", choices=RUNNERS, metavar="FORMAT")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["ORYN_HOME"] = home
        if arguments.part == "exports":
            formats = tuple(arguments.formats or RUNNERS)
            return int(bool(run_exports(arguments.only, arguments.runs, arguments.show, formats)))
        return int(bool(asyncio.run(run_part(PARTS[arguments.part], arguments.only, arguments.runs, arguments.show))))


if __name__ == "__main__":
    sys.exit(main())
