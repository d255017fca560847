"""What is to be asked for, by host and depth, and what became of it. In the crawl's state: nothing of a page stays in
memory but what is on its way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum

from oryn.records import Record
from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.results import Crawled
from oryn.research.crawling.state import State
from oryn.research.crawling.traps import endless, shape
from oryn.research.urls import digest, host_of

LISTINGS = 50
"""Sitemaps and feeds that are read of one host."""


class Kind(IntEnum):
    """What an address is asked for."""

    PAGE = 0
    LISTING = 1
    """A sitemap or feed."""


class End(IntEnum):
    """What became of an address; 0 is that it waits."""

    WAITING = 0
    TOLD = 1
    DUPLICATE = 2
    REDIRECTED = 3
    REFUSED = 4
    READ = 5
    ABANDONED = 6
    UNREAD = 7
    """Told, but without what it says."""


class Task(Record):
    """An address to ask for. `hops` are redirects that led to it, from `requested`; `tries` how often it failed."""

    id: int
    url: str
    host: str
    kind: int
    depth: int
    referrer: str
    requested: str
    hops: int
    tries: int

    def result(self) -> Crawled:
        """What is told of it, without what came; the outbox gives it its number."""
        return Crawled(number=0, url=self.url, depth=self.depth, requested=self.requested, referrer=self.referrer)


class Frontier:
    """Limits hold here: `take` never gives more pages than may be told."""

    def __init__(self, state: State, options: CrawlOptions) -> None:
        self._state = state
        self._options = options
        self._under_way: dict[int, Task] = {}
        self._pages_under_way: Counter[str] = Counter()
        totals = state.totals
        self._told = totals.told + totals.failed

    # --- what is found

    def add(
        self,
        urls: Iterable[str],
        *,
        depth: int,
        kind: Kind = Kind.PAGE,
        referrer: int | None = None,
        limited: bool = True,
    ) -> None:
        """Take in tidy URLs that are not known yet; `limited`: as long as they don't look endless."""
        with self._state.change():
            for url in urls:
                self._add(url, depth, kind, referrer, limited)

    def _add(self, url: str, depth: int, kind: Kind, referrer: int | None, limited: bool) -> None:
        code = digest(url)
        if known := self._state.row("SELECT id, depth, state FROM page WHERE digest = ?", (code,)):
            if known[2] == End.WAITING and depth < known[1]:
                self._state.execute("UPDATE page SET depth = ? WHERE id = ?", (depth, known[0]))
        elif self._too_many(url, kind, limited):
            self._state.count("trapped")
        else:
            self._state.execute(
                "INSERT INTO page (digest, url, host, kind, depth, referrer) VALUES (?, ?, ?, ?, ?, ?)",
                (code, url, host_of(url), kind, depth, referrer),
            )

    def _too_many(self, url: str, kind: Kind, limited: bool) -> bool:
        if kind is Kind.LISTING:
            name, most = "listing", LISTINGS
        elif not limited:
            return False
        elif endless(url):
            return True
        else:
            name = shape(url)
            most = self._options.same_query if "?" in name else self._options.same_path
        (count,) = self._state.row(
            "INSERT INTO shape VALUES (?, ?, 1)"
            " ON CONFLICT (host, name) DO UPDATE SET count = count + 1 RETURNING count",
            (host_of(url), name),
        )
        return bool(most) and count > most

    def redirect(self, task: Task, url: str) -> str:
        """`task` leads to a tidy URL: that is asked for in its place, or is known. Returns why it can't be, or nothing:
        a ring of redirects is found when it closes, and then `task` still waits."""
        if self.given_up(host_of(url)):
            return "it redirects to a host that was given up"
        code = digest(url)
        known = self._state.row("SELECT id FROM page WHERE digest = ?", (code,))
        if known and known[0] == task.id and url == task.url:
            return "it redirects to itself"
        if known and known[0] == task.id:
            # The same page by our rules, not by the server's: what it insists on is asked for.
            self._state.execute("UPDATE page SET url = ?, hops = hops + 1 WHERE id = ?", (url, task.id))
            return ""
        if known and self._leads_to(known[0], task.id):
            return "its redirects go round in circles"
        if not known:
            known = self._state.row(
                "INSERT INTO page (digest, url, host, kind, depth, referrer, requested, hops)"
                " SELECT ?, ?, ?, kind, depth, referrer, ?, ? FROM page WHERE id = ? RETURNING id",
                (code, url, host_of(url), task.requested or task.url, task.hops + 1, task.id),
            )
        self._state.execute("UPDATE page SET target = ? WHERE id = ?", (known[0], task.id))
        self.end(task, End.REDIRECTED)
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

    def hosts(self, most: int) -> list[tuple[str, int]]:
        """Hosts with addresses that have not ended, and how many; those with the fewest results first."""
        if self._full():
            return []
        rows = self._state.execute(
            "SELECT name, waiting FROM host WHERE waiting > 0 AND given_up = 0 ORDER BY told, name LIMIT ?", (most,)
        )
        return [(name, waiting) for name, waiting in rows.fetchall() if self._room(name)]

    def take(self, host: str, now: float) -> Task | float | None:
        """The next address of a host; or the seconds until there is one; or None when there is nothing to be done."""
        if self._full() or not self._room(host):
            return None
        if self.given_up(host):
            return None
        of_host = f"host = ? AND state = 0 AND page.id NOT IN ({self._ids(host)})"
        row = self._state.row(
            "SELECT id, url, host, kind, depth,"
            " coalesce((SELECT url FROM page AS other WHERE other.id = page.referrer), ''), requested, hops, tries"
            f" FROM page WHERE {of_host} AND not_before <= ? ORDER BY depth, id LIMIT 1",
            (host, now),
        )
        if row is None:
            (then,) = self._state.row(f"SELECT min(not_before) FROM page WHERE {of_host}", (host,))
            return None if then is None else max(then - now, 0.001)
        task = Task(*row)
        self._under_way[task.id] = task
        self._pages_under_way[host] += task.kind == Kind.PAGE
        return task

    def _ids(self, host: str) -> str:
        return ",".join(str(task.id) for task in self._under_way.values() if task.host == host)

    def _full(self) -> bool:
        return bool(self._options.pages) and self._told + self._pages_under_way.total() >= self._options.pages

    def _room(self, host: str) -> bool:
        if not self._options.pages_per_host:
            return True
        row = self._state.row("SELECT told FROM host WHERE name = ?", (host,))
        return (row[0] if row else 0) + self._pages_under_way[host] < self._options.pages_per_host

    def release(self, task: Task) -> None:
        """It is not on its way any more: it has ended, or waits again."""
        if self._under_way.pop(task.id, None):
            self._pages_under_way[task.host] -= task.kind == Kind.PAGE

    # --- what becomes of it (each within a change of the state)

    def end(self, task: Task, end: End, sha256: str = "") -> None:
        body = bytes.fromhex(sha256) or None
        self._state.execute("UPDATE page SET state = ?, sha256 = ? WHERE id = ?", (end, body, task.id))
        if end in (End.TOLD, End.UNREAD):
            self._told += 1
            self._state.execute("UPDATE host SET told = told + 1 WHERE name = ?", (task.host,))

    def again(self, task: Task, not_before: float) -> None:
        """Ask for it once more, not before then (`Clock.wall`)."""
        self._state.execute("UPDATE page SET tries = tries + 1, not_before = ? WHERE id = ?", (not_before, task.id))
        self._state.count("retries")

    def known(self, sha256: str) -> bool:
        """Whether a page with this body was told, and read. (The shells of an application are all the same, but not
        what a browser would make of them: of what can't be read, each is told.)"""
        values = (bytes.fromhex(sha256), End.UNREAD)
        return self._state.row("SELECT 1 FROM page WHERE sha256 = ? AND state <> ?", values) is not None

    def followed(self, sha256: str) -> bool:
        """Whether the links of a page with this body were taken in."""
        return self._state.row("SELECT 1 FROM page WHERE sha256 = ?", (bytes.fromhex(sha256),)) is not None

    def answered(self, host: str) -> None:
        self._state.execute("UPDATE host SET failures = 0 WHERE name = ? AND failures > 0", (host,))

    def failed(self, host: str) -> int:
        """How often in a row, this time counted."""
        (failures,) = self._state.row(
            "UPDATE host SET failures = failures + 1 WHERE name = ? RETURNING failures", (host,)
        )
        return int(failures)

    def given_up(self, host: str) -> bool:
        return self._state.row("SELECT 1 FROM host WHERE name = ? AND given_up = 1", (host,)) is not None

    def give_up(self, host: str) -> int:
        """Leave all that waits at a host, and say how much that is."""
        waiting = f"UPDATE page SET state = ? WHERE host = ? AND state = 0 AND id NOT IN ({self._ids(host)})"
        left = self._state.execute(waiting, (End.ABANDONED, host)).rowcount
        self._state.execute("UPDATE host SET given_up = 1 WHERE name = ?", (host,))
        self._state.count("abandoned", left)
        return left
