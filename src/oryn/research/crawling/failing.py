"""What did not come: asked for again later, told of, or a whole host given up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from oryn.errors import OrynError
from oryn.research.crawling.asking import Asker
from oryn.research.crawling.clock import Clock
from oryn.research.crawling.frontier import End, Frontier, Kind, Task
from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.outbox import Outbox
from oryn.research.crawling.results import Failure
from oryn.research.crawling.state import State
from oryn.research.failures import BodyTooLarge, FetchFailed, RobotsDisallowed


class RobotsUnreachable(RobotsDisallowed):
    """A robots.txt that can't be had now. `cause` says why, and whether to ask again."""

    def __init__(self, cause: FetchFailed | BodyTooLarge) -> None:
        super().__init__(f"nothing may be asked for while robots.txt can't be read: {cause.message}")
        self.cause = cause


class Failing:
    """Keeps the rules of trying again."""

    def __init__(
        self, state: State, frontier: Frontier, outbox: Outbox, asker: Asker, options: CrawlOptions, clock: Clock
    ) -> None:
        self._state = state
        self._frontier = frontier
        self._outbox = outbox
        self._asker = asker
        self._options = options
        self._clock = clock

    @contextmanager
    def of_robots(self) -> Iterator[None]:
        """What fails within was a robots.txt. (Where an address is not allowed, that is the matter, not the file.)"""
        try:
            yield
        except (FetchFailed, BodyTooLarge) as error:
            raise RobotsUnreachable(error) from error

    def failed(self, task: Task, error: OrynError) -> None:
        """`task` ends, or waits again."""
        cause = error.cause if isinstance(error, RobotsUnreachable) else error
        again, wait, status = False, None, None
        if isinstance(cause, FetchFailed):
            again, wait, status = cause.again, cause.wait, cause.status
        with self._state.change():
            if self._is_host(error, again, status, task) or (wait or 0.0) > self._options.max_wait:
                self._give_up(task, error, status)
            elif again and task.tries < self._options.retries and not self._frontier.given_up(task.host):
                pause = max(wait or 0.0, self._asker.backed_off(task.tries))
                self._frontier.again(task, self._clock.wall() + pause)
            else:
                self.tell(task, error, status)

    def tell(self, task: Task, error: OrynError, status: int | None = None, sha256: str = "", more: str = "") -> None:
        """`task` ends with an error. A listing's is not told: nobody asked for it."""
        with self._state.change():
            if task.kind == Kind.LISTING:
                self._frontier.end(task, End.READ)
                return
            self._frontier.end(task, End.TOLD, sha256)
            self._state.count("failed")
            failure = Failure(code=error.code, message=error.message + more)
            self._outbox.put(task.result().replace(status=status, sha256=sha256, error=failure))

    def _is_host(self, error: OrynError, again: bool, status: int | None, task: Task) -> bool:
        """Whether the host itself fails, and now once too often."""
        silent = isinstance(error, RobotsUnreachable) or (isinstance(error, FetchFailed) and again and status is None)
        if not silent:
            self._frontier.answered(task.host)
            return False
        return self._frontier.failed(task.host) >= self._options.host_failures

    def _give_up(self, task: Task, error: OrynError, status: int | None) -> None:
        left = self._frontier.give_up(task.host)
        more = f"; {task.host} is given up" + (f", and {left} more of its pages" if left else "")
        self.tell(task, error, status, more=more)
