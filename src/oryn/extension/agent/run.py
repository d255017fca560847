"""`ChatRun`: one goal, from the first message to the model in the chat to its final answer.

The protocol is `oryn.agent`'s. The state is saved after each turn, so that a restarted worker can resume."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from oryn.agent import Agent, Turn, messages
from oryn.core.records import Record, field
from oryn.core.text_safety import one_line, shortened
from oryn.extension.agent.chat import TAB_CLOSED, Chat, ChatFailed, ChatPhase, OutgoingMessage
from oryn.extension.agent.policy import KEEP_ALIVE_SECONDS
from oryn.extension.agent.storage import AgentSettings
from oryn.extension.agent.tabs import AgentTabs

MAX_DISPLAYED_STEPS = 30
MAX_STEP_CHARACTERS = 160
"""Characters of a step, and of an answer in the popup 10 times as many."""
MAX_CONSECUTIVE_ERRORS, MAX_REPEATED_COMMANDS = 5, 4
"""Consecutive ones after which a run ends, because the model makes no progress."""

RESTARTED = "System: The browser extension was restarted. Use the element ids of the snapshots below."
INTERRUPTED = (
    "System: The browser extension was restarted, and your last command may not have been executed. "
    "Use the element ids of the snapshots below."
)
NO_TAGS = (
    "System Error: This chat does not show your <tool_code> tags, so nothing was done. "
    'Send the command as a ```json code block with "tool" in the place of "action".'
)


class ChatRunPlan(Record):
    """The input of a run. `chat` and `tabs` are the browser's ids, `url` is the chat's at the start."""

    run: str
    goal: str
    keyword: str
    chat: int
    url: str
    settings: AgentSettings
    tabs: Sequence[int] = ()

    def data(self) -> dict[str, Any]:
        """The plan as JSON data."""
        return {**self.values(), "settings": self.settings.data(), "tabs": list(self.tabs)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ChatRunPlan:
        """Restore it from `data`. Raises `InvalidValue`, `KeyError`, `TypeError` for data of another version."""
        return cls(**{**data, "settings": AgentSettings().changed(data["settings"])})


class ChatRunStep(Record, frozen=False):
    """A command of the model, for the popup. `time` is in epoch seconds."""

    number: int
    line: str
    time: float
    status: Literal["running", "ok", "error"]

    def data(self) -> dict[str, Any]:
        """The step as JSON data for the popup."""
        return {**self.values(), "time": round(self.time * 1000)}


class ChatRunProgress(Record, frozen=False):
    """The progress of a run. `said` is the message that waits for an answer; without one a command of the model
    runs."""

    number: int = 0
    """The number of the last message."""
    said: OutgoingMessage | None = None
    token: str = ""
    """The token of the last message that was answered."""
    next_id: int = 1
    doing: ChatPhase | Literal["acting", "watching"] = "acting"
    corrections: list[str] = field(factory=list)
    """The user's corrections that no message has contained yet."""
    steps: list[ChatRunStep] = field(factory=list)

    def data(self) -> dict[str, Any]:
        """The progress as JSON data."""
        message = self.said.values() if self.said else None
        steps = [step.values() for step in self.steps]
        return {**self.values(), "said": message, "steps": steps, "corrections": list(self.corrections)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ChatRunProgress:
        """Restore it from `data`. Raises `TypeError` for data of another version."""
        message = OutgoingMessage(**data["said"]) if data["said"] else None
        return cls(**{**data, "said": message, "steps": [ChatRunStep(**step) for step in data["steps"]]})


class ChatRun:
    """One run of the agent."""

    def __init__(
        self,
        plan: ChatRunPlan,
        progress: ChatRunProgress,
        agent: Agent,
        chat: Chat,
        tabs: AgentTabs,
        save: Callable[[Mapping[str, Any]], Awaitable[object]],
        changed: Callable[[], object],
        keep_alive: Callable[[], object],
    ) -> None:
        """`save` stores the state of the run, `changed` is called when the displayed state has changed, `keep_alive`
        now and then while only the pages can cause events."""
        self.plan = plan
        self.progress = progress
        self.chat = chat
        self.tabs = tabs
        self._agent = agent
        self._save = save
        self._changed = changed
        self._keep_alive = keep_alive

    def correct(self, words: str) -> None:
        """Add a correction of the user, which goes in front of the next message (SEND COMMAND)."""
        self.progress.corrections.append(words)
        self._agent.correct(words)
        self._changed()

    def on_waiting(self, doing: ChatPhase) -> None:
        """The chat waits for something else."""
        self.progress.doing = doing
        self._changed()

    async def execute(self, *, again: bool) -> str:
        """Run until the model has finished; its answer. `again` resumes a run after a restart of the worker. Raises
        `ChatFailed`, and the errors of the agent."""
        words = await self._resumed() if again else await self._agent.begin()
        while words is not None:
            words = await self._turn(words)
        return self._answer

    async def _resumed(self) -> str | None:
        """The next message to a model that was waiting, or whose command was running."""
        await self._agent.begin()
        if self.progress.said is None:
            return messages.join_parts([INTERRUPTED, await self._agent.contexts()])
        words = await self._handle_reply(await self._send_message(self.progress.said))
        return None if words is None else messages.join_parts([RESTARTED, words, await self._agent.contexts()])

    async def _turn(self, words: str) -> str | None:
        """Send a message, and run the command in its answer; the next message, or None if the model has finished."""
        if self.progress.number > (limit := self.plan.settings.max_steps):
            raise ChatFailed(f"{limit} answers of the model are the most that the settings allow")
        message = OutgoingMessage(self.progress.number, secrets.token_hex(4), words, self.progress.token)
        return await self._handle_reply(await self._send_message(message))

    async def _send_message(self, message: OutgoingMessage) -> str:
        self.progress.number, self.progress.said = message.number, message
        await self._save_progress()
        text = await self.chat.send(message, self._on_sent)
        self.progress.number, self.progress.token = message.number + 1, message.token
        self.progress.said, self.progress.doing = None, "acting"
        await self._save_progress()
        return text

    async def _handle_reply(self, text: str) -> str | None:
        if _has_lost_its_tags(text, self.plan.keyword):
            return NO_TAGS
        step = self._begin(text)
        turn = await self._agent.reply(text)
        self.progress.corrections = []  # the next message contains them
        self._end(step, turn)
        if turn.outcome == "finished":
            self._answer = turn.answer or ""
            return None
        if turn.errors >= MAX_CONSECUTIVE_ERRORS:
            raise ChatFailed(f"{turn.errors} answers of the model in a row could not be done")
        if turn.repeated >= MAX_REPEATED_COMMANDS:
            raise ChatFailed(f"the model has repeated a command {turn.repeated} times that changes nothing")
        if turn.outcome == "waiting":
            self._answer = turn.answer or ""
            return await self._next_update()
        return turn.message

    _answer = ""

    async def _next_update(self) -> str | None:
        """Wait until a page has changed by itself; the message about it, or None if none does. Raises `ChatFailed` if
        the chat is closed meanwhile."""
        self.progress.doing = "watching"
        self._changed()
        update = asyncio.ensure_future(self._agent.next_update())
        closed = asyncio.ensure_future(self.chat.closed.wait())
        try:
            while not (await _first_of(update, closed)):
                self._keep_alive()
            if not update.done():
                raise ChatFailed(TAB_CLOSED)
            message = update.result()
        finally:
            update.cancel()
            closed.cancel()
            await asyncio.gather(update, closed, return_exceptions=True)
        self.progress.corrections, self.progress.doing = [], "acting"
        self._changed()
        return message

    def _on_sent(self, message: OutgoingMessage) -> None:
        self.progress.said = message
        self._changed()

    async def _save_progress(self) -> None:
        self.progress.next_id = self._agent.next_id
        plan = self.plan.replace(chat=self.chat.tab, tabs=self.tabs.ids)
        await self._save({"plan": plan.data(), "progress": self.progress.data()})
        self._changed()

    # --- the steps in the popup ---

    def _begin(self, text: str) -> ChatRunStep:
        step = ChatRunStep(self.progress.number, "…", time.time(), "running")
        self.progress.steps = [*self.progress.steps, step][-MAX_DISPLAYED_STEPS:]
        self._changed()
        return step

    def _end(self, step: ChatRunStep, turn: Turn) -> None:
        step.line = _step_line(turn)
        step.status = "error" if turn.outcome == "error" else "ok"
        self._changed()


async def _first_of(*waits: asyncio.Future[Any]) -> set[asyncio.Future[Any]]:
    done, _ = await asyncio.wait(waits, timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    return done


def _step_line(turn: Turn) -> str:
    """The model's command on one line, without texts that it types: they may be secret."""
    if turn.call is None:
        return {"finished": "an answer", "waiting": "waits for a page to change"}.get(turn.outcome, "no command")
    hidden = {"value", "text", "answer"}
    arguments = [f"{name}: …" if name in hidden else str(value) for name, value in turn.call.arguments.items()]
    return one_line(shortened(" ".join([turn.call.action, *arguments]), MAX_STEP_CHARACTERS))


def _has_lost_its_tags(text: str, keyword: str) -> bool:
    """Whether the chat has rendered the tags as unknown HTML, so that the command is there without them."""
    words = text.removesuffix(keyword).rstrip()
    start = words.rfind('{"')
    if start < 0 or "tool_code" in text or not words.endswith("}") or words[:start].rstrip().endswith("json"):
        return False
    try:
        return "action" in json.loads(words[start:])
    except ValueError:
        return False
