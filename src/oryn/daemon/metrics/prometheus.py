"""Metrics of the daemon in the format of Prometheus (docs/monitoring.md#metrics), made by its client library (extra
`metrics`).

Commands are counted from the events of the daemon, and all else is read from its status when Prometheus asks. The
values of labels are names that Oryn declares, besides those of providers: verbs, codes of errors, backends."""

from __future__ import annotations

import sys
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from oryn.daemon.events import Event
from oryn.daemon.vocabulary import table_action

if TYPE_CHECKING:
    from prometheus_client import Metric

    from oryn.daemon.protocol import DaemonStatus, ProviderStatus, SessionStatus

DURATION_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
"""Upper bounds of the histogram of durations, in seconds."""

SUCCESS = "ok"
"""The outcome of a command without an error; otherwise it is the error's code in lower case."""


class DaemonMetrics:
    """The metrics of one daemon. `on_event` observes its events."""

    media_type = CONTENT_TYPE_PLAIN_0_0_4
    """The text format that every version of Prometheus reads."""

    def __init__(self) -> None:
        # In this format, what Prometheus ignores would be a series more for each counter.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._commands = Counter(
            "oryn_commands", "Commands that have ended.", ("verb", "outcome"), registry=self._registry
        )
        self._durations = Histogram(
            "oryn_command_duration_seconds",
            "Time from a command's arrival to its answer, with the wait for its turn.",
            ("verb",),
            buckets=DURATION_BUCKETS,
            registry=self._registry,
        )
        self._status = _StatusCollector()
        self._registry.register(self._status)
        if sys.platform == "linux":
            ProcessCollector(registry=self._registry)

    def on_event(self, event: Event) -> None:
        """Count a command that has ended."""
        if event.type == "action.finish":
            verb = table_action(event.data["action"])
            self._commands.labels(verb, event.data["error_kind"] or SUCCESS).inc()
            self._durations.labels(verb).observe(event.data["elapsed_ms"] / 1000)

    def exposition(self, status: DaemonStatus) -> bytes:
        """The metrics as text. `status` is the present status of the daemon."""
        self._status.present = status
        return generate_latest(self._registry)


def state_of(session: SessionStatus) -> str:
    """The state of a session, for labels."""
    if session.state == "dormant":
        return "dormant"
    if session.taken_over:
        return "taken_over"
    return "busy" if session.queue else "idle"


class _StatusCollector(Collector):
    """Reads gauges from the status of the daemon."""

    def __init__(self) -> None:
        self.present: DaemonStatus | None = None

    def collect(self) -> Iterator[Metric]:
        status = self.present
        if status is None:
            return  # the registry asks for names when the collector is registered
        yield InfoMetricFamily("oryn_build", "The version of Oryn.", {"version": status.version})
        sessions = GaugeMetricFamily("oryn_sessions", "Sessions that are open or saved.", labels=("state", "backend"))
        for (state, mode), count in Tally((state_of(each), each.mode or "") for each in status.sessions).items():
            sessions.add_metric((state, mode), count)
        yield sessions
        waiting = sum(max(len(each.queue) - 1, 0) for each in status.sessions)
        yield GaugeMetricFamily("oryn_commands_running", "Commands that run.", status.running - waiting)
        yield GaugeMetricFamily("oryn_commands_waiting", "Commands that wait for their turn.", waiting)
        yield GaugeMetricFamily(
            "oryn_history_failing", "1 if rows of the history can't be written.", int(status.history is not None)
        )
        if status.load is not None:
            yield GaugeMetricFamily(
                "oryn_load_ratio",
                "Used browsers, or open sessions, as a share of the limit.",
                status.load,
            )
        yield from _provider_gauges(status.providers)
        memory = GaugeMetricFamily(
            "oryn_browser_memory_bytes", "Memory of a local browser with all its processes.", labels=("process",)
        )
        for browser in status.browsers:
            if browser.memory_mb is not None:
                memory.add_metric((str(browser.process),), browser.memory_mb * 1e6)
        yield memory


def _provider_gauges(providers: Sequence[ProviderStatus]) -> Iterator[Metric]:
    label = ("provider",)
    up = GaugeMetricFamily("oryn_provider_up", "1 if a provider of browsers takes new ones.", labels=label)
    capacity = GaugeMetricFamily("oryn_provider_capacity", "Browsers that it can run at once.", labels=label)
    used = GaugeMetricFamily("oryn_provider_used", "Browsers that it runs.", labels=label)
    queue = GaugeMetricFamily("oryn_provider_queue", "Requests that wait for a browser.", labels=label)
    for each in providers:
        up.add_metric((each.name,), int(each.state == "up"))
        if each.capacity is not None:
            capacity.add_metric((each.name,), each.capacity)
        used.add_metric((each.name,), each.used)
        queue.add_metric((each.name,), each.queue)
    yield from (up, capacity, used, queue) if providers else ()
