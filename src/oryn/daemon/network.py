"""`network start`, `stop` and `list` (seed 004): those requests of a session that it made between two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from oryn.daemon.hosting import Hosting, Open, performs
from oryn.engine import Answer
from oryn.errors import NotRunning
from oryn.language import Requests, parse, render
from oryn.language.commands.hosting import NetworkList, NetworkStart, NetworkStop
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.engine import Session


class _Part(Record):
    """The numbers of requests: above `after`, and not above `until`, where that is over."""

    after: int
    until: int | None = None

    def has(self, number: int) -> bool:
        return self.after < number and (self.until is None or number <= self.until)


_parts: WeakKeyDictionary[Session, _Part] = WeakKeyDictionary()
_ALL = _Part(0)


@performs(NetworkStart, opens=True)
async def _start(hosting: Hosting, name: str, command: NetworkStart, opened: Open) -> Answer:
    session = opened()
    await session.started()
    _parts[session] = _Part(_latest(session))
    return Answer(lines=["requests are noted from now on"])


@performs(NetworkStop, opens=True)
async def _stop(hosting: Hosting, name: str, command: NetworkStop, opened: Open) -> Answer:
    session = opened()
    part = _parts.get(session)
    if part is None or part.until is not None:
        raise NotRunning("requests are not being noted", "Run 'network start' first.")
    _parts[session] = part.replace(until=_latest(session))
    count = sum(_parts[session].has(each.number) for each in session.browser.network.exchanges())
    return Answer(lines=[f"{count} requests were noted"], data={"requests": count})


@performs(NetworkList, opens=True)
async def _list(hosting: Hosting, name: str, command: NetworkList, opened: Open) -> Answer:
    session = opened()
    asked = Requests(filter=command.filter, method=command.method, timeout=command.timeout)
    answer = await session.execute(parse(render(asked)), json=False)
    if answer.error is None and answer.data:
        part = _parts.get(session, _ALL)
        shown = [pair for pair in zip(answer.lines, answer.data, strict=True) if part.has(pair[1]["number"])]
        if command.last is not None:
            shown = shown[len(shown) - min(command.last, len(shown)) :]
        answer.lines, answer.data = [line for line, _ in shown] or ["none"], [data for _, data in shown]
    answer.command = render(command)
    return answer


def _latest(session: Session) -> int:
    """The number of the latest request; 0 where there was none."""
    return max((each.number for each in session.browser.network.exchanges()), default=0)
