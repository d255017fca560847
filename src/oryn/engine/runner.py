"""Runs the commands of a session: permit, mask, run, report, truncate."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oryn import errors
from oryn.core.spans import span
from oryn.core.text_safety import one_line, shortened
from oryn.engine.output.answer import Answer
from oryn.engine.output.target_description import TargetDescription, describe_numbers, targets_of
from oryn.engine.page.events import EventReport
from oryn.engine.session import Session
from oryn.engine.takeover import ANSWERS_AGENT
from oryn.language import (
    Back,
    Command,
    Forward,
    Goto,
    Help,
    IdTarget,
    Line,
    Refresh,
    TabClose,
    TabNew,
    TabRelease,
    Tabs,
    TabSwitch,
    TabTake,
    parse,
    render,
)

if TYPE_CHECKING:
    from oryn.engine.recording.recorder import Recorder

log = logging.getLogger(__name__)

_DISK_FULL = frozenset(getattr(errno, name, None) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EROFS"))
"""The system's errors for a disk that accepts no more data."""

ECHO_LIMIT = 120
"""Characters of the command that an answer repeats."""

INPUT_NOTE = (
    "input is dispatched by script, which pages can detect: 'Real keys and mouse' of the extension is not in use"
)

RECORDED_FAMILIES = ("Acting", "Intents", "Moving")
"""Families whose commands are recorded for `learn`."""

_NAVIGATION_COMMANDS = (Goto, Back, Forward, Refresh, Tabs, TabNew, TabSwitch, TabTake, TabRelease, TabClose)
"""Commands whose answers contain nothing of the current page: they open another page, or list the tabs."""


_RECORDED: ContextVar[Mapping[Recorder, Any]] = ContextVar("_RECORDED", default=MappingProxyType({}))
"""What the recorders of the session call the command that the current task runs."""


