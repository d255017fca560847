"""Running an intent: each step goes the way that a line of the agent goes, in the time of the `run` around it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oryn.engine.actions import require_no_dialog
from oryn.engine.conditions import CHANGE_LIMIT, next_change, until
from oryn.engine.execute import masked
from oryn.engine.intents.own.conditions import Scope, holds, told
from oryn.engine.intents.own.definition import Branch, Condition, Definition, Do, Loop, Steps, Try
from oryn.engine.intents.own.masking import secrets_of
from oryn.engine.intents.own.transcript import Row, Transcript
from oryn.errors import FrameNotFound, IntentFailed, NavigationError, OrynError, PolicyError, Timeout
from oryn.language import MASK, render

if TYPE_CHECKING:
    from oryn.engine.answer import Answer
    from oryn.engine.elements import Element
    from oryn.engine.intents.own.parameters import Bound
    from oryn.engine.session import Session

DEEPEST = 8
"""So many intents may be under way, one calling the other."""
MOST_ROUNDS = 1000
NO_TIME = 0.06
"""Seconds that are no time: what a session says remains is never less than 0.05."""


class Ended(IntentFailed):
    """A limit of an intent (`owner`) is reached, or its failure condition holds: no `try` of its own catches that."""

    def __init__(self, owner: Performance, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.owner = owner


class Performance:
    """One run of one intent; `run` once."""

    def __init__(self, session: Session, definition: Definition, bound: Bound) -> None:
        self.session, self.definition = session, definition
        self.scope = Scope(bound.texts, bound.lists, bound.given, secrets_of(session, definition))
        self.parent: Performance | None = session.own.running[-1] if session.own.running else None
        self.transcript: Transcript = self.parent.transcript if self.parent else Transcript()
        self.left = definition.step_limit
        self.numbered: Mapping[int, Element] | None = None
        """The elements as the last `observe` of a step has numbered them, from which changes are told then."""

    async def run(self) -> None:
        """Raises `IntentFailed` for what went wrong, with the step."""
        with self._on_stage():
            await self._steps(self.definition.steps, self.scope)
            for condition in self.definition.success:
                await self._succeeded(condition)

    @contextmanager
    def _on_stage(self) -> Iterator[None]:
        running, name = self.session.own.running, self.definition.name
        names = [each.definition.name for each in running]
        if name in names:
            raise IntentFailed(f"{name} calls itself: {' → '.join([*names, name])}", "Use a loop to repeat steps.")
        if len(running) >= DEEPEST:
            raise IntentFailed(f"{DEEPEST} intents call each other already", "Use fewer, or loops.")
        running.append(self)
        self.transcript.depth += len(names) > 0
        try:
            yield
        finally:
            self.transcript.depth -= len(names) > 0
            running.pop()

    async def _steps(self, steps: Steps, scope: Scope) -> None:
        for step in steps:
            match step:
                case Do():
                    await self._do(step, scope)
                case Branch():
                    chosen = await self._decide("if", step.condition, scope)
                    await self._steps(step.then if chosen else step.otherwise, scope)
                case Loop():
                    await self._loop(step, scope)
                case Try():
                    await self._try(step, scope)

    # --- one command ---

    async def _do(self, step: Do, scope: Scope) -> None:
        self._tick()
        row = self.transcript.step(render(masked(self.session, step.template.shown(scope.texts, scope.secrets))))
        try:
            answer = await self.session.perform(step.template.fill(scope.texts))
            if MASK in answer.command:
                row.text = answer.command
            if answer.error is not None:
                raise answer.error
        except OrynError as error:
            row.error = {"code": error.code, "message": error.message}
            row.outcome = error.message
            self._check_time()
            if isinstance(error, PolicyError):
                raise  # what the user does not let it do is no failure that an intent may go on from
            message = f"step {row.number} ({row.text}): {error.message}"
            if isinstance(error, Ended) and error.owner in self._line():
                raise Ended(error.owner, message, error.hint) from error
            raise IntentFailed(message, error.hint) from error
        self._read(row, answer)
        await self._check_failure()

    def _tick(self) -> None:
        """One more step: of this intent and of those that called it."""
        self._check_time()
        for each in self._line():
            if each.left <= 0:
                message = f"{each.definition.name} is not done after {each.definition.step_limit} steps"
                raise Ended(each, message, "Set limits: {steps: …} higher.")
            each.left -= 1

    def _line(self) -> Iterator[Performance]:
        """This one, the one that called it, and so on."""
        each: Performance | None = self
        while each is not None:
            yield each
            each = each.parent

    def _check_time(self) -> None:
        if self.session.remaining() <= NO_TIME:
            raise Ended(
                self,
                f"{self.definition.name} ran out of time at step {self.transcript.steps}",
                "Give more with --timeout, or with limits: {time: …} in the definition.",
            )

    def _read(self, row: Row, answer: Answer) -> None:
        """Keep what a step has read: in its line where that is short, else for the answer's block."""
        from oryn.engine.text import observed

        row.result = answer.data
        if answer.observation is not None:
            for each in self._line():
                each.numbered = self.session.view.elements
        if answer.block is None and answer.observation is None and len(answer.lines) == 1:
            row.outcome = answer.lines[0]
            return
        seen = observed(answer.observation) if answer.observation else ""
        if read := answer.block or seen or "\n".join(answer.lines):
            self.transcript.results.append((f"{row.number} {row.text}", read))
            if row.result is None:
                row.result = read

    # --- conditions ---

    async def _decide(self, word: str, condition: Condition, scope: Scope) -> bool:
        answer = await self._holds(condition, scope)
        self.transcript.decided(f"{word} {told(condition, scope)}", "yes" if answer else "no")
        return answer

    async def _holds(self, condition: Condition, scope: Scope) -> bool:
        self._check_time()
        try:
            return await self._asked(condition, scope)
        except PolicyError:
            raise
        except OrynError as error:
            self._check_time()
            raise IntentFailed(f"asking {told(condition, scope)}: {error.message}", error.hint) from error

    async def _asked(self, condition: Condition, scope: Scope) -> bool:
        """A navigation under way is no answer: the question is for the next document."""
        while True:
            try:
                return await holds(self.session, condition, scope)
            except (NavigationError, FrameNotFound):
                self._check_time()
                await next_change(self.session, CHANGE_LIMIT)

    async def _check_failure(self) -> None:
        if self.session.page.dialog is not None:
            return
        for condition in self.definition.failure:
            if await self._holds(condition, self.scope):
                raise Ended(self, f"it failed at step {self.transcript.steps}: {told(condition, self.scope)}")

    async def _succeeded(self, condition: Condition) -> None:
        """Wait as long as for what an action starts: a page may need a moment to say that all went well."""

        async def held() -> bool:
            return await holds(self.session, condition, self.scope)

        try:
            with self.session.within(self.session.options.settle_limit):
                require_no_dialog(self.session)
                await until(self.session, held, lambda: "not so")
        except Timeout:
            raise IntentFailed(f"all steps are done, but not {told(condition, self.scope)}") from None

    # --- loops and tries ---

    async def _loop(self, loop: Loop, scope: Scope) -> None:
        if loop.condition is not None:
            await self._wait_in_rounds(loop, loop.condition, scope)
            return
        for inner in self._rounds(loop, scope):
            await self._round(loop, inner)

    async def _round(self, loop: Loop, scope: Scope) -> None:
        self._check_time()
        await asyncio.sleep(0)  # for others, and for the time limit: steps may be none
        await self._steps(loop.steps, scope)

    def _rounds(self, loop: Loop, scope: Scope) -> Iterator[Scope]:
        if loop.over is not None:
            texts = scope.lists[loop.over] if isinstance(loop.over, str) else loop.over
            rounds = len(texts)
        else:
            texts = ()
            rounds = loop.times if isinstance(loop.times, int) else int(float(scope.texts[loop.times or ""]))
        if rounds > MOST_ROUNDS:
            raise IntentFailed(f"a loop of {rounds} rounds", f"It may have {MOST_ROUNDS}.")
        return (scope.inside(loop.item, text) for text in texts) if texts else (scope for _ in range(rounds))

    async def _wait_in_rounds(self, loop: Loop, condition: Condition, scope: Scope) -> None:
        word = "until" if loop.until else "while"
        for done in range(loop.limit + 1):
            if await self._holds(condition, scope) is loop.until:
                self.transcript.decided(f"{word} {told(condition, scope)}", f"done after {done} rounds")
                return
            if done < loop.limit:
                await self._round(loop, scope)
        raise IntentFailed(
            f"{word} {told(condition, scope)}: not done after {loop.limit} rounds", "Set the loop's limit higher."
        )

    async def _try(self, attempt: Try, scope: Scope) -> None:
        try:
            await self._steps(attempt.steps, scope)
        except Ended:
            raise
        except IntentFailed as error:
            self.transcript.caught(error.message)
            await self._steps(attempt.catch, scope)
