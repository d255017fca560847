"""The agent loop: the model replies, the agent executes, the result goes back, until the run ends.

Every event is written to the transcript at once, so that a run can be resumed wherever it ended. A model that repeats
the same command with the same outcome is warned, then stopped."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections import Counter, deque
from typing import TYPE_CHECKING, Literal, Protocol

from oryn.agent import Turn
from oryn.agent.messages import RESTARTED, correction, join_parts
from oryn.agent.runner.resume import Conversation, ResumeState
from oryn.core.records import Record
from oryn.errors import AgentStuck, ContextTooLong, ModelError, ModelRefused, OrynError, StepLimit, TranscriptError
from oryn.models.endpoint import ChatMessage
from oryn.models.responses import ModelReply, Prices, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oryn.agent import Agent
    from oryn.agent.runner.transcript import AgentTranscript
    from oryn.models.model import ReplyListener

MAX_REPEATS = 10
"""After this many equal outcomes of the same command the run ends. Some buttons need several clicks."""
WARN_AFTER_REPEATS = 5
"""After this many the model is warned."""
MAX_CONSECUTIVE_ERRORS = 8
"""After this many consecutive invalid responses the run ends."""
WINDOW_STEPS = 40
"""Number of recent steps that are compared. A loop may consist of several commands; older steps don't count."""


class LoopDetector:
    """Detects a model that repeats itself or sends invalid responses."""

    def __init__(self) -> None:
        self._recent: deque[tuple[str, str]] = deque(maxlen=WINDOW_STEPS)
        self.warning: str | None = None
        """The warning that the model gets after the last step, or None."""
        self.reason: str | None = None
        """The reason for ending the run after the last step, or None."""

    def add_step(self, command: str | None, outcome: str, errors: int) -> None:
        """Record a step. `command` is None if the response had no command; `errors` is the number of consecutive
        errors."""
        self.warning = self.reason = None
        if errors >= MAX_CONSECUTIVE_ERRORS:
            self.reason = f"{errors} of its responses in a row had no valid command"
        if command is None:
            return
        self._recent.append((command, outcome))
        count = Counter(self._recent)[command, outcome]
        if count >= MAX_REPEATS:
            self.reason = f"it did the same {count} times with the same outcome: {command}"
        elif count == WARN_AFTER_REPEATS:
            self.warning = f"System: You have done this {count} times, and the outcome was the same each time."


RESPONSE_TRUNCATED = (
    "System Error: Your response was cut off, for you had no room for more. Nothing was done. "
    "Say less, and end with ONE command."
)
NO_TAB = "System: No tab is open yet."

RunOutcome = Literal["finished", "stopped", "failed"]


class ChatCompleter(Protocol):
    """The interface of a chat model: `oryn.models.ChatModel`."""

    async def reply(self, messages: Sequence[ChatMessage], listener: ReplyListener) -> ModelReply:
        """Return the model's reply to the messages. Raises `ModelError`."""


class RunObserver(Protocol):
    """Receives the events of a run, such as a terminal. It gets the pieces of a reply as a `ReplyListener` does."""

    def on_text(self, text: str) -> None:
        """Receive another piece of the reply."""

    def on_retry(self, error: ModelError, seconds: float) -> None:
        """Note that the request has failed; it is retried in `seconds`, and the reply starts over."""

    def on_replied(self, reply: ModelReply) -> None:
        """Receive the complete reply, whose pieces `on_text` has received already."""

    def on_turned(self, turn: Turn) -> None:
        """Receive the outcome of a turn."""

    def on_shortened(self, count: int) -> None:
        """Note that the `count` oldest messages are left out, as the conversation is too long for the model."""


class AgentRunLimits(Record):
    """Limits of a run. `steps` is the maximum number of model replies; 0 means no limit."""

    steps: int = 0
    prices: Prices = Prices()


class AgentRunResult(Record):
    """The result of a run. `steps` counts this run's own; `usage` and `cost` include the run that it resumes. `cost` is
    None if no prices are configured."""

    outcome: RunOutcome
    steps: int
    usage: Usage
    cost: float | None = None
    answer: str | None = None
    error: OrynError | None = None
    has_conversation: bool = False
    """Whether there is a conversation that can be resumed."""


