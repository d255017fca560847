"""One run from its beginning to its end: a browser, an agent, a model, a transcript and who watches."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oryn import __version__
from oryn.agent import Agent, SavedTools, TabTargets, keyword
from oryn.engine.files import Files
from oryn.host.agent import transcript as transcripts
from oryn.host.agent.page import page
from oryn.host.agent.person import Nobody, Person
from oryn.host.agent.preparing import StartingTabs, endpoint_of, prices_of
from oryn.host.agent.resuming import Standing, standing
from oryn.host.agent.running import Ended, Limits, Run
from oryn.host.agent.terminal import Terminal
from oryn.host.agent.transcript import Transcript
from oryn.host.browser import browser_for
from oryn.host.opening import CLOSING_LIMIT, options_of, session_in_tab
from oryn.host.signals import ending_on_signals
from oryn.host.streams import LineReader
from oryn.models.model import Model
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.browsers.cdp import Headless
    from oryn.host.agent.terminal import Silence
    from oryn.models.endpoint import Endpoint
    from oryn.settings import Configuration

log = logging.getLogger(__name__)


class Task(Record):
    """What is to be done. The `goal` of a run that is gone on with (`resumed`) is a correction; `file` is the
    transcript; `urls` are shown in tabs from the start."""

    goal: str | None
    file: Path
    saved: SavedTools
    urls: tuple[str, ...] = ()
    resumed: bool = False


class Outcome(Record):
    """How it ended. `code` is the exit code, `page` the transcript to look at."""

    ended: Ended
    code: int
    page: Path


class _Plan(Record):
    """A run as it begins now."""

    goal: str
    keyword: str
    saved: SavedTools
    urls: tuple[str, ...]
    correction: str | None
    stands: Standing | None


async def perform(configuration: Configuration, task: Task, watcher: Terminal | Silence) -> Outcome:
    """Do it. A signal stops it in order: the transcript has what was done, the browser ends. Raises `OrynError` for
    what keeps it from beginning."""
    plan = _plan(task)
    endpoint = endpoint_of(configuration, plan.stands.model if plan.stands else None)
    options_of(configuration, configuration.settings.session)  # what is wrong with them is told before anything is done
    transcript = Transcript(task.file, new=plan.stands is None)
    try:
        _begin(plan, configuration, endpoint, transcript)
        with ending_on_signals("SIGINT", "SIGTERM", "SIGHUP") as ending:
            async with _browser(configuration) as browser:
                ended = await _run(plan, configuration, endpoint, transcript, watcher, browser)
    finally:
        transcript.close()
    code = ending.code or (ended.error.exit_code if ended.error else 0)
    return Outcome(ended, code, written_page(task.file))


def _plan(task: Task) -> _Plan:
    if not task.resumed:
        return _Plan(task.goal or "", keyword(), task.saved, task.urls, None, None)
    stands = standing(transcripts.read(task.file))
    saved = SavedTools({**stands.saved, **dict(task.saved.items())})
    return _Plan(stands.goal, stands.keyword, saved, task.urls or stands.urls, task.goal, stands)


def _begin(plan: _Plan, configuration: Configuration, endpoint: Endpoint, transcript: Transcript) -> None:
    """What the transcript has of a beginning: all that going on needs, and nothing secret."""
    transcript.write(
        "resumed" if plan.stands else "begun",
        goal=plan.goal,
        keyword=plan.keyword,
        model=endpoint.model,
        endpoint=endpoint.url,
        urls=list(plan.urls),
        saved=dict(plan.saved.items()),
        max_tabs=configuration.settings.max_tabs,
        version=__version__,
    )


async def _run(
    plan: _Plan,
    configuration: Configuration,
    endpoint: Endpoint,
    transcript: Transcript,
    watcher: Terminal | Silence,
    browser: Headless,
) -> Ended:
    settings = configuration.settings
    person = _person(watcher, transcript)
    tabs = TabTargets(browser, partial(session_in_tab, configuration))
    agent = Agent(
        plan.goal,
        StartingTabs(tabs, plan.urls, may_fail=plan.stands is not None),
        saved=plan.saved,
        max_tabs=settings.max_tabs,
        redact=settings.redact,
        keyword=plan.keyword,
        text_limit=settings.page_text,
        keyword_required=False,  # the endpoint says when a reply is cut off
        confirm=person.agrees,
    )
    if plan.correction:
        transcript.write("correction", content=plan.correction)
    listening = asyncio.create_task(person.listen(agent.correct))
    try:
        limits = Limits(settings.max_steps, prices_of(configuration))
        return await Run(agent, Model(endpoint), transcript, watcher, limits, plan.stands, plan.correction).go()
    finally:
        listening.cancel()


def _person(watcher: Terminal | Silence, transcript: Transcript) -> Person | Nobody:
    """Whoever sits at the terminal, if that is one on both sides and they are shown what happens."""
    is_terminal = sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()
    if is_terminal and isinstance(watcher, Terminal):
        return Person(LineReader(sys.stdin.fileno()), watcher.say, transcript)
    return Nobody(transcript)


def written_page(file: Path) -> Path:
    """The page of a transcript, written beside it. Raises `TranscriptError`, `FileError`."""
    shown = file.absolute().with_suffix(".html")
    entries = transcripts.read(file)
    with Files().writing(str(shown)) as stream:
        for part in page(entries):
            stream.write(part.encode())
    return shown


@asynccontextmanager
async def _browser(configuration: Configuration) -> AsyncIterator[Headless]:
    browser = browser_for(configuration)
    try:
        yield browser
    finally:
        try:
            async with asyncio.timeout(CLOSING_LIMIT):
                await browser.close()
        except TimeoutError:
            log.warning("the browser did not end within %g s", CLOSING_LIMIT)
