"""Values that complete arguments in every prompt and shell, because they depend on no session."""

from __future__ import annotations

from collections.abc import Iterable

from oryn.language.command import ValueSource
from oryn.language.vocabulary import Vocabulary


def fixed_values(source: ValueSource, vocabulary: Vocabulary) -> Iterable[str]:
    """The values of `commands`, `connections` and `devices`; no values for other sources."""
    match source:
        case "commands":
            return [*vocabulary.verbs, "targets"]
        case "connections":
            from oryn.browsers.base.network import NETWORK_PRESETS

            return [*NETWORK_PRESETS, "off"]
        case "devices":
            from oryn.engine.handlers.device import device_names

            return device_names()
    return ()
