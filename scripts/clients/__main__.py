"""Writes every generated file of the client libraries."""

from __future__ import annotations

from scripts.clients import python, sync, typescript

for path, text in {**python.files(), **sync.files(), **typescript.files()}.items():
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text, "utf-8")