class AgentRun:
    """One run of an agent. `resumed` is the state in which an earlier run ended, and `corrected` the user's message for
    the resumed run."""

    def __init__(
        self,
        agent: Agent,
        model: ChatCompleter,
        transcript: AgentTranscript,
        watcher: RunObserver,
        limits: AgentRunLimits,
        resumed: ResumeState | None = None,
        corrected: str | None = None,
    ) -> None:
        self._agent = agent
        self._model = model
        self._conversation = resumed.conversation if resumed else Conversation()
        self._transcript = transcript
        self._watcher = watcher
        self._limits = limits
        self._is_resumed = resumed is not None
        self._correction = corrected
        self._loop_detector = LoopDetector()
        self._usage = resumed.usage if resumed else Usage()
        self._steps = 0
        self._truncated_replies = 0

    async def run(self) -> AgentRunResult:
        """Run until the goal is reached, a limit is reached, or an error occurs. The result reports all errors, such as
        `StepLimit`, except `TranscriptError`, which is raised."""
        try:
            await self._begin()
            while not self._limits.steps or self._steps < self._limits.steps:
                turn = await self._step()
                if turn.outcome == "finished":
                    return self._finish("finished", answer=turn.answer)
            raise StepLimit(f"the goal was not reached in {self._steps} steps")
        except TranscriptError:
            raise
        except OrynError as error:
            return self._finish("failed", error=error)
        except asyncio.CancelledError:
            return self._finish("stopped")

    async def _begin(self) -> None:
        """Send the model its task, or the current state of a run that is resumed. Raises `OrynError`."""
        context = await self._agent.begin()
        excerpt = context.removeprefix(self._agent.prompt).strip() or NO_TAB
        if self._is_resumed:
            message = correction(self._correction) if self._correction else ""
            self._add_message("user", join_parts([RESTARTED, message, excerpt]))
        else:
            self._add_message("system", self._agent.prompt)
            self._add_message("user", excerpt)

    def _add_message(self, role: Literal["system", "user"], content: str) -> None:
        """Add a message of Oryn's own to the conversation and the transcript."""
        self._transcript.write("message", role=role, content=content)
        self._conversation.add(role, content)

    def _finish(
        self, outcome: RunOutcome, *, answer: str | None = None, error: OrynError | None = None
    ) -> AgentRunResult:
        """Write the end of the run to the transcript and return the result."""
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
        has_messages = bool(self._conversation.messages)
        return AgentRunResult(outcome, self._steps, self._usage, cost, answer, error, has_messages)

    async def _step(self) -> Turn:
        reply = await self._reply()
        self._record_reply(reply)
        if reply.refused:
            raise ModelRefused("the model refused")
        self._truncated_replies = self._truncated_replies + 1 if reply.cut else 0
        turn = (
            Turn("error", RESPONSE_TRUNCATED, errors=self._truncated_replies)
            if reply.cut
            else await self._agent.reply(reply.text)
        )
        if turn.outcome == "waiting":
            message = await self._agent.next_update()
            turn = turn.replace(message=message, outcome="finished" if message is None else "waiting")
        action, arguments = (turn.call.action, turn.call.arguments) if turn.call else (None, None)
        self._transcript.write(
            "turn",
            outcome=turn.outcome,
            action=action,
            arguments=arguments,
            element=turn.element or None,
            urls=list(self._agent.urls()),
        )
        if turn.call and turn.outcome != "finished" and (picture := await self._agent.picture()):
            self._transcript.write("picture", jpeg=b64encode(picture).decode())
        if turn.outcome != "finished":
            step = json.dumps({"action": action, **(arguments or {})}, ensure_ascii=False) if turn.call else None
            self._loop_detector.add_step(step, turn.message or "", turn.errors)
            turn = turn.replace(message=join_parts([turn.message or "", self._loop_detector.warning or ""]))
            self._add_message("user", turn.message or "")
        self._watcher.on_turned(turn)
        if self._loop_detector.reason:
            raise AgentStuck(f"the model makes no progress: {self._loop_detector.reason}")
        return turn

    async def _reply(self) -> ModelReply:
        """Return the model's reply. If the conversation is too long for the model, shorten it and retry."""
        is_shorter = False
        while True:
            try:
                return await self._model.reply(self._conversation.messages, self)
            except ContextTooLong:
                if not (count := self._conversation.shorten()):
                    raise
                self._transcript.write("shortened", messages=count)
                self._watcher.on_shortened(count)
                if not is_shorter:  # snapshots that later messages call unchanged may be gone
                    self._add_message("user", await self._agent.contexts())
                is_shorter = True

    def _record_reply(self, reply: ModelReply) -> None:
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
        self._watcher.on_replied(reply)

    # --- ReplyListener of the model ---

    def on_text(self, text: str) -> None:
        self._watcher.on_text(text)

    def on_retry(self, error: ModelError, seconds: float) -> None:
        self._transcript.write("again", error=error.message, seconds=round(seconds, 3))
        self._watcher.on_retry(error, seconds)
