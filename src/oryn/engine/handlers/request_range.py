"""`network start`, `network stop` and `network list`: the requests that a session has sent between two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from oryn.core.records import Record
from oryn.engine.handlers.network import requests
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.errors import NotRunning
from oryn.language import Requests
from oryn.language.commands.host import NetworkList, NetworkStart, NetworkStop

if TYPE_CHECKING:
    from oryn.engine.session import Session


class RequestRange(Record):
    """A range of request numbers: above `after`, up to and including `until`; `until` is None while recording."""

    after: int
    until: int | None = None

    def has(self, number: int) -> bool:
        return self.after < number and (self.until is None or number <= self.until)


_ranges: WeakKeyDictionary[Session, RequestRange] = WeakKeyDictionary()
_ALL = RequestRange(0)


@handles(NetworkStart)
async def network_start(session: Session, command: NetworkStart) -> Answer:
    _ranges[session] = RequestRange(_latest_request(session))
    return Answer(lines=["requests are recorded from now on"])


@handles(NetworkStop)
async def network_stop(session: Session, command: NetworkStop) -> Answer:
    part = _ranges.get(session)
    if part is None or part.until is not None:
        raise NotRunning("requests are not being recorded", "Run 'network start' first.")
    part = part.replace(until=_latest_request(session))
    count = sum(part.has(each.number) for each in session.browser.network.exchanges())
    _ranges[session] = part
    return Answer(lines=[f"{count} request{'' if count == 1 else 's'} recorded"], data={"requests": count})


@handles(NetworkList)
async def network_list(session: Session, command: NetworkList) -> Answer:
    answer = await requests(session, Requests(filter=command.filter, method=command.method))
    if answer.data:
        part = _ranges.get(session, _ALL)
        pairs = [pair for pair in zip(answer.lines, answer.data, strict=True) if part.has(pair[1]["number"])]
        if command.last is not None:
            pairs = pairs[len(pairs) - min(command.last, len(pairs)) :]
        answer.lines, answer.data = [line for line, _ in pairs] or ["none"], [data for _, data in pairs]
    return answer


def _latest_request(session: Session) -> int:
    """The number of the session's latest request; 0 if it has sent no request."""
    return max((each.number for each in session.browser.network.exchanges()), default=0)
