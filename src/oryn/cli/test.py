"""`oryn test`: records tests of what is done in a session, and runs them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.errors import FileError, InvalidValue, NotSupported, OrynError
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.testing.draft import DraftedTest
    from oryn.testing.run_network import HarUse
    from oryn.testing.test_file import Preparation, RecordedTest
    from oryn.testing.test_run import RunOptions, TestOutcome

_PATHS = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
_BASE_URL = click.option("--base-url", metavar="URL", help="Site to test, in place of the one in the file.")
_SET = click.option("--set", "chosen", multiple=True, metavar="NAME=VALUE", help="Value of a parameter; repeatable.")


@click.group()
def test() -> None:
    """Record and run tests.

    A test is what was done in a session, with what each step caused as its expectation."""


# --- recording ---


def _preparation_options(command: Any) -> Any:
    """The options for what a test prepares."""
    for name, metavar, text in reversed(
        (
            ("base", "URL", "Site of the test. Default: that of the first page."),
            ("state", "FILE", "State to load first, as 'state save' writes it."),
            ("seed", "COMMAND", "Shell command to run before the test."),
            ("cleanup", "COMMAND", "Shell command to run after the test."),
            ("viewport", "WxH", "Size of the viewport: 1280x720."),
            ("locale", "TAG", "Language of the browser: en-GB."),
            ("timezone", "ZONE", "Time zone of the browser: Europe/London."),
            ("clock", "TIME", "Moment at which the pages' clocks begin: 2026-11-30T12:00:00Z."),
        )
    ):
        command = click.option(f"--{name}", name, metavar=metavar, help=text)(command)
    return command


@test.command()
@click.argument("name")
@_preparation_options
@configured()
def record(configuration: Configuration, name: str, **prepared: str | None) -> None:
    """Begin to record the test NAME.

    Everything done in the session from now on becomes a step, whoever does it. 'oryn test stop' writes the file."""
    from oryn.daemon.events import utc_now
    from oryn.testing.files import OpenRecording, OpenRecordings

    session = configuration.settings.session
    file = _test_file(name)
    _preparation_of(prepared, file)
    wanted = {key: value for key, value in prepared.items() if value}
    recording = OpenRecording(str(file), session, utc_now(), preparation=wanted)
    OpenRecordings(configuration.paths.recordings).begin(recording)
    click.echo(f"recording {file.name} in the session {session}; 'oryn test stop' writes it")


@test.command()
@click.option("--cancel", is_flag=True, help="Write nothing.")
@configured()
def stop(configuration: Configuration, cancel: bool) -> None:
    """End a recording and write its test."""
    from oryn.testing.files import OpenRecordings

    session = configuration.settings.session
    recordings = OpenRecordings(configuration.paths.recordings)
    recording = recordings.get(session)
    if not cancel:
        file = Path(recording.file)
        preparation = _preparation_of(recording.preparation, file)
        _write_draft(file, _draft(configuration, session, recording.since, file, preparation))
    recordings.end(session)


@test.command("from-history")
@click.argument("name")
@click.option("--since", metavar="SECONDS", type=click.FloatRange(min=0), help="Only the last so many seconds.")
@click.option("--from", "first", metavar="ID", help="First command, by its id in 'oryn history'.")
@_preparation_options
@configured()
def from_history(
    configuration: Configuration, name: str, since: float | None, first: str | None, **prepared: str | None
) -> None:
    """Write the test NAME of what was done in the session.

    With an ID of a program's row, of that program."""
    from oryn.daemon.history.replay import timestamp_before

    file = _test_file(name)
    moment = None if since is None else timestamp_before(since)
    preparation = _preparation_of(prepared, file)
    session = configuration.settings.session
    _write_draft(file, _draft(configuration, session, moment, file, preparation, first))


def _test_file(name: str) -> Path:
    from oryn.testing.test_file import SUFFIX

    return Path(name if name.endswith(SUFFIX) else name + SUFFIX).absolute()


def _preparation_of(values: Mapping[str, Any], file: Path) -> Preparation:
    """Check the values of the options as the file's reader does. Raises `InvalidTest`."""
    from oryn.testing.test_file import Preparation, RecordedStep, RecordedTest, parse_test, render_test

    wanted = {name: value for name, value in values.items() if value}
    test = RecordedTest(Preparation(**wanted), (RecordedStep("observe"),))
    return parse_test(render_test(test), file.name).preparation


def _draft(
    configuration: Configuration,
    session: str,
    since: str | None,
    file: Path,
    preparation: Preparation,
    first: str | None = None,
) -> DraftedTest:
    from oryn.daemon.history.log import ActionHistory
    from oryn.errors import ActionNotFound
    from oryn.testing.draft import RecordedAct, draft_of

    history = ActionHistory(configuration.paths.daemon)
    rows = [row for prev in (True, False) for row in history.select(session=session, since=since, previous=prev)]
    if first is not None:
        places = [place for place, row in enumerate(rows) if first in (row.action_id, row.program)]
        if not places:
            raise ActionNotFound(f"the history of the session {session} has no action {first}")
        rows = rows[places[0] :]
    earlier = [] if not rows else _before(history, session, rows[0].action_id)
    acts = [act for row in rows if (act := RecordedAct.of(row.values())) is not None]
    start = _last_page([act for row in earlier if (act := RecordedAct.of(row.values()))])
    return draft_of(acts, file.name.partition(".")[0], str(file.parent), start=start, preparation=preparation)


