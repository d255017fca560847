"""A Ray cluster: joined where there is one, begun on this machine where none is named."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from typing import Any

from oryn.extras import needed
from oryn.research.failures import ClusterFailed

NAMESPACE = "oryn"
"""In which named actors are found by everybody who uses the cluster."""

_lock = threading.Lock()
_users = 0
_begun = False


def join(address: str | None = None) -> None:
    """Take part in the cluster at `address` (`HOST:6379`, `auto` for the one of this machine, `ray://HOST:10001`); with
    None one is begun in processes beside this one. A process is in one cluster at a time: who comes later shares it.

    Blocks for some seconds. Raises `NotSupported` where Ray is not installed, and `ClusterFailed`."""
    global _users, _begun
    # Nothing is told to others about its use: https://docs.ray.io/en/latest/cluster/usage-stats.html
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with needed("ray", "the engine 'ray'"):
        import ray
    with _lock:
        if not ray.is_initialized():
            _init(ray, address)
            _begun = True
        _users += 1


def leave() -> None:
    """Every `join` has one; the last leaves the cluster, and ends it where `join` began it."""
    global _users, _begun
    import ray

    with _lock:
        _users -= 1
        if _users == 0 and _begun:
            ray.shutdown()
            _begun = False


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
    """How many machines the cluster has now, at least one."""
    import ray

    return max(1, sum(bool(node.get("Alive")) for node in ray.nodes()))


def cores() -> int:
    """How many processors the cluster has now, at least one."""
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)))
