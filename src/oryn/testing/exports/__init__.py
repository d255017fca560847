"""Recorded tests as programs of others: Playwright's tests in Python and TypeScript, scripts and programs of Oryn."""

from __future__ import annotations

from oryn.testing.exports.export import FORMATS, export

__all__ = ["FORMATS", "export"]
