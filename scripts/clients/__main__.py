"""Writes every generated file of the client libraries."""

from __future__ import annotations

from scripts.clients import python, sync

for path, text in {**python.files(), **sync.files()}.items():
    path.write_text(text, "utf-8")
