"""Logging to standard error, at the level of the setting `log_level`."""

from __future__ import annotations

import logging


def log_to_standard_error(level: str) -> None:
    """Log to standard error at `level`, a value of the setting `log_level`; warnings of other packages are
    logged too."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("oryn").setLevel(level.upper())
