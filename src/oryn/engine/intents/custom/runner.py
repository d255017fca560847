"""`run <name>`: runs an intent, and answers with its transcript and the changes of the page.

Each step runs like a line of the agent, within the time limit of its `run`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oryn.core.suggestions import did_you_mean
from oryn.core.text_safety import one_line, shortened
from oryn.engine.action import Action
from oryn.engine.definitions.library import FoundIntent
from oryn.engine.definitions.model import (
    BoundParameters,
    Branch,
    CommandStep,
    Condition,
    Definition,
    Loop,
    Steps,
    Try,
)
from oryn.engine.definitions.program_text import is_reference
from oryn.engine.handlers.registry import SESSION_COMMANDS, handles
from oryn.engine.intents.builtin_commands import BUILTIN, builtin_command
from oryn.engine.intents.custom.conditions import IntentScope, is_satisfied, render_condition
from oryn.engine.intents.custom.secrets import secrets_of
from oryn.engine.intents.program.command import run_program
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import page_info, require_no_dialog
from oryn.engine.page.polling import MAX_CHANGE_WAIT_SECONDS, poll_until, wait_for_change
from oryn.engine.program.values import SecretText
from oryn.errors import (
    FrameNotFound,
    IntentFailed,
    IntentNotFound,
    NavigationError,
    OrynError,
    PolicyError,
    ProgramStopped,
    Timeout,
)
from oryn.language import MASK, Command, Program, Run, mask_secret, render

if TYPE_CHECKING:
    from oryn.engine.output.elements import Element
    from oryn.engine.session import Session

MAX_TRANSCRIPT_LINES = 40
"""Maximum number of transcript lines in an answer; beyond it, lines in the middle are only counted."""
MAX_TRANSCRIPT_ROWS = 1000
MAX_LINE_CHARACTERS = 120


@dataclass(slots=True)
class TranscriptRow:
    """One step (with a number), or a decision. `outcome` is its result or its error, on one line."""

    depth: int
    text: str
    number: int | None = None
    outcome: str = ""
    error: dict[str, Any] | None = None
    result: Any = None

    def render(self) -> str:
        number = f"{self.number} " if self.number else ""
        outcome = f": {self.outcome}" if self.outcome else ""
        return "  " * self.depth + one_line(
            shortened(f"{number}{self.text}", MAX_LINE_CHARACTERS) + shortened(outcome, MAX_LINE_CHARACTERS)
        )


@dataclass(slots=True)
class IntentTranscript:
    """The rows of a `run`, including those of nested intents; `depth` is the current nesting."""

    rows: list[TranscriptRow] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)
    """Texts that steps have read, each with its step."""
    depth: int = 0
    steps: int = 0

    def add_step(self, text: str) -> TranscriptRow:
        self.steps += 1
        return self._append(TranscriptRow(self.depth, text, self.steps))

    def add_decision(self, text: str, outcome: str) -> None:
        self._append(TranscriptRow(self.depth, text, outcome=outcome))

    def mark_caught(self, message: str) -> None:
        """Record that a `try` has caught the failure of the last row."""
        if self.rows and self.rows[-1].error is not None:
            self.rows[-1].outcome += " (caught)"
        else:
            self.add_decision("caught", message)

    def _append(self, row: TranscriptRow) -> TranscriptRow:
        if len(self.rows) < MAX_TRANSCRIPT_ROWS:
            self.rows.append(row)
        return row

    def lines(self) -> list[str]:
        rows = [row.render() for row in self.rows]
        if len(rows) <= MAX_TRANSCRIPT_LINES:
            return rows
        half = MAX_TRANSCRIPT_LINES // 2
        return [*rows[:half], f"… {len(rows) - 2 * half} more", *rows[-half:]]

    def block(self) -> str | None:
        """Return the texts that steps have read: alone, or each below its step."""
        if len(self.results) <= 1:
            return self.results[0][1] if self.results else None
        return "\n\n".join(f"{step}\n{text}" for step, text in self.results)

    def data(self) -> list[dict[str, Any]]:
        """Return the steps as JSON data: `[{"step": 1, "command": …, "ok": true, "result"?: …, "error"?: {…}}]`."""
        return [
            {
                "step": row.number,
                "command": row.text,
                "ok": row.error is None,
                **({"result": row.result} if row.result is not None else {}),
                **({"error": row.error} if row.error else {}),
            }
            for row in self.rows
            if row.number
        ]


MAX_NESTED_RUNS = 8
"""Maximum nesting of running intents."""
MAX_LOOP_ROUNDS = 1000
MIN_REMAINING_SECONDS = 0.06
"""A remaining time up to this counts as none, because a session never reports less than 0.05."""


class IntentLimitReached(IntentFailed):
    """A limit of an intent (`owner`) is reached, or its failure condition is true. Its own `try` steps don't catch
    this."""

    def __init__(self, owner: IntentRun, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.owner = owner


class IntentRun:
    """One run of one intent. Call `run` only once."""

    def __init__(self, session: Session, definition: Definition, bound: BoundParameters) -> None:
        self.session, self.definition = session, definition
        self.scope = IntentScope(bound.texts, bound.lists, bound.provided, secrets_of(session, definition))
        running = session.custom_intents.running
        self.parent = running[-1] if running and isinstance(running[-1], IntentRun) else None
        self.transcript: IntentTranscript = self.parent.transcript if self.parent else IntentTranscript()
        self.steps_left = definition.step_limit
        self.observed_elements: Mapping[int, Element] | None = None
        """The elements of the last `observe` in a step; changes are then compared with them."""

    async def run(self) -> None:
        """Run the steps and check the success conditions. Raises `IntentFailed` with the step that failed."""
        with self.nested():
            await self._steps(self.definition.steps, self.scope)
            await self.check_success()

    async def check_success(self) -> None:
        """Check the success conditions. Raises `IntentFailed`."""
        for condition in self.definition.success:
            await self._check_success(condition)

    @contextmanager
    def nested(self) -> Iterator[None]:
        running, name = self.session.custom_intents.running, self.definition.name
        names = [each.definition.name for each in running]
        if name in names:
            raise IntentFailed(f"{name} calls itself: {' → '.join([*names, name])}", "Use a loop to repeat steps.")
        if len(running) >= MAX_NESTED_RUNS:
            raise IntentFailed(f"{MAX_NESTED_RUNS} intents call each other already", "Use fewer, or loops.")
        running.append(self)
        self.transcript.depth += len(names) > 0
        try:
            yield
        finally:
            self.transcript.depth -= len(names) > 0
            running.pop()

    async def _steps(self, steps: Steps, scope: IntentScope) -> None:
        for step in steps:
            match step:
                case CommandStep():
                    await self._do(step, scope)
                case Branch():
                    chosen = await self._decide("if", step.condition, scope)
                    await self._steps(step.then if chosen else step.otherwise, scope)
                case Loop():
                    await self._loop(step, scope)
                case Try():
                    await self._try(step, scope)

    # --- one command ---

    async def _do(self, step: CommandStep, scope: IntentScope) -> None:
        self._tick()
        row = self.transcript.add_step(
            render(SESSION_COMMANDS.masked(self.session, step.template.masked_command(scope.texts, scope.secrets)))
        )
        try:
            answer = await self.session.runner.perform(step.template.fill(scope.texts))
            if MASK in answer.command:
                row.text = answer.command
            if answer.error is not None:
                raise answer.error
        except OrynError as error:
            row.error = {"code": error.code, "message": error.message}
            row.outcome = error.message
            self._check_time()
            if isinstance(error, PolicyError | ProgramStopped):
                raise  # an intent must not catch a denial by the user's policy, or a surprise
            message = f"step {row.number} ({row.text}): {error.message}"
            if isinstance(error, IntentLimitReached) and error.owner in self._callers():
                raise IntentLimitReached(error.owner, message, error.hint) from error
            raise IntentFailed(message, error.hint) from error
        self._store_result(row, answer)
        await self._check_failure()

    def _tick(self) -> None:
        """Count one more step, for this intent and its callers."""
        self._check_time()
        for each in self._callers():
            if each.steps_left <= 0:
                message = f"{each.definition.name} is not done after {each.definition.step_limit} steps"
                raise IntentLimitReached(each, message, "Set limits: {steps: …} higher.")
            each.steps_left -= 1

    def _callers(self) -> Iterator[IntentRun]:
        """Yield this run, its caller, and so on."""
        each: IntentRun | None = self
        while each is not None:
            yield each
            each = each.parent

    def _check_time(self) -> None:
        if self.session.deadline.remaining() <= MIN_REMAINING_SECONDS:
            raise IntentLimitReached(
                self,
                f"{self.definition.name} ran out of time at step {self.transcript.steps}",
                "Give more with --timeout, or with limits: {time: …} in the definition.",
            )

    def _store_result(self, row: TranscriptRow, answer: Answer) -> None:
        """Record the result of a step: in its row if it is short, else for the answer's block."""
        from oryn.engine.output.answer import render_observation

        row.result = answer.data
        if answer.observation is not None:
            for each in self._callers():
                each.observed_elements = self.session.element_index.elements
        if answer.block is None and answer.observation is None and len(answer.lines) == 1:
            row.outcome = answer.lines[0]
            return
        seen = render_observation(answer.observation) if answer.observation else ""
        if read := answer.block or seen or "\n".join(answer.lines):
            self.transcript.results.append((f"{row.number} {row.text}", read))
            if row.result is None:
                row.result = read

    # --- conditions ---

    async def _decide(self, word: str, condition: Condition, scope: IntentScope) -> bool:
        answer = await self._is_satisfied(condition, scope)
        self.transcript.add_decision(f"{word} {render_condition(condition, scope)}", "yes" if answer else "no")
        return answer

    async def _is_satisfied(self, condition: Condition, scope: IntentScope) -> bool:
        self._check_time()
        try:
            return await self._query(condition, scope)
        except PolicyError:
            raise
        except OrynError as error:
            self._check_time()
            raise IntentFailed(f"asking {render_condition(condition, scope)}: {error.message}", error.hint) from error

    async def _query(self, condition: Condition, scope: IntentScope) -> bool:
        """Evaluate a condition; if the page navigates meanwhile, evaluate it again in the next document."""
        while True:
            try:
                return await is_satisfied(self.session, condition, scope)
            except (NavigationError, FrameNotFound):
                self._check_time()
                await wait_for_change(self.session, MAX_CHANGE_WAIT_SECONDS)

    async def _check_failure(self) -> None:
        if self.session.page.dialog is not None:
            return
        for condition in self.definition.failure:
            if await self._is_satisfied(condition, self.scope):
                raise IntentLimitReached(
                    self, f"it failed at step {self.transcript.steps}: {render_condition(condition, self.scope)}"
                )

    async def _check_success(self, condition: Condition) -> None:
        """Wait until the condition is true, at most the settle limit, because a page may need a moment to confirm
        success."""

        async def held() -> bool:
            return await is_satisfied(self.session, condition, self.scope)

        try:
            with self.session.deadline.within(self.session.options.settle_limit):
                require_no_dialog(self.session)
                await poll_until(self.session, held, lambda: "not so")
        except Timeout:
            raise IntentFailed(f"all steps are done, but not {render_condition(condition, self.scope)}") from None

    # --- loops and tries ---

    async def _loop(self, loop: Loop, scope: IntentScope) -> None:
        if loop.condition is not None:
            await self._loop_until(loop, loop.condition, scope)
            return
        for inner in self._rounds(loop, scope):
            await self._round(loop, inner)

    async def _round(self, loop: Loop, scope: IntentScope) -> None:
        self._check_time()
        await asyncio.sleep(0)  # let other tasks and the time limit run: there may be no steps
        await self._steps(loop.steps, scope)

    def _rounds(self, loop: Loop, scope: IntentScope) -> Iterator[IntentScope]:
        if loop.over is not None:
            texts = scope.lists[loop.over] if isinstance(loop.over, str) else loop.over
            rounds = len(texts)
        else:
            texts = ()
            rounds = loop.times if isinstance(loop.times, int) else int(float(scope.texts[loop.times or ""]))
        if rounds > MAX_LOOP_ROUNDS:
            raise IntentFailed(f"a loop of {rounds} rounds", f"It may have {MAX_LOOP_ROUNDS}.")
        return (scope.inside(loop.item, text) for text in texts) if texts else (scope for _ in range(rounds))

    async def _loop_until(self, loop: Loop, condition: Condition, scope: IntentScope) -> None:
        word = "until" if loop.until else "while"
        for done in range(loop.limit + 1):
            if await self._is_satisfied(condition, scope) is loop.until:
                self.transcript.add_decision(
                    f"{word} {render_condition(condition, scope)}", f"done after {done} rounds"
                )
                return
            if done < loop.limit:
                await self._round(loop, scope)
        raise IntentFailed(
            f"{word} {render_condition(condition, scope)}: not done after {loop.limit} rounds",
            "Set the loop's limit higher.",
        )

    async def _try(self, attempt: Try, scope: IntentScope) -> None:
        try:
            await self._steps(attempt.steps, scope)
        except IntentLimitReached:
            raise
        except IntentFailed as error:
            self.transcript.mark_caught(error.message)
            await self._steps(attempt.catch, scope)


