"""Several daemons with one set of records: which runs a session, what they save, how a request gets there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    from oryn.daemon.cluster.history import ClusterHistory
    from oryn.records.database import Database


def open_history(folder: Path, url: str, daemon: str = "") -> ClusterHistory:
    """Open the records at `url`, with the history of all daemons; `folder` has the files of the daemon of this name.
    Without a name it is for reading.

    Raises `RecordsUnavailable`; `ConfigurationError` for records of a newer version, and without the extra."""
    database = open_records(url)
    from oryn.daemon.cluster.history import ClusterHistory

    return ClusterHistory(folder, database, daemon)


def open_records(url: str) -> Database:
    """Open the records at `url`. Raises `RecordsUnavailable`; `ConfigurationError` for records of a newer version, and
    without the extra."""
    with require_extra("records", "the setting records", ConfigurationError):
        from oryn.records.database import open_database
    return open_database(url)
