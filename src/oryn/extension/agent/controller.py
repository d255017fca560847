"""`AgentController`: starts, resumes and stops the agent, whose model is that of a chat tab, and renders its state for
the popup and the banner.

The user has the chat open and is logged in; the agent writes in it as they would. At most one agent runs."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from oryn.agent import Agent
from oryn.browsers.extension.tabs import ExtensionTabs
from oryn.core.text_safety import one_line, shortened
from oryn.engine import Session
from oryn.errors import InvalidValue, OrynError
from oryn.extension.agent.chat import Chat, is_chat_site, is_web_url
from oryn.extension.agent.policy import AgentQuestion, AgentQuestions
from oryn.extension.agent.run import ChatRun, ChatRunPlan, ChatRunProgress
from oryn.extension.agent.storage import AgentStorage
from oryn.extension.agent.tabs import AgentTabs
from oryn.extension.environment import Environment
from oryn.extension.popup.indicators import Notice
from oryn.extension.storage import BridgeCalls
from oryn.tools import tools

MAX_DETAIL_CHARACTERS = 2000
"""Characters of an answer or a detail in the result of a run."""


def run_state(run: ChatRun, question: AgentQuestion | None) -> dict[str, Any]:
    """A run in progress, as JSON data for the popup."""
    progress = run.progress
    return {
        "question": question.data() if question else None,
        "goal": run.plan.goal,
        "chat": run.chat.host,
        "doing": progress.doing,
        "number": progress.number,
        "most": run.plan.settings.max_steps,
        "corrections": len(progress.corrections),
        "steps": [step.data() for step in progress.steps],
    }


def run_result(goal: str, detail: str, answer: str | None = None) -> dict[str, Any]:
    """The result of a run, as JSON data for the popup: an answer of the model, or a detail about its failure."""
    text = None if answer is None else shortened(answer, MAX_DETAIL_CHARACTERS)
    return {"goal": goal, "detail": one_line(shortened(detail, MAX_DETAIL_CHARACTERS)), "answer": text, "steps": []}


def result_notice(last: Mapping[str, Any]) -> str:
    """The result of a run, for a banner."""
    return "Oryn's agent has finished" if last["answer"] is not None else f"Oryn's agent has ended: {last['detail']}"


log = logging.getLogger(__name__)

MAX_GOAL_CHARACTERS = 20_000
CLOSING_SECONDS = 5.0
STOPPED = "stopped"
QUESTION_NOTICE = "Oryn's agent asks you something: press Oryn's icon"
PROMPT_TOOLS = [tool.name for tool in tools("core") if tool.name != "screenshot"]
"""The tools in the prompt; a chat takes no screenshots."""


class AgentBridge(BridgeCalls, Protocol):
    """The part of `bridge.Bridge` that is used here."""

    def on(self, event: str, listener: Callable[..., object], *options: Any) -> None: ...


class AgentController:
    """Runs at most one agent."""

    def __init__(
        self,
        calls: AgentBridge,
        environment: Environment,
        tabs: ExtensionTabs,
        create_session: Callable[[int, bool], Session],
        changed: Callable[[], object],
    ) -> None:
        """`create_session` takes the number of a tab and whether risky commands wait for confirmation; `changed` is
        called when the displayed state has changed."""
        self._calls = calls
        self._environment = environment
        self._tabs = tabs
        self._create_session = create_session
        self._changed = changed
        self._storage = AgentStorage(calls)
        self._questions = AgentQuestions(changed, self._keep_alive)
        self._run: ChatRun | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop_reason = ""
        self._notice: dict[int, Notice] = {}

    def _keep_alive(self) -> None:
        self._environment.spawn(self._calls.call("runtime.getPlatformInfo"))

    def start(self) -> None:
        """Listen for the browser's events that a run must not miss."""
        on = self._calls.on
        on("runtime.onMessage", self._on_message)
        on("webNavigation.onCommitted", self._on_committed)
        on("tabs.onRemoved", self._on_removed)
        on("tabs.onReplaced", self._on_replaced)

    def _on_message(self, message: Any, sender: dict[str, Any]) -> None:
        if self._run is not None:
            self._run.chat.on_message(message, sender)

    def _on_committed(self, event: dict[str, Any]) -> None:
        if self._run is not None:
            self._run.chat.on_committed(event)

    def _on_removed(self, tab: int, _: Any) -> None:
        if self._run is not None:
            self._run.chat.on_removed(tab)

    def _on_replaced(self, new: int, old: int) -> None:
        if self._run is not None:
            self._run.chat.on_replaced(new, old)
            self._run.tabs.on_replaced(new, old)

    async def load(self) -> None:
        """Resume the run of an earlier worker, if there was one. Call it after the tabs have been listed."""
        await self._storage.load()
        stored = self._storage.run
        if stored is None:
            return
        try:
            plan, progress = ChatRunPlan.of(stored["plan"]), ChatRunProgress.of(stored["progress"])
        except (InvalidValue, KeyError, TypeError):  # written by another version
            await self._storage.finish_run(run_result("", "the extension was updated"))
            return
        if self._tabs.is_open(plan.chat):
            self._begin(plan, progress, again=True)
        else:
            await self._storage.finish_run(run_result(plan.goal, "the chat's tab was closed"))

    # --- the user's commands ---

    @property
    def is_running(self) -> bool:
        """Whether an agent runs."""
        return self._run is not None

    def session_of(self, tab: int) -> Session | None:
        """The session of the run's target, given by the browser's id; None for another tab."""
        return self._run.tabs.session_of(tab) if self._run is not None else None

    async def handle(self, message: Any) -> bool:
        """Handle a message of the popup; whether it is about the agent at all. Raises `InvalidValue`."""
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
                await self._storage.change(changes)
            case _:
                return False
        self._changed()
        return True

    def _start(self, goal: str, chat: int, tabs: Sequence[int]) -> None:
        if self._run is not None:
            raise InvalidValue("an agent works already", "Stop it first.")
        if not goal.strip():
            raise InvalidValue("the agent needs a goal")
        if len(goal) > MAX_GOAL_CHARACTERS:
            raise InvalidValue(f"a goal has {MAX_GOAL_CHARACTERS} characters at most")
        if not self._tabs.is_open(chat) or not is_web_url(url := self._tabs.url_of(chat)):
            raise InvalidValue("that tab shows no chat", "Open the chat in a tab, and choose it.")
        targets = [tab for tab in dict.fromkeys(tabs) if tab != chat and self._tabs.is_open(tab)]
        keyword = _keyword(self._tabs.url_of(targets[0]) if targets else "", url)
        plan = ChatRunPlan(secrets.token_hex(8), goal.strip(), keyword, chat, url, self._storage.settings, targets)
        self._begin(plan, ChatRunProgress(), again=False)

    def _correct(self, text: str) -> None:
        if self._run is None:
            raise InvalidValue("no agent is at work")
        if text.strip():
            self._run.correct(text.strip()[:MAX_GOAL_CHARACTERS])

    async def stop(self, why: str = STOPPED) -> None:
        """Stop the run, if there is one; `why` becomes the detail of its result."""
        if self._task is not None and self._run is not None:
            self._stop_reason = why
            self._task.cancel()
            await asyncio.wait([self._task])

    # --- one run ---

    def _begin(self, plan: ChatRunPlan, progress: ChatRunProgress, *, again: bool) -> None:
        chat = Chat(
            self._calls,
            self._environment.spawn,
            plan.chat,
            plan.url,
            plan.run,
            plan.keyword,
            lambda doing: self._run.on_waiting(doing) if self._run else None,
        )
        settings = plan.settings
        targets = AgentTabs(
            self._tabs, lambda tab: self._create_session(tab, settings.ask), plan.tabs, lambda: chat.tab, self._changed
        )
        agent = Agent(
            plan.goal,
            targets,
            saved=settings.tools,
            max_tabs=settings.max_tabs,
            confirm=self._questions.confirm,
            redact=settings.redact,
            page_updates=settings.page_updates,
            keyword=plan.keyword,
            first_id=progress.next_id,
            commands=PROMPT_TOOLS,
        )
        for words in progress.corrections:
            agent.correct(words)
        self._run = ChatRun(
            plan, progress, agent, chat, targets, self._storage.save_run, self._changed, self._keep_alive
        )
        self._task = asyncio.create_task(self._execute(self._run, again=again))

    async def _execute(self, run: ChatRun, *, again: bool) -> None:
        self._stop_reason = ""
        try:
            answer = await run.execute(again=again)
            last = run_result(run.plan.goal, "", answer)
        except asyncio.CancelledError:
            last = run_result(run.plan.goal, self._stop_reason or STOPPED)
        except OrynError as error:
            last = run_result(run.plan.goal, error.message)
        except Exception as error:  # a bug must end the run with a result
            log.exception("unexpected error in a run")
            last = run_result(run.plan.goal, f"unexpected {type(error).__name__}")
        last["steps"] = [step.data() for step in run.progress.steps]
        await run.chat.leave()
        await self._release(run)
        await self._storage.finish_run(last)
        self._notice = {run.chat.tab: Notice(result_notice(last), "OK")} if self._tabs.is_open(run.chat.tab) else {}
        self._run = self._task = None
        self._changed()

    async def _release(self, run: ChatRun) -> None:
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await run.tabs.close()
        except TimeoutError:
            log.warning("the sessions of a run did not end in time")

    # --- the displayed state ---

    @property
    def targets(self) -> list[int]:
        """The tabs that the agent controls, by the browser's ids."""
        return self._run.tabs.ids if self._run else []

    @property
    def host(self) -> str | None:
        """The host of the chat, during a run."""
        return self._run.chat.host if self._run else None

    @property
    def notices(self) -> Mapping[int, Notice]:
        """The notices of banners by tab: the chat's says that an agent writes there, and later that it has ended."""
        if self._run is None:
            return self._notice
        if self.asks:
            return dict.fromkeys([self._run.chat.tab, *self.targets], Notice(QUESTION_NOTICE))
        return {self._run.chat.tab: Notice("Oryn's agent writes in this chat")}

    @property
    def asks(self) -> bool:
        """Whether a question waits for the user's answer."""
        return self._questions.open is not None

    def dismiss_notice(self) -> None:
        """Remove the notice about the last result, which the user has read."""
        self._notice = {}
        self._changed()

    def state(self) -> dict[str, Any]:
        """The state as JSON data for the popup. `tabs` are those that the user can choose from; their `chat` marks
        known chat sites. `last` is the result of the last run (`run_result`)."""
        run = self._run
        tabs = [tab for tab in self._tabs.list_all() if is_web_url(tab["url"])]
        return {
            "settings": self._storage.settings.data(),
            "tabs": [{**tab, "chat": is_chat_site(tab["url"])} for tab in tabs],
            "run": None if run is None else run_state(run, self._questions.open),
            "last": None if run is not None else self._storage.last,
        }


def _keyword(target: str, chat: str) -> str:
    """The keyword that ends the model's answers (docs/spec/agent-protocol.md#the-first-message), with digits that no
    page can guess."""
    hosts = [urlsplit(url).hostname or "" for url in (target or "https://browser", chat)]
    moment = f"{time.time() * 1000:.0f}{secrets.randbelow(10**9):09}"
    return f"[END:{'-'.join(hosts)}-{moment}]"
