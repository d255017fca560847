"""Doing what a call says: the protocol's own commands, those of the table, and what tabs do meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from oryn.agent import messages
from oryn.agent.commands import Refused, Wanted, wanted
from oryn.agent.parsing import Call
from oryn.agent.results import events, result
from oryn.agent.saved import SavedTools
from oryn.agent.tabs import Tabs
from oryn.agent.target import Target, Told
from oryn.engine import Answer, Session
from oryn.errors import ConfirmationRequired, ElementNotFound, ElementStale, LanguageError, OrynError, Timeout
from oryn.language import Command, Goto, Id, TabNew
from oryn.records import Record
from oryn.tools import line_of

Confirm = Callable[[Session, ConfirmationRequired], Awaitable[bool]]
"""Asks the user whether a command may be done that waits for a yes (the setting `confirm`)."""

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
"""Commands that reach further than a page's own controls do: they wait for a yes unless the user says otherwise."""

NO_WAY = "Find another way, or finish."


POPUP_SECONDS = 5.0
"""How long a tab that a page has opened may load."""

_SILENT = frozenset({"clipboard", "keydown", "keyup"})
"""Acts that most pages show nothing of."""


class Done(Record, frozen=False):
    """What a call came to, on its way into a message."""

    lines: list[str]
    result: str = ""
    failed: bool = False
    target: Target | None = None
    expects_change: bool = False
    """It is not only there to look: a tab that stays as it was is worth a word."""
    eventful: bool = False
    """Something has happened that the model is told of anyway."""
    told: Told = "all"


class Execution:
    """What an agent's calls do. `confirm` is asked for commands that wait for a yes; without it the answer is no."""

    def __init__(self, tabs: Tabs, saved: SavedTools, confirm: Confirm | None) -> None:
        self._tabs = tabs
        self._saved = saved
        self._confirm = confirm

    async def run(self, call: Call) -> Done:
        """Never raises for what a call says or a page does."""
        try:
            done = await self._done(Call(call.action.lower(), call.arguments))
        except Refused as refused:
            done = Done([str(refused)], failed=True, told="news")
        await self.look_after_tabs(done)
        return done

    async def _done(self, call: Call) -> Done:
        """Raises `Refused`."""
        match call.action:
            case "open_tab":
                return await self._open(_text_of(call, "url"))
            case "open_tool":
                name = _text_of(call, "name")
                url = self._saved.url(name)
                if url is None:
                    raise Refused(messages.tool_not_found(name, self._saved.names))
                return await self._open(url)
            case "observe" if not call.arguments:
                return Done([], told="whole")
        return await self._run(wanted(call, self._tabs))

    async def _open(self, url: str) -> Done:
        try:
            line = line_of("goto", {"url": url})
        except LanguageError as error:
            raise Refused(messages.failed_to_open(url, error.message)) from error
        try:
            target, released = await self._tabs.open()
        except OrynError as error:
            raise Refused(messages.failed_to_open(url, error.message)) from error
        try:
            await self._permit_tab(target.session, url)
            answer = await self._executed(Wanted(line, target))
            if answer.error is not None:
                raise answer.error
        except Timeout as error:  # what has come of the page stays, and may be enough
            return Done([*released, messages.failed(error)], target=target, eventful=True)
        except OrynError as error:
            await self._tabs.release(target)
            return Done([*released, messages.failed_to_open(url, error.message)], failed=True)
        return Done(released, result(answer, "open_tab", self._tabs.shown), target=target, eventful=True)

    async def _run(self, what: Wanted) -> Done:
        target, command = what.target, what.line.command
        assert command is not None
        self._tabs.current = target
        target.watch()
        answer = await self._executed(what)
        if answer.error is not None:
            return Done([self._why(answer.error, command)], failed=True, target=target)
        said = result(answer, command.spec.door, self._tabs.shown)
        return Done(
            [],
            said,
            target=target,
            expects_change=not said and _changes_pages(command),
            eventful=events(answer) or isinstance(command, Goto),
        )

    @staticmethod
    def _why(error: OrynError, command: Command) -> str:
        named = getattr(command, "target", None)
        if isinstance(error, ElementNotFound | ElementStale) and isinstance(named, Id):
            return messages.element_not_found(named.number)
        return messages.failed(error)

    async def _executed(self, what: Wanted) -> Answer:
        session = what.target.session
        answer = await session.execute(what.line, json=False)
        waits = answer.error
        if not isinstance(waits, ConfirmationRequired) or waits.id is None:
            return answer
        if await self._agreed(session, waits):
            return await session.confirmations.confirm(waits.id, json=False)
        answer.error = self._denied(session, waits)
        return answer

    async def _agreed(self, session: Session, waits: ConfirmationRequired) -> bool:
        return self._confirm is not None and await self._confirm(session, waits)

    def _denied(self, session: Session, waits: ConfirmationRequired) -> ConfirmationRequired:
        if waits.id is not None:
            session.confirmations.deny(waits.id)
        if self._confirm is None:
            return ConfirmationRequired("this command needs the user's yes, who can't be asked", NO_WAY)
        return ConfirmationRequired("the user said no to this command", NO_WAY)

    async def _permit_tab(self, session: Session, url: str) -> None:
        """A tab is opened by other means than `tab new`, and needs the same yes. Raises `PolicyError`."""
        try:
            session.permit(TabNew(url))
        except ConfirmationRequired as waits:
            agreed = await self._agreed(session, waits)
            denied = self._denied(session, waits)
            if not agreed:
                raise denied from None

    async def look_after_tabs(self, done: Done) -> None:
        """Let go of what is closed, and take in the last tab that pages have opened: one that opens many at once must
        not push out all the others."""
        for target in self._tabs:
            if target.is_gone:
                done.lines.append(messages.tab_closed(target.url, target.shown))
                await self._tabs.release(target)
        try:
            popups = await self._tabs.popups()
        except OrynError:  # the browser has died, and all tabs with it
            return
        for session in popups[:-1]:
            await self._tabs.leave(session)
        if popups:
            target, released = await self._tabs.add(popups[-1], opener=done.target)
            await _loaded(target)
            done.lines += [*released, messages.tab_opened(target.url, target.shown)]
            done.eventful = True
        if len(popups) > 1:
            done.lines.append(messages.tabs_left(len(popups) - 1))


async def _loaded(target: Target) -> None:
    """Let a tab that a page has opened load, so that its first snapshot shows what it is."""
    session = target.session
    with suppress(OrynError):  # what has come of it by now is what there is to see
        async with session.turn(POPUP_SECONDS):
            await session.started()
            await session.browser.attend()
            await session.page.wait_for("load", timeout=session.remaining())
    with suppress(OrynError):
        target.url = session.page.url


def _changes_pages(command: Command) -> bool:
    """Whether it is there to change what a page shows."""
    spec = command.spec
    return spec.family in ("Acting", "Intents") and not command.safe and spec.path[0] not in _SILENT


def _text_of(call: Call, name: str) -> str:
    """The one argument that a call has. Raises `Refused`."""
    value = call.arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Refused(messages.error(f'"{call.action}" needs "{name}", as a string.'))
    if len(call.arguments) > 1:
        raise Refused(messages.error(f'"{call.action}" takes "{name}" and nothing else.'))
    return value.strip()
