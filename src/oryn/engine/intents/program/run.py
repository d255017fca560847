"""`ProgramExecution`: one run of a program, from its first line to its end or to a surprise.

Each command passes the session's own path, as a line does. Whatever the author did not expect stops the program from
outside: it can't catch that."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from oryn.core.text_safety import quoted
from oryn.engine.intents.program.report import ProgramReport
from oryn.engine.output.answer import Answer, answer_form
from oryn.engine.program.functions import line_of_call
from oryn.engine.program.interpreter import (
    FunctionCall,
    Interpreter,
    ProgramEnd,
    ProgramEvent,
    ProgramFailure,
    ProgramObject,
    ProgramState,
)
from oryn.engine.program.journal import PROGRAM_JOURNAL
from oryn.engine.program.stopped_programs import RESUMABLE_SECONDS, Allowances, StoppedProgram, host_of
from oryn.engine.program.values import Element, SecretText, changes_of, elements_of, objects_of
from oryn.errors import (
    Cancelled,
    ConfirmationDenied,
    ConfirmationRequired,
    InternalError,
    InvalidProgram,
    InvalidValue,
    LanguageError,
    OrynError,
    PolicyError,
    ProgramFailed,
    ProgramLimitReached,
    ProgramStopped,
    TakenOver,
)
from oryn.language import DialogAuto, Goto, Line, Program, TabNew

if TYPE_CHECKING:
    from oryn.engine.session import Session

MAX_COMMANDS = 1_000
"""Maximum number of commands of a program."""
MIN_REMAINING_SECONDS = 0.06
"""A remaining time up to this counts as none, because a session never reports less than 0.05."""


class _Surprise(Exception):
    """Ends the program at a call. `form`: as `StoppedProgram.form`."""

    def __init__(self, error: OrynError, form: Mapping[str, Any] | None = None, *, goes_on: bool = True) -> None:
        super().__init__(error.message)
        self.error = error
        self.form = form
        self.goes_on = goes_on


class ProgramExecution:
    """One run. Call `start` or `go_on` once."""

    def __init__(self, session: Session, command: Program, report: ProgramReport) -> None:
        self._session = session
        self._command = command
        self._report = report
        self._allowances = Allowances()
        self._journal = PROGRAM_JOURNAL.get()
        self._failure: OrynError | None = None
        """The error of the last command that has failed."""
        self._failed_at: tuple[ProgramState, FunctionCall] | None = None
        self._last_call: FunctionCall | None = None

    @property
    def id(self) -> str:
        return self._journal.id if self._journal is not None else self._report.id

    async def start(self, text: str, interpreter: Interpreter, inputs: Mapping[str, Any]) -> None:
        """Run a text with these variables. Its result, or the error that has ended it, is in the report."""
        self._allowances.allow_url(self._url())
        await self._drive(interpreter, await self._step(interpreter.start(text, inputs)))

    async def go_on(self, stopped: StoppedProgram, interpreter: Interpreter) -> None:
        """Go on with a stopped program: the command that it has stopped at is given again, unless it was done."""
        self._allowances = stopped.allowances
        self._report.secrets |= stopped.secrets
        self._allowances.allow_url(self._url())
        event = await self._step(interpreter.restore(stopped.state))
        if not isinstance(event, FunctionCall):
            await self._drive(interpreter, event)
            return
        form = stopped.form
        if stopped.confirmation is not None:
            outcomes = self._session.confirmations.outcomes
            if stopped.confirmation in outcomes:
                answer = outcomes.pop(stopped.confirmation)
                denial = ConfirmationDenied("a person refused the command")
                failure = answer.error if answer is not None else denial
                if failure is not None:
                    self._note_failure(interpreter, stopped.call, failure)
                    await self._drive(interpreter, await self._step(interpreter.fail(_failure_text(failure))))
                    return
                assert answer is not None
                form = answer_form(answer)
        if form is None:
            await self._drive(interpreter, stopped.call)
            return
        line = self._line_of(stopped.call)
        await self._drive(interpreter, await self._step(interpreter.resume(self._value_of(line, form))))

    async def _step(self, step: Awaitable[ProgramEvent]) -> ProgramEvent:
        """Let the program run up to its next call, within the time of the command."""
        deadline = self._session.deadline
        try:
            async with asyncio.timeout(deadline.remaining()):
                return await step
        except TimeoutError:
            behind = f"; its last call was in line {self._last_call.line}" if self._last_call is not None else ""
            return ProgramFailure("limit", f"not done after {deadline.seconds:g} s{behind}")

    # --- the program's calls ---

    async def _drive(self, interpreter: Interpreter, event: ProgramEvent) -> None:
        while isinstance(event, FunctionCall):
            call, self._last_call = event, event
            try:
                event = await self._step(await self._answer(interpreter, call))
            except _Surprise as surprise:
                await self._stop(interpreter, call, surprise)
                return
        if isinstance(event, ProgramEnd):
            self._report.value = event.value
        else:
            self._fail(event)

    async def _answer(self, interpreter: Interpreter, call: FunctionCall) -> Awaitable[ProgramEvent]:
        """Do what a call asks for, and return how the program goes on."""
        if call.name == "allow":
            return self._allow(interpreter, call)
        if call.name == "last_error":
            return interpreter.resume(self._error_fields(call))
        try:
            line = self._line_of(call)
        except LanguageError as error:
            return interpreter.reject("TypeError", ". ".join(filter(None, (error.message, error.hint))))
        answer = await self._perform(line, call)
        form = answer_form(answer)
        if answer.error is None:
            self._check(line, form)
            return interpreter.resume(self._value_of(line, form))
        failure = answer.error
        if isinstance(failure, PolicyError | ProgramStopped | TakenOver | InternalError):
            raise _Surprise(failure)
        if self._session.deadline.remaining() <= MIN_REMAINING_SECONDS:
            raise _Surprise(ProgramLimitReached(f"not done after {self._session.deadline.seconds:g} s"))
        self._note_failure(interpreter, call, failure)
        return interpreter.fail(_failure_text(failure))

    def _allow(self, interpreter: Interpreter, call: FunctionCall) -> Awaitable[ProgramEvent]:
        origins, dialogs = call.named.get("origins"), call.named.get("dialogs")
        unknown = set(call.named) - {"origins", "dialogs"}
        expected = [origins] if isinstance(origins, str) else origins
        if call.arguments or unknown or not isinstance(expected, list | bool | None):
            return interpreter.reject(
                "TypeError", 'allow takes origins=["https://pay.example"] or True, and dialogs=True'
            )
        if isinstance(expected, list):
            for origin in expected:
                self._allowances.allow_url(str(origin) if "://" in str(origin) else f"https://{origin}")
        elif expected is not None:
            self._allowances.any_origin = expected
        if dialogs is not None:
            self._allowances.dialogs = bool(dialogs)
        return interpreter.resume(None)

    def _line_of(self, call: FunctionCall) -> Line:
        """Return the line of a call. Raises `LanguageError`."""
        uncertain: list[Element] = []
        arguments = [self._plain(each, call.name, uncertain) for each in call.arguments]
        named = {name: self._plain(each, call.name, uncertain) for name, each in call.named.items()}
        line = line_of_call(call.name, arguments, named)
        command = line.command
        if uncertain and command is not None and "strict" in command.spec.options:
            # The element's number is of another document: what is called so must be the only one.
            line = Line.of(command.replace(strict=True))
        return line

    def _plain(self, value: Any, function: str, uncertain: list[Element]) -> Any:
        """Return an argument of a function as JSON data. Elements that are only found by name are added to
        `uncertain`. Raises `InvalidValue`."""
        match value:
            case Element():
                target, is_uncertain = value.target(self._session.generation)
                if is_uncertain:
                    uncertain.append(value)
                return target
            case SecretText():
                return value.text
            case ProgramObject():
                if isinstance(element := value.fields().get("element"), Element):
                    return self._plain(element, function, uncertain)
                raise InvalidValue(f"{function} can't take a {type(value).__name__}", "Pass one of its fields.")
            case list():
                return [self._plain(each, function, uncertain) for each in value]
            case Mapping():
                return {name: self._plain(each, function, uncertain) for name, each in value.items()}
        return value

    async def _perform(self, line: Line, call: FunctionCall) -> Answer:
        """Run a command. Its errors are in the answer."""
        session = self._session
        if self._report.count >= MAX_COMMANDS:
            raise _Surprise(ProgramLimitReached(f"{MAX_COMMANDS} commands are done"))
        control = session.control
        if self._command.yielding and self._report.count:
            with session.deadline.set_aside():
                await control.give_way()
        if session.deadline.remaining() <= MIN_REMAINING_SECONDS:
            raise _Surprise(ProgramLimitReached(f"not done after {session.deadline.seconds:g} s"))
        if control.takeover is not None and control.person is None:
            raise _Surprise(TakenOver(f"a person has had this session since {control.takeover.since}"))
        command = line.command
        assert command is not None
        if isinstance(command, Goto | TabNew) and command.url:
            self._allowances.allow_url(_absolute(command.url, self._url()))
        if isinstance(command, DialogAuto):
            self._allowances.dialogs = True
        finish = self._journal.begin(line) if self._journal is not None else None
        try:
            answer = await session.runner.execute_inner(line)
        except asyncio.CancelledError:
            if finish is not None:
                finish(Answer(command=line.canonical, error=Cancelled()))
            raise
        if finish is not None:
            finish(answer)
        self._report.add(command, call.line, answer)
        return answer

    def _check(self, line: Line, form: Mapping[str, Any]) -> None:
        """Raise `_Surprise` if the command, which is done, has led to what nobody expected."""
        if not self._allowances.dialogs:
            for change in form.get("changes", ()):
                if change.get("change") == "dialog":
                    what = f"a dialog: {change.get('kind')} {quoted(str(change.get('message', '')))}"
                    raise _Surprise(
                        ProgramStopped(what, "Answer it with dialog accept or dialog dismiss, or allow(dialogs=True)."),
                        form,
                    )
        url = self._url()
        if not self._allowances.allows(url):
            host = host_of(url)
            raise _Surprise(
                ProgramStopped(
                    f"another origin: {quoted(host)}", f'It goes on there with --from; or allow(origins=["{host}"]).'
                ),
                form,
            )

    def _value_of(self, line: Line, form: Mapping[str, Any]) -> Any:
        """Return what a call returns: the data of a command that looks, else its changes."""
        command, generation = line.command, self._session.generation
        assert command is not None
        if "elements" in form:
            return elements_of(form["elements"], generation)
        data = form.get("result")
        if command.spec.result == "None" or (data is None and not command.spec.reads):
            return changes_of(form.get("changes"), generation)
        return objects_of(data, command.spec, generation)

    def _url(self) -> str:
        displayed = self._session.displayed_page
        return (displayed[0] or "") if displayed is not None else self._session.page_url

    def _error_fields(self, call: FunctionCall) -> ProgramObject:
        """Return the fields of the error that the program has caught. One that it has raised itself has no code."""
        error = self._failure
        text = str(call.arguments[0]) if call.arguments else ""
        if error is None or text not in ("", _failure_text(error)):
            return _CaughtError(code="", message=text, hint=None)
        return _CaughtError(code=error.code, message=error.message, hint=error.hint)

    # --- its end ---

    def _note_failure(self, interpreter: Interpreter, call: FunctionCall, error: OrynError) -> None:
        """Remember a command's error: if the program does not catch it, it can go on at the command."""
        self._failure = error
        self._failed_at = interpreter.state(), call

    async def _stop(self, interpreter: Interpreter, call: FunctionCall, surprise: _Surprise) -> None:
        error = surprise.error
        confirmation = error.id if isinstance(error, ConfirmationRequired) else None
        id = self._keep(interpreter.state(), call, surprise.form, confirmation)
        if confirmation is not None and id is not None:
            self._session.confirmations.add_note(confirmation, f"a program waits for this: program --from {id}")
        self._report.stop(call, error, id, await interpreter.variables(), done=surprise.form is not None)

    def _fail(self, failure: ProgramFailure) -> None:
        where = f"line {failure.line}" + (f", column {failure.column}" if failure.column else "")
        place = f"{where}: " if failure.line else ""
        match failure.kind:
            case "command" if self._failure is not None and self._failed_at is not None:
                state, call = self._failed_at
                id = self._keep(state, call, None, None)
                self._report.stop(call, self._failure, id, failure.variables, done=False)
            case "syntax":
                self._report.error = InvalidProgram(f"{place}{failure.message}")
            case "limit":
                self._report.fail(ProgramLimitReached(f"{place}{failure.message}"), failure)
            case _:
                self._report.fail(ProgramFailed(f"{place}{failure.message}", failure.hint), failure)

    def _keep(
        self, state: ProgramState, call: FunctionCall, form: Mapping[str, Any] | None, confirmation: str | None
    ) -> str | None:
        id = f"p_{secrets.token_hex(4)}"
        end = time.monotonic() + RESUMABLE_SECONDS
        secrets_so_far = frozenset(self._report.secrets)
        stopped = StoppedProgram(id, state, call, self._allowances, end, form, confirmation, secrets_so_far)
        return id if self._session.programs.keep(stopped) else None


def _failure_text(error: OrynError) -> str:
    return f"{error.code}: {error.message}"


class _CaughtError(ProgramObject):
    """The fields of the error of a command."""


_CaughtError.__name__ = _CaughtError.__qualname__ = "OrynError"


def _absolute(url: str, base: str) -> str:
    return url if "://" in url or url.startswith(("about:", "data:", "blob:")) else urljoin(base, url)
