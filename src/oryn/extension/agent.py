"""`Agents`: the user's wish that the model of a chat works for them in this browser, and what becomes of it (seed 001).

The chat is one that the user has open, logged in as they are; its model is spoken to as they would. One at a time.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from oryn.agent import Agent
from oryn.browsers.extension.tabs import Tabs
from oryn.engine import Session
from oryn.errors import InvalidValue, OrynError
from oryn.extension.agent_chat import Chat
from oryn.extension.agent_questions import Questions
from oryn.extension.agent_run import Plan, Progress, Run
from oryn.extension.agent_shown import ended, state_of, told_of
from oryn.extension.agent_sites import is_known, may_chat
from oryn.extension.agent_stored import AgentStored
from oryn.extension.agent_tabs import AgentTabs
from oryn.extension.signs import Notice
from oryn.extension.stored import Calls
from oryn.extension.world import World
from oryn.tools import tools

log = logging.getLogger(__name__)

LONGEST_GOAL = 20_000
CLOSING_SECONDS = 5.0
STOPPED = "stopped"
ASKING = "Oryn's agent asks you something: press Oryn's icon"
EXPLAINED = [tool.name for tool in tools("core") if tool.name != "screenshot"]
"""Tools that the prompt explains; a chat takes no pictures."""


class Browser(Calls, Protocol):
    """What `bridge.Bridge` is here."""

    def on(self, event: str, listener: Callable[..., object], *options: Any) -> None: ...


class Agents:
    """`session` makes the session of a tab, by its number and whether risky commands wait for a yes in it; `changed` is
    called when something is another that is shown."""

    def __init__(
        self,
        calls: Browser,
        world: World,
        tabs: Tabs,
        session: Callable[[int, bool], Session],
        changed: Callable[[], object],
    ) -> None:
        self._calls = calls
        self._world = world
        self._tabs = tabs
        self._session = session
        self._changed = changed
        self._stored = AgentStored(calls)
        self._questions = Questions(changed, lambda: world.spawn(calls.call("runtime.getPlatformInfo")))
        self._run: Run | None = None
        self._task: asyncio.Task[None] | None = None
        self._why = ""
        self._notice: dict[int, Notice] = {}

    def start(self) -> None:
        """Hear what the run must not miss."""
        on = self._calls.on
        on("runtime.onMessage", lambda message, sender: self._tell("hear", message, sender))
        on("webNavigation.onCommitted", lambda event: self._tell("committed", event))
        on("tabs.onRemoved", lambda tab, _: self._tell("removed", tab))
        on("tabs.onReplaced", self._replaced)

    def _tell(self, what: str, *about: Any) -> None:
        if self._run is not None:
            getattr(self._run.chat, what)(*about)

    def _replaced(self, new: int, old: int) -> None:
        if self._run is not None:
            self._run.chat.replaced(new, old)
            self._run.tabs.replaced(new, old)

    async def load(self) -> None:
        """Go on with the run of an earlier life, where there was one. Comes after the tabs are known."""
        await self._stored.load()
        kept = self._stored.run
        if kept is None:
            return
        try:
            plan, progress = Plan.of(kept["plan"]), Progress.of(kept["progress"])
        except (InvalidValue, KeyError, TypeError):  # written by another version
            await self._stored.forget(ended("", "the extension was updated"))
            return
        if self._tabs.is_open(plan.chat):
            self._begin(plan, progress, again=True)
        else:
            await self._stored.forget(ended(plan.goal, "the chat's tab was closed"))

    # --- what the user asks ---

    @property
    def is_running(self) -> bool:
        return self._run is not None

    async def fulfil(self, message: Any) -> bool:
        """Do what a message of the popup says; whether it is about the agent at all. Raises `InvalidValue`."""
        match message:
            case {"type": "agent_start", "goal": str(goal), "chat": int(chat), "tabs": list(tabs)}:
                self._start(goal, chat, [tab for tab in tabs if isinstance(tab, int)])
            case {"type": "agent_stop"}:
                await self.stop()
            case {"type": "agent_command", "text": str(text)}:
                self._correct(text)
            case {"type": "agent_answer", "question": str(id), "agreed": bool(agreed)}:
                self._questions.answer(id, agreed=agreed)
            case {"type": "agent_settings", "changes": Mapping() as changes}:
                await self._stored.change(changes)
            case _:
                return False
        self._changed()
        return True

    def _start(self, goal: str, chat: int, tabs: Sequence[int]) -> None:
        if self._run is not None:
            raise InvalidValue("an agent works already", "Stop it first.")
        if not goal.strip():
            raise InvalidValue("the agent needs a goal")
        if len(goal) > LONGEST_GOAL:
            raise InvalidValue(f"a goal has {LONGEST_GOAL} characters at most")
        if not self._tabs.is_open(chat) or not may_chat(url := self._tabs.url_of(chat)):
            raise InvalidValue("that tab shows no chat", "Open the chat in a tab, and choose it.")
        given = [tab for tab in dict.fromkeys(tabs) if tab != chat and self._tabs.is_open(tab)]
        keyword = _keyword(self._tabs.url_of(given[0]) if given else "", url)
        plan = Plan(secrets.token_hex(8), goal.strip(), keyword, chat, url, self._stored.settings, given)
        self._begin(plan, Progress(), again=False)

    def _correct(self, text: str) -> None:
        if self._run is None:
            raise InvalidValue("no agent is at work")
        if text.strip():
            self._run.correct(text.strip()[:LONGEST_GOAL])

    async def stop(self, why: str = STOPPED) -> None:
        """The user wants it no more."""
        if self._task is not None and self._run is not None:
            self._why = why
            self._task.cancel()
            await asyncio.wait([self._task])

    # --- one run ---

    def _begin(self, plan: Plan, progress: Progress, *, again: bool) -> None:
        chat = Chat(
            self._calls,
            self._world.spawn,
            plan.chat,
            plan.url,
            plan.run,
            plan.keyword,
            lambda doing: self._run.waits(doing) if self._run else None,
        )
        settings = plan.settings
        targets = AgentTabs(
            self._tabs, lambda tab: self._session(tab, settings.ask), plan.tabs, lambda: chat.tab, self._changed
        )
        agent = Agent(
            plan.goal,
            targets,
            saved=settings.tools,
            max_tabs=settings.max_tabs,
            confirm=self._questions.agrees,
            redact=settings.redact,
            keyword=plan.keyword,
            first_id=progress.next_id,
            commands=EXPLAINED,
        )
        for words in progress.corrections:
            agent.correct(words)
        self._run = Run(plan, progress, agent, chat, targets, self._stored.remember, self._changed)
        self._task = asyncio.create_task(self._go(self._run, again=again))

    async def _go(self, run: Run, *, again: bool) -> None:
        self._why = ""
        try:
            answer = await run.go(again=again)
            last = ended(run.plan.goal, "", answer)
        except asyncio.CancelledError:
            last = ended(run.plan.goal, self._why or STOPPED)
        except OrynError as error:
            last = ended(run.plan.goal, error.message)
        except Exception as error:  # a bug must end the run in words, not leave it standing
            log.exception("unexpected error in a run")
            last = ended(run.plan.goal, f"unexpected {type(error).__name__}")
        last["steps"] = [step.data() for step in run.progress.steps]
        await run.chat.leave()
        await self._let_go(run)
        await self._stored.forget(last)
        self._notice = {run.chat.tab: Notice(told_of(last), "OK")} if self._tabs.is_open(run.chat.tab) else {}
        self._run = self._task = None
        self._changed()

    async def _let_go(self, run: Run) -> None:
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await run.tabs.close()
        except TimeoutError:
            log.warning("the sessions of a run did not end in time")

    # --- what is shown ---

    @property
    def targets(self) -> list[int]:
        """The tabs under its control, by the browser's ids."""
        return self._run.tabs.ids if self._run else []

    @property
    def host(self) -> str | None:
        """The chat's, while one runs."""
        return self._run.chat.host if self._run else None

    @property
    def notices(self) -> Mapping[int, Notice]:
        """What the bar on a tab says besides: on the chat's that an agent writes there, and then that it has ended."""
        if self._run is None:
            return self._notice
        if self.asks:
            return dict.fromkeys([self._run.chat.tab, *self.targets], Notice(ASKING))
        return {self._run.chat.tab: Notice("Oryn's agent writes in this chat")}

    @property
    def asks(self) -> bool:
        """Whether the user is to say yes or no to something."""
        return self._questions.open is not None

    def seen(self) -> None:
        """The user has read how it ended."""
        self._notice = {}
        self._changed()

    def state(self) -> dict[str, Any]:
        """For the popup. `last` is how the last run ended: with an `answer` of the model, or with a `detail`."""
        run = self._run
        return {
            "settings": self._stored.settings.data(),
            "tabs": self._open_tabs(),
            "run": None if run is None else state_of(run, self._questions.open),
            "last": None if run is not None else self._stored.last,
        }

    def _open_tabs(self) -> list[dict[str, Any]]:
        """The tabs that the user can choose from: `chat` where a site is known to be one."""
        return [{**tab, "chat": is_known(tab["url"])} for tab in self._tabs.everything() if may_chat(tab["url"])]


def _keyword(target: str, chat: str) -> str:
    """As the seed's, with digits at its end that no page can guess."""
    hosts = [urlsplit(url).hostname or "" for url in (target or "https://browser", chat)]
    moment = f"{time.time() * 1000:.0f}{secrets.randbelow(10**9):09}"
    return f"[END:{'-'.join(hosts)}-{moment}]"
