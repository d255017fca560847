"""Runs one agent task from start to end: browser, agent, model, transcript and console."""

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
from oryn.agent import Agent, BrowserTabProvider, SavedTools, keyword
from oryn.agent.runner import transcript as transcripts
from oryn.agent.runner.console import ConsoleInput, ConsoleOutput, NoConsoleInput
from oryn.agent.runner.loop import AgentRun, AgentRunLimits, AgentRunResult
from oryn.agent.runner.page import render_page
from oryn.agent.runner.resume import ResumeState, resume_state
from oryn.agent.runner.setup import StartUrlTabs, endpoint_of, prices_of
from oryn.agent.runner.transcript import AgentTranscript
from oryn.core.records import Record
from oryn.engine.file_access import Files
from oryn.hosts.browser_factory import browser_for
from oryn.hosts.process_io import LineReader, cancel_on_signals
from oryn.hosts.session_factory import CLOSE_TIMEOUT_SECONDS, options_of, session_in_tab
from oryn.models.model import ChatModel

if TYPE_CHECKING:
    from oryn.agent.runner.console import SilentOutput
    from oryn.browsers.chromium import ChromiumBrowser
    from oryn.models.endpoint import ModelEndpoint
    from oryn.settings import Configuration

log = logging.getLogger(__name__)


class AgentTask(Record):
    """What to run. If `resumed` is true, `goal` is a correction. `file` is the transcript. `urls` are opened in tabs at
    the start."""

    goal: str | None
    file: Path
    saved: SavedTools
    urls: tuple[str, ...] = ()
    resumed: bool = False


class AgentOutcome(Record):
    """The result of `run_task`. `code` is the exit code; `page` is the HTML rendering of the transcript."""

    ended: AgentRunResult
    code: int
    page: Path


class _RunPlan(Record):
    """The start of a run, whether it is new or resumed."""

    goal: str
    keyword: str
    saved: SavedTools
    urls: tuple[str, ...]
    correction: str | None
    resume_state: ResumeState | None


async def run_task(
    configuration: Configuration, task: AgentTask, watcher: ConsoleOutput | SilentOutput
) -> AgentOutcome:
    """Run the task. A signal stops it in order: the transcript has every completed step, and the browser is closed.
    Raises `OrynError` if the run can't start."""
    plan = _plan(task)
    endpoint = endpoint_of(configuration, plan.resume_state.model if plan.resume_state else None)
    options_of(configuration, configuration.settings.session)  # report invalid options before anything starts
    transcript = AgentTranscript(task.file, new=plan.resume_state is None)
    try:
        _write_start(plan, configuration, endpoint, transcript)
        with cancel_on_signals("SIGINT", "SIGTERM", "SIGHUP") as ending:
            async with _browser(configuration) as browser:
                ended = await _run(plan, configuration, endpoint, transcript, watcher, browser)
    finally:
        transcript.close()
    code = ending.code or (ended.error.exit_code if ended.error else 0)
    return AgentOutcome(ended, code, write_page(task.file))


def _plan(task: AgentTask) -> _RunPlan:
    if not task.resumed:
        return _RunPlan(task.goal or "", keyword(), task.saved, task.urls, None, None)
    resumed = resume_state(transcripts.read_transcript(task.file))
    saved = SavedTools({**resumed.saved, **dict(task.saved.items())})
    return _RunPlan(resumed.goal, resumed.keyword, saved, task.urls or resumed.urls, task.goal, resumed)


def _write_start(
    plan: _RunPlan, configuration: Configuration, endpoint: ModelEndpoint, transcript: AgentTranscript
) -> None:
    """Write the first entry of the transcript: all that a resumed run needs, and no secrets."""
    transcript.write(
        "resumed" if plan.resume_state else "begun",
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
    plan: _RunPlan,
    configuration: Configuration,
    endpoint: ModelEndpoint,
    transcript: AgentTranscript,
    watcher: ConsoleOutput | SilentOutput,
    browser: ChromiumBrowser,
) -> AgentRunResult:
    settings = configuration.settings
    person = _console_input(watcher, transcript)
    tabs = BrowserTabProvider(browser, partial(session_in_tab, configuration))
    agent = Agent(
        plan.goal,
        StartUrlTabs(tabs, plan.urls, may_fail=plan.resume_state is not None),
        saved=plan.saved,
        max_tabs=settings.max_tabs,
        redact=settings.redact,
        keyword=plan.keyword,
        text_limit=settings.page_text,
        page_updates=settings.page_updates,
        keyword_required=False,  # the endpoint reports truncated replies
        confirm=person.confirm,
    )
    if plan.correction:
        transcript.write("correction", content=plan.correction)
    listening = asyncio.create_task(person.listen(agent.correct))
    try:
        limits = AgentRunLimits(settings.max_steps, prices_of(configuration))
        return await AgentRun(
            agent, ChatModel(endpoint), transcript, watcher, limits, plan.resume_state, plan.correction
        ).run()
    finally:
        listening.cancel()


def _console_input(watcher: ConsoleOutput | SilentOutput, transcript: AgentTranscript) -> ConsoleInput | NoConsoleInput:
    """Return the user's console if both input and output are terminals and the run's progress is printed."""
    is_terminal = sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()
    if is_terminal and isinstance(watcher, ConsoleOutput):
        return ConsoleInput(LineReader(sys.stdin.fileno()), watcher.say, transcript)
    return NoConsoleInput(transcript)


def write_page(file: Path) -> Path:
    """Write the HTML page of a transcript next to it. Raises `TranscriptError`, `FileError`."""
    page = file.absolute().with_suffix(".html")
    entries = transcripts.read_transcript(file)
    with Files().writing(str(page)) as stream:
        for part in render_page(entries):
            stream.write(part.encode())
    return page


@asynccontextmanager
async def _browser(configuration: Configuration) -> AsyncIterator[ChromiumBrowser]:
    browser = browser_for(configuration)
    try:
        yield browser
    finally:
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                await browser.close()
        except TimeoutError:
            log.warning("the browser did not end within %g s", CLOSE_TIMEOUT_SECONDS)
