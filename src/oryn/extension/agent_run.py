"""`Run`: one goal, from the first message to the model in the chat to its last answer.

The protocol is `oryn.agent`'s. After each turn it is written down what the next life of the worker would need.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from oryn.agent import Agent, Turn, messages
from oryn.engine.escape import one_line, shortened
from oryn.extension.agent_chat import Chat, ChatFailed, Doing, Said
from oryn.extension.agent_stored import AgentSettings
from oryn.extension.agent_tabs import AgentTabs
from oryn.records import Record, field

MOST_STEPS_SHOWN = 30
SHOWN = 160
"""Characters of a step, and of an answer in the popup 10 times as many."""
MOST_ERRORS, MOST_REPEATED = 5, 4
"""In a row: then the model is not getting anywhere."""

RESTARTED = "System: The browser extension was restarted. Use the element ids of the snapshots below."
INTERRUPTED = (
    "System: The browser extension was restarted, and your last command may not have been executed. "
    "Use the element ids of the snapshots below."
)
NO_TAGS = (
    "System Error: This chat does not show your <tool_code> tags, so nothing was done. "
    'Send the command as a ```json code block with "tool" in the place of "action".'
)


class Plan(Record):
    """What a run was begun with. `chat` and `tabs` are the browser's ids, `url` is where the chat was."""

    run: str
    goal: str
    keyword: str
    chat: int
    url: str
    settings: AgentSettings
    tabs: Sequence[int] = ()

    def data(self) -> dict[str, Any]:
        return {**self.values(), "settings": self.settings.data(), "tabs": list(self.tabs)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Plan:
        """Raises `InvalidValue`, `KeyError`, `TypeError` for what another version has written."""
        return cls(**{**data, "settings": AgentSettings().changed(data["settings"])})


class Step(Record, frozen=False):
    """A command of the model, for the popup. `time` is in epoch seconds."""

    number: int
    line: str
    time: float
    status: Literal["running", "ok", "error"]

    def data(self) -> dict[str, Any]:
        return {**self.values(), "time": round(self.time * 1000)}


class Progress(Record, frozen=False):
    """How far a run is. `said` is what waits for its answer; without one, something of the model's is being done."""

    number: int = 0
    """Of the last message."""
    said: Said | None = None
    token: str = ""
    """Of the last message that was answered."""
    next_id: int = 1
    doing: Doing | Literal["acting"] = "acting"
    corrections: list[str] = field(factory=list)
    """What the user has said that no message has told yet."""
    steps: list[Step] = field(factory=list)

    def data(self) -> dict[str, Any]:
        said = self.said.values() if self.said else None
        steps = [step.values() for step in self.steps]
        return {**self.values(), "said": said, "steps": steps, "corrections": list(self.corrections)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Progress:
        """Raises `TypeError` for what another version has written."""
        said = Said(**data["said"]) if data["said"] else None
        return cls(**{**data, "said": said, "steps": [Step(**step) for step in data["steps"]]})


class Run:
    """`keep` writes down where it is, `changed` is called when something is another that the popup shows."""

    def __init__(
        self,
        plan: Plan,
        progress: Progress,
        agent: Agent,
        chat: Chat,
        tabs: AgentTabs,
        keep: Callable[[Mapping[str, Any]], Awaitable[object]],
        changed: Callable[[], object],
    ) -> None:
        self.plan = plan
        self.progress = progress
        self.chat = chat
        self.tabs = tabs
        self._agent = agent
        self._keep = keep
        self._changed = changed

    def correct(self, words: str) -> None:
        """SEND COMMAND: it goes in front of the next message."""
        self.progress.corrections.append(words)
        self._agent.correct(words)
        self._changed()

    def waits(self, doing: Doing) -> None:
        self.progress.doing = doing
        self._changed()

    async def go(self, *, again: bool) -> str:
        """Until the model has finished; its answer. `again` is in a new life of the worker. Raises `ChatFailed` where
        it can't go on, `OrynError` of the agent."""
        words = await self._resumed() if again else await self._agent.begin()
        while words is not None:
            words = await self._turn(words)
        return self._answer

    async def _resumed(self) -> str | None:
        """What to say to a model that was waiting, or whose command was being done."""
        await self._agent.begin()
        if self.progress.said is None:
            return messages.joined([INTERRUPTED, await self._agent.contexts()])
        words = await self._take(await self._wait(self.progress.said))
        return None if words is None else messages.joined([RESTARTED, words, await self._agent.contexts()])

    async def _turn(self, words: str) -> str | None:
        """Say something, take the answer and do what it says; what to say next, or None where the model has
        finished."""
        if self.progress.number > (most := self.plan.settings.max_steps):
            raise ChatFailed(f"{most} answers of the model are the most that the settings allow")
        said = Said(self.progress.number, secrets.token_hex(4), words, self.progress.token)
        return await self._take(await self._wait(said))

    async def _wait(self, said: Said) -> str:
        self.progress.number, self.progress.said = said.number, said
        await self._write()
        text = await self.chat.say(said, self._sent)
        self.progress.number, self.progress.token = said.number + 1, said.token
        self.progress.said, self.progress.doing = None, "acting"
        await self._write()
        return text

    async def _take(self, text: str) -> str | None:
        if _has_lost_its_tags(text, self.plan.keyword):
            return NO_TAGS
        step = self._begin(text)
        turn = await self._agent.reply(text)
        self.progress.corrections = []  # its message tells them
        self._end(step, turn)
        if turn.outcome == "finished":
            self._answer = turn.answer or ""
            return None
        if turn.errors >= MOST_ERRORS:
            raise ChatFailed(f"{turn.errors} answers of the model in a row could not be done")
        if turn.repeated >= MOST_REPEATED:
            raise ChatFailed(f"the model has repeated a command {turn.repeated} times that changes nothing")
        return turn.message

    _answer = ""

    def _sent(self, said: Said) -> None:
        self.progress.said = said
        self._changed()

    async def _write(self) -> None:
        self.progress.next_id = self._agent.next_id
        plan = self.plan.replace(chat=self.chat.tab, tabs=self.tabs.ids)
        await self._keep({"plan": plan.data(), "progress": self.progress.data()})
        self._changed()

    # --- what the popup shows ---

    def _begin(self, text: str) -> Step:
        step = Step(self.progress.number, "…", time.time(), "running")
        self.progress.steps = [*self.progress.steps, step][-MOST_STEPS_SHOWN:]
        self._changed()
        return step

    def _end(self, step: Step, turn: Turn) -> None:
        step.line = _shown(turn)
        step.status = "error" if turn.outcome == "error" else "ok"
        self._changed()


def _shown(turn: Turn) -> str:
    """What the model wanted, on one line. What it types is its own and perhaps a secret."""
    if turn.call is None:
        return "an answer" if turn.outcome == "finished" else "no command"
    hidden = {"value", "text", "answer"}
    told = [f"{name}: …" if name in hidden else str(value) for name, value in turn.call.arguments.items()]
    return one_line(shortened(" ".join([turn.call.action, *told]), SHOWN))


def _has_lost_its_tags(text: str, keyword: str) -> bool:
    """Whether the chat has taken the tags for HTML that says nothing: a command stands there bare."""
    words = text.removesuffix(keyword).rstrip()
    start = words.rfind('{"')
    if start < 0 or "tool_code" in text or not words.endswith("}") or words[:start].rstrip().endswith("json"):
        return False
    try:
        return "action" in json.loads(words[start:])
    except ValueError:
        return False
