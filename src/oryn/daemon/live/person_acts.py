"""What a person does while a test is recorded: presses and typed texts become rows of the history, as the commands that
do the same (docs/tests.md#recording).

Only then is the page looked at before and after each of them, which takes time."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from oryn.daemon.events import utc_now
from oryn.daemon.live.person_input import (
    KeyInput,
    MousePress,
    MouseRelease,
    PastedText,
    PersonInput,
    PersonMessage,
    TextInput,
)
from oryn.daemon.protocol import CommandEnvelope
from oryn.daemon.request.command import CommandRequest
from oryn.daemon.request.parser import action_name
from oryn.engine.action import Action
from oryn.engine.output.changes import is_focused_field
from oryn.engine.output.target_description import TargetDescription, describe_element
from oryn.engine.page.resolve import matches
from oryn.engine.runner import prepare_answer
from oryn.errors import OrynError
from oryn.language import MASK, Click, Command, Line, PointTarget, Press, Type
from oryn.testing.files import OpenRecordings

if TYPE_CHECKING:
    from oryn.daemon.dispatcher import Dispatcher
    from oryn.engine import Session

LOOK_SECONDS = 10.0
"""Seconds that looking at the page may take, before or after an act."""
_EDITING_KEYS = ("Backspace", "Delete", "ArrowLeft", "ArrowRight", "Home", "End")
_PRESSED_KEYS = {"Enter": "enter", "Escape": "escape"}
"""Keys that are steps of their own, by their names in events."""


class _PersonAct:
    """An act that has begun. `command` says which it was, when it has ended."""

    def __init__(self, action: Action, command: Callable[[], Command | None]) -> None:
        self.action = action
        self.command = command
        self.ts, self.started = utc_now(), time.perf_counter()


class PersonActs:
    """Delivers a person's input to a session, and records it while a test of the session is recorded."""

    def __init__(self, dispatcher: Dispatcher, session: Session) -> None:
        self._dispatcher = dispatcher
        self._session = session
        self._recordings = OpenRecordings(dispatcher.host_commands.configuration.paths.recordings)
        self._input = PersonInput(session)
        self._press: _PersonAct | None = None
        self._typing: _PersonAct | None = None

    async def deliver(self, message: PersonMessage) -> None:
        """Deliver one message. Raises `OrynError` if that is impossible; what can't be recorded is delivered."""
        if not self._recordings.is_open(self._session.name):
            await self._input.deliver(message)
            return
        match message:
            case MousePress(button="left", x=x, y=y, count=1):
                await self._end_typing()
                self._press = await self._begin(lambda: self._begin_press(x, y))
                await self._input.deliver(message)
            case MouseRelease() if self._press is not None:
                act, self._press = self._press, None
                await self._input.deliver(message)
                await self._record(act)
            case KeyInput(key=key, down=True) if key in _PRESSED_KEYS:
                await self._end_typing()
                act_of_key = await self._begin(lambda: self._begin_key(_PRESSED_KEYS[key]))
                await self._input.deliver(message)
                await self._record(act_of_key)
            case KeyInput(key="Tab", down=True):
                await self._end_typing()
                await self._input.deliver(message)
            case KeyInput() | TextInput() | PastedText() if self._types(message):
                self._typing = self._typing or await self._begin(self._begin_typing)
                await self._input.deliver(message)
            case _:
                await self._input.deliver(message)

    async def release(self) -> None:
        """Record what was typed last, and release what is held."""
        await self._end_typing()
        await self._input.release()

    @staticmethod
    def _types(message: KeyInput | TextInput | PastedText) -> bool:
        if not isinstance(message, KeyInput):
            return True
        return message.down and (len(message.key) <= 2 or message.key in _EDITING_KEYS)

    # --- acts ---

    async def _begin(self, begin: Callable[[], Awaitable[_PersonAct | None]]) -> _PersonAct | None:
        with suppress(OrynError):
            async with self._session.turn(LOOK_SECONDS):
                return await begin()
        return None

    async def _begin_press(self, x: float, y: float) -> _PersonAct:
        session = self._session
        found = await matches(session, PointTarget(x, y))
        number = found[0][0]["id"] if found else None
        action = await Action.begin(session, number)
        target = self._described(action)
        wanted = target.target if target is not None else None
        return _PersonAct(action, lambda: Click(target=wanted or PointTarget(x, y)))

    async def _begin_key(self, key: str) -> _PersonAct:
        return _PersonAct(await Action.begin(self._session), lambda: Press(keys=(key,)))

    async def _begin_typing(self) -> _PersonAct | None:
        session = self._session
        session.enter_page()
        elements = session.element_index.elements
        if elements is None or not any(map(is_focused_field, elements.values())):
            elements = await session.element_index.refresh(session.page, session.frame, timeout=LOOK_SECONDS)
        number = next((number for number, each in elements.items() if is_focused_field(each)), None)
        if number is None:
            return None
        action = await Action.begin(session, number, enters=True)
        target = self._described(action)
        wanted = target.target if target is not None else None
        if target is None or wanted is None:
            return None

        def typed() -> Command | None:
            field = (session.element_index.elements or {}).get(number)
            if field is None and target.role != "password":
                return None  # the page has gone with it
            text = MASK if target.role == "password" or field is None else str(field.get("value") or "")
            return Type(target=wanted, text=text)

        return _PersonAct(action, typed)

    def _described(self, action: Action) -> TargetDescription | None:
        return None if action.subject is None else describe_element(action.before, action.subject, action.url)

    async def _end_typing(self) -> None:
        act, self._typing = self._typing, None
        await self._record(act)

    async def _record(self, act: _PersonAct | None) -> None:
        """Write the row of an act that has ended. Never raises `OrynError`."""
        if act is None:
            return
        with suppress(OrynError):
            async with self._session.turn(LOOK_SECONDS):
                answer = await act.action.report()
            if (command := act.command()) is None:
                return
            line = Line.of(command)
            answer.command = line.canonical
            prepare_answer(self._session, answer, command)
            envelope = CommandEnvelope.model_validate({"line": line.canonical, "session": self._session.name})
            request = CommandRequest(
                envelope,
                line,
                None,
                action_name(envelope, line),
                self._session.name,
                secrets.token_hex(8),
                act.ts,
                act.started,
            )
            self._dispatcher.begin(request, self._session)
            self._dispatcher.finish(request, answer, self._session)
