"""The run itself: the model speaks, the agent does it, what came of it goes back, until there is an end.

Everything is written into the transcript when it happens, so that a run can be gone on with wherever it ended.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Literal, Protocol

from oryn.agent import Turn
from oryn.agent.messages import RESTARTED, correction, joined
from oryn.errors import AgentStuck, ContextTooLong, ModelError, ModelRefused, OrynError, StepLimit, TranscriptError
from oryn.host.agent.conversation import Conversation
from oryn.host.agent.loops import Loops
from oryn.host.agent.resuming import Standing
from oryn.models.endpoint import Message
from oryn.models.reading import Reply
from oryn.models.usage import Prices, Usage
from oryn.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oryn.agent import Agent, Call
    from oryn.host.agent.transcript import Transcript
    from oryn.models.model import Listener

CUT = (
    "System Error: Your response was cut off, for you had no room for more. Nothing was done. "
    "Say less, and end with ONE command."
)
NO_TAB = "System: No tab is open yet."

Outcome = Literal["finished", "stopped", "failed"]


class Speaker(Protocol):
    """A chat model: `oryn.models.Model`."""

    async def reply(self, messages: Sequence[Message], listener: Listener) -> Reply:
        """Raises `ModelError`."""


class Watcher(Protocol):
    """Who watches a run: a terminal, or nobody. The pieces of a reply come to it as a model's `Listener`."""

    def said(self, text: str) -> None: ...
    def again(self, error: ModelError, seconds: float) -> None: ...
    def replied(self, reply: Reply) -> None: ...
    def turned(self, turn: Turn) -> None: ...
    def shortened(self, count: int) -> None: ...


class Limits(Record):
    """`steps` are replies of the model; 0 is no limit."""

    steps: int = 0
    prices: Prices = Prices()


class Ended(Record):
    """How a run ended. `steps` are its own, `usage` and `cost` also of what it goes on from; `cost` is None where no
    prices are known."""

    outcome: Outcome
    steps: int
    usage: Usage
    cost: float | None = None
    answer: str | None = None
    error: OrynError | None = None
    spoken: bool = False
    """Whether there is a conversation to go on with."""


class Run:
    """One run of an agent. `stands` is where an earlier run of it ended, and `corrected` what its user says to that."""

    def __init__(
        self,
        agent: Agent,
        model: Speaker,
        transcript: Transcript,
        watcher: Watcher,
        limits: Limits,
        stands: Standing | None = None,
        corrected: str | None = None,
    ) -> None:
        self._agent = agent
        self._model = model
        self._conversation = stands.conversation if stands else Conversation()
        self._transcript = transcript
        self._watcher = watcher
        self._limits = limits
        self._is_resumed = stands is not None
        self._corrected = corrected
        self._loops = Loops()
        self._usage = stands.usage if stands else Usage()
        self._steps = 0
        self._cut = 0

    async def go(self) -> Ended:
        """Until the goal is reached, or something is in the way, which is told. Raises `TranscriptError` alone."""
        try:
            await self._begin()
            while not self._limits.steps or self._steps < self._limits.steps:
                turn = await self._step()
                if turn.outcome == "finished":
                    return self._ended("finished", answer=turn.answer)
            raise StepLimit(f"the goal was not reached in {self._steps} steps")
        except TranscriptError:
            raise
        except OrynError as error:
            return self._ended("failed", error=error)
        except asyncio.CancelledError:
            return self._ended("stopped")

    async def _begin(self) -> None:
        """Tell the model what it is to do, or where a run that was interrupted stands now. Raises `OrynError`."""
        begun = await self._agent.begin()
        shown = begun.removeprefix(self._agent.prompt).strip() or NO_TAB
        if self._is_resumed:
            said = correction(self._corrected) if self._corrected else ""
            self._tell("user", joined([RESTARTED, said, shown]))
        else:
            self._tell("system", self._agent.prompt)
            self._tell("user", shown)

    def _tell(self, role: Literal["system", "user"], content: str) -> None:
        """Put something of ours into the conversation."""
        self._transcript.write("message", role=role, content=content)
        self._conversation.add(role, content)

    def _ended(self, outcome: Outcome, *, answer: str | None = None, error: OrynError | None = None) -> Ended:
        """The end, which the transcript is told, too."""
        cost = self._limits.prices.cost(self._usage)
        self._transcript.write(
            "ended",
            outcome=outcome,
            answer=answer,
            error=error and {"code": error.code, "message": error.message, "hint": error.hint},
            steps=self._steps,
            prompt=self._usage.prompt,
            completion=self._usage.completion,
            estimated=self._usage.estimated or None,
            cost=cost,
        )
        spoken = bool(self._conversation.messages)
        return Ended(outcome, self._steps, self._usage, cost, answer, error, spoken)

    async def _step(self) -> Turn:
        reply = await self._reply()
        self._heard(reply)
        if reply.refused:
            raise ModelRefused("the model refused")
        self._cut = self._cut + 1 if reply.cut else 0
        turn = Turn("error", CUT, errors=self._cut) if reply.cut else await self._agent.reply(reply.text)
        action, arguments = (turn.call.action, turn.call.arguments) if turn.call else (None, None)
        self._transcript.write(
            "turn", outcome=turn.outcome, action=action, arguments=arguments, urls=list(self._agent.urls())
        )
        if turn.outcome != "finished":
            self._loops.take(_shown(turn.call), turn.message or "", turn.errors)
            turn = turn.replace(message=joined([turn.message or "", self._loops.warning or ""]))
            self._tell("user", turn.message or "")
        self._watcher.turned(turn)
        if self._loops.reason:
            raise AgentStuck(f"the model does not come further: {self._loops.reason}")
        return turn

    async def _reply(self) -> Reply:
        """What the model says; where the conversation has become too long for it, to a shorter one."""
        is_shorter = False
        while True:
            try:
                return await self._model.reply(self._conversation.messages, self)
            except ContextTooLong:
                if not (count := self._conversation.shorten()):
                    raise
                self._transcript.write("shortened", messages=count)
                self._watcher.shortened(count)
                if not is_shorter:  # what the latest messages only call unchanged may have gone
                    self._tell("user", await self._agent.contexts())
                is_shorter = True

    def _heard(self, reply: Reply) -> None:
        self._steps += 1
        usage = reply.usage or Usage()
        self._usage += usage
        self._transcript.write(
            "message",
            role="assistant",
            content=reply.text,
            refused=reply.refused or None,
            cut=reply.cut or None,
            prompt=usage.prompt,
            completion=usage.completion,
            estimated=usage.estimated or None,
        )
        self._conversation.add("assistant", reply.text)
        self._watcher.replied(reply)

    # --- as a listener of the model ---

    def said(self, text: str) -> None:
        self._watcher.said(text)

    def again(self, error: ModelError, seconds: float) -> None:
        self._transcript.write("again", error=error.message, seconds=round(seconds, 3))
        self._watcher.again(error, seconds)


def _shown(call: Call | None) -> str | None:
    return None if call is None else json.dumps({"action": call.action, **call.arguments}, ensure_ascii=False)
