"""The Ray cluster: joined if an address is given, else started on this machine; and Ray's exceptions as errors of
research. An error of ours that was raised on another machine comes back as itself."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from oryn.errors import ClusterFailed, ExtractionFailed, OrynError
from oryn.system.optional_dependencies import require_extra

NAMESPACE = "oryn"
"""The namespace of named actors, for all programs that use the cluster."""
ENVIRONMENT = {
    # No usage statistics are sent: https://docs.ray.io/en/latest/cluster/usage-stats.html
    "RAY_USAGE_STATS_ENABLED": "0",
    # Ray starts its workers with a niceness of 15. On a busy machine they then get so little time that pages are given
    # up (`PAGE_TIMEOUT_SECONDS`) while the process that is to read them still starts.
    "RAY_worker_niceness": "0",
}
"""The settings of a cluster that Oryn starts. The user's own values of these environment variables win."""

_lock = threading.Lock()
_users = 0
_started = False


def join(address: str | None = None) -> None:
    """Join the cluster at `address` (`HOST:6379`, `auto` for the one of this machine, `ray://HOST:10001`); None starts
    one on this machine. A process is in one cluster at a time: later callers share it.

    Blocks for some seconds. Raises `NotSupported` if Ray is not installed, and `ClusterFailed`."""
    global _users, _started
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    with require_extra("ray", "the engine 'ray'"):
        import ray
    with _lock:
        if not ray.is_initialized():
            _init(ray, address)
            _started = True
        _users += 1


def leave() -> None:
    """To be called once for each `join`; the last call leaves the cluster, and ends it if `join` has started it."""
    global _users, _started
    import ray

    with _lock:
        _users -= 1
        if _users == 0 and _started:
            ray.shutdown()
            _started = False


def _init(ray: Any, address: str | None) -> None:
    try:
        ray.init(
            address=address or "local",
            namespace=NAMESPACE,
            log_to_driver=False,
            logging_level=logging.ERROR,
            **({} if address else {"include_dashboard": False}),
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        with suppress(Exception):  # half of a cluster may run
            ray.shutdown()
        raise ClusterFailed(f"Ray can't be reached at {address or 'this machine'}: {error}") from error


def machines() -> int:
    """The number of machines in the cluster now, at least one."""
    import ray

    return max(1, sum(bool(node.get("Alive")) for node in ray.nodes()))


def cores() -> int:
    """The number of processors in the cluster now, at least one."""
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)))


@contextmanager
def map_ray_errors(doing: str) -> Iterator[None]:
    """Map the errors of Ray. `doing` describes the operation, for the message. Raises the `OrynError` of the remote
    code, or `ClusterFailed`."""
    from ray.exceptions import RayError, RayTaskError

    try:
        yield
    except RayTaskError as error:
        cause = _first_cause(error)
        if isinstance(cause, OrynError):
            raise cause from None
        raise ClusterFailed(f"{doing} failed: {type(cause).__name__}: {cause}") from error
    except RayError as error:
        first_line = (str(error).splitlines() or [type(error).__name__])[0]
        raise ClusterFailed(f"{doing} failed: {first_line}") from error


@contextmanager
def map_worker_crash(url: str) -> Iterator[None]:
    """Map a crash while one page is read to `ExtractionFailed`: it is not an error of the cluster."""
    from ray.exceptions import OutOfMemoryError, WorkerCrashedError

    try:
        yield
    except (WorkerCrashedError, OutOfMemoryError):
        raise ExtractionFailed(f"{url} can't be read: it ended the process that did") from None


def _first_cause(error: BaseException) -> BaseException:
    """The exception that was raised first, below what Ray and its datasets wrap around it."""
    while (below := getattr(error, "cause", None) or error.__cause__) is not None:
        error = below
    return error
