"""The scanner: the script that runs in every page, and its protocol (docs/spec/scanner-protocol.md)."""

from __future__ import annotations

from oryn.scanner.bundle import ENTRY, bundle, page_call, page_script, source_places

__all__ = ["ENTRY", "bundle", "page_call", "page_script", "source_places"]
