"""The agent protocol (docs/spec/agent-protocol.md#conversation): takes a model's responses, runs commands in target
tabs, returns messages.

A conversation starts with `begin()`. Then `reply()` takes each response of the model until a turn is `finished`:

    agent = Agent("Find the cheapest flight", targets, saved={"Flights": "https://flights.example"})
    message = await agent.begin()
    while message is not None:
        turn = await agent.reply(await model(message))
        message = turn.message
        if turn.outcome == "waiting":  # only with `page_updates`
            message = await agent.next_update()

The model ends the task by a response that has only text and the keyword, or by `{"action": "finish", "answer": "…"}`.
Only the model's own text is parsed. This module does no I/O of its own, and no content of a response makes it raise."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Literal

from oryn.agent import messages
from oryn.agent.execution import CallExecutor, CallResult, Confirm
from oryn.agent.parser import Call, ModelResponse, parse_response
from oryn.agent.prompt import FINISH, Instructions, SavedTools, system_prompt
from oryn.agent.prompt import keyword as new_keyword
from oryn.agent.sanitization import Redaction
from oryn.agent.tabs import TabProvider, TargetTabs
from oryn.agent.target import wait_for_page_change, wait_for_update
from oryn.core.records import Record
from oryn.engine.page.element_index import ElementIdCounter
from oryn.tools import tools as tools_of

TurnOutcome = Literal["acted", "error", "finished", "waiting", "nothing"]

CHANGE_TIMEOUT_SECONDS = 15.0
"""How long an action may take to change the page (docs/spec/agent-protocol.md#messages)."""

WATCH_SECONDS = 5.0
"""After this time without a sign of change, tabs that were opened or closed are looked for."""
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 2.0, 60.0
"""How long the next update waits after the first one that no command followed, and at most. Each further one doubles
the pause, so that a page that changes all the time does not flood the model."""


class Turn(Record):
    """The outcome of one response.

    `acted`: Oryn ran the command, with whatever result. `error`: nothing was run, or the command failed; `message` says
    why. `finished`: the model has finished; `answer` has its final text and `message` is None. `waiting`: the model
    waits for a page to change; `answer` has its text, and `Agent.next_update` returns the next message. `nothing`:
    there was nothing to run. The response was empty, or it would have ended the task while a correction of the user was
    pending.
    """

    outcome: TurnOutcome
    message: str | None = None
    call: Call | None = None
    element: str = ""
    """Role and name of the element that the call names by its number."""
    answer: str | None = None
    errors: int = 0
    """Number of consecutive turns that ended in an error."""
    repeated: int = 0
    """How many times in a row the same command has changed nothing."""


class UpdatePause:
    """The pause between updates that no command follows."""

    def __init__(self) -> None:
        self.ends = 0.0
        """The moment of the loop's clock before which there is no further update."""
        self._seconds = FIRST_PAUSE_SECONDS

    def extend(self) -> None:
        """Begin the pause after an update."""
        self.ends = asyncio.get_running_loop().time() + self._seconds
        self._seconds = min(2 * self._seconds, MAX_PAUSE_SECONDS)


class Agent:
    """One task of one model.

    `browser` provides the tabs. `saved` has the user's tools by name. `max_tabs` limits how many tabs may be targets at
    once. `redact` selects what is redacted in snapshots. `keyword` is the session keyword (default: a new one).
    `commands` selects the tools of the command table that the prompt explains; the model may use all of them anyway.
    `patience` is how many seconds an action may take to change the page. `page_updates` is for how many seconds a model
    that responds without a command waits for a page to change (0: its response ends the task). `text_limit` is how
    many characters of a page's text a snapshot has (0: no text). `keyword_required=False` accepts
    responses without the keyword, for endpoints that report truncation themselves. `confirm` asks the user about
    commands that need confirmation; without it, they are denied. `first_id` is the first element number; a run that is
    resumed with a new agent continues from `next_id`.

    Raises `ConfigurationError` if `saved` has an invalid name or URL."""

    def __init__(
        self,
        goal: str,
        browser: TabProvider,
        *,
        saved: SavedTools | Mapping[str, str] = MappingProxyType({}),
        max_tabs: int = 3,
        redact: Redaction = "values",
        keyword: str | None = None,
        commands: Literal["core", "all"] | Iterable[str] = "core",
        patience: float = CHANGE_TIMEOUT_SECONDS,
        page_updates: float = 0,
        text_limit: int = 0,
        keyword_required: bool = True,
        confirm: Confirm | None = None,
        first_id: int = 1,
    ) -> None:
        self.goal = goal
        self.keyword = keyword or new_keyword()
        self._saved = saved if isinstance(saved, SavedTools) else SavedTools(saved)
        self._numbers = ElementIdCounter(max(1, first_id), restarts=False)
        self._tabs = TargetTabs(browser, max(1, max_tabs), redact, text_limit, self._numbers)
        self._commands = tools_of(commands)
        self._patience = patience
        self._page_updates = page_updates
        self._keyword_required = keyword_required
        self._execution = CallExecutor(self._tabs, self._saved, confirm)
        self._corrections: list[str] = []
        self._corrected = asyncio.Event()
        self._pause = UpdatePause()
        self._errors = 0
        self._repeated: tuple[Call | None, int] = None, 0
        self._lock = asyncio.Lock()

    @property
    def prompt(self) -> str:
        """The system prompt."""
        limit = self._tabs.limit
        return system_prompt(
            Instructions(self.goal, self.keyword, self._saved, limit, self._commands, self._page_updates)
        )

    async def begin(self) -> str:
        """Return the system prompt and the snapshots of the target tabs, if there are any. Raises `OrynError` if the
        browser can't be started."""
        async with self._lock:
            released = await self._tabs.begin()
            return self._message([self.prompt, *released, *await self._tabs.contexts("whole")])

    async def contexts(self) -> str:
        """Return full snapshots of all targets. Raises `OrynError` as `begin` does."""
        async with self._lock:
            await self._tabs.begin()
            return self._message(await self._tabs.contexts("whole"))

    def urls(self) -> list[str]:
        """Return the URLs of the target tabs, oldest first."""
        return [target.url for target in self._tabs]

    @property
    def next_id(self) -> int:
        """The number that the next new element gets."""
        return self._numbers.next

    async def picture(self) -> bytes | None:
        """Return a JPEG picture of the tab that was used last. None if there is none: no tab is open, a dialog is, the
        page is busy, or any tab has got a value of the vault, which its page may show."""
        async with self._lock:
            return await self._tabs.picture()

    def correct(self, words: str) -> None:
        """Add a correction that the user typed during the run. It comes first in the next message."""
        if words.strip():
            self._corrections.append(words)
            self._corrected.set()

    async def close(self) -> None:
        """Release all tabs."""
        async with self._lock:
            for target in self._tabs:
                await self._tabs.release(target)

    async def reply(self, text: str) -> Turn:
        """Take a response of the model, run its command, and return the next message. Raises `OrynError` as `begin`
        does if `begin` was not called before."""
        async with self._lock:
            await self._tabs.begin()
            response = parse_response(text, self.keyword, keyword_required=self._keyword_required)
            if response.kind == "command" and response.call and response.call.action.lower() != FINISH:
                return await self._run_call(response.call)
            return await self._finish_turn(response)

    async def _finish_turn(self, response: ModelResponse) -> Turn:
        """Handle a response that has no command to run."""
        call = response.call
        if response.kind in ("empty", "error"):
            parts = [messages.error(response.error), *await self._tabs.contexts("changed")]
            return self._turn("nothing" if response.kind == "empty" else "error", parts, failed=True)
        if self._corrections:
            return self._turn("nothing", await self._tabs.contexts("all"), call=call)
        words = call.arguments.get("answer") if call else None
        answer = response.words if words is None else words if isinstance(words, str) else str(words)
        self._errors = 0
        return Turn("waiting" if call is None and self._page_updates else "finished", call=call, answer=answer)

    async def next_update(self) -> str | None:
        """Wait until a target tab has changed in a meaningful way by itself, or the user has typed a correction.
        Return the message for the model; None if neither has happened within `page_updates` seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._page_updates
        while True:
            await self._wait_for_sign(min(WATCH_SECONDS, deadline - loop.time()))
            if not self._corrections and (pause := min(self._pause.ends, deadline) - loop.time()) > 0:
                await self._wait_for_correction(pause)
            async with self._lock:
                if message := await self._update():
                    return message
            if loop.time() >= deadline:
                return None

    async def _update(self) -> str | None:
        """Return the message about what has changed, or None if there is nothing meaningful."""
        done = CallResult([])
        await self._execution.update_tabs(done)
        contexts = await self._tabs.contexts("changed")
        if not self._corrections and not done.lines and not self._tabs.has_updates:
            return None
        self._pause.extend()
        return self._turn("nothing", [*done.lines, *contexts]).message

    async def _wait_for_sign(self, seconds: float) -> None:
        waits = [asyncio.create_task(wait_for_update(target, seconds)) for target in self._tabs]
        waits.append(asyncio.create_task(self._wait_for_correction(seconds)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _wait_for_correction(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0, seconds)):
                await self._corrected.wait()

    async def _run_call(self, call: Call) -> Turn:
        self._pause = UpdatePause()
        for target in self._tabs:
            await target.note_meanwhile()
        revisions = {target: target.revision for target in self._tabs}
        done = await self._execution.run(call)
        contexts = await self._tabs.contexts(done.snapshot_detail, done.target)
        changed = done.has_events or any(target.revision != revisions.get(target) for target in self._tabs)
        if not changed and done.expects_change and done.target is not None:
            changed = await wait_for_page_change(done.target, self._patience)
            await self._execution.update_tabs(done)
            contexts = await self._tabs.contexts("all", done.target)
            if not changed and not done.has_events:
                done.lines.append(messages.timed_out(self._patience))
        same = not changed and call == self._repeated[0]
        self._repeated = call, self._repeated[1] + 1 if same else int(not changed)
        outcome: TurnOutcome = "error" if done.failed else "acted"
        turn = self._turn(outcome, [*done.lines, done.result, *contexts], call=call, failed=done.failed)
        return turn.replace(element=self._tabs.withheld(done.element))

    def _turn(
        self, outcome: TurnOutcome, parts: Iterable[str], *, call: Call | None = None, failed: bool = False
    ) -> Turn:
        corrections, self._corrections = [messages.correction(each) for each in self._corrections], []
        self._corrected.clear()
        self._errors = self._errors + 1 if failed else 0
        message = self._message([*corrections, *parts]) or messages.NOTHING_NEW
        return Turn(outcome, message, call, errors=self._errors, repeated=self._repeated[1] if call else 0)

    def _message(self, parts: Iterable[str]) -> str:
        """Return the text of the next message, with secrets masked. The tabs record that their blocks were sent."""
        self._tabs.mark_sent()
        return self._tabs.withheld(messages.join_parts(list(parts)))
