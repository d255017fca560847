"""Intents and packs in files: YAML on disk, plain data to the engine. The packs that ship are in `packs/`."""

from __future__ import annotations

from oryn.intents.library import FileIntentLibrary, library_of, shipped_library

__all__ = ["FileIntentLibrary", "library_of", "shipped_library"]
