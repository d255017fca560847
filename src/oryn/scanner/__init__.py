"""The scanner: the script that runs in every page, and its protocol (docs/spec/scanner-protocol.md).

`oryn.scanner.protocol` has the types of its requests and responses. Nothing needs them at run time: import them for
type checks alone, since their classes take time to create."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.scanner.bundle import ENTRY, Library, bundle, library_script, page_call, page_script, source_places

if TYPE_CHECKING:
    from oryn.scanner.protocol import ElementField

__all__ = [
    "ENTRY",
    "OBSERVE_FIELDS",
    "Library",
    "bundle",
    "library_script",
    "page_call",
    "page_script",
    "source_places",
]

OBSERVE_FIELDS: tuple[ElementField, ...] = ("options", "value")
"""The optional members of an element that an observation displays."""
