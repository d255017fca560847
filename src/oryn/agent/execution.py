"""Executes a model's calls: those of the protocol and those of the command table. Tracks opened and closed tabs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from oryn.agent import messages
from oryn.agent.commands import CallRejected, ResolvedCall, resolve_call
from oryn.agent.messages import has_events, render_result
from oryn.agent.parser import Call
from oryn.agent.prompt import SavedTools
from oryn.agent.tabs import TargetTabs
from oryn.agent.target import SnapshotDetail, TargetTab
from oryn.core.records import Record
from oryn.engine import Answer, Session
from oryn.errors import ConfirmationRequired, ElementNotFound, ElementStale, LanguageError, OrynError, Timeout
from oryn.language import Command, Goto, IdTarget
from oryn.tools import line_of

Confirm = Callable[[Session, ConfirmationRequired], Awaitable[bool]]
"""Asks the user whether to run a command that needs confirmation (the setting `confirm`)."""

RISKY = (
    "eval",
    "script",
    "upload",
    "state",
    "cookies",
    "storage",
    "clipboard",
    "headers",
    "credentials",
    "intercept",
)
"""Commands that reach further than a page's own controls do. They need confirmation unless the user
chooses otherwise."""

DENIED_HINT = "Find another way, or finish."


POPUP_TIMEOUT_SECONDS = 5.0
"""How long Oryn waits for a tab that a page has opened to load."""

_SILENT = frozenset({"clipboard", "keydown", "keyup"})
"""Commands of the family Acting that usually have no visible effect."""


class CallResult(Record, frozen=False):
    """The result of a call, from which a message is made."""

    lines: list[str]
    result: str = ""
    failed: bool = False
    target: TargetTab | None = None
    element: str = ""
    """Role and name of the element that the call names by its number, as they were before the call."""
    expects_change: bool = False
    """Whether the call should change the page, so that the model is notified if nothing changes."""
    has_events: bool = False
    """Whether the message reports an event anyway."""
    snapshot_detail: SnapshotDetail = "all"


class CallExecutor:
    """Runs an agent's calls. `confirm` decides about commands that need confirmation; without it, they are denied."""

    def __init__(self, tabs: TargetTabs, saved: SavedTools, confirm: Confirm | None) -> None:
        self._tabs = tabs
        self._saved = saved
        self._confirm = confirm

    async def run(self, call: Call) -> CallResult:
        """Run a call. Never raises because of a call's content or a page's behaviour."""
        try:
            done = await self._dispatch(Call(call.action.lower(), call.arguments))
        except CallRejected as refused:
            done = CallResult([str(refused)], failed=True, snapshot_detail="changed")
        await self.update_tabs(done)
        return done

    async def _dispatch(self, call: Call) -> CallResult:
        """Raises `CallRejected` if the call is invalid."""
        match call.action:
            case "open_tab":
                return await self._open(_single_argument(call, "url"))
            case "open_tool":
                name = _single_argument(call, "name")
                url = self._saved.url(name)
                if url is None:
                    raise CallRejected(messages.tool_not_found(name, self._saved.names))
                return await self._open(url)
            case "observe" if not call.arguments:
                return CallResult([], snapshot_detail="whole")
        return await self._run(resolve_call(call, self._tabs))

    async def _open(self, url: str) -> CallResult:
        try:
            line = line_of("goto", {"url": url})
        except LanguageError as error:
            raise CallRejected(messages.failed_to_open(url, error.message)) from error
        try:
            target, released = await self._tabs.open()
        except OrynError as error:
            raise CallRejected(messages.failed_to_open(url, error.message)) from error
        try:
            answer = await self._execute(ResolvedCall(line, target))
            if answer.error is not None:
                raise answer.error
        except Timeout as error:  # the part of the page that has loaded may be enough
            return CallResult([*released, messages.engine_error(error)], target=target, has_events=True)
        except OrynError as error:
            await self._tabs.release(target)
            return CallResult([*released, messages.failed_to_open(url, error.message)], failed=True)
        return CallResult(
            released, render_result(answer, "open_tab", self._tabs.redactor), target=target, has_events=True
        )

    async def _run(self, what: ResolvedCall) -> CallResult:
        target, command = what.target, what.line.command
        assert command is not None
        self._tabs.current = target
        target.watch()
        named = getattr(command, "target", None)
        element = target.describe_element(named.number) if isinstance(named, IdTarget) else ""
        answer = await self._execute(what)
        if answer.error is not None:
            lines = [self._error_message(answer.error, command)]
            return CallResult(lines, failed=True, target=target, element=element)
        spec = command.spec
        text = render_result(answer, spec.api_name, self._tabs.redactor)
        acts = spec.family in ("Acting", "Intents") and not command.safe and spec.path[0] not in _SILENT
        return CallResult(
            [],
            text,
            target=target,
            element=element,
            expects_change=acts and not text,
            has_events=has_events(answer) or isinstance(command, Goto),
        )

    @staticmethod
    def _error_message(error: OrynError, command: Command) -> str:
        named = getattr(command, "target", None)
        if isinstance(error, ElementNotFound | ElementStale) and isinstance(named, IdTarget):
            return messages.element_not_found(named.number)
        return messages.engine_error(error)

    async def _execute(self, what: ResolvedCall) -> Answer:
        session = what.target.session
        answer = await session.execute(what.line, json=False)
        waits = answer.error
        if not isinstance(waits, ConfirmationRequired) or waits.id is None:
            return answer
        if self._confirm is not None and await self._confirm(session, waits):
            return await session.confirmations.confirm(waits.id, json=False)
        answer.error = self._denied(session, waits)
        return answer

    def _denied(self, session: Session, waits: ConfirmationRequired) -> ConfirmationRequired:
        if waits.id is not None:
            session.confirmations.deny(waits.id)
        if self._confirm is None:
            return ConfirmationRequired(
                "this command needs the user's approval, but the user can't be asked", DENIED_HINT
            )
        return ConfirmationRequired("the user said no to this command", DENIED_HINT)

    async def update_tabs(self, done: CallResult) -> None:
        """Release closed tabs and add the last tab that pages have opened. A page that opens many tabs at once must not
        displace all the others."""
        for target in self._tabs:
            if target.is_closed:
                done.lines.append(messages.tab_closed(target.url, target.redactor))
                await self._tabs.release(target)
        try:
            popups = await self._tabs.popups()
        except OrynError:  # the browser has died, and all tabs with it
            return
        for session in popups[:-1]:
            await self._tabs.release_popup(session)
        if popups:
            target, released = await self._tabs.add(popups[-1], opener=done.target)
            await _wait_for_load(target)
            done.lines += [*released, messages.tab_opened(target.url, target.redactor)]
            done.has_events = True
        if len(popups) > 1:
            done.lines.append(messages.tabs_left(len(popups) - 1))


async def _wait_for_load(target: TargetTab) -> None:
    """Wait until a tab that a page has opened is loaded, so that its first snapshot has content."""
    session = target.session
    with suppress(OrynError):  # the snapshot has what is loaded by now
        async with session.turn(POPUP_TIMEOUT_SECONDS):
            await session.startup.ensure_started()
            await session.browser.before_command()
            await session.page.wait_for("load", timeout=session.deadline.remaining())
    with suppress(OrynError):
        target.url = session.page.url


def _single_argument(call: Call, name: str) -> str:
    """Return the value of the call's only argument. Raises `CallRejected` if it is missing or there are others."""
    value = call.arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise CallRejected(messages.error(f'"{call.action}" needs "{name}", as a string.'))
    if len(call.arguments) > 1:
        raise CallRejected(messages.error(f'"{call.action}" takes "{name}" and nothing else.'))
    return value.strip()