def _before(history: Any, session: str, first: str) -> list[Any]:
    rows = [row for prev in (True, False) for row in history.select(session=session, previous=prev)]
    place = next((at for at, row in enumerate(rows) if row.action_id == first), 0)
    return rows[:place]


def _last_page(acts: Sequence[Any]) -> str | None:
    """The URL of the last page that these acts have led to."""
    from oryn.testing.draft import page_of

    return next((url for act in reversed(acts) if (url := page_of(act))), None)


def _write_draft(file: Path, draft: DraftedTest) -> None:
    from oryn.testing.files import write_test

    write_test(file, draft.test)
    for note in draft.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"{file} has {len(draft.test.steps)} steps; 'oryn test learn {file.name}' learns what varies")


# --- running ---


@test.command(cls=GroupedCommand)
@_PATHS
@_BASE_URL
@_SET
@click.option("--headed", is_flag=True, help="Show the browser's window.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Tests that run at a time.")
@click.option("--shard", metavar="I/N", help="Run only this part of the tests: 1/4.")
@click.option("--changed-only", metavar="COMMIT", help="Run only tests that differ from this commit of Git.")
@click.option("--retries", default=0, show_default=True, type=click.IntRange(0, 10), help="Repeats of a failing test.")
@click.option("--patience", default=5.0, show_default=True, type=click.FloatRange(0, 600), help="Seconds a step waits.")
@click.option(
    "--har",
    type=click.Choice(["record", "replay"]),
    help="Record the answers of other sites beside each test, or replay them.",
)
@click.option("--har-all", is_flag=True, help="With --har, also the answers of the test's own site.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write a JUnit report.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FOLDER", help="Write a page with pictures.")
@click.option("--accept", is_flag=True, help="Write what differs in texts, and healed targets, into the files.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcomes as JSON, one test per line.")
@configured(*BROWSING, "backend")
def run(
    configuration: Configuration,
    paths: Sequence[Path],
    base_url: str | None,
    chosen: Sequence[str],
    headed: bool,
    workers: int,
    shard: str | None,
    changed_only: str | None,
    retries: int,
    patience: float,
    har: Literal["record", "replay"] | None,
    har_all: bool,
    junit: Path | None,
    html: Path | None,
    accept: bool,
    as_json: bool,
) -> None:
    """Run tests.

    PATH is a file, or a folder with some. Exit code 15: an outcome differs; 16: a test could not be prepared."""
    from oryn.testing.test_run import RunOptions

    tests = _chosen_tests(paths, shard, changed_only)
    pictures = html / "pictures" if html else configuration.paths.screenshots / "tests"
    options = RunOptions(
        base=base_url,
        parameters=_parameters(chosen),
        patience=patience,
        pictures=pictures.absolute(),
        every=html is not None,
        retries=retries,
        settings={"headful": True} if headed else {},
        har=_har_use(har, [file for file, _ in tests], everything=har_all),
    )
    began = time.perf_counter()
    outcomes = _run(configuration, tests, options, workers, _print_json if as_json else _print_text)
    _finish(outcomes, time.perf_counter() - began, accept=accept, junit=junit, html=html, as_json=as_json)


@test.command(cls=GroupedCommand)
@_PATHS
@_BASE_URL
@_SET
@click.option("--runs", default=3, show_default=True, type=click.IntRange(1, 20), help="How often to run each.")
@configured(*BROWSING, "backend")
def learn(
    configuration: Configuration, paths: Sequence[Path], base_url: str | None, chosen: Sequence[str], runs: int
) -> None:
    """Run tests several times and write what they expect: what their pages show, and what of it varies.

    A test whose outcome differs from what it expects already is left as it is."""
    from oryn.testing.files import find_tests, read_test, write_test
    from oryn.testing.revision import learned_test
    from oryn.testing.test_run import RunOptions

    options = RunOptions(base=base_url, parameters=_parameters(chosen), describes=True)
    tests = [(file, read_test(file)) for file in find_tests(paths)]
    outcomes = _run(configuration, [each for each in tests for _ in range(runs)], options, 1, lambda _: None)
    failure: OrynError | None = None
    for place, (file, _) in enumerate(tests):
        try:
            learned = learned_test(outcomes[place * runs : (place + 1) * runs])
        except OrynError as error:
            failure = failure or error
            click.echo(f"{file} is left as it was: {error.message}", err=True)
            continue
        write_test(file, learned.test)
        click.echo(f"{file}: {len(learned.test.steps)} steps, learnt from {runs} runs")
        for sentence in learned.sentences:
            click.echo(f"  {sentence}")
    sys.exit(failure.exit_code if failure else 0)


