"""What is logged, and where: to standard error, as the settings say."""

from __future__ import annotations

import logging


def log_to_standard_error(level: str) -> None:
    """`level` is that of the setting `log_level`; other packages' warnings show too."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("oryn").setLevel(level.upper())