@handles(Run)
async def run(session: Session, command: Run) -> Answer:
    url = session.page_url
    found = session.custom_intents.find(command.name, url)
    if found is not None:
        return await run_definition(session, found, command.parameters, command)
    if command.name in BUILTIN:
        return await session.runner.perform(builtin_command(command.name, command.parameters))
    raise _not_found(session, command.name, url)


async def run_definition(
    session: Session, found: FoundIntent, arguments: Iterable[tuple[str, str]], command: Command
) -> Answer:
    """Run a definition. If another intent runs it, its steps are in the answer of that one."""
    definition = found.definition
    bound = BoundParameters(definition, arguments)
    intent_run = IntentRun(session, definition, bound)
    if definition.program is not None:
        return await _run_program(intent_run, bound, found.origin, command)
    if intent_run.parent is not None:
        limit = definition.time_limit
        with session.deadline.within(limit) if limit else nullcontext():
            await intent_run.run()
        return Answer()
    if definition.time_limit is not None and command.timeout is None:
        session.deadline.extend(definition.time_limit)
    action = None if session.page.dialog is not None else await Action.begin(session, reacts=False)
    error: OrynError | None = None
    try:
        await intent_run.run()
    except OrynError as failure:
        error = failure
    answer = await _report_changes(session, action, intent_run)
    answer.error = error
    answer.lines = intent_run.transcript.lines()
    answer.block = intent_run.transcript.block()
    answer.data = {"intent": definition.name, "from": found.origin, "steps": intent_run.transcript.data()}
    return answer