class CommandRunner:
    """Runs the commands of one session, one at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._events = EventReport(session)
        self._endpoint_reported = False
        self._input_reported = False

    @property
    def is_busy(self) -> bool:
        """Whether a command runs."""
        return self._session.command_lock.locked()

    def is_addressed_by(self, name: str) -> bool:
        """Whether `@name` before a command means this session."""
        return name == self._session.name

    async def execute(self, line: str | Line, *, json: bool | None = None) -> Answer:
        """Run one line, parsed or not, and return its answer. `json` renders it as JSON; None means the choice of
        `output`."""
        session = self._session
        try:
            parsed = parse(line) if isinstance(line, str) else line
        except errors.LanguageError as error:
            return self._reject(str(line), error, json)
        command = parsed.command
        if command is None:
            return Answer(json=session.json if json is None else json)
        try:
            async with AsyncExitStack() as turn:
                with span("wait for turn"):
                    await turn.enter_async_context(self._turn(command))
                return await self._complete(parsed, command, json=json)
        except errors.TakenOver as error:
            return finish_answer(session, Answer(error=error), parsed, command, json=json)

    async def execute_inner(self, line: Line) -> Answer:
        """Run a line of a program, in the turn of the program and within its time. All is checked, reported and
        recorded as for a line of its own; the answer is masked, and not cut. Errors are in the answer."""
        assert line.command is not None
        return await self._complete(line, line.command, is_inner=True)

    async def _complete(
        self, line: Line, command: Command, *, json: bool | None = None, is_inner: bool = False
    ) -> Answer:
        """Run a line in the current turn: record it, run it, and complete its answer."""
        session = self._session
        outer = _RECORDED.get() if is_inner else {}
        recorded = {
            recorder: await recorder.before(
                session.browser, command, canonical_text(session, line, command), outer.get(recorder)
            )
            for recorder in tuple(session.recorders)
        }
        _RECORDED.set(recorded)
        described = describe_numbers(session.element_index.elements or {}, command, session.page_url)
        seconds = session.time_limit(command)
        try:
            self._check_address(line)
            async with session.deadline.step(seconds) if is_inner else session.deadline.limited(seconds):
                if command.spec.family in RECORDED_FAMILIES:
                    noted = session.history.begin(session.browser, session.element_index, command)
                    answer = await self._run(command, is_step=False)
                    if not is_inner:  # a program is repeated as a whole
                        session.history.add(noted, answer, session.browser)
                else:
                    answer = await self._run(command, is_step=False)
        except errors.OrynError as error:
            answer = self._error_answer(error)
        except Exception as error:  # a bug must cost one answer, not the session
            answer = _failure_answer(error)
            if isinstance(answer.error, errors.InternalError):
                log.exception("unexpected error in %s", type(command).__name__)
        finally:
            session.end_turn(command)
            _RECORDED.set(outer)
        answer.targets = {**described, **_targets_of_fields(command, answer)}
        session.lease_guard.end(command, answer)
        self._events.complete(answer, acts=not command.spec.reads or command.spec.family == "Waiting")
        self._add_notes(answer)
        if session.has_person_notes and not is_inner and ANSWERS_AGENT.get():
            from oryn.engine.handlers.notes import untold_notes

            answer.person_notes = await untold_notes(session)
        finish_answer(session, answer, line, command, json=json, is_inner=is_inner)
        for recorder, entry in recorded.items():
            if recorder in session.recorders:  # otherwise the command has ended the recording
                await recorder.after(session.browser, canonical_text(session, line, command), answer, entry)
        return answer

    def _turn(self, command: Command) -> AbstractAsyncContextManager[object]:
        """The turn of a command, for which it waits if a person has taken the session over. Commands that need no
        browser run meanwhile."""
        from oryn.engine.handlers.registry import SESSION_COMMANDS

        session, kind = self._session, type(command)
        if SESSION_COMMANDS.handler_of(kind) is None or not SESSION_COMMANDS.needs_browser(kind):
            return session.command_lock
        return session.control.turn(session.command_lock, session.time_limit(command))

    async def perform(self, command: Command) -> Answer:
        """Run a command as a step of the current one, within its time. Raises `OrynError`."""
        async with self._session.deadline.step(self._session.time_limit(command)):
            return await self._run(command, is_step=True)

    def permit(self, command: Command) -> None:
        """Check a command before any of it runs.

        Raises `PolicyError` if the policy denies the command, or requires a confirmation for it."""
        session = self._session
        policy = session.options.policy
        if policy is not None:
            policy.check(command)
            if policy.requires_confirmation(command):
                session.confirmations.require(command, lambda: describe_command(session, command))

    def _reject(self, line: str, error: errors.LanguageError, json: bool | None) -> Answer:
        """Return the answer to a line that is not a command. The error's position becomes part of its message."""
        if error.position is not None:
            error = type(error)(f"{error.message} (at {error.position})", error.hint, error.position)
        head = line.strip().partition("\n")[0]
        answer = Answer(command=command_echo(head), error=error, json=self._session.json if json is None else json)
        return prepare_answer(self._session, answer)

    # --- steps ---

    def _check_address(self, line: Line) -> None:
        """Raise `SessionNotFound` if the line is for another session."""
        session = self._session
        if line.session is not None and not session.is_addressed_by(line.session):
            names = [one.name for one in session.host.session_infos(session)] if session.host else [session.name]
            raise errors.SessionNotFound.among(names, line.session)

    def _error_answer(self, error: errors.OrynError) -> Answer:
        """Return the answer of a command that has raised an error."""
        if isinstance(error, errors.Timeout):
            if (waiting := self._session.startup.withdrawn) is not None:
                self._session.startup.withdrawn = None
                return Answer(error=errors.QueueTimedOut(f"no browser was free: {waiting}; {error.message}"))
            if self._session.startup.is_being_restored:
                error.hint = "The session is still being opened: run it again."
            else:
                error.hint = self._timeout_hint() or error.hint
        return Answer(error=error)

    async def _run(self, command: Command, *, is_step: bool) -> Answer:
        """Check and run a command, the line's own or a step of it."""
        from oryn.engine.handlers.registry import SESSION_COMMANDS

        session = self._session
        handler = SESSION_COMMANDS.handler_of(type(command))
        if handler is None:
            raise errors.NotSupported()
        session.permit(command)
        if command.has_placeholder:
            from oryn.engine.secrets.session_secrets import check_references

            check_references(command)
        if SESSION_COMMANDS.needs_browser(type(command)):
            await self._prepare_browser(command, is_step)
        with span("act"):
            answer = await handler(session, command)
        if not session.browser.can_restrict_files:
            self._check_page()  # nothing has kept the command from opening a file
        return answer

    async def _prepare_browser(self, command: Command, is_step: bool) -> None:
        """Start the browser, and replace a tab that has crashed."""
        session = self._session
        await session.startup.ensure_started()
        if not is_step:
            if session.browser.shares_tabs:
                await session.browser.before_command()
            self._events.begin()
        person = session.control.person
        session.lease_guard.begin(command, person=person)
        if session.browser.has_foreign_tabs:
            from oryn.engine.user_context import check_user_context

            check_user_context(session, command, describe_command(session, command))
        if not isinstance(command, _NAVIGATION_COMMANDS):
            self._check_page()
        if session.startup.tab_crashed and not isinstance(command, Goto):
            from oryn.engine.handlers.navigation import reload_crashed_tab

            await reload_crashed_tab(session)
        await session.lease_guard.check_numbers(command, person=person)

    def _check_page(self) -> None:
        """Raise the errors of `check_address` if the page is a file that the caller may not open, or any file in a
        browser that can't be held to those, however the browser came to it. No answer may contain anything of it."""
        session = self._session
        try:
            url = session.page.url
        except errors.OrynError:
            return  # there is no tab, or none with a URL; a command that needs one reports that itself
        if url.lower().startswith(("file:", "view-source:file:")):
            from oryn.engine.policy.urls import check_address, require_file_limits

            require_file_limits(session.browser)
            check_address(url, session.files, session.browser.mode)

    # --- notes ---

    def _add_notes(self, answer: Answer) -> None:
        """Report once that other programs may drive the browser too, and once that input is not trusted; and what the
        page of a user's own browser has to say."""
        browser = self._session.browser
        info = browser.info
        if not self._endpoint_reported and info.endpoint is not None and not info.attached:
            self._endpoint_reported = True
            answer.notes.append(f"anyone on this computer can drive this session's browser: {info.endpoint}")
        if not browser.is_external:
            return
        try:
            page = self._session.page
        except errors.OrynError:  # there is no page
            return
        answer.notes += page.take_notices()
        if not self._input_reported and not page.trusted_input:
            self._input_reported = True
            answer.notes.append(INPUT_NOTE)

    def _timeout_hint(self) -> str | None:
        try:
            return self._session.page.timeout_hint()
        except errors.OrynError:  # there is no page
            return None


