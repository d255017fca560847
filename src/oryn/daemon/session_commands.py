"""Handlers of host commands about one session.

`confirm` and `deny` are a person's answer to a command that waits for it. `captcha` and `captcha solve` are not lines
of the language. `network start`, `stop` and `list` are about the requests that a session sent between two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from oryn.core.records import Record
from oryn.daemon.host_commands import APPROVES, DAEMON_COMMANDS, HostCommands, SessionOpener
from oryn.engine import Answer
from oryn.errors import NotRunning, SessionNotFound, Unauthorized
from oryn.language import Line, Requests, render
from oryn.language.commands.host import Captcha, CaptchaSolve, Confirm, Deny, NetworkList, NetworkStart, NetworkStop

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.engine.policy.confirmations import Confirmations


@DAEMON_COMMANDS.handles(Confirm)
async def _confirm(host: HostCommands, session: str, command: Confirm, opener: SessionOpener) -> Answer:
    confirmations = _confirmations(host, session)
    if not APPROVES.get():
        raise Unauthorized(
            "only a person approves a command: the request has not the person's key",
            f"Run 'oryn confirm {command.id}' in a terminal.",
        )
    return await confirmations.confirm(command.id)


@DAEMON_COMMANDS.handles(Deny)
async def _deny(host: HostCommands, session: str, command: Deny, opener: SessionOpener) -> Answer:
    return _confirmations(host, session).deny(command.id)


def _confirmations(host: HostCommands, session: str) -> Confirmations:
    found = host.sessions.get(session)
    if found is None:
        raise SessionNotFound.among(host.sessions.names)
    return found.confirmations


@DAEMON_COMMANDS.handles(Captcha, CaptchaSolve)
async def _captcha(host: HostCommands, name: str, command: Captcha | CaptchaSolve, opener: SessionOpener) -> Answer:
    return await opener().execute(Line.of(command))


class _RequestRange(Record):
    """A range of request numbers: above `after`, up to and including `until`; `until` is None while recording."""

    after: int
    until: int | None = None

    def has(self, number: int) -> bool:
        return self.after < number and (self.until is None or number <= self.until)


_ranges: WeakKeyDictionary[Session, _RequestRange] = WeakKeyDictionary()
_ALL = _RequestRange(0)


@DAEMON_COMMANDS.handles(NetworkStart)
async def _network_start(host: HostCommands, name: str, command: NetworkStart, opener: SessionOpener) -> Answer:
    session = opener()
    await session.startup.ensure_started()
    _ranges[session] = _RequestRange(_latest_request(session))
    return Answer(lines=["requests are recorded from now on"])


@DAEMON_COMMANDS.handles(NetworkStop)
async def _network_stop(host: HostCommands, name: str, command: NetworkStop, opener: SessionOpener) -> Answer:
    session = opener()
    part = _ranges.get(session)
    if part is None or part.until is not None:
        raise NotRunning("requests are not being recorded", "Run 'network start' first.")
    _ranges[session] = part.replace(until=_latest_request(session))
    count = sum(_ranges[session].has(each.number) for each in session.browser.network.exchanges())
    return Answer(lines=[f"{count} request{'' if count == 1 else 's'} recorded"], data={"requests": count})


@DAEMON_COMMANDS.handles(NetworkList)
async def _network_list(host: HostCommands, name: str, command: NetworkList, opener: SessionOpener) -> Answer:
    session = opener()
    requests = Requests(filter=command.filter, method=command.method, timeout=command.timeout)
    answer = await session.execute(Line.of(requests), json=False)
    if answer.error is None and answer.data:
        part = _ranges.get(session, _ALL)
        pairs = [pair for pair in zip(answer.lines, answer.data, strict=True) if part.has(pair[1]["number"])]
        if command.last is not None:
            pairs = pairs[len(pairs) - min(command.last, len(pairs)) :]
        answer.lines, answer.data = [line for line, _ in pairs] or ["none"], [data for _, data in pairs]
    answer.command = render(command)
    return answer


def _latest_request(session: Session) -> int:
    """The number of the session's latest request; 0 if it has sent no request."""
    return max((each.number for each in session.browser.network.exchanges()), default=0)
