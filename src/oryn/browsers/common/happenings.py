"""What a page did, noted with the moment at which it began, so that `settle` can tell what an action started."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

from oryn.browsers.base import Mark

Thing = TypeVar("Thing")


@dataclass(slots=True)
class Noted(Generic[Thing]):
    moment: int
    thing: Thing


class Log(Generic[Thing]):
    """The latest things of one kind. A page that makes them without end costs no memory without end."""

    def __init__(self, most: int = 200) -> None:
        self._noted: deque[Noted[Thing]] = deque(maxlen=most)

    def note(self, moment: int, thing: Thing) -> Noted[Thing]:
        noted = Noted(moment, thing)
        self._noted.append(noted)
        return noted

    def since(self, mark: Mark) -> list[Thing]:
        """What was noted at or after `mark`, oldest first."""
        return [noted.thing for noted in self._noted if noted.moment >= mark.serial]
