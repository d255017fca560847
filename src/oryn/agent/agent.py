"""The agent command protocol (seed 001): a model's responses in, commands done in target tabs, messages out.

A conversation is `begin()`, and then `reply()` with each response of the model until a turn is `finished`:

    agent = Agent("Find the cheapest flight", targets, saved={"Flights": "https://flights.example"})
    message = await agent.begin()
    while message is not None:
        turn = await agent.reply(await model(message))
        message = turn.message

The model ends by a response that has no command (but the keyword), or by `{"action": "finish", "answer": "…"}`.
Nothing but the model's own text is parsed. Nothing here does I/O of its own, and nothing that a response says raises.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from oryn.agent import messages
from oryn.agent.execution import Confirm, Execution
from oryn.agent.parsing import Call, Response, read_response
from oryn.agent.prompt import FINISH, Instructions, system_prompt
from oryn.agent.prompt import keyword as new_keyword
from oryn.agent.redaction import Redaction
from oryn.agent.saved import SavedTools
from oryn.agent.tabs import Tabs
from oryn.agent.targets import Targets
from oryn.agent.view import Numbers
from oryn.agent.waiting import changes_within
from oryn.records import Record
from oryn.tools import tools as tools_of

Outcome = Literal["acted", "error", "finished", "nothing"]

PATIENCE = 15.0
"""Seconds that an action may take to change something (seed 001, Action Timeout)."""


class Turn(Record):
    """What became of one response.

    `acted`: its command was done, whatever came of it. `error`: nothing was done, or it failed; `message` says why.
    `finished`: the model is done, `answer` has its words, and there is no `message`. `nothing`: there was nothing to do
    (it was empty, or would have ended while the user had a correction)."""

    outcome: Outcome
    message: str | None = None
    call: Call | None = None
    answer: str | None = None
    errors: int = 0
    """Turns in a row that ended in an error."""
    repeated: int = 0
    """How many times in a row the same command has changed nothing."""


class Agent:
    """One task of one model.

    `browser` has the tabs; `saved` the user's tools, by name. `max_tabs` is how many tabs may be targets at once;
    `redact` what is taken out of snapshots; `keyword` the session keyword (default: a new one); `commands` which tools
    of the table the prompt explains, all of which may be used anyway; `patience` how many seconds an action may take to
    change something; `text_limit` how many characters of a page's text a snapshot has (0: none, as in the seed).
    `keyword_required=False` takes responses without it, for endpoints that say themselves when one is cut off.
    `first_id` is where the elements' numbers begin: a run that goes on with a new agent counts on from `next_id`.
    Raises `ConfigurationError` for saved tools that are none."""

    def __init__(
        self,
        goal: str,
        browser: Targets,
        *,
        saved: SavedTools | Mapping[str, str] = MappingProxyType({}),
        max_tabs: int = 3,
        redact: Redaction = "values",
        keyword: str | None = None,
        commands: Literal["core", "all"] | Iterable[str] = "core",
        patience: float = PATIENCE,
        text_limit: int = 0,
        keyword_required: bool = True,
        confirm: Confirm | None = None,
        first_id: int = 1,
    ) -> None:
        self.goal = goal
        self.keyword = keyword or new_keyword()
        self._saved = saved if isinstance(saved, SavedTools) else SavedTools(saved)
        self._numbers = Numbers(max(1, first_id))
        self._tabs = Tabs(browser, max(1, max_tabs), redact, text_limit, self._numbers)
        self._commands = tools_of(commands)
        self._patience = patience
        self._keyword_required = keyword_required
        self._execution = Execution(self._tabs, self._saved, confirm)
        self._corrections: list[str] = []
        self._errors = 0
        self._repeated: tuple[Call | None, int] = None, 0
        self._lock = asyncio.Lock()

    @property
    def prompt(self) -> str:
        """The system prompt."""
        return system_prompt(Instructions(self.goal, self.keyword, self._saved, self._tabs.limit, self._commands))

    async def begin(self) -> str:
        """The system prompt and, where there are target tabs, their snapshots. Raises `OrynError` where the browser
        can't be started."""
        async with self._lock:
            released = await self._tabs.begin()
            return self._message([self.prompt, *released, *await self._tabs.contexts("whole")])

    async def contexts(self) -> str:
        """The snapshots of all targets, whole. Raises as `begin`."""
        async with self._lock:
            await self._tabs.begin()
            return self._message(await self._tabs.contexts("whole"))

    def urls(self) -> list[str]:
        """Where the target tabs are, the oldest first."""
        return [target.url for target in self._tabs]

    @property
    def next_id(self) -> int:
        """The number that the next new element gets."""
        return self._numbers.next

    def correct(self, words: str) -> None:
        """What the user says while it runs: it stands in front of the next message."""
        if words.strip():
            self._corrections.append(words)

    async def close(self) -> None:
        """Let all tabs go."""
        async with self._lock:
            for target in self._tabs:
                await self._tabs.release(target)

    async def reply(self, text: str) -> Turn:
        """Take a response of the model: do what it says, and tell what to send next. Raises as `begin`, where that was
        not called before."""
        async with self._lock:
            await self._tabs.begin()
            response = read_response(text, self.keyword, keyword_required=self._keyword_required)
            if response.kind == "command" and response.call and response.call.action.lower() != FINISH:
                return await self._act(response.call)
            return await self._answered(response)

    async def _answered(self, response: Response) -> Turn:
        """A response without a command that is to be done."""
        call = response.call
        if response.kind in ("empty", "error"):
            said = [messages.error(response.error), *await self._tabs.contexts("news")]
            return self._turn("nothing" if response.kind == "empty" else "error", said, failed=True)
        if self._corrections:
            return self._turn("nothing", await self._tabs.contexts("all"), call=call)
        words = call.arguments.get("answer") if call else None
        answer = response.words if words is None else words if isinstance(words, str) else str(words)
        self._errors = 0
        return Turn("finished", call=call, answer=answer)

    async def _act(self, call: Call) -> Turn:
        known = {target: target.mark for target in self._tabs}
        done = await self._execution.run(call)
        contexts = await self._tabs.contexts(done.told)
        changed = done.eventful or any(target.mark != known.get(target) for target in self._tabs)
        if not changed and done.expects_change and done.target is not None:
            changed = await changes_within(done.target, self._patience)
            await self._execution.look_after_tabs(done)
            contexts = await self._tabs.contexts("all")
            if not changed and not done.eventful:
                done.lines.append(messages.timed_out(self._patience))
        same = not changed and call == self._repeated[0]
        self._repeated = call, self._repeated[1] + 1 if same else int(not changed)
        outcome: Outcome = "error" if done.failed else "acted"
        return self._turn(outcome, [*done.lines, done.result, *contexts], call=call, failed=done.failed)

    def _turn(self, outcome: Outcome, parts: Iterable[str], *, call: Call | None = None, failed: bool = False) -> Turn:
        said, self._corrections = [messages.correction(each) for each in self._corrections], []
        self._errors = self._errors + 1 if failed else 0
        message = self._message([*said, *parts]) or messages.NOTHING
        return Turn(outcome, message, call, None, self._errors, self._repeated[1] if call else 0)

    def _message(self, parts: Iterable[str]) -> str:
        """What goes to the model now."""
        self._tabs.sent()
        return self._tabs.withheld(messages.joined(list(parts)))