def _targets_of_fields(command: Command, answer: Answer) -> dict[str, TargetDescription]:
    """What an answer has found of its command's targets; an intent may have acted on others."""
    return {name: answer.targets[name] for name, _ in targets_of(command) if name in answer.targets}


def _failure_answer(error: Exception) -> Answer:
    """Return the answer of a command that has raised an exception of Python: the disk is full, or it is a bug."""
    if isinstance(error, OSError) and error.errno in _DISK_FULL:
        what = f"{error.filename} can't be written" if error.filename else "a file can't be written"
        return Answer(error=errors.FileError(f"{what}: {error.strerror}", "Make room on the disk."))
    return Answer(error=errors.InternalError(f"unexpected {type(error).__name__}"))


def finish_answer(
    session: Session,
    answer: Answer,
    line: Line,
    command: Command,
    *,
    json: bool | None = None,
    is_inner: bool = False,
) -> Answer:
    """Complete an answer that has its result: its command's text, its form and notes; then mask it, and truncate it
    unless a program gets it (`is_inner`)."""
    answer.command = answer.command or command_echo(canonical_text(session, line, command))
    answer.json = session.json if json is None else json
    if session.pending_notes:
        answer.notes = [*session.take_pending_notes(), *answer.notes]
    prepare_answer(session, answer, command)
    if session.options.max_output and not is_inner:
        from oryn.engine.output.truncate import truncate

        answer.cut = truncate(answer, session.options.max_output, session.options.answer_folder)
    return answer


def prepare_answer(session: Session, answer: Answer, command: Command | None = None) -> Answer:
    """Prepare an answer to leave the session: add notes about refused requests, mask it, and add a boundary."""
    policy = session.options.policy
    refuses = session.restricts_files or (policy is not None and policy.domains)
    if refuses and not isinstance(answer.error, errors.DomainNotAllowed | errors.PathNotAllowed):
        from oryn.engine.policy.policy import refused_notes

        answer.notes += refused_notes(session.browser.take_refusals())
    if session.knows_secrets:
        from oryn.engine.secrets.session_secrets import PAGE_CONTENT_FAMILIES, mask_answer

        displayed = command is not None and command.spec.family in PAGE_CONTENT_FAMILIES
        mask_answer(answer, session.secrets, displayed=displayed)
    if session.options.boundaries and not isinstance(command, Help):
        from oryn.engine.output.boundary import new_boundary

        answer.boundary = new_boundary()
    return answer


def canonical_text(session: Session, line: Line, command: Command) -> str:
    """The canonical text of a line's command, its secrets masked."""
    from oryn.engine.handlers.registry import SESSION_COMMANDS

    masked = SESSION_COMMANDS.masked(session, command)
    if masked is not command:
        return session.mask_text(render(masked))
    text = line.canonical
    return session.mask_text(text.removesuffix(line.comment).rstrip() if line.comment else text)


def command_echo(text: str) -> str:
    """The text of a command as an answer repeats it: one line of at most `ECHO_LIMIT` characters."""
    return one_line(shortened(text, ECHO_LIMIT))


def describe_command(session: Session, command: Command) -> str:
    """Describe a command for a person, who does not know the numbers of elements: `click 5 ([5] button "Delete")`."""
    from oryn.engine.handlers.registry import SESSION_COMMANDS
    from oryn.engine.output.elements import label

    text = render(SESSION_COMMANDS.masked(session, command))
    target = getattr(command, "target", None)
    element = (session.element_index.elements or {}).get(target.number) if isinstance(target, IdTarget) else None
    return f"{text} ({label(element)})" if element else text