@test.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("step", type=click.IntRange(min=1), metavar="STEP")
@_BASE_URL
@_SET
@configured()
def reach(configuration: Configuration, file: Path, step: int, base_url: str | None, chosen: Sequence[str]) -> None:
    """Do a test's steps before STEP in the daemon's session, to go on by hand.

    Nothing is compared. The first error ends it."""
    from oryn.daemon_client.client import DaemonClient
    from oryn.errors import error_class_of
    from oryn.system.daemon_instance import DaemonInstance
    from oryn.testing.files import read_test
    from oryn.testing.preparation import preparing_lines

    test = read_test(file)
    values = test.values_for(_parameters(chosen), base_url)
    client = DaemonClient(DaemonInstance(configuration.paths), start=True)
    folder = str(file.absolute().parent)
    lines = [*preparing_lines(test.preparation, folder), *(each.filled(values) for each in test.steps[: step - 1])]
    for line in lines:
        answer = client.command({"line": line, "session": configuration.settings.session, "folder": folder})
        click.echo(f"> {line}\n{answer['text']}\n")
        if not answer["ok"]:
            sys.exit(error_class_of(str(answer["error_kind"]).upper()).exit_code)


def _chosen_tests(
    paths: Sequence[Path], shard: str | None, changed_only: str | None
) -> list[tuple[Path, RecordedTest]]:
    """Read all of them before any runs, so that a mistake in one is found at once."""
    from oryn.testing.files import changed_tests, find_tests, read_test, shard_of

    files = find_tests(paths)
    if changed_only is not None:
        files = changed_tests(files, changed_only)
    if shard is not None:
        files = shard_of(files, shard)
    return [(file, read_test(file)) for file in files]


def _har_use(mode: Literal["record", "replay"] | None, tests: Sequence[Path], *, everything: bool) -> HarUse | None:
    """Read all HAR files before any test runs."""
    from oryn.testing.run_network import HarUse, read_hars

    if mode is None:
        if everything:
            raise InvalidValue("--har-all goes with --har", "oryn test run --har record --har-all …")
        return None
    return HarUse(mode, everything, read_hars(tests, everything=everything) if mode == "replay" else {})


def _parameters(chosen: Sequence[str]) -> dict[str, str]:
    values = {}
    for each in chosen:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise InvalidValue(f"--set takes a name and a value: user=ann, not {each}")
        values[name] = value
    return values


def _print_json(outcome: TestOutcome) -> None:
    import json

    from oryn.testing.report import outcome_data

    click.echo(json.dumps(outcome_data(outcome), ensure_ascii=False))


def _print_text(outcome: TestOutcome) -> None:
    from oryn.testing.report import outcome_text

    click.echo(outcome_text(outcome))


def _run(
    configuration: Configuration,
    tests: Sequence[tuple[Path, RecordedTest]],
    options: RunOptions,
    workers: int,
    show: Callable[[TestOutcome], object],
) -> list[TestOutcome]:
    """Run tests in sessions of this process; `show` gets each outcome when it is there."""
    from oryn.hosts.session_factory import sessions_of
    from oryn.testing.test_run import run_tests

    if configuration.settings.backend == "remote":
        raise NotSupported("tests don't run in your own browser", "Use --backend headless, embedded or playwright.")

    async def run_all() -> list[TestOutcome]:
        sessions = sessions_of(configuration)
        try:
            return await run_tests(sessions, tests, options, workers=workers, on_outcome=show)
        finally:
            await sessions.close()

    return asyncio.run(run_all())


def _finish(
    outcomes: Sequence[TestOutcome],
    seconds: float,
    *,
    accept: bool,
    junit: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Write the reports and what is accepted, print the sum, and exit with the code of the worst outcome."""
    from oryn.testing.report import exit_code, summary

    refusals: list[OrynError] = []
    if accept:
        from oryn.testing.revision import accept_outcome

        for outcome in outcomes:
            try:
                if accept_outcome(outcome):
                    click.echo(f"{outcome.file}: accepted", err=as_json)
            except OrynError as error:
                refusals.append(error)
                click.echo(f"{outcome.file}: {error.message}", err=True)
    if junit is not None:
        from oryn.testing.report_files import write_junit

        write_junit(junit, outcomes, seconds)
    if html is not None:
        from oryn.testing.report_files import write_page

        write_page(html, outcomes, seconds)
    click.echo(summary(outcomes, seconds), err=as_json)
    sys.exit(exit_code(outcomes) or next((error.exit_code for error in refusals), 0))


# --- exporting ---


@test.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "format",
    type=click.Choice(["playwright-python", "playwright-ts", "oil", "program"]),
    required=True,
    help="What to write.",
)
@click.option(
    "--output", metavar="FILE", type=click.Path(path_type=Path), help="File to write. Default: standard output."
)
@configured()
def export(configuration: Configuration, path: Path, format: str, output: Path | None) -> None:
    """Write the test PATH for Playwright, or as a script or program of Oryn.

    Elements are found by role and name, and what the steps have caused is asserted."""
    from oryn.testing.exports import export
    from oryn.testing.files import read_test

    name = path.name.removesuffix(".oryntest")
    text = export(read_test(path), name, format)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"can't write {output}: {error.strerror}") from error