async def _run_program(intent_run: IntentRun, bound: BoundParameters, origin: str, command: Command) -> Answer:
    """Run a definition that is a program. Its answer is the program's report."""
    session, definition = intent_run.session, intent_run.definition
    program = Program(text=definition.program, timeout=command.timeout or definition.time_limit)
    if program.timeout is not None and intent_run.parent is None and command.timeout is None:
        session.deadline.extend(program.timeout)
    with intent_run.nested():
        answer = await run_program(session, program, _variables(intent_run, bound))
        if answer.error is None:
            try:
                await intent_run.check_success()
            except OrynError as error:
                answer.error = error
    answer.data = {"intent": definition.name, "from": origin, "steps": [], "program": answer.data}
    if answer.command and isinstance(command, Run):  # a command had a secret in its text, which may be of a parameter
        parameters = tuple((name, mask_secret(value)) for name, value in command.parameters)
        answer.command = render(command.replace(parameters=parameters))
    return answer


def _variables(intent_run: IntentRun, bound: BoundParameters) -> dict[str, Any]:
    """Return the parameters as variables of a program. What has neither a value nor a default is None."""
    definition = intent_run.definition
    values: dict[str, Any] = {name: list(texts) for name, texts in bound.lists.items()}
    for name, text in bound.texts.items():
        match definition.parameters[name].type:
            case "flag":
                values[name] = text == "true"
            case _ if name not in bound.provided:
                values[name] = None
            case _ if name in intent_run.scope.secrets:
                values[name] = text if is_reference(text) else SecretText(text)
            case "number":
                values[name] = float(text) if "." in text else int(text)
            case _:
                values[name] = text
    return values


async def _report_changes(session: Session, action: Action | None, intent_run: IntentRun) -> Answer:
    """Return the changes of all steps together, as far as the page can still report them."""
    try:
        if action is None:
            return Answer(page=None if session.page.dialog is not None else await page_info(session))
        if intent_run.observed_elements is not None:
            # Former numbers are no longer valid, so changes are compared with the step that assigned new ones.
            action.before = dict(intent_run.observed_elements)
        return await action.report()
    except OrynError as error:
        return Answer(notes=[f"what changed is not known: {error.message}"])


def _not_found(session: Session, name: str, url: str) -> IntentNotFound:
    for pack in session.custom_intents.library.packs().values():
        if name in pack.folder.definitions:
            if pack.name in session.custom_intents.loaded:
                return IntentNotFound(
                    f"no intent {name} for this page", f"Pack {pack.name} has it for: {', '.join(pack.urls)}"
                )
            return IntentNotFound(f"no intent {name}", f"Pack {pack.name} has it: pack load {pack.name}")
    names = [*(each.definition.name for each in session.custom_intents.all(url)), *BUILTIN]
    return IntentNotFound(f"no intent {name}", did_you_mean(name, names))
