"""What Ray raises, as errors of research. An error of ours that was raised elsewhere comes back as itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from oryn.errors import OrynError
from oryn.research.failures import ClusterFailed, ExtractionFailed


@contextmanager
def mapped(doing: str) -> Iterator[None]:
    """Around whatever waits for Ray. `doing` is what was to be done, for the message."""
    from ray.exceptions import RayError, RayTaskError

    try:
        yield
    except RayTaskError as error:
        cause = _first_cause(error)
        if isinstance(cause, OrynError):
            raise cause from None
        raise ClusterFailed(f"{doing} failed: {type(cause).__name__}: {cause}") from error
    except RayError as error:
        raise ClusterFailed(f"{doing} failed: {_first_line(error)}") from error


@contextmanager
def of_reading(url: str) -> Iterator[None]:
    """Around the reading of one page: a process that it ends is no fault of the cluster's."""
    from ray.exceptions import OutOfMemoryError, WorkerCrashedError

    try:
        yield
    except (WorkerCrashedError, OutOfMemoryError):
        raise ExtractionFailed(f"{url} can't be read: it ended the process that did") from None


def _first_cause(error: BaseException) -> BaseException:
    """What was raised first, below what Ray and its datasets wrap around it."""
    while (below := getattr(error, "cause", None) or error.__cause__) is not None:
        error = below
    return error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
