"""The frontier of a crawl: URLs to fetch, by host and depth, and the outcome of each. It is stored in the crawl's
state; only the tasks in progress are in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import IntEnum

from oryn.core.records import Record
from oryn.research.crawling.models import CrawlOptions, CrawlResult
from oryn.research.crawling.scope import trap_reason, url_shape
from oryn.research.crawling.state import CrawlState
from oryn.research.urls import host_of, url_digest

MAX_LISTINGS_PER_HOST = 50
"""Sitemaps and feeds that are read of one host."""


class TaskKind(IntEnum):
    """What a URL is requested as."""

    PAGE = 0
    LISTING = 1
    """A sitemap or feed."""


class TaskOutcome(IntEnum):
    """The outcome of a task; 0 is that it waits."""

    WAITING = 0
    DELIVERED = 1
    DUPLICATE = 2
    REDIRECTED = 3
    REFUSED = 4
    READ = 5
    ABANDONED = 6
    UNREAD = 7
    """Delivered without an article."""


class CrawlTask(Record):
    """A URL to request. `hops` is the number of redirects that led to it from `requested`; `tries` how often it has
    failed."""

    id: int
    url: str
    host: str
    kind: int
    depth: int
    referrer: str
    requested: str
    hops: int
    tries: int

    def result(self) -> CrawlResult:
        """The result for this task, without the fields of a response; the outbox assigns its number."""
        return CrawlResult(number=0, url=self.url, depth=self.depth, requested=self.requested, referrer=self.referrer)


class Frontier:
    """The frontier enforces the limits of the crawl: `take` never returns more pages than results may be delivered."""

    def __init__(self, state: CrawlState, options: CrawlOptions) -> None:
        self._state = state
        self._options = options
        self._under_way: dict[int, CrawlTask] = {}
        self._pages_under_way: Counter[str] = Counter()
        totals = state.totals
        self._delivered = totals.told + totals.failed

    # --- what is found

    def add(
        self,
        urls: Iterable[str],
        *,
        depth: int,
        kind: TaskKind = TaskKind.PAGE,
        referrer: int | None = None,
        limited: bool = True,
        priorities: Mapping[str, float] | None = None,
    ) -> None:
        """Add the normalized URLs that are not in the frontier yet; with `limited` only as long as they do not look
        like one of endlessly many. `depth` counts the links from a seed, `referrer` is the id of the task that has
        linked to them. URLs with a higher one of the `priorities` are requested first; 0 if they have none."""
        with self._state.change():
            for url in urls:
                self._add(url, depth, kind, referrer, limited, (priorities or {}).get(url, 0.0))

    def _add(self, url: str, depth: int, kind: TaskKind, referrer: int | None, limited: bool, priority: float) -> None:
        code = url_digest(url)
        if existing := self._state.row("SELECT id, depth, state FROM page WHERE digest = ?", (code,)):
            if existing[2] == TaskOutcome.WAITING:
                self._state.execute(
                    "UPDATE page SET depth = min(depth, ?), priority = max(priority, ?)"
                    " WHERE id = ? AND (depth > ? OR priority < ?)",
                    (depth, priority, existing[0], depth, priority),
                )
        elif self._too_many(url, kind, limited):
            self._state.count("trapped")
        else:
            self._state.execute(
                "INSERT INTO page (digest, url, host, kind, depth, referrer, priority) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (code, url, host_of(url), kind, depth, referrer, priority),
            )

    def _too_many(self, url: str, kind: TaskKind, limited: bool) -> bool:
        if kind is TaskKind.LISTING:
            name, limit = "listing", MAX_LISTINGS_PER_HOST
        elif not limited:
            return False
        elif trap_reason(url):
            return True
        else:
            name = url_shape(url)
            limit = self._options.same_query if "?" in name else self._options.same_path
        (count,) = self._state.row(
            "INSERT INTO shape VALUES (?, ?, 1)"
            " ON CONFLICT (host, name) DO UPDATE SET count = count + 1 RETURNING count",
            (host_of(url), name),
        )
        return bool(limit) and count > limit

    def redirect(self, task: CrawlTask, url: str) -> str:
        """Replace `task` by the normalized URL that it redirects to. Returns the reason if that is impossible, else an
        empty string. A circle of redirects is detected when it closes; `task` then still waits."""
        if self.is_abandoned(host_of(url)):
            return "it redirects to a host that was given up"
        code = url_digest(url)
        existing = self._state.row("SELECT id FROM page WHERE digest = ?", (code,))
        if existing and existing[0] == task.id and url == task.url:
            return "it redirects to itself"
        if existing and existing[0] == task.id:
            # The same page by our rules, not by the server's: what it insists on is asked for.
            self._state.execute("UPDATE page SET url = ?, hops = hops + 1 WHERE id = ?", (url, task.id))
            return ""
        if existing and self._leads_to(existing[0], task.id):
            return "its redirects go round in circles"
        if not existing:
            existing = self._state.row(
                "INSERT INTO page (digest, url, host, kind, depth, referrer, requested, hops, priority)"
                " SELECT ?, ?, ?, kind, depth, referrer, ?, ?, priority FROM page WHERE id = ? RETURNING id",
                (code, url, host_of(url), task.requested or task.url, task.hops + 1, task.id),
            )
        self._state.execute("UPDATE page SET target = ? WHERE id = ?", (existing[0], task.id))
        self.end(task, TaskOutcome.REDIRECTED)
        self._state.count("redirects")
        return ""

    def _leads_to(self, begin: int, end: int) -> bool:
        seen: set[int] = set()
        each: int | None = begin
        while each is not None and each not in seen:
            if each == end:
                return True
            seen.add(each)
            (each,) = self._state.row("SELECT target FROM page WHERE id = ?", (each,))
        return False

    # --- what is asked for

    def hosts(self, limit: int) -> list[tuple[str, int]]:
        """At most `limit` hosts that have waiting or running tasks, with their number; those with the fewest results
        first."""
        if self._full():
            return []
        rows = self._state.execute(
            "SELECT name, waiting FROM host WHERE waiting > 0 AND given_up = 0 ORDER BY told, name LIMIT ?", (limit,)
        )
        return [(name, waiting) for name, waiting in rows.fetchall() if self._room(name)]

    def take(self, host: str, now: float) -> CrawlTask | float | None:
        """The next task of a host; or the seconds until there is one; or None if nothing is left to do. `now` is in
        seconds since 1970."""
        if self._full() or not self._room(host):
            return None
        if self.is_abandoned(host):
            return None
        of_host = f"host = ? AND state = 0 AND page.id NOT IN ({self._ids(host)})"
        row = self._state.row(
            "SELECT id, url, host, kind, depth,"
            " coalesce((SELECT url FROM page AS other WHERE other.id = page.referrer), ''), requested, hops, tries"
            f" FROM page WHERE {of_host} AND not_before <= ? ORDER BY priority DESC, depth, id LIMIT 1",
            (host, now),
        )
        if row is None:
            (then,) = self._state.row(f"SELECT min(not_before) FROM page WHERE {of_host}", (host,))
            return None if then is None else max(then - now, 0.001)
        task = CrawlTask(*row)
        self._under_way[task.id] = task
        self._pages_under_way[host] += task.kind == TaskKind.PAGE
        return task

    def _ids(self, host: str) -> str:
        return ",".join(str(task.id) for task in self._under_way.values() if task.host == host)

    def _full(self) -> bool:
        return bool(self._options.pages) and self._delivered + self._pages_under_way.total() >= self._options.pages

    def _room(self, host: str) -> bool:
        if not self._options.pages_per_host:
            return True
        row = self._state.row("SELECT told FROM host WHERE name = ?", (host,))
        return (row[0] if row else 0) + self._pages_under_way[host] < self._options.pages_per_host

    def release(self, task: CrawlTask) -> None:
        """The task is no longer in progress: it has ended, or waits again."""
        if self._under_way.pop(task.id, None):
            self._pages_under_way[task.host] -= task.kind == TaskKind.PAGE

    # --- what becomes of it (each within a change of the state)

    def end(self, task: CrawlTask, end: TaskOutcome, sha256: str = "") -> None:
        """Store the outcome of a task."""
        body = bytes.fromhex(sha256) or None
        self._state.execute("UPDATE page SET state = ?, sha256 = ? WHERE id = ?", (end, body, task.id))
        if end in (TaskOutcome.DELIVERED, TaskOutcome.UNREAD):
            self._delivered += 1
            self._state.execute("UPDATE host SET told = told + 1 WHERE name = ?", (task.host,))

    def schedule_retry(self, task: CrawlTask, not_before: float) -> None:
        """Request the task once more, not before `not_before` (`Clock.wall`)."""
        self._state.execute("UPDATE page SET tries = tries + 1, not_before = ? WHERE id = ?", (not_before, task.id))
        self._state.count("retries")

    def has_body(self, sha256: str) -> bool:
        """Whether a page with this body was delivered with its article. (Pages without an article do not count: the
        shells of a JavaScript application are all the same, but a browser would make different pages of them.)"""
        values = (bytes.fromhex(sha256), TaskOutcome.UNREAD)
        return self._state.row("SELECT 1 FROM page WHERE sha256 = ? AND state <> ?", values) is not None

    def has_followed(self, sha256: str) -> bool:
        """Whether the links of a page with this body were added."""
        return self._state.row("SELECT 1 FROM page WHERE sha256 = ?", (bytes.fromhex(sha256),)) is not None

    def reset_failures(self, host: str) -> None:
        """Reset the failures of a host: it has responded."""
        self._state.execute("UPDATE host SET failures = 0 WHERE name = ? AND failures > 0", (host,))

    def count_failure(self, host: str) -> int:
        """Count a failure of a host; returns how many there were in a row."""
        (failures,) = self._state.row(
            "UPDATE host SET failures = failures + 1 WHERE name = ? RETURNING failures", (host,)
        )
        return int(failures)

    def is_abandoned(self, host: str) -> bool:
        """Whether the host was given up."""
        return self._state.row("SELECT 1 FROM host WHERE name = ? AND given_up = 1", (host,)) is not None

    def abandon(self, host: str) -> int:
        """Give up a host; returns how many waiting tasks of it are dropped."""
        waiting = f"UPDATE page SET state = ? WHERE host = ? AND state = 0 AND id NOT IN ({self._ids(host)})"
        left = self._state.execute(waiting, (TaskOutcome.ABANDONED, host)).rowcount
        self._state.execute("UPDATE host SET given_up = 1 WHERE name = ?", (host,))
        self._state.count("abandoned", left)
        return left
