"""Commands to one tab over the sessions of a debugging protocol, whichever it is."""

from __future__ import annotations

import asyncio
from typing import Any, Generic, TypeVar

from oryn.browsers.common.input_watch import InputKind, InputWatch
from oryn.browsers.common.protocol_session import Answer, ProtocolSession
from oryn.core.error_text import round_up_seconds
from oryn.errors import Timeout

AnySession = TypeVar("AnySession", bound=ProtocolSession)


class TabCommands(Generic[AnySession]):
    """Sends commands to one tab. Subclasses check the state of the tab."""

    session: AnySession
    """The session of the top document."""
    input_watch: InputWatch | None = None
    """Who has to know what input is sent to the tab; None if only this session can send any."""

    def check(self) -> None:
        """Start a command. Raises the error that would keep it from being answered."""
        raise NotImplementedError

    def check_alive(self) -> None:
        """Like `check`, within a command."""
        raise NotImplementedError

    async def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: AnySession | None = None,
        timeout: float = 30,
    ) -> Answer:
        """Send a command to the tab, or to the `session` of one frame, and wait at most `timeout` seconds.

        Raises `Timeout`, `DialogOpen`, `PageCrashed`, and the errors of `ProtocolSession.call`."""
        self.check_alive()
        try:
            return await (session or self.session).call(method, params, timeout=timeout)
        except Timeout:
            raise Timeout(
                f"the page did not answer within {round_up_seconds(timeout):g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None

    def send_input(self, method: str, params: dict[str, Any], kind: InputKind | None) -> asyncio.Future[Answer]:
        """Send an input, of a `kind` if the page hears of it."""
        sent = self.session.send(method, params)
        if kind is not None and self.input_watch is not None:
            self.input_watch.announce(kind, sent)
        return sent

    async def pipeline(self, futures: list[asyncio.Future[Answer]], timeout: float) -> None:
        """Wait for commands that were sent together. Raises the first failure, or `Timeout` after `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await asyncio.gather(*futures)  # woken once, not for each answer
        except TimeoutError:
            raise Timeout(
                f"the page did not take input within {round_up_seconds(timeout):g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None
