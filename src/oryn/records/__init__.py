"""Records in a database that several daemons share: sessions, history, tokens, audit, daemons, leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    from oryn.records.database import Database


def open_records(url: str) -> Database:
    """Open the records at `url`. Raises `RecordsUnavailable`; `ConfigurationError` for records of a newer version, and
    without the extra."""
    with require_extra("records", "the setting records", ConfigurationError):
        from oryn.records.database import open_database
    return open_database(url)
