"""The session in which a test runs: does lines, and reads what a report is made of."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from oryn.engine.action import Action
from oryn.engine.output import exchanges
from oryn.engine.output.answer import answer_form
from oryn.engine.page.polling import wait_for_change
from oryn.errors import OrynError
from oryn.language import Line, parse
from oryn.testing.expectation import StepReport, leads_elsewhere, read

if TYPE_CHECKING:
    from oryn.browsers.base import Page
    from oryn.browsers.base.network import ExchangeRecorder, Responder
    from oryn.browsers.base.recording import ScreencastFrame
    from oryn.engine import Answer, Session
    from oryn.sessions.sessions import Sessions

START_SECONDS = 60.0
SCRIPT_SECONDS = 30.0
NETWORK_SECONDS = 30.0
PICTURES_PER_SECOND = 2.0
LOOK_SLACK_SECONDS = 5.0
"""Seconds beyond its limit that a look may take, in which the page is scanned."""


class StepSession:
    """A session of a host, for one test. `base` is the URL of its site; `settings` are those of the session."""

    def __init__(self, sessions: Sessions, name: str, base: str, settings: Mapping[str, Any]) -> None:
        self.name = name
        self.base = base
        self._sessions = sessions
        self._settings = settings
        self.picture: bytes | None = None
        """The latest picture of the current tab, a JPEG file; None if there is none yet. See `follow`."""
        self._followed: Page | None = None
        self._began = self._ended = time.time()
        """When the current step began, and when the one before ended, as Unix time: what comes in between is the
        current one's."""

    @property
    def session(self) -> Session:
        return self._sessions.get_or_open(self.name, self._settings)

    async def start(self) -> None:
        """Start the browser. Raises `OrynError`."""
        async with self.session.turn(START_SECONDS):
            await self.session.startup.ensure_started()

    async def execute(self, line: str | Line) -> Answer:
        """Do a line. Its errors are in the answer."""
        from oryn.engine import Answer

        parsed = parse(line) if isinstance(line, str) else line
        try:
            return await self._sessions.execute_in(self.name, parsed, self._settings)
        except OrynError as error:  # the session can't be opened
            return Answer(command=parsed.canonical, error=error)

    async def step(self, line: str | Line) -> tuple[Answer, StepReport]:
        """Do a line as a step: the answer, and its report."""
        self._began = self._ended
        answer = await self.execute(line)
        report = await self.report_of(answer)
        self._ended = time.time()
        return answer, report

    async def look(self, seconds: float) -> StepReport | None:
        """Wait for the page's next change, at most so many seconds; what it was, None if there was none."""
        session = self.session
        try:
            async with session.turn(seconds + LOOK_SLACK_SECONDS):
                action = await Action.begin(session, reacts=False)
                early = action.meanwhile
                if not early:
                    await wait_for_change(session, seconds, since_report=True)
                answer = await action.report()
                answer.changes[:0] = early
        except OrynError:  # a dialog is open, the page is gone: the next step meets it
            return None
        report = await self.report_of(answer)
        return report if report.entries or report.hidden else None

    async def report_of(self, answer: Answer) -> StepReport:
        """The report of an answer, with what has failed since the step began."""
        form = answer_form(answer)
        seen = await self._seen() if answer.ok and leads_elsewhere(form) else None
        return read(form, base_url=self.base, console=self.console(), requests=self.requests(), seen=seen)

    async def elements(self, *, full: bool = False) -> list[Any]:
        """The elements of the page, as `observe` has them; with `full`, also their selectors."""
        answer = await self.execute(f"observe --limit 0{' --full' if full else ''}")
        return list(answer.observation.elements) if answer.observation is not None else []

    async def _seen(self) -> dict[str, Any]:
        elements = await self.elements()
        text = answer_form(await self.execute("text")).get("result")
        return {"elements": elements, "text": text if isinstance(text, str) else ""}

    def console(self) -> list[dict[str, Any]]:
        """The messages of the console since the step began, with uncaught errors."""
        with suppress(OrynError):  # the browser does not report them
            console = self.session.browser.console
            rows = [*console.messages(), *console.errors()]
            return [asdict(each) for each in rows if each.time >= self._began]
        return []

    def requests(self) -> list[dict[str, Any]]:
        """The requests that have begun or ended since the step began."""
        with suppress(OrynError):
            found = self.session.browser.network.exchanges()
            return [exchanges.summary(each) for each in found if each.started + (each.seconds or 0) >= self._began]
        return []

    async def add_script(self, name: str, source: str) -> None:
        """Run a script before each page's own, from the next page on. Raises `OrynError`."""
        session = self.session
        async with session.turn(SCRIPT_SECONDS):
            await session.startup.ensure_started()
            await session.browser.page_scripts.add(name, source, timeout=SCRIPT_SECONDS)

    # --- the network ---

    async def record_exchanges(self, recorder: ExchangeRecorder) -> None:
        """Give `recorder` each exchange that begins from now on. Raises `OrynError`."""
        session = self.session
        async with session.turn(NETWORK_SECONDS):
            await session.startup.ensure_started()
            await session.browser.network.record(recorder, timeout=NETWORK_SECONDS)

    async def end_recording(self) -> str:
        """End the recording of exchanges, those included that have no answer yet. Returns the browser's name and
        version. Raises `OrynError`."""
        session = self.session
        async with session.turn(NETWORK_SECONDS):
            await session.browser.network.record(None, timeout=NETWORK_SECONDS)
            return await session.browser.version()

    async def answer_requests(self, responder: Responder) -> None:
        """Let `responder` answer the requests that it covers, from now on. Raises `OrynError`."""
        session = self.session
        async with session.turn(NETWORK_SECONDS):
            await session.startup.ensure_started()
            await session.browser.network.answer_by(responder)

    def web_sockets(self) -> list[str]:
        """The URLs of the web sockets that were opened."""
        with suppress(OrynError):
            return [each.url for each in self.session.browser.network.exchanges() if each.kind == "websocket"]
        return []

    def mask(self, data: Any) -> Any:
        """Mask the values of the vault in JSON data."""
        return self.session.mask_data(data)

    async def follow(self) -> None:
        """Let the browser send a picture whenever the current tab is drawn anew, which costs a step nothing: its last
        one is that from before the next step."""
        with suppress(OrynError):  # there is no tab, or no browser that sends pictures
            page = self.session.page
            if page is not self._followed:
                self._followed, self.picture = page, None
                await page.start_screencast(self._keep, frames_per_second=PICTURES_PER_SECOND)

    def _keep(self, frame: ScreencastFrame) -> None:
        self.picture = frame.image

    async def close(self) -> None:
        """Close the session. Never raises `OrynError`."""
        with suppress(OrynError):
            await self._sessions.close_session(self.name)
