"""Builds the browser extension: `python -m scripts.extension [--out FOLDER]`, which `make extension` runs."""

from __future__ import annotations

from scripts.extension.builder import build, build_firefox, copy

__all__ = ["build", "build_firefox", "copy"]
