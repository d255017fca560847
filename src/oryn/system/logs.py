"""Logging to standard error, at the level of the setting `log_level` and in the format of `log_format`
(docs/monitoring.md#logs)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType

LOG_FIELDS: ContextVar[Mapping[str, str]] = ContextVar("LOG_FIELDS", default=MappingProxyType({}))
"""What messages in JSON say about the current task: the command that it runs."""


def log_to_standard_error(level: str, form: str = "text") -> None:
    """Log to standard error at `level`, a value of the setting `log_level`; warnings of other packages are
    logged too. `form` is a value of the setting `log_format`."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("oryn").setLevel(level.upper())
    if form == "json":
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JsonFormatter())


class JsonFormatter(logging.Formatter):
    """Formats each message as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        import json

        moment = datetime.fromtimestamp(record.created, UTC)
        fields = {
            "ts": moment.isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **LOG_FIELDS.get(),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            fields["stack"] = self.formatStack(record.stack_info)
        return json.dumps(fields, separators=(",", ":"))
