"""Several daemons with one set of records: which runs a session, what they save, how a request gets there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oryn.records import open_records

if TYPE_CHECKING:
    from oryn.daemon.cluster.history import ClusterHistory


def open_history(folder: Path, url: str, daemon: str = "") -> ClusterHistory:
    """Open the records at `url`, with the history of all daemons; `folder` has the files of the daemon of this name.
    Without a name it is for reading.

    Raises `RecordsUnavailable`; `ConfigurationError` for records of a newer version, and without the extra."""
    database = open_records(url)
    from oryn.daemon.cluster.history import ClusterHistory

    return ClusterHistory(folder, database, daemon)
